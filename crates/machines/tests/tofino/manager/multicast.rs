//! Multicast trees: replication ids, exclusions of both levels, LAGs and alternatives by hash.

use control::{Replica, ReplicationRequest, Request};
use machines::tofino::reasons;
use node::{Control, Node, Port};

use super::support::{Order, bench, bench_of_tofino_2, copies, read};
use crate::bench::{Bench, End};

/// Group 5 has a node for routers, one for a bridge with a LAG, and one that is chosen among two.
const TREE: &str = "
[[multicast]]
group = 5
[[multicast.node]]
rid = 10
ports = [3, 1]
exclusion = 77
[[multicast.node]]
rid = 20
ports = [1, 2]
lags = [8]
[[multicast.ecmp]]
exclusion = 78
[[multicast.ecmp.node]]
rid = 30
ports = [6]
[[multicast.ecmp.node]]
rid = 31
ports = [7]

[[lag]]
number = 8
ports = [12, 10, 11]

[[exclusion]]
number = 4
ports = [2, 1, 11, 7]
";

fn order() -> Order {
    Order { groups: [5, 0], ..Order::default() }
}

fn send(bench: &mut Bench, order: Order) -> Vec<(u16, u16, bool)> {
    copies(&bench.packet(0, &order.packet(0)))
}

#[test]
fn each_node_makes_its_copies_in_the_order_of_its_ports() {
    let expected = [(1, 10, true), (3, 10, false), (1, 20, false), (2, 20, false), (10, 20, false), (6, 30, false)];
    assert_eq!(send(&mut bench(TREE), order()), expected);
}

#[test]
fn the_level_1_exclusion_leaves_out_nodes_that_have_it() {
    let mut bench = bench(TREE);
    let without = |ends: Vec<(u16, u16, bool)>| ends.into_iter().map(|(port, rid, _)| (port, rid)).collect::<Vec<_>>();
    let first = without(send(&mut bench, Order { exclusions: [77, 0], ..order() }));
    assert_eq!(first, [(1, 20), (2, 20), (10, 20), (6, 30)]);
    let second = without(send(&mut bench, Order { exclusions: [78, 0], ..order() }));
    assert_eq!(second, [(1, 10), (3, 10), (1, 20), (2, 20), (10, 20)]);
}

#[test]
fn the_level_2_exclusion_leaves_out_ports_of_nodes_with_the_packets_own_rid() {
    let mut bench = bench(TREE);
    let all = Order { exclusions: [0, 4], ..order() };
    let ports =
        |copies: Vec<(u16, u16, bool)>| copies.into_iter().map(|(port, rid, _)| (port, rid)).collect::<Vec<_>>();
    assert_eq!(ports(send(&mut bench, Order { rid: 10, ..all })), [(3, 10), (1, 20), (2, 20), (10, 20), (6, 30)]);
    assert_eq!(ports(send(&mut bench, Order { rid: 20, ..all })), [(1, 10), (3, 10), (10, 20), (6, 30)]);
    // The chosen member of a LAG is left out, and no other takes its place.
    let of_lag = Order { rid: 20, hashes: [0, 1], ..all };
    assert_eq!(ports(send(&mut bench, of_lag)), [(1, 10), (3, 10), (6, 30)]);
    // Nor another node that of an alternative.
    let alternative = Order { rid: 31, hashes: [1, 0], ..all };
    assert_eq!(ports(send(&mut bench, alternative)).last(), Some(&(10, 20)));
    // 0 stands for all nodes, unless `global_rid` says otherwise.
    assert_eq!(ports(send(&mut bench, Order { rid: 0, ..all })), [(3, 10), (10, 20), (6, 30)]);
    let mut other = super::support::bench(&format!("global_rid = 99\n{TREE}"));
    assert_eq!(send(&mut other, Order { rid: 0, ..all }).len(), 6);
    assert_eq!(send(&mut other, Order { rid: 99, ..all }).len(), 3);
    let counted = machines::Device::statistics(&other.chip);
    assert_eq!(counted.discarded.total(), 0);
}

#[test]
fn hashes_choose_the_member_of_a_lag_and_the_node_among_alternatives() {
    let mut bench = bench(TREE);
    let mut chosen = |node_hash, lag_hash| {
        let copies = send(&mut bench, Order { hashes: [node_hash, lag_hash], ..order() });
        [copies[4].0, copies[5].0]
    };
    assert_eq!(chosen(0, 0), [10, 6]);
    assert_eq!(chosen(1, 1), [11, 7]);
    assert_eq!(chosen(3, 5), [12, 7]);
    assert_eq!(chosen(8190, 8191), [11, 6]);
}

#[test]
fn tofino_2_combines_the_hash_of_a_lag_with_the_rid_of_the_node() {
    let mut second = bench_of_tofino_2(TREE);
    // 20 ^ 3 = 23, and 23 % 3 = 2; on Tofino, 3 % 3 = 0.
    let hashed = Order { hashes: [0, 3], ..order() };
    assert_eq!(send(&mut second, hashed)[4].0, 12);
    assert_eq!(send(&mut bench(TREE), hashed)[4].0, 10);
}

