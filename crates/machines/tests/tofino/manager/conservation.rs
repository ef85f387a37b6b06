//! No packet is lost in a chip of four pipes that keeps time, with little memory, whatever happens at once: recirculation,
//! multicast trees, mirrors of both gresses, deflection, generated packets, a ghost thread, ports that go down and up.

use basis::{Duration, Instant};
use machines::tofino::{ChipSettings, TofinoParameters};
use node::{Control, Node, Port, Station};
use proptest::prelude::*;

use super::support::{Order, PROGRAM, flag};
use crate::bench::{Bench, chip_with};

/// A chip whose ports 0 and 1 of each pipe lead outside, at 1 Gb/s, with queues of two cells.
const CHIP: &str = r#"
pipes = 4
[latency]
traffic_manager = "20 ns"
[queue]
queues = 4
[[queue.class]]
limit = 4
yellow = 0.5
red = 0.25
[memory]
cell = "80 B"
[[memory.pool]]
size = "2 kB"
[[port]]
ports = [0, 1, 128, 129, 256, 257, 384, 385]
rate = "1 Gb/s"
[[deflection]]
port = 1
[[deflection]]
port = 129
length = 30
[[multicast]]
group = 5
[[multicast.node]]
rid = 1
ports = [0, 128, 256, 384]
exclusion = 3
[[multicast.node]]
rid = 2
ports = [1]
lags = [4]
[[multicast.ecmp]]
[[multicast.ecmp.node]]
rid = 3
ports = [129]
[[multicast.ecmp.node]]
rid = 4
ports = [500, 257]
[[lag]]
number = 4
ports = [1, 129, 385]
[[exclusion]]
number = 2
ports = [0, 1, 129]
[[mirror]]
session = 7
port = 385
length = 40
deflect_on_drop = true
[[mirror]]
session = 8
direction = "egress"
mcast_grp_a = 5
mcast_grp_b = 6
rid = 1
level2_exclusion_id = 2
copy_to_cpu = true
[[generator]]
application = 0
trigger = "periodic"
timer = "3 us"
triggers = 4
packets = 3
packet = "0000"
[[generator]]
application = 1
trigger = "port_down"
packet = "00"
[[generator]]
application = 2
trigger = "recirculation"
pattern = "0x0000000000000000000000000000000000"
mask = "0x0000000000000000000000000000000000"
batches = 2
packet = "00"
[ghost]
stage = 7
latency = "50 ns"
"#;

/// What happens to the chip at a time.
#[derive(Clone, Debug)]
enum Event {
    Packet(u16, Vec<u8>),
    Link(u16, bool),
}

