//! Messages of a host to itself: they leave by its link and come back by it.

use networks::transports;

use super::{ran, rows};

fn plan(transport: &str, workload: &str) -> String {
    format!(
        "[topology]\nkind = \"single-switch\"\nhosts = 8\n[transport]\nkind = \"{transport}\"\n\
         [[workload]]\n{workload}\n"
    )
}

#[test]
fn a_message_to_oneself_goes_over_the_wire_with_every_transport() {
    for kind in transports::ALL {
        let name = kind.name();
        let outcome = ran(&plan(name, "kind = \"parallel-incasts\"\nsenders = 3\nreceivers = 3\nbytes = \"100 kB\""));
        assert_eq!((outcome.summary.delivered, outcome.exit_status()), (3, 0), "{name}");
        assert_eq!(outcome.defect, None, "{name}");
        for (host, flow) in outcome.flows.iter().enumerate() {
            assert_eq!((flow.source, flow.destination), (host as u32, host as u32), "{name}");
            // Two links, each with 1 us of delay and 8 us and more of a message at 100 Gb/s.
            assert!(flow.completion_time().expect("delivered") >= outcome.ideal[host].expect("a way"), "{name}");
            assert!(outcome.ideal[host].expect("a way").picoseconds() >= 10_000_000, "{name}");
        }
        // What a host sent is what it received.
        for row in rows(&outcome, "links").iter().filter(|row| row["from"].starts_with("host-")) {
            let back = rows(&outcome, "links");
            let back = back.iter().find(|other| other["from"] == row["to"] && other["to"] == row["from"]);
            assert_eq!(back.map(|back| &back["packets"]), Some(&row["packets"]), "{name}");
        }
    }
}

#[test]
fn a_host_in_its_own_incast_has_its_share_with_every_transport() {
    for kind in transports::ALL {
        let name = kind.name();
        let outcome = ran(&plan(name, "kind = \"parallel-incasts\"\nsenders = 8\nreceivers = 2\nbytes = \"200 kB\""));
        assert_eq!((outcome.summary.delivered, outcome.exit_status()), (8, 0), "{name}");
        assert_eq!((outcome.defect.as_ref(), outcome.summary.packets.in_flight), (None, 0), "{name}");
        let received = |host: u32| outcome.flows.iter().filter(|flow| flow.destination == host).count();
        assert_eq!([received(0), received(1), received(2)], [4, 4, 0], "{name}");
    }
}