#[test]
fn a_member_of_a_lag_that_is_down_is_replaced_by_one_that_is_up() {
    let mut bench = bench(TREE);
    let down = |bench: &mut Bench, port, up| {
        let now = basis::Instant::from_microseconds(3);
        bench.out.begin(now);
        bench.chip.control(now, Control::Link { port: Port(port), up }, &mut bench.out);
    };
    down(&mut bench, 11, false);
    let member = |bench: &mut Bench, hash| send(bench, Order { hashes: [0, hash], ..order() })[4].0;
    // 1 chooses port 11, which is down, and then 1 % 2 among ports 10 and 12.
    assert_eq!([0, 1, 2, 4].map(|hash| member(&mut bench, hash)), [10, 12, 12, 10]);
    down(&mut bench, 11, true);
    assert_eq!(member(&mut bench, 1), 11);
    for port in [10, 11, 12] {
        down(&mut bench, port, false);
    }
    assert_eq!(member(&mut bench, 1), 11);
}

#[test]
fn a_packet_that_leaves_out_all_copies_is_dropped_for_that_reason() {
    let mut bench = bench("[[multicast]]\ngroup = 5\n[[multicast.node]]\nrid = 1\nports = [4]\nexclusion = 3\n");
    let order = Order { exclusions: [3, 0], ..order() };
    assert_eq!(bench.packet(0, &order.packet(0)), [End::Discarded(reasons::EXCLUDED)]);
    let elsewhere = Order { groups: [6, 0], ..order };
    assert_eq!(bench.packet(0, &elsewhere.packet(0)), [End::Discarded(reasons::UNKNOWN_MULTICAST_GROUP)]);
}

#[test]
fn both_groups_make_copies_and_each_has_a_first_one() {
    let mut bench = bench(TREE);
    let replicas = vec![Replica { port: 40, instance: 9 }, Replica { port: 41, instance: 9 }];
    bench.control(Request::MulticastGroup(6, ReplicationRequest::Insert(replicas.into())));
    let copies = send(&mut bench, Order { groups: [5, 6], exclusions: [77, 0], ..order() });
    let firsts: Vec<u16> = copies.iter().filter(|(.., first)| *first).map(|&(port, ..)| port).collect();
    assert_eq!(firsts, [1, 40]);
    assert_eq!(copies[4..], [(40, 9, true), (41, 9, false)]);
}

#[test]
fn the_control_planes_group_of_the_same_number_makes_its_copies_first() {
    let mut bench = bench(TREE);
    let replicas = vec![Replica { port: 40, instance: 9 }];
    bench.control(Request::MulticastGroup(5, ReplicationRequest::Insert(replicas.into())));
    let copies = send(&mut bench, order());
    assert_eq!((copies.len(), copies[0]), (7, (40, 9, true)));
}

#[test]
fn copies_share_their_tail() {
    let mut bench = bench(TREE);
    let header = order().packet(0);
    let tail = wire::Tail::Bytes(vec![0xEE; 5000].into());
    let packet = wire::Packet::of_parts(&header, &[], tail, wire::Sidecar::default());
    let now = basis::Instant::from_microseconds(3);
    bench.out.begin(now);
    bench.chip.receive(now, Port(0), &mut vec![packet], &mut bench.out);
    let tails: Vec<*const u8> = bench
        .out
        .transmissions
        .iter()
        .map(|sent| match &sent.packet.tail {
            wire::Tail::Bytes(bytes) => bytes.as_ptr(),
            tail @ wire::Tail::Length(_) => panic!("{tail:?}"),
        })
        .collect();
    assert_eq!(tails.len(), 6);
    assert!(tails.iter().all(|tail| *tail == tails[0]));
}

#[test]
fn mistakes_are_found_at_their_places() {
    let text = "[[multicast]]\ngroup = 0\n[[multicast]]\ngroup = 3\n[[multicast.node]]\nrid = 1\n[[multicast]]\ngroup = 3\n\
                [[multicast.ecmp]]\nexclusion = 1\n[[lag]]\nports = [2000]\n[[lag]]\nnumber = 255\n";
    let found = read(text).unwrap_err();
    let has = |what: &str, place: &str| {
        let has = found.iter().any(|(message, at)| message.contains(what) && at.starts_with(place));
        assert!(has, "{what} at {place}: {found:?}");
    };
    has("invalid value for `group`", "0");
    has("the multicast group 3 is there twice", "3");
    has("a node without ports and LAGs makes no copy", "[[multicast.node]]");
    has("there is no node among which to choose", "[[multicast.ecmp]]");
    has("`number`", "[[lag]]");
    has("invalid value in `ports`", "2000");
    has("invalid value for `number`", "255");
}

#[test]
fn settings_can_stand_on_one_line() {
    let tables = "[[multicast]]\ngroup = 5\n[[multicast.node]]\nrid = 1\nports = [4]\n[[multicast.ecmp]]\n\
                  [[multicast.ecmp.node]]\nlags = [2]\n[[lag]]\nnumber = 2\nports = [7]\n[[mirror]]\nsession = 1\nport = 3\n\
                  [[deflection]]\nport = 9\n";
    let line = "multicast = [{ group = 5, node = [{ rid = 1, ports = [4] }], ecmp = [{ node = [{ lags = [2] }] }] }]\n\
                lag = [{ number = 2, ports = [7] }]\nmirror = [{ session = 1, port = 3 }]\ndeflection = [{ port = 9 }]\n";
    assert_eq!(read(line), read(tables));
    assert_eq!(send(&mut bench(line), order()), [(4, 1, true), (7, 0, false)]);
}