fn bench() -> Bench {
    // Patterns of T2NA have 16 bytes.
    let text = CHIP.replace("0x0000000000000000000000000000000000", &format!("0x{}", "00".repeat(16)));
    let chip = ChipSettings::parse("chip.toml", &text).unwrap_or_else(|failure| panic!("{failure}"));
    let ghost = "
Register<bit<32>, bit<16>>(2048) depths;
control Ghost(in ghost_intrinsic_metadata_t ghost) {
    RegisterAction<bit<32>, bit<16>, bit<32>>(depths) write = {
        void apply(inout bit<32> value) { value = (bit<32>)ghost.qlength; }
    };
    apply { write.execute((bit<16>)ghost.qid); }
}
Pipeline(";
    let program = PROGRAM
        .replace("<tna.p4>", "<t2na.p4>")
        .replace("\nPipeline(", ghost)
        .replace("EgressDeparser()) pipe;", "EgressDeparser(), Ghost()) pipe;");
    Bench::of(chip_with(&program, TofinoParameters { chip: Some(chip), ..TofinoParameters::default() }).unwrap())
}

/// Gives a chip what happens in the order of time, and all calls that it asks for, until nothing is left. [`Bench::ends`]
/// holds it to the conservation of packets after each call.
fn drive(bench: &mut Bench, events: Vec<(Instant, Event)>) {
    let mut events = events.into_iter().peekable();
    let mut asked: Vec<(Instant, Port)> = Vec::new();
    for _ in 0..1_000_000 {
        asked.extend(bench.out.readies.drain(..).map(|(port, at)| (at, port)));
        let first = asked.iter().min().copied();
        let times = [first.map(|(at, _)| at), bench.out.deadline(), events.peek().map(|(at, _)| *at)];
        let Some(now) = times.iter().flatten().min().copied() else { return };
        bench.out.begin(now);
        if times[0] == Some(now) {
            let (at, port) = first.unwrap();
            asked.retain(|one| *one != (at, port));
            bench.chip.control(now, Control::PortReady(port), &mut bench.out);
        } else if times[1] == Some(now) {
            bench.out.take_deadline();
            bench.chip.wake(now, &mut bench.out);
        } else if let Some((_, event)) = events.next() {
            match event {
                Event::Packet(port, bytes) => bench.give(now, port, &bytes),
                Event::Link(port, up) => {
                    bench.chip.control(now, Control::Link { port: Port(port), up }, &mut bench.out);
                }
            }
        }
        bench.ends();
    }
    panic!("the chip does not come to rest");
}

const PORTS: [u16; 8] = [0, 1, 128, 129, 256, 257, 384, 385];

fn order() -> impl Strategy<Value = Vec<u8>> {
    // A packet that names a port that recirculates itself would go round for ever.
    let any = (0..512u16).prop_map(|port| if (68..72).contains(&(port % 128)) { 0x1FF } else { port });
    let port = prop_oneof![4 => prop::sample::select(PORTS.to_vec()), 1 => Just(0x1FF), 1 => any];
    let group = || prop_oneof![Just(0), Just(5), Just(6)];
    let ids = (0..8u16, 0..8u16, 0..5u16, 0..4u16, 0..5u16);
    let small = (0..16u8, 0..5u8, 0..4u8, 0..3u8);
    let session = prop::sample::select(vec![7u16, 8, 9]);
    (port, group(), group(), ids, small, session, 0..200usize).prop_map(
        |(
            port,
            group_a,
            group_b,
            (node, lag, exclusion, ports, rid),
            (flags, queue, color, again),
            session,
            payload,
        )| {
            let order = Order {
                port,
                groups: [group_a, group_b],
                hashes: [node, lag],
                exclusions: [exclusion, ports],
                rid,
                flags,
                queue,
                color,
                session,
                again,
                ..Order::default()
            };
            order.packet(payload)
        },
    )
}

fn events() -> impl Strategy<Value = Vec<(Instant, Event)>> {
    let port = || prop::sample::select(PORTS.to_vec());
    let event = prop_oneof![
        8 => (port(), order()).prop_map(|(port, bytes)| Event::Packet(port, bytes)),
        1 => (port(), any::<bool>()).prop_map(|(port, up)| Event::Link(port, up)),
    ];
    // Up to 200 ns apart: far more than the links carry.
    prop::collection::vec((0..200_000u64, event), 1..60).prop_map(|events| {
        let mut now = Instant::ZERO;
        let mut timed = Vec::new();
        for (after, event) in events {
            now += Duration::from_picoseconds(after);
            timed.push((now, event));
        }
        timed
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn packets_are_conserved_with_all_of_this_at_once(events in events()) {
        let mut bench = bench();
        drive(&mut bench, events);
        prop_assert_eq!(bench.chip.account().held, 0);
    }
}

/// The property above says something only if all of this happens.
#[test]
fn all_of_this_happens() {
    let mut bench = bench();
    let all = flag::DEFLECT | flag::COPY_TO_CPU | flag::MIRROR_IN_INGRESS | flag::MIRROR_IN_EGRESS;
    let mut events = Vec::new();
    for number in 0..80u16 {
        let order = Order {
            port: PORTS[usize::from(number) % 3],
            groups: [5, 0],
            exclusions: [number % 5, number % 3],
            rid: number % 3,
            flags: if number % 8 < 4 { all } else { all & !flag::DEFLECT },
            session: 7 + number % 3,
            again: (number % 2) as u8,
            color: (number % 4) as u8,
            ..Order::default()
        };
        events.push((Instant::from_microseconds(u64::from(number / 8)), Event::Packet(128, order.packet(60))));
    }
    events.push((Instant::from_microseconds(30), Event::Link(256, false)));
    drive(&mut bench, events);
    let mut counters = std::collections::BTreeMap::new();
    bench.chip.counters(&mut |counter| _ = counters.insert(counter.name, counter.value));
    for name in ["deflected", "pruned", "mirrored", "recirculations", "generated", "generator_triggers", "ghost_runs"] {
        assert!(counters[name] > 0, "{name}: {counters:?}");
    }
    let reasons = machines::Device::statistics(&bench.chip).discarded;
    let full = [queues::reasons::QUEUE_FULL, queues::reasons::SHARED_BUFFER_FULL];
    for reason in full.into_iter().chain([machines::tofino::reasons::DEFLECTION_FULL]) {
        assert!(reasons.iter().any(|(own, count)| own == reason && count > 0), "{reason:?}: {reasons:?}");
    }
}
