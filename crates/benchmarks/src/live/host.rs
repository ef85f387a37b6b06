//! Hosts: network namespaces, and the right to make them.

use std::fs::File;
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use diagnostics::{Diagnostic, Failure};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// Returns the start of a command that runs in a network namespace of its own; for users other than root also in a user
/// namespace, in which they may configure it.
pub fn in_namespace() -> Command {
    let mut unshare = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        unshare.args(["--user", "--map-root-user"]);
    }
    unshare.args(["--net", "--"]);
    unshare
}

/// Refuses to go on if namespaces and interfaces cannot be made.
pub fn check_rights() -> Result<(), Failure> {
    let makes_veth = ["ip", "link", "add", "try0", "type", "veth", "peer", "name", "try1"];
    super::succeed(in_namespace().args(makes_veth)).map_err(|failure| {
        let message = "live switches cannot be measured: no network namespace with interfaces can be made";
        let hint = format!(
            "this needs Linux with veth interfaces, the commands unshare (util-linux) and ip (iproute2), and root or the \
             right to make user namespaces; {}",
            failure.render(false).trim().trim_start_matches("error: ")
        );
        Diagnostic::without_place(message).hint(hint).into()
    })
}

/// A network namespace. It is gone when this is dropped and its threads have ended.
pub struct Host(Child);

impl Host {
    /// Makes a namespace without interfaces.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new() -> Result<Self, Failure> {
        // A process that ends with this one, however this one ends: `cat` reads a pipe that is closed then.
        let mut cat = Command::new("unshare");
        cat.args(["--net", "--", "cat"]).stdin(Stdio::piped()).stdout(Stdio::null());
        let child = cat.spawn().map_err(|error| Failure::plain(format!("cannot make a network namespace: {error}")))?;
        let host = Self(child);
        // The child is in its namespace a little later than it is there.
        let own = std::fs::read_link("/proc/self/ns/net").ok();
        for _ in 0..1000 {
            if std::fs::read_link(host.path()).ok().is_some_and(|its| Some(its) != own) {
                return Ok(host);
            }
            thread::sleep(Duration::from_millis(1));
        }
        Err(Failure::plain("cannot make a network namespace: unshare does not answer"))
    }

    /// Makes a client and a server that send nothing by themselves: neither they nor this thread's namespace has IPv6.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn silent_pair() -> Result<[Self; 2], Failure> {
        let hosts = [Self::new()?, Self::new()?];
        let silence = || {
            for which in ["all", "default"] {
                // Only kernels without IPv6 refuse, and send nothing of it.
                let _ = std::fs::write(format!("/proc/sys/net/ipv6/conf/{which}/disable_ipv6"), "1");
            }
        };
        silence();
        hosts.iter().for_each(|host| host.run(silence));
        Ok(hosts)
    }

    fn path(&self) -> String {
        format!("/proc/{}/ns/net", self.0.id())
    }

    /// Returns the process whose namespace it is, as `ip link … netns` takes it.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Runs something in the namespace, on a thread of its own, and returns its result. Threads that it starts are in the
    /// namespace, too.
    pub fn run<R: Send>(&self, body: impl FnOnce() -> R + Send) -> R {
        thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let namespace = File::open(self.path()).expect("the namespace exists as long as the host");
                move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))
                    .expect("who made a namespace may enter it");
                body()
            });
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // Both fail only if it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
