//! A host of Linux: a network namespace with one interface.

use std::fs::File;
use std::os::fd::AsFd;
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use crate::namespace::{ip, unshare};

/// A network namespace with one end of a veth pair, `eth0`. The other end is `port1`, … outside. It is gone when this is
/// dropped.
pub struct Host(Child);

impl Host {
    /// Makes the host at a port, with the MAC address that `commands.txt` of the programs expects there, and
    /// configures it by arguments of `ip`.
    pub fn new(port: u16, configuration: &'static [&'static str]) -> Self {
        let sleep = unshare().args(["sleep", "60"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let host = Self(sleep.expect("unshare was found before"));
        // The child is in its namespace a little later than it is there.
        let own = std::fs::read_link("/proc/self/ns/net").expect("a namespace");
        while std::fs::read_link(host.path()).is_ok_and(|its| its == own) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let child = host.0.id();
        ip(&format!("link add port{port} type veth peer name eth0 address 02:00:00:00:01:{port:02x} netns {child}"));
        ip(&format!("link set port{port} up"));
        host.run(|| configuration.iter().for_each(|arguments| ip(arguments)));
        host
    }

    fn path(&self) -> String {
        format!("/proc/{}/ns/net", self.0.id())
    }

    /// Runs something in the namespace, on a thread of its own, and returns its result.
    pub fn run<R: Send>(&self, body: impl FnOnce() -> R + Send) -> R {
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let namespace = File::open(self.path()).expect("the namespace exists");
                move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))
                    .expect("it may be entered");
                body()
            });
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
