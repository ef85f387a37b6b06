//! A host of Linux: a network namespace with one interface.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::namespace::{ip, unshare};

/// A network namespace with one end of a veth pair, `eth0`, whose other end is `port1`, `port2` outside. It has the
/// address 10.0.PORT.2/24, and reaches everything else by the gateway 10.0.PORT.1, whose MAC address it knows. It is
/// gone when this is dropped.
pub struct Host(Child);

impl Host {
    /// Makes the host at a port, with the MAC address of its gateway.
    pub fn new(port: u16, gateway: &str) -> Self {
        let sleep = unshare().args(["sleep", "60"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let host = Self(sleep.expect("unshare was found before"));
        // The child is in its namespace a little later than it is there.
        let own = std::fs::read_link("/proc/self/ns/net").expect("a namespace");
        while std::fs::read_link(host.path()).is_ok_and(|its| its == own) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let child = host.0.id();
        ip(&format!("link add port{port} type veth peer name eth0 address 02:00:00:00:02:{port:02x} netns {child}"));
        ip(&format!("link set port{port} up"));
        // The kernel sends nothing by itself then.
        host.done("sysctl", "-qw net.ipv6.conf.all.disable_ipv6=1");
        for arguments in [
            format!("address add 10.0.{port}.2/24 dev eth0"),
            "link set eth0 up".to_owned(),
            format!("neighbor add 10.0.{port}.1 lladdr {gateway} dev eth0 nud permanent"),
            format!("route add default via 10.0.{port}.1"),
        ] {
            host.done("ip", &arguments);
        }
        host
    }

    fn path(&self) -> String {
        format!("/proc/{}/ns/net", self.0.id())
    }

    /// Returns a command that runs in the namespace.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net={}", self.path())).arg("--").arg(program);
        command
    }

    /// Runs a command in the namespace, which must succeed.
    pub fn done(&self, program: &str, arguments: &str) {
        let output = self.command(program).args(arguments.split(' ')).output().expect("nsenter is there");
        assert!(output.status.success(), "{program} {arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Returns the number of packets that have arrived at the host.
    pub fn received(&self) -> u64 {
        let output = self.command("ip").args(["-s", "-j", "link", "show", "eth0"]).output();
        let links = output.ok().and_then(|output| serde_json::from_slice::<serde_json::Value>(&output.stdout).ok());
        links.and_then(|links| links[0]["stats64"]["rx"]["packets"].as_u64()).unwrap_or(0)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
