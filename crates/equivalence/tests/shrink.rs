//! Shrinking of differences to the fewest packets, and their witnesses.

mod fakes;

use equivalence::{Effort, Reference, Rules, Shrunk, Subject, Verdict, Witness};
use fakes::{COUNTER, Fake, Fault, program, traffic};

/// Shrinks the difference that `count` packets show for a fault, and returns the witness.
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
fn shrinks_overtaking_to_the_two_packets_involved() {
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
fn shrinks_register_differences_to_their_cause() {
    let (shrunk, witness) = shrink(Fault::WrongRegister, 5_000, 200_000).expect("it differs");
    let keys: std::collections::BTreeSet<_> =
        shrunk.packets.iter().map(|offered| offered.packet.head.bytes()[3]).collect();
    assert_eq!((shrunk.packets.len(), shrunk.one_minimal), (2, true));
    assert_eq!(keys.into_iter().collect::<Vec<_>>(), [1, 2]);
    let text = witness.to_string();
    assert!(text.ends_with("registers\n    register  program  fake\n  ! @total          2     3\n"), "{text}");
}

#[test]
fn keeps_the_packets_that_make_one_vanish() {
    let (shrunk, witness) = shrink(Fault::Swallows, 1000, 100_000).expect("it does not add up");
    assert_eq!(shrunk.packets.len(), 3, "packet 2 vanishes");
    assert!(witness.to_string().starts_with("3 packets through `counter` on fake: UNFINISHED"));
    assert!(witness.to_string().contains("should be: leaves on port 2; fake: never came out"), "{witness}");
}

#[test]
fn equal_and_excluded_runs_have_no_witness() {
    assert!(shrink(Fault::None, 1000, 10_000).is_none());
    assert!(shrink(Fault::Loses, 1000, 10_000).is_none());
}

#[test]
fn without_effort_truncates_at_the_difference() {
    let (shrunk, witness) = shrink(Fault::Overtaking, 20_000, 20).expect("it differs");
    assert!(!shrunk.one_minimal && shrunk.packets.len() < 20_000);
    assert_eq!(witness.comparison.verdict, Verdict::Different);
}

#[test]
fn a_witness_serialises_to_json() {
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
