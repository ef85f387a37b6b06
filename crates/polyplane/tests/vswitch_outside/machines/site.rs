//! A switch between two machines and a namespace.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::guest::Guest;
use crate::machines::archive::Kit;
use crate::machines::machine::Machine;
use crate::namespace::{set, within_time};
use crate::process::{SwitchProcess, is_there};
use crate::tools::site::{VPC, vnic};

/// The time after which a test is considered hung, which boots machines up to three times.
const LONGEST: Duration = Duration::from_secs(240);
/// Machines of several tests at once would take turns on few cores.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The sides of the two machines' sockets: the kind of the switch's interface, and QEMU's options. The switch listens for the first
/// machine, and connects to the second.
const SIDES: [(&str, &str); 2] = [("vhost-user", "reconnect=1"), ("vhost-user-client", "server=on,wait=off")];

/// A switch with vNICs for two machines, 1 and 2, and a guest that is a namespace, 3.
pub struct Site {
    kit: Kit,
    pub switch: SwitchProcess,
    pub guest: Guest,
    folder: TempDir,
}

impl Site {
    /// Runs a test with a site in a namespace of its own, or says why not. The vNICs have further entries.
    pub fn within(name: &str, more: &str, test: impl FnOnce(Self)) {
        let programs = ["qemu-system-x86_64", "busybox", "iperf3", "ping"];
        let missing = programs.into_iter().find(|program| !is_there(program));
        let kit = missing.map_or_else(Kit::new, |program| Err(format!("there is no {program}")));
        let kit = match kit {
            Ok(kit) => kit,
            Err(missing) => return eprintln!("SKIPPED {name}: {missing}"),
        };
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        within_time(name, LONGEST, || {
            set("ipv6/conf/default/disable_ipv6", "1");
            let folder = tempfile::tempdir().expect("a folder can be made");
            let guest = Guest::new(3);
            let machine = |number: u8| {
                let (kind, _) = SIDES[usize::from(number) - 1];
                let interface = format!("{kind}:{}", folder.path().join(number.to_string()).display());
                vnic(number, more).replace(&format!("guest{number}"), &interface)
            };
            let text = format!("name = \"host\"\n{VPC}{}{}{}", machine(1), machine(2), vnic(3, more));
            let switch = SwitchProcess::start(&text);
            test(Self { kit, switch, guest, folder });
        });
    }

    /// Starts a machine, 1 or 2, whose network card has properties. It boots meanwhile.
    pub fn starts(&self, number: u8, properties: &str) -> Machine {
        let (_, whose) = SIDES[usize::from(number) - 1];
        Machine::start(&self.kit, number, (&self.folder.path().join(number.to_string()), whose), properties)
    }

    /// Starts a machine, and returns when it has booted.
    pub fn boots(&self, number: u8, properties: &str) -> Machine {
        let mut machine = self.starts(number, properties);
        machine.is_ready();
        machine
    }

    /// Returns the row of a vNIC in `show ports`.
    pub fn port(&self, vnic: u8) -> Value {
        let ports = self.switch.asks(&["show", "ports"]);
        let row = ports["ports"].as_array().into_iter().flatten().find(|row| row["vnic"] == *vnic.to_string());
        row.unwrap_or_else(|| panic!("{ports}")).clone()
    }

    /// Ends the switch, in which every frame has a verdict, and returns its counts.
    pub fn end(self) -> Value {
        self.switch.end()
    }
}
