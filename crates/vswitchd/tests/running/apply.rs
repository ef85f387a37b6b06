//! Another configuration while the switch runs.

use vswitchd::{Answer, AppliedReport, Request};

use crate::host::{Guest, Started, VPC, group};

fn applied(answer: Result<Answer, vswitchd::Refusal>) -> AppliedReport {
    match answer {
        Ok(Answer::Applied(report)) => report,
        other => panic!("{other:?}"),
    }
}

#[test]
fn sessions_that_are_allowed_stay_the_others_end_and_guests_come_and_go() {
    let [one, two, three] = [1, 2, 3].map(Guest::new);
    let host = |guests: &str, ports: &[u16]| format!("{VPC}{guests}{}", group(ports));
    let pair = format!("{}{}", one.section(""), two.section("\"web\""));
    let switch = Started::new(&host(&pair, &[53, 54]));
    for port in [53, 54] {
        one.send(2, [1000, port]);
        assert_eq!(two.receive(), [1000, port]);
    }
    let fewer = host(&(three.section("") + &pair), &[54]);
    let would = applied(switch.apply(&fewer, true));
    assert!(would.dry_run && would.changes.iter().any(|line| line.starts_with("+ vnic `guest-3`")), "{would:?}");
    assert!(would.changes.iter().any(|line| line.starts_with("- security_group `web` rule")), "{would:?}");
    assert_eq!((would.sessions_kept, would.sessions_ended, &would.opened[..]), (1, 1, &[three.interface.clone()][..]));
    assert_eq!(switch.sessions(), 2, "nothing has changed");
    let is = applied(switch.apply(&fewer, false));
    assert_eq!(AppliedReport { dry_run: true, ..is }, would);
    // At once, without another packet.
    assert_eq!(switch.sessions(), 1);
    two.send(1, [54, 1000]);
    assert_eq!(one.receive(), [54, 1000]);
    three.send(1, [7, 7]);
    assert_eq!(one.receive(), [7, 7]);
    // The first guest goes, and its interface with it.
    let without = host(&format!("{}{}", two.section("\"web\""), three.section("")), &[54]);
    let report = applied(switch.apply(&without, false));
    assert_eq!((report.sessions_kept, &report.closed[..]), (0, &[one.interface.clone()][..]));
    let Answer::Ports(ports) = switch.ask(Request::Ports {}) else { panic!("ports") };
    assert_eq!(ports.iter().map(|row| row.vnic.as_str()).collect::<Vec<_>>(), ["guest-2", "guest-3"]);
    three.send(2, [8, 54]);
    assert_eq!(two.receive(), [8, 54]);
    let totals = switch.end();
    assert_eq!(totals.received, 5, "what passed through the guest that is gone is counted");
}

#[test]
fn a_bad_file_changes_nothing_and_every_mistake_is_shown_at_its_place() {
    let [one, two] = [1, 2].map(Guest::new);
    let good = format!("{VPC}{}{}{}", one.section(""), two.section(""), group(&[53]));
    let switch = Started::new(&good);
    one.send(2, [1000, 53]);
    two.receive();
    let refused = |text: &str| switch.apply(text, false).expect_err("it is wrong").error;
    let bad = format!("{good}[[vnic]]\nname = \"guest-1\"\ncolour = 1\n");
    let error = refused(&bad);
    for part in
        ["there are two vNICs called `guest-1`", "has no `interface`", "unknown entry `colour`", "--> host.toml:"]
    {
        assert!(error.contains(part), "{part}: {error}");
    }
    let error = refused(&(good.clone() + &Guest::new(3).section("").replace("udp:", "packet:nothing-there-")));
    assert!(error.contains("nothing-there") && error.contains("--> host.toml:"), "{error}");
    let error = refused(&good.replace("name = \"host\"", "name = \"other\""));
    assert!(error.contains("the name cannot change while it runs"), "{error}");
    assert_eq!(applied(switch.apply(&good, true)).changes, Vec::<String>::new());
    assert_eq!((switch.sessions(), switch.ask(Request::Drops {})), (1, Answer::Drops(Vec::new())));
    switch.end();
}

