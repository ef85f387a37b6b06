//! What a switch says of itself: ports, sessions, flows, rules, drops, traces, metrics, flow logs.

use vswitchd::{Answer, Request, metrics};

use crate::host::{Guest, Started, VPC, group};

/// Two guests of which the second accepts UDP to port 53, and a session between them.
fn pair() -> (Started, [Guest; 2]) {
    let guests = [1, 2].map(Guest::new);
    let text = format!("{VPC}{}{}{}", guests[0].section(""), guests[1].section("\"web\""), group(&[53]));
    let switch = Started::new(&text);
    guests[0].send(2, [1000, 53]);
    assert_eq!(guests[1].receive(), [1000, 53]);
    guests[1].send(1, [53, 1000]);
    assert_eq!(guests[0].receive(), [53, 1000]);
    (switch, guests)
}

fn trace(ports: [u16; 2], next: bool) -> Request {
    Request::Trace {
        protocol: "udp".into(),
        source: [10, 0, 1, 1].into(),
        source_port: ports[0],
        destination: [10, 0, 1, 2].into(),
        destination_port: ports[1],
        vpc: None,
        next,
    }
}

#[test]
fn a_switch_shows_what_it_knows() {
    let (switch, guests) = pair();
    let Answer::Sessions { sessions, more: 0 } =
        switch.ask(Request::Sessions { vnic: Some("guest-2".into()), most: 5 })
    else {
        panic!("there is one session");
    };
    let session = &sessions[0];
    assert_eq!((&*session.from, &*session.to, &*session.state), ("10.0.1.1:1000", "10.0.1.2:53", "open"));
    assert_eq!((&*session.vpc, &*session.vnic, session.packets), ("red", "guest-1", [1, 1]));
    let Answer::Flows { flows, .. } = switch.ask(Request::Flows { vnic: None, most: 10 }) else { panic!("flows") };
    assert_eq!(flows[1].actions, ["deliver to vNIC `guest-1`"]);
    let Answer::Rules(rules) = switch.ask(Request::Rules {}) else { panic!("rules") };
    assert_eq!(rules[1].rule, "allow in udp 53 from 10.0.1.0/24 (priority 1000)");
    assert_eq!(rules[1].vnics, ["guest-2"]);
    guests[0].send(2, [1000, 54]);
    let Answer::Ports(ports) = (loop {
        let answer = switch.ask(Request::Ports {});
        let Answer::Ports(rows) = &answer else { panic!("{answer:?}") };
        if rows[0].received.packets == 2 {
            break answer;
        }
    }) else {
        panic!("ports")
    };
    assert_eq!((&*ports[0].vnic, ports[0].dropped, ports[0].sessions, ports[1].sessions), ("guest-1", 1, 1, 0));
    let Answer::Drops(drops) = switch.ask(Request::Drops {}) else { panic!("drops") };
    assert_eq!((&*drops[0].reason, drops[0].by_interface[&guests[0].interface]), ("denied by a security group", 1));
    let text = metrics::of(&switch.handle).expect("it runs");
    assert!(text.contains("polyplane_vnic_sent_packets_total{vnic=\"guest-1\"} 2"), "{text}");
    assert!(text.contains("polyplane_vswitch_sessions 1"), "{text}");
    for request in [Request::Switch {}, Request::Limiters {}, Request::Attached {}] {
        let answer = switch.ask(request);
        assert!(answer.to_string().is_empty() || answer.to_string().ends_with('\n'));
    }
    let totals = switch.end();
    assert_eq!((totals.sessions, totals.vnics[0].1.sent.packets), (1, 2));
}

