//! Results of `compare` for machines with one fault each.

mod fakes;

use equivalence::{Comparison, Fate, FateDifference, Flows, Reference, Rules, Verdict, compare};
use fakes::{COUNTER, Fake, Fault, offered, program, traffic};
use node::Offered;

fn check(fault: Fault, packets: impl IntoIterator<Item = Offered>, rules: &Rules) -> Comparison {
    let (program, binding) = program(COUNTER);
    compare(Reference::new(&program, &binding), &mut Fake::new(&program, &binding, fault), packets, rules)
}

#[test]
fn latency_alone_is_no_difference() {
    let comparison = check(Fault::None, traffic(10_000, 1), &Rules::default());
    assert_eq!(comparison.verdict, Verdict::Equal);
    assert_eq!((comparison.packets, comparison.different_packets, comparison.different_registers), (10_000, 0, 0));
    assert_eq!((comparison.access_violations, comparison.reordered_packets), (0, 0));
    let times = comparison.times;
    assert_eq!((times.first_arrival, times.last_arrival), (Some(0), Some(9_999_000)));
    assert_eq!((times.first_departure, times.last_departure), (Some(5_000), Some(10_004_000)));
    assert_eq!(comparison.throughput, 1.0);
}

#[test]
fn overtaking_is_a_difference_and_violates_c1() {
    // Packet 0 is slow and leaves at 15 ns. Packets 1 (same key and port), 2 (same key) and 3 (another key) leave
    // before it.
    let packets = [
        offered(0, 1, &[3, 1, 0]),
        offered(1, 1, &[3, 0, 0]),
        offered(2, 2, &[3, 0, 0]),
        offered(3, 2, &[2, 0, 0]),
        offered(30, 1, &[3, 0, 0]),
    ];
    let comparison = check(Fault::Overtaking, packets.clone(), &Rules::default());
    assert_eq!(comparison.verdict, Verdict::Different);
    assert_eq!((comparison.different_packets, comparison.different_registers), (3, 0));
    assert_eq!(comparison.access_violations, 2, "1 and 2; 3 has an index of its own");
    assert_eq!(comparison.reordered_packets, 1, "0 is of port 1, as 1 is");
    let first = &comparison.packet_differences[0];
    let field = &first.fields[0];
    assert_eq!((first.sequence, field.field.as_str(), field.expected, field.machine), (1, "seen", 2, 1));
    assert!(first.offered < 5, "the last packet had no part in it");
    let overtaking = comparison.first_overtaking.expect("there are two");
    assert_eq!((overtaking.overtaker, overtaking.overtaken, overtaking.at), (1, 0, 15_000));

    let by_slowness = Rules { flows: Flows::Fields(vec![ir::VariableId(1)]), ..Rules::default() };
    assert_eq!(check(Fault::Overtaking, packets, &by_slowness).reordered_packets, 0);
}

#[test]
fn rules_decide_whether_order_matters() {
    // Two keys, so that no value differs.
    let packets = [offered(0, 1, &[3, 1, 0]), offered(1, 1, &[2, 0, 0])];
    let verdict = |rules| check(Fault::Overtaking, packets.clone(), &rules).verdict;
    assert_eq!(verdict(Rules::default()), Verdict::Equal);
    assert_eq!(verdict(Rules { access_order: true, ..Rules::default() }), Verdict::Equal);
    assert_eq!(verdict(Rules { flow_order: true, ..Rules::default() }), Verdict::Different);
}

#[test]
fn a_run_with_lost_packets_is_excluded() {
    let comparison = check(Fault::Loses, traffic(10, 1), &Rules::default());
    assert_eq!(comparison.verdict, Verdict::Excluded { lost: 3 });
    assert_eq!(comparison.verdict.to_string(), "excluded (lost 3 packets)");
    assert_eq!((comparison.different_packets, comparison.different_registers), (0, 0));
    assert_eq!(comparison.machine.discarded.iter().next(), Some((machines::mp5::reasons::STAGE_QUEUE_FULL, 3)));
    assert!((comparison.throughput - 0.7).abs() < 1e-12);
}

#[test]
fn a_run_with_stuck_packets_is_unfinished() {
    let comparison = check(Fault::Swallows, traffic(10, 1), &Rules::default());
    assert_eq!(comparison.verdict, Verdict::Unfinished { inside: 1 });
    assert_eq!(comparison.verdict.to_string(), "UNFINISHED (1 packet stands still)");
    let standstill = comparison.standstill.expect("a packet is inside").to_string();
    assert!(
        standstill.ends_with("ns: 1 packet is inside\n- the machine does not say what it waits for\n"),
        "{standstill}"
    );
}

#[test]
fn compares_every_register_element_at_the_end() {
    let comparison = check(Fault::WrongRegister, traffic(100, 1), &Rules::default());
    assert_eq!((comparison.different_packets, comparison.different_registers), (0, 1));
    let found = &comparison.register_differences[0];
    assert_eq!(found.to_string(), "@total");
    assert_eq!((found.index, found.expected, found.machine), (None, 100, Some(101)));
}

#[test]
fn compares_ports_bytes_and_fates() {
    let first = |fault| {
        let comparison = check(fault, [offered(0, 1, &[2, 0, 0]), offered(1, 1, &[3, 0, 0])], &Rules::default());
        assert_eq!((comparison.different_packets, &comparison.verdict), (1, &Verdict::Different), "{fault:?}");
        comparison.packet_differences[0].clone()
    };
    let fate = |machine| Some(FateDifference { expected: Fate::Leaves { port: 1 }, machine });
    assert_eq!(first(Fault::WrongPort).fate, fate(Fate::Leaves { port: 2 }));
    assert_eq!(first(Fault::Drops).fate, fate(Fate::Dropped));
    let bytes = first(Fault::WrongByte).bytes.expect("the last byte");
    assert_eq!((bytes.offset, bytes.expected, bytes.machine), (11, Some(1), Some(0)));
    assert!(first(Fault::Bypasses).not_run);
}

#[test]
fn inapplicable_packets_must_pass_unchanged() {
    let packets = [offered(0, 1, &[1, 0]), offered(1, 1, &[1, 0, 0])];
    let comparison = check(Fault::None, packets, &Rules::default());
    assert_eq!((comparison.verdict, comparison.not_applicable, comparison.packets), (Verdict::Equal, 1, 2));
}

#[test]
fn equal_arrivals_are_ordered_by_port() {
    // The machine receives them in the order that `ArrivalOrder` defines; the interpreter must, too.
    let packets = [offered(0, 2, &[3, 0, 0]), offered(0, 1, &[3, 1, 0])];
    let comparison = check(Fault::Overtaking, packets, &Rules::default());
    let overtaking = comparison.first_overtaking.expect("port 1 is slow and first");
    assert_eq!((overtaking.overtaker, overtaking.overtaken), (1, 0));
}