#[test]
fn attached_guests_stay_whatever_file_is_applied() {
    let [one, two, three] = [1, 2, 3].map(Guest::new);
    let file = |number: u32| format!("{VPC}{}[limits]\nsessions = {number}\n", one.section(""));
    let switch = Started::new(&file(100));
    let attach = |guest: &Guest| switch.handle.ask(Request::Attach { vnic: guest.section("") });
    assert_eq!(applied(attach(&two)).opened, vec![two.interface.clone()]);
    one.send(2, [1, 2]);
    assert_eq!(two.receive(), [1, 2]);
    assert_eq!(
        applied(switch.apply(&file(200), false)).changes,
        ["~ limits sessions: 100 -> 200", "~ limits sessions_per_vnic: 50 -> 100"]
    );
    one.send(2, [1, 2]);
    assert_eq!(two.receive(), [1, 2]);
    attach(&three).expect("another one");
    assert_eq!(switch.ask(Request::Attached {}), Answer::Attached(vec!["guest-2".into(), "guest-3".into()]));
    for wrong in ["", "name = 1", "[[vnic]]\n", "[[vnic]]\nname = \"x\"\n[[vpc]]\n", "[[vnic", &one.section("")] {
        assert!(switch.handle.ask(Request::Attach { vnic: wrong.into() }).is_err(), "{wrong}");
    }
    let detach = |name: &str| applied(switch.handle.ask(Request::Detach { name: name.into() }));
    assert_eq!(detach("guest-2").closed, vec![two.interface.clone()]);
    // One that is gone already, and one of the file.
    for name in ["guest-2", "guest-1"] {
        let refused = switch.handle.ask(Request::Detach { name: name.into() }).expect_err("it is not attached");
        assert!(refused.error.contains(&format!("no vNIC `{name}` was attached")), "{}", refused.error);
    }
    one.send(3, [1, 2]);
    assert_eq!(three.receive(), [1, 2]);
    switch.end();
}

#[test]
fn mistakes_of_attached_guests_are_shown_in_their_own_text() {
    let [one, two] = [1, 2].map(Guest::new);
    let switch = Started::new(&format!("{VPC}{}", one.section("")));
    let attach = |section: String| switch.handle.ask(Request::Attach { vnic: section });
    attach(two.section("")).expect("it is right");
    let wrong = two.section("").replace("guest-2", "guest-3").replace("vpc = \"red\"", "vpc = \"rad\"");
    let error = attach(wrong).expect_err("it is wrong").error;
    assert!(
        error.contains("--> the vNIC `guest-3` that is attached:4:7") && error.contains("vpc = \"rad\""),
        "{error}"
    );
    let error = attach(two.section("").replace("guest-2", "guest-3")).expect_err("it is there").error;
    assert!(error.contains("--> the vNIC `guest-3` that is attached:") && !error.contains("host.toml"), "{error}");
    // An interface that cannot be opened, too.
    let none = Guest::new(3).section("").replace("udp:", "packet:nothing-there-");
    let error = attach(none).expect_err("it is not there").error;
    assert!(error.contains("--> the vNIC `guest-3` that is attached:3:"), "{error}");
    // A mistake of the file is shown in the file.
    let error = switch.apply(&format!("{VPC}[[vpc]]\n{}", one.section("")), true).expect_err("it is wrong").error;
    assert!(error.contains("--> host.toml:8:"), "{error}");
    switch.end();
}

#[test]
fn drops_of_an_interface_that_is_gone_are_still_told() {
    let [one, two] = [1, 2].map(Guest::new);
    let pair = format!("{VPC}{}{}{}", one.section(""), two.section("\"web\""), group(&[53]));
    let switch = Started::new(&pair);
    one.send(2, [1, 54]);
    one.send(2, [1, 53]);
    two.receive();
    let drops = |interface: &str| {
        let Answer::Drops(rows) = switch.ask(Request::Drops {}) else { panic!("drops") };
        rows.iter()
            .find(|row| row.reason == "denied by a security group")
            .and_then(|row| row.by_interface.get(interface).copied())
    };
    assert_eq!((drops(&one.interface), drops("(gone)")), (Some(1), None));
    applied(switch.apply(&format!("{VPC}{}{}", two.section("\"web\""), group(&[53])), false));
    assert_eq!((drops(&one.interface), drops("(gone)")), (None, Some(1)));
    let metrics = vswitchd::metrics::of(&switch.handle).expect("it runs");
    let of_gone = "polyplane_dropped_packets_total{reason=\"denied by a security group\",port=\"gone\"} 1";
    assert!(metrics.contains(of_gone), "{metrics}");
    switch.end();
}