#[test]
fn a_trace_says_every_decision_and_the_rule_that_made_it() {
    let (switch, guests) = pair();
    let Answer::Trace(report) = switch.ask(trace([1000, 53], false)) else { panic!("a trace") };
    assert_eq!(report.session.as_ref().map(|session| session.packets), Some([1, 1]));
    assert_eq!((&*report.verdict, &*report.origin), ("allowed", "vNIC `guest-1`"));
    let because: Vec<&str> = report.steps.iter().map(|step| step.because.as_str()).collect();
    let rule = "rule 2 of `web`: allow in udp 53 from 10.0.1.0/24 (priority 1000)";
    assert_eq!(because, ["it is in no security group", "it is an address of a vNIC here", rule]);
    // A packet that would be dropped.
    let Answer::Trace(report) = switch.ask(trace([1000, 54], false)) else { panic!("a trace") };
    assert!(report.session.is_none());
    assert_eq!(report.verdict, "dropped: denied by a security group");
    assert_eq!(report.steps.last().map(|step| step.because.as_str()), Some("no rule allows it"));
    let refused = switch.handle.ask(Request::Trace {
        protocol: "udp".into(),
        source: [10, 9, 9, 9].into(),
        source_port: 1,
        destination: [10, 0, 1, 2].into(),
        destination_port: 1,
        vpc: Some("blue".into()),
        next: false,
    });
    assert!(refused.is_err_and(|refusal| refusal.error.contains("there is no VPC called `blue`; there are red")));
    // The next packet of the flow: here a reply, asked for with the ports and without any.
    for ports in [[1000, 53], [0, 0]] {
        next_reply(&switch, &guests, ports);
    }
    switch.end();
}

/// Waits for a packet of a flow with these ports, which is a reply.
fn next_reply(switch: &Started, guests: &[Guest; 2], ports: [u16; 2]) {
    let handle = switch.handle.clone();
    let waiting = std::thread::spawn(move || handle.ask(trace(ports, true)));
    let report = loop {
        guests[1].send(1, [53, 1000]);
        assert_eq!(guests[0].receive(), [53, 1000]);
        if waiting.is_finished() {
            match waiting.join().expect("it does not panic") {
                Ok(Answer::Trace(report)) => break report,
                other => panic!("{other:?}"),
            }
        }
    };
    let came = report.came.as_ref().expect("a packet came");
    assert_eq!(came.interface, guests[1].interface);
    assert!(came.found.starts_with("reply of session"), "{}", came.found);
    assert_eq!(came.became, [format!("sent: 46 bytes at {}", guests[0].interface)]);
    assert!(report.to_string_for_people().contains("deliver to vNIC `guest-1`"));
}

/// The text of an answer.
trait Text {
    fn to_string_for_people(self) -> String;
}

impl Text for Box<vswitchd::TraceReport> {
    fn to_string_for_people(self) -> String {
        Answer::Trace(self).to_string()
    }
}

#[test]
fn flow_logs_are_files_in_the_order_of_aws() {
    let folder = tempfile::tempdir().expect("a folder");
    let guests = [1, 2].map(Guest::new);
    let text = format!(
        "{VPC}{}{}{}[flow_log]\naccount = \"123456789012\"\n",
        guests[0].section(""),
        guests[1].section("\"web\""),
        group(&[53])
    );
    let logs = folder.path().join("logs");
    let into = logs.clone();
    let switch = Started::with(&text, move |switch| switch.log_flows(into).expect("the folder can be made"));
    guests[0].send(2, [1000, 53]);
    guests[1].receive();
    guests[0].send(2, [1000, 54]);
    guests[0].send(2, [1001, 53]);
    guests[1].receive();
    switch.end();
    let log = |name: &str| std::fs::read_to_string(logs.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let lines = log("guest-2.log");
    let fields: Vec<Vec<&str>> = lines.lines().map(|line| line.split(' ').collect()).collect();
    assert!(
        fields.iter().all(|fields| fields.len() == 14 && fields[..3] == ["2", "123456789012", "guest-2"]),
        "{lines}"
    );
    let of = |port: &str| fields.iter().find(|fields| fields[5] == "1000" && fields[6] == port).expect("a record");
    assert_eq!((of("53")[7..10].to_vec(), of("53")[12]), (vec!["17", "1", "46"], "ACCEPT"));
    assert_eq!(of("54")[12], "REJECT");
    let start: u64 = of("53")[10].parse().expect("seconds");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a date").as_secs();
    assert!(now.abs_diff(start) < 60, "{start} and {now}");
    assert!(log("guest-1.log").lines().count() >= 2);
}
