//! Two hosts with a program between them.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common;
use crate::host::Host;
use crate::namespace::set;

/// Two hosts, 10.0.1.2 at port 1 and 10.0.2.2 at port 2, and `polyplane live` with a program between them. All of it
/// ends when this is dropped.
pub struct Site {
    pub left: Host,
    pub right: Host,
    live: Child,
    /// A folder for files of the test.
    pub folder: PathBuf,
}

/// A program with the commands that fill its tables.
pub struct Program {
    pub name: &'static str,
    pub commands: &'static str,
    /// Whether hosts address the program, instead of each other.
    pub is_gateway: bool,
}

/// Returns the address of the right host.
pub const RIGHT: &str = "10.0.2.2";

pub const ROUTER: Program = Program {
    name: "router",
    commands: "table_add RouterIngress.stations NoAction 1 02:00:00:00:01:01 =>
        table_add RouterIngress.stations NoAction 2 02:00:00:00:01:02 =>
        table_add RouterIngress.interfaces set_source 1 => 02:00:00:00:01:01
        table_add RouterIngress.interfaces set_source 2 => 02:00:00:00:01:02
        table_add RouterIngress.next_hops forward 1 => 1 02:00:00:00:02:01
        table_add RouterIngress.next_hops forward 2 => 2 02:00:00:00:02:02
        table_add RouterIngress.routes to_next_hop 10.0.1.0/24 => 1
        table_add RouterIngress.routes to_next_hop 10.0.2.0/24 => 2",
    is_gateway: true,
};

pub const LEARNING_SWITCH: Program = Program {
    name: "learning_switch",
    commands: "mc_mgrp_create 1
        mc_node_create 0 1 2
        mc_node_associate 1 0",
    is_gateway: false,
};

/// Port 1 is inside.
pub const STATEFUL_FIREWALL: Program = Program {
    name: "stateful_firewall",
    commands: "table_add FirewallIngress.routes forward 10.0.1.0/24 => 1 02:00:00:00:01:01 02:00:00:00:02:01
        table_add FirewallIngress.routes forward 10.0.2.0/24 => 2 02:00:00:00:01:02 02:00:00:00:02:02
        table_add FirewallIngress.directions outgoing 1 2 =>
        table_add FirewallIngress.directions incoming 2 1 =>",
    is_gateway: true,
};

/// The host at port 1 may send 400 Mb/s.
pub const RATE_LIMITER: Program = Program {
    name: "rate_limiter",
    commands: "table_add LimiterIngress.wires forward 1 => 2
        table_add LimiterIngress.wires forward 2 => 1
        table_add LimiterIngress.customers limit 1 10.0.1.0/24 => 1
        table_add LimiterIngress.customers trust 2 0.0.0.0/0 =>
        meter_set_rates LimiterIngress.rates 1 25:100000 50:200000",
    is_gateway: false,
};

impl Site {
    /// Makes the hosts and starts the program, and returns when packets cross it.
    pub fn new(program: &Program) -> Self {
        let gateway = |port: u16| match (program.is_gateway, port) {
            (true, port) => format!("02:00:00:00:01:{port:02x}"),
            (false, port) => format!("02:00:00:00:02:{:02x}", 3 - port),
        };
        // The kernel sends nothing by itself on the ports then.
        set("ipv6/conf/default/disable_ipv6", "1");
        let [left, right] = [1, 2].map(|port| Host::new(port, &gateway(port)));
        let folder = std::env::temp_dir().join(format!("polyplane-live-{}-{}", program.name, std::process::id()));
        fs::create_dir_all(&folder).expect("a folder can be made");
        let tables = folder.join("commands.txt");
        let commands: Vec<&str> = program.commands.lines().map(str::trim).collect();
        fs::write(&tables, commands.join("\n")).expect("a file can be written");
        let live = Command::new(env!("CARGO_BIN_EXE_polyplane"))
            .args(["live", &format!("programs/p4/{0}/{0}.p4", program.name), "--machine", "native", "--for", "55s"])
            .args(["--port", "1=port1", "--port", "2=port2", "--tables"])
            .arg(tables)
            .arg("--socket")
            .arg(folder.join("socket"))
            .current_dir(common::project())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the command is built");
        let site = Self { left, right, live, folder };
        let before = site.right.received();
        // The command may still be compiling the program.
        site.soon("a packet crosses the program", || {
            site.ping();
            site.right.received() > before
        });
        site
    }

    /// Returns true if a ping of the left host comes back from the right one within a second.
    pub fn ping(&self) -> bool {
        let status = self.left.command("ping").args(["-c", "1", "-W", "1", RIGHT]).stdout(Stdio::null()).status();
        status.expect("nsenter is there").success()
    }

    /// Repeats something until it holds, at most for ten seconds.
    pub fn soon(&self, what: &str, mut holds: impl FnMut() -> bool) {
        for _ in 0..100 {
            if holds() {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("it did not come to this: {what}");
    }

    /// Asserts that the command still runs.
    pub fn assert_running(&mut self) {
        let ended = self.live.try_wait().expect("the child can be asked");
        assert_eq!(ended, None, "`polyplane live` has ended");
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.live.kill();
        let _ = self.live.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
