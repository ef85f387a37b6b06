//! Machines and switches that end, come back, and stand still.

use std::io::{Read, Write};

use crate::machines::machine::Machine;
use crate::machines::site::Site;
use crate::machines::traffic::{connects, echoes, floods};
use crate::process::{SwitchProcess, soon};

/// What happens to the switch in a test.
type Happens = fn(&mut SwitchProcess);

/// Checks that connections to both machines go on behind what happens to the switch.
fn connections_go_on(name: &str, happens: &[Happens]) {
    Site::within(name, "", |mut site| {
        let mut machines = [1, 2].map(|number| site.starts(number, ""));
        machines.iter_mut().for_each(Machine::is_ready);
        let streams = ["10.0.1.1", "fd00::1", "10.0.1.2", "fd00::2"].map(|address| connects(&site.guest, address));
        streams.iter().for_each(|stream| echoes(stream, b"before"));
        for happens in happens {
            happens(&mut site.switch);
            // A machine that connects does so again by itself, within a second or two.
            streams.iter().for_each(|stream| echoes(stream, b"behind"));
        }
        for machine in &mut machines {
            assert!(machine.pings("10.0.1.3", 56) && machine.pings("fd00::3", 4000));
            assert_eq!(machine.complaints(), "");
        }
        drop(machines);
        site.end();
    });
}

#[test]
fn connections_of_a_machine_go_on_when_the_switch_was_killed() {
    let name = "machines::restarts::connections_of_a_machine_go_on_when_the_switch_was_killed";
    connections_go_on(name, &[SwitchProcess::kill_and_start_again]);
}

#[test]
fn connections_of_a_machine_go_on_when_the_switch_is_upgraded() {
    let name = "machines::restarts::connections_of_a_machine_go_on_when_the_switch_is_upgraded";
    connections_go_on(name, &[SwitchProcess::upgrades, SwitchProcess::upgrades]);
}

#[test]
fn a_machine_comes_back_that_has_booted_again_or_was_killed() {
    Site::within("machines::restarts::a_machine_comes_back_that_has_booted_again_or_was_killed", "", |site| {
        let mut machine = site.boots(1, "");
        assert!(machine.pings("10.0.1.3", 56));
        let mut stream = connects(&site.guest, "10.0.1.1");
        echoes(&stream, b"before");
        machine.reboots();
        assert!(machine.pings("10.0.1.3", 56) && machine.pings("fd00::3", 56));
        // Whoever had a connection to it is told that it has gone, and hangs no longer.
        let ended = stream.write_all(b"are you there").and_then(|()| stream.read_exact(&mut [0]));
        assert!(ended.is_err(), "it knows nothing of the connection");
        // What the namespace sends while no machine is there has nobody to go to.
        drop(machine);
        soon("its link is down", || !site.guest.pings("10.0.1.1"));
        let mut machine = site.boots(1, ",mrg_rxbuf=off");
        assert!(machine.pings("10.0.1.3", 4000) && machine.pings("fd00::3", 4000));
        echoes(&connects(&site.guest, "fd00::1"), b"behind");
        drop(machine);
        let counts = site.end();
        assert!(counts["discarded"].get("interface down").is_some(), "{counts}");
    });
}

#[test]
fn a_machine_that_stands_still_holds_up_nobody_else() {
    Site::within("machines::restarts::a_machine_that_stands_still_holds_up_nobody_else", "", |site| {
        let mut machines = [1, 2].map(|number| site.starts(number, ""));
        machines.iter_mut().for_each(Machine::is_ready);
        let [still, other] = &mut machines;
        assert!(other.pings("10.0.1.1", 56));
        still.stands_still();
        soon("there is no room for more frames", || {
            floods(&site.guest, "10.0.1.1", 2000);
            site.port(1)["dropped"].as_u64() > Some(1000)
        });
        assert!(other.pings("10.0.1.3", 4000) && site.guest.pings("fd00::2"));
        still.goes_on();
        assert!(still.pings("10.0.1.3", 56) && still.pings("fd00::2", 4000));
        assert_eq!(still.complaints(), "");
        drop(machines);
        let counts = site.end();
        assert!(counts["discarded"]["interface full"].as_u64() > Some(1000), "{counts}");
    });
}
