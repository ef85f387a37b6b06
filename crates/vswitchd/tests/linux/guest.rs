//! A guest: a network namespace with one interface.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::namespace::{ip, unshare};

/// A network namespace with `eth0`, whose other end is `guestN` outside. It has the addresses 10.0.1.N/24 and fd00::N/64, the
/// Ethernet address 02:00:00:00:00:NN, and a default route to 10.0.1.254. It is gone when this is dropped.
pub struct Guest {
    number: u8,
    /// Whoever is in the namespace, which lasts as long.
    process: Child,
}

impl Guest {
    pub fn new(number: u8) -> Self {
        let sleep = unshare().args(["sleep", "240"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let guest = Self { number, process: sleep.expect("unshare was found before") };
        // The child is in its namespace a little later than it is there.
        let own = std::fs::read_link("/proc/self/ns/net").expect("a namespace");
        while std::fs::read_link(guest.path()).is_ok_and(|its| its == own) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let child = guest.process.id();
        ip(&format!(
            "link add guest{number} type veth peer name eth0 address 02:00:00:00:00:{number:02x} netns {child}"
        ));
        ip(&format!("link set guest{number} up"));
        for arguments in [
            format!("address add 10.0.1.{number}/24 dev eth0"),
            format!("-6 address add fd00::{number}/64 dev eth0 nodad"),
            "link set eth0 up".to_owned(),
            "route add default via 10.0.1.254".to_owned(),
        ] {
            guest.ip(&arguments);
        }
        guest
    }

    pub fn path(&self) -> String {
        format!("/proc/{}/ns/net", self.process.id())
    }

    /// A command in the guest.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net={}", self.path())).arg("--").arg(program);
        command
    }

    /// Runs `ip` in the guest, which must succeed, and returns what it prints.
    pub fn ip(&self, arguments: &str) -> String {
        let output = self.command("ip").args(arguments.split(' ')).output().expect("nsenter is there");
        assert!(output.status.success(), "ip {arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("ip prints text")
    }

    /// Returns true if a ping to an address comes back.
    pub fn pings(&self, address: &str) -> bool {
        self.pings_with(address, &[])
    }

    /// As [`Self::pings`], with more arguments of `ping`.
    pub fn pings_with(&self, address: &str, arguments: &[&str]) -> bool {
        pings(self.command("ping"), address, arguments)
    }
}

/// Returns true if a ping to an address from the namespace of the test comes back.
pub fn pings_from_here(address: &str) -> bool {
    pings(Command::new("ping"), address, &[])
}

/// The first ping may be lost while somebody asks for an address.
fn pings(mut command: Command, address: &str, arguments: &[&str]) -> bool {
    command.args(["-c", "3", "-i", "0.2", "-W", "1"]).args(arguments).arg(address);
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

impl Drop for Guest {
    fn drop(&mut self) {
        // The kernel takes a namespace's interfaces some time after its last process has ended; a guest made meanwhile would find the
        // name of this one's taken.
        let delete = ["link", "delete", &format!("guest{}", self.number)];
        let _ = Command::new("ip").args(delete).stderr(Stdio::null()).status();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
