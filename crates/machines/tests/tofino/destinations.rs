//! Where packets go: to a port, to groups, to the CPU, to mirror sessions, back to ingress, or nowhere.

use machines::tofino::reasons;
use node::Reason;

use crate::bench::{Bench, End, Order, flag};

/// What egress wrote in front of a packet of [`Order`].
fn seen(port: u16, replica: u16, first: u8, length: u16) -> Vec<u8> {
    let [port, replica, length] = [port, replica, length].map(u16::to_be_bytes);
    [&port[..], &replica, &[first, 3], &length, &[0; 4]].concat()
}

/// The length of what ingress puts in front.
const SEEN: u16 = 12;

fn sent(port: u16, front: Vec<u8>, order: Order, payload: usize) -> End {
    End::Sent(port, [front, order.packet(payload)].concat())
}

#[test]
fn a_packet_goes_to_its_port() {
    let order = Order { port: 4, ..Order::default() };
    let length = SEEN + Order::LENGTH as u16 + 30;
    assert_eq!(Bench::new().packet(0, &order.packet(30)), [sent(4, seen(4, 0, 0, length), order, 30)]);
}

#[test]
fn a_packet_without_a_destination_is_dropped_with_a_reason() {
    let mut bench = Bench::new();
    assert_eq!(bench.packet(0, &Order::default().packet(1)), [End::Discarded(reasons::NO_DESTINATION)]);
    let dropped = Order { flags: flag::DROP, port: 4, group: 5, ..Order::default() };
    assert_eq!(bench.packet(0, &dropped.packet(1)), [End::Discarded(Reason::PROGRAM)]);
    let beyond = Order { port: 300, ..Order::default() };
    assert_eq!(bench.packet(0, &beyond.packet(1)), [End::Discarded(Reason::NO_SUCH_PORT)]);
    assert_eq!(bench.packet(99, &beyond.packet(1)), [End::Discarded(Reason::NO_SUCH_PORT)]);
}

#[test]
fn a_packet_goes_to_a_port_to_a_group_and_to_the_cpu_at_once() {
    let order = Order { flags: flag::COPY_TO_CPU, port: 4, group: 5, ..Order::default() };
    let length = SEEN + Order::LENGTH as u16;
    let copy = |port, replica, first| sent(port, seen(port, replica, first, length), order, 0);
    let expected = [copy(4, 0, 0), copy(1, 10, 1), copy(2, 20, 0), copy(2, 21, 0), copy(64, 0, 0)];
    assert_eq!(Bench::new().packet(0, &order.packet(0)), expected);
}

#[test]
fn each_bit_that_drops_drops_its_own() {
    let mut bench = Bench::new();
    let length = SEEN + Order::LENGTH as u16;
    let to_cpu = Order { flags: flag::DROP | flag::COPY_TO_CPU, port: 4, ..Order::default() };
    assert_eq!(bench.packet(0, &to_cpu.packet(0)), [sent(64, seen(64, 0, 0, length), to_cpu, 0)]);
    let not_to_cpu = Order { flags: flag::NO_COPY_TO_CPU | flag::COPY_TO_CPU, port: 4, ..Order::default() };
    assert_eq!(bench.packet(0, &not_to_cpu.packet(0)), [sent(4, seen(4, 0, 0, length), not_to_cpu, 0)]);
    let in_egress = Order { flags: flag::DROP_IN_EGRESS, port: 4, ..Order::default() };
    assert_eq!(bench.packet(0, &in_egress.packet(0)), [End::Discarded(Reason::PROGRAM)]);
}

#[test]
fn an_unknown_group_is_a_reason_and_keeps_nothing_else_from_its_way() {
    let order = Order { port: 4, group: 6, ..Order::default() };
    let length = SEEN + Order::LENGTH as u16;
    let expected = [End::Discarded(reasons::UNKNOWN_MULTICAST_GROUP), sent(4, seen(4, 0, 0, length), order, 0)];
    assert_eq!(Bench::new().packet(0, &order.packet(0)), expected);
}

#[test]
fn bypassing_egress_leaves_the_packet_as_ingress_wrote_it() {
    let order = Order { flags: flag::BYPASS_EGRESS, port: 4, ..Order::default() };
    assert_eq!(Bench::new().packet(0, &order.packet(2)), [sent(4, vec![0; 12], order, 2)]);
}

#[test]
fn a_resubmitted_packet_has_the_data_where_the_metadata_of_the_port_was() {
    let order = Order { flags: flag::RESUBMIT, port: 4, ..Order::default() };
    let mut bench = Bench::new();
    let length = SEEN + Order::LENGTH as u16;
    assert_eq!(bench.packet(0, &order.packet(0)), [sent(4, seen(4, 42, 0, length), order, 0)]);
    // Ingress counted it twice.
    let counts = machines::Device::state(&bench.chip).counters[0].get(0).unwrap();
    assert_eq!((counts.packets, counts.bytes), (2, 2 * Order::LENGTH as u64));
}

#[test]
fn ingress_mirrors_the_packet_as_it_arrived_and_egress_as_it_leaves() {
    let mut bench = Bench::new();
    let length = SEEN + Order::LENGTH as u16 + 40;
    let front = |value| vec![1, value, 0, 0, 0, 0, 0, 0];
    let cut = |packet: Vec<u8>| packet.into_iter().take(12).collect::<Vec<u8>>();
    let order = Order { flags: flag::MIRROR_IN_INGRESS, port: 4, session: 9, ..Order::default() };
    let mirrored = End::Sent(7, cut([front(7), order.packet(40)].concat()));
    assert_eq!(bench.packet(0, &order.packet(40)), [mirrored, sent(4, seen(4, 0, 0, length), order, 40)]);
    let order = Order { flags: flag::MIRROR_IN_EGRESS, ..order };
    let left = [seen(4, 0, 0, length), order.packet(40)].concat();
    let mirrored = End::Sent(7, cut([front(9), left].concat()));
    assert_eq!(bench.packet(0, &order.packet(40)), [sent(4, seen(4, 0, 0, length), order, 40), mirrored]);
}

#[test]
fn an_unknown_session_is_a_reason() {
    let order = Order { flags: flag::MIRROR_IN_INGRESS, port: 4, session: 8, ..Order::default() };
    let ends = Bench::new().packet(0, &order.packet(0));
    assert_eq!(ends[0], End::Discarded(reasons::UNKNOWN_MIRROR_SESSION));
    assert!(matches!(ends[1..], [End::Sent(4, _)]));
}

#[test]
fn a_packet_recirculates_as_it_left_egress() {
    let order = Order { port: 4, again: 3, ..Order::default() };
    let mut bench = Bench::new();
    let length = SEEN + Order::LENGTH as u16 + 1;
    let done = Order { again: 0, ..order };
    assert_eq!(bench.packet(0, &order.packet(1)), [sent(4, seen(4, 0, 0, length), done, 1)]);
    assert_eq!(machines::Device::statistics(&bench.chip).recirculations, 3);
}
