//! No packet is lost without a reason: random programs of multicast, mirrors, resubmission and recirculation on random chips of
//! four pipes with full queues, deflection, generated packets, a ghost thread, and ports that go down and up.

mod chip;
mod program;

use std::collections::{BTreeMap, BTreeSet};

use basis::{Duration, Instant, Random};
use machines::Device;
use machines::tofino::{ChipSettings, TofinoParameters, reasons};
use machines::trace::{Pass, Step};
use node::{Control, Node, Port, Reason, Station};

use crate::bench::{Bench, End, chip_with};
use crate::manager::support::hold_queues_of;

/// The number of programs, each on a chip of its own.
const PROGRAMS: u64 = 120;

/// What happens to the chip at a time.
enum Event {
    Packet(u16, Vec<u8>),
    Link(u16, bool),
}

/// A program, and the chip that runs it.
struct Case {
    program: String,
    file: String,
    /// Whether packets take time in the chip.
    keeps_time: bool,
    /// The cells of a memory, and how many of them a queue may hold, of a chip that keeps no time but has links.
    queues: Option<[u64; 2]>,
}

impl Case {
    fn new(random: &mut Random) -> Self {
        let is_for_tofino_2 = random.chance(0.5);
        let program = program::program(random, is_for_tofino_2);
        let file = chip::file(random, is_for_tofino_2);
        let keeps_time = random.chance(0.7);
        let queues = (!keeps_time && random.chance(0.6)).then(|| [4 + random.below(20), 1 + random.below(6)]);
        Self { program, file, keeps_time, queues }
    }

    fn bench(&self) -> Bench {
        let chip =
            ChipSettings::parse("chip.toml", &self.file).unwrap_or_else(|found| panic!("{found}\n{}", self.file));
        let chip = if self.keeps_time { chip } else { ChipSettings { timed: None, ..chip } };
        let parameters = TofinoParameters { chip: Some(chip), rounds: 4, copies: 8, ..TofinoParameters::default() };
        let chip = chip_with(&self.program, parameters).unwrap_or_else(|found| panic!("{found}\n{}", self.program));
        let mut bench = Bench::of(chip);
        if let Some([cells, limit]) = self.queues {
            hold_queues_of(&mut bench, 512, cells, limit);
        }
        bench
    }
}

/// Returns packets and changes of links with their times: far more than the links carry.
fn events(random: &mut Random) -> Vec<(Instant, Event)> {
    let mut now = Instant::ZERO;
    let mut events = Vec::new();
    for _ in 0..80 {
        // Some come at once.
        if random.chance(0.7) {
            now += Duration::from_picoseconds(random.below(150_000));
        }
        let port = chip::outside(random) as u16;
        let event = if random.chance(0.06) {
            Event::Link(port, random.chance(0.5))
        } else {
            // Few values, so that conditions of programs hold often; some packets are too short for their headers.
            let mut bytes: Vec<u8> = (0..4).map(|_| (random.bits() & random.bits()) as u8).collect();
            bytes.push(if random.chance(0.4) { random.below(7) as u8 } else { 0 });
            bytes.resize(5 + random.below(300) as usize, 0xEE);
            if random.chance(0.05) {
                bytes.truncate(random.below(5) as usize);
            }
            Event::Packet(port, bytes)
        };
        events.push((now, event));
    }
    events
}

/// Gives a chip what happens in the order of time, and all calls that it asks for, until nothing is left. [`Bench::ends`]
/// holds it to the conservation of packets after each call. Returns what became of all packets, in order.
fn drive(bench: &mut Bench, events: Vec<(Instant, Event)>) -> Vec<End> {
    let mut events = events.into_iter().peekable();
    let mut asked: Vec<(Instant, Port)> = Vec::new();
    let mut ends = Vec::new();
    for _ in 0..1_000_000 {
        asked.extend(bench.out.readies.drain(..).map(|(port, at)| (at, port)));
        let first = asked.iter().min().copied();
        let times = [first.map(|(at, _)| at), bench.out.deadline(), events.peek().map(|(at, _)| *at)];
        let Some(now) = times.iter().flatten().min().copied() else { return ends };
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
        ends.extend(bench.ends());
    }
    panic!("the chip does not come to rest");
}

/// Returns the number of packets that end in a trace.
fn leaves(pass: &Pass) -> u64 {
    let of_step = |step: &Step| match step {
        Step::Transmit { .. } | Step::Discard { .. } => 1,
        Step::Fork { pass } => leaves(pass),
        // A trace with too many packets only counts how the others ended.
        Step::More(more) => more.ends.values().sum(),
        _ => 0,
    };
    pass.steps.iter().map(of_step).sum()
}

#[test]
fn no_packet_is_lost_without_a_reason_and_traces_have_them_all() {
    let (mut lost, mut counted) = (BTreeSet::<Reason>::new(), BTreeMap::<&str, u64>::new());
    for seed in 0..PROGRAMS {
        let case = Case::new(&mut Random::new(seed));
        let about = || format!("seed {seed}\n{}\n{}", case.file, case.program);
        let (mut bench, mut traced) = (case.bench(), case.bench());
        traced.chip.observe().unwrap();
        let ends = drive(&mut bench, events(&mut Random::new(seed)));
        assert_eq!(bench.chip.account().held, 0, "something stays; {}", about());
        assert_eq!(drive(&mut traced, events(&mut Random::new(seed))), ends, "{}", about());
        let traces = traced.chip.take_traces();
        let in_traces: u64 = traces.iter().map(|trace| leaves(&trace.pass)).sum();
        assert_eq!(in_traces, ends.len() as u64, "{}", about());
        lost.extend(ends.iter().filter_map(|end| match end {
            End::Discarded(reason) => Some(*reason),
            End::Sent(..) => None,
        }));
        bench.chip.counters(&mut |counter| *counted.entry(counter.name).or_default() += counter.value);
    }
    // The above says something only if all of this happens.
    for reason in [
        Reason::PROGRAM,
        Reason::NO_SUCH_PORT,
        reasons::PARSER_ERROR,
        reasons::NO_DESTINATION,
        reasons::UNKNOWN_MULTICAST_GROUP,
        reasons::EXCLUDED,
        reasons::UNKNOWN_MIRROR_SESSION,
        reasons::ROUND_LIMIT,
        reasons::COPY_LIMIT,
        reasons::DEFLECTION_FULL,
        reasons::INGRESS_FULL,
        reasons::PORT_DOWN,
        queues::reasons::NO_SUCH_QUEUE,
        queues::reasons::QUEUE_FULL,
        queues::reasons::SHARED_BUFFER_FULL,
    ] {
        assert!(lost.contains(&reason), "no packet was dropped for {reason:?}: {lost:?}");
    }
    for name in ["deflected", "mirrored", "pruned", "recirculations", "resubmissions", "generated", "ghost_runs"] {
        assert!(counted.get(name).is_some_and(|&count| count > 0), "{name}: {counted:?}");
    }
}
