//! Differences shrunk to the fewest packets, and shown.

mod fakes;

use equivalence::{Effort, Reference, Rules, Shrunk, Subject, Verdict, Witness};
use fakes::{COUNTER, Fake, Fault, program, traffic};

/// Shrinks what `count` packets show of a fault, and shows the result.
fn shrink(fault: Fault, count: u64, effort: u64) -> Option<(Shrunk, Witness)> {
    let (program, binding) = program(COUNTER);
    let rules = Rules::default();
    let make_machine = || Box::new(Fake::new(&program, &binding, fault)) as Box<dyn machines::Device>;
    let make_reference = || Reference::new(&program, &binding);
    let subject = Subject { make_reference: &make_reference, make_machine: &make_machine, rules: &rules };
    let shrunk = subject.shrink(|| traffic(count, 1), Effort::items(effort))?;
    let mut machine = Fake::new(&program, &binding, fault);
    let witness = Witness::of(make_reference(), &mut machine, "fake", shrunk.packets.clone(), &rules);
    Some((shrunk, witness))
}

#[test]
fn an_overtaking_shrinks_to_the_two_packets_and_is_shown_side_by_side() {
    let (shrunk, witness) = shrink(Fault::Overtaking, 20_000, 200_000).expect("it differs");
    assert!(shrunk.one_minimal);
    assert_eq!(
        witness.to_string(),
        "2 packets through `counter` on fake: DIFFERENT

packet 0 arrives at 0.000000 us on port 2
    field  in  program  fake
    key     2        2     2
    slow    1        1     1
  ! seen   77        1     2
    leaves on port 2

packet 1 arrives at 0.000000 us on port 3
    field  in  program  fake
    key     2        2     2
    slow    0        0     0
  ! seen   77        2     1
    leaves on port 3

registers are the same

packet 1 accessed access 0[2] before packet 0 did
"
    );
}

#[test]
fn a_difference_in_registers_only_is_shrunk_to_its_cause() {
    let (shrunk, witness) = shrink(Fault::WrongRegister, 5_000, 200_000).expect("it differs");
    let keys: std::collections::BTreeSet<_> =
        shrunk.packets.iter().map(|offered| offered.packet.head.bytes()[3]).collect();
    assert_eq!((shrunk.packets.len(), shrunk.one_minimal), (2, true));
    assert_eq!(keys.into_iter().collect::<Vec<_>>(), [1, 2]);
    let text = witness.to_string();
    assert!(text.ends_with("registers\n    register  program  fake\n  ! @total          2     3\n"), "{text}");
}

#[test]
fn a_vanished_packet_needs_as_many_packets_as_it_takes_to_vanish() {
    let (shrunk, witness) = shrink(Fault::Swallows, 1000, 100_000).expect("it does not add up");
    assert_eq!(shrunk.packets.len(), 3, "packet 2 vanishes");
    assert!(witness.to_string().starts_with("3 packets through `counter` on fake: UNFINISHED"));
    assert!(witness.to_string().contains("should be: leaves on port 2; fake: never came out"), "{witness}");
}

#[test]
fn what_differs_in_nothing_or_only_lost_packets_has_no_witness() {
    assert!(shrink(Fault::None, 1000, 10_000).is_none());
    assert!(shrink(Fault::Loses, 1000, 10_000).is_none());
}

#[test]
fn without_effort_the_packets_until_the_difference_still_show_it() {
    let (shrunk, witness) = shrink(Fault::Overtaking, 20_000, 20).expect("it differs");
    assert!(!shrunk.one_minimal && shrunk.packets.len() < 20_000);
    assert_eq!(witness.comparison.verdict, Verdict::Different);
}

#[test]
fn a_witness_is_json_for_scripts() {
    let (_, witness) = shrink(Fault::WrongPort, 100, 10_000).expect("it differs");
    let text = serde_json::to_string(&witness).expect("it serialises");
    let json: serde_json::Value = serde_json::from_str(&text).expect("it parses");
    assert_eq!(json["comparison"]["verdict"], "different");
    let packet = &json["packets"][0];
    assert_eq!((&packet["fields"][2]["field"], &packet["fields"][2]["machine"]), (&"seen".into(), &1.into()));
    assert_eq!(packet["as_expected"], false);
    let fate = &json["comparison"]["packet_differences"][0]["fate"];
    let port = packet["port"].as_u64().expect("a number");
    assert_eq!((&fate["expected"]["port"], &fate["machine"]["port"]), (&port.into(), &(port + 1).into()));
}
