//! A chip whose packets tell the traffic manager what becomes of them, and what they look like behind egress.

use basis::{Instant, Rate};
use machines::Device;
use machines::tofino::TofinoParameters;
use machines::tofino::settings::ChipSettings;
use node::{Control, Node, Port};
use queues::{BufferPlan, CellPlan, DisciplinePlan, OutputPlan, PortPlan, QueuePlan, RoomPlan, SchedulerPlan};

use crate::bench::{Bench, End, chip_with};

/// The program: see there.
pub const PROGRAM: &str = include_str!("manager.p4");

/// The bits of `flags`.
pub mod flag {
    pub const DEFLECT: u8 = 1;
    pub const COPY_TO_CPU: u8 = 2;
    pub const MIRROR_IN_INGRESS: u8 = 4;
    pub const MIRROR_IN_EGRESS: u8 = 8;
}

/// What a packet tells the traffic manager.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub port: u16,
    pub flags: u8,
    pub queue: u8,
    pub color: u8,
    pub class_of_service: u8,
    pub cpu_class_of_service: u8,
    pub groups: [u16; 2],
    pub hashes: [u16; 2],
    pub exclusions: [u16; 2],
    pub rid: u16,
    pub session: u16,
    pub again: u8,
}

impl Default for Order {
    /// The packet goes nowhere, and excludes nothing.
    fn default() -> Self {
        Self {
            port: 0x1FF,
            flags: 0,
            queue: 0,
            color: 0,
            class_of_service: 0,
            cpu_class_of_service: 0,
            groups: [0; 2],
            hashes: [0; 2],
            exclusions: [0; 2],
            // 0 stands for all nodes.
            rid: 0xFFFF,
            session: 0,
            again: 0,
        }
    }
}

impl Order {
    pub const LENGTH: usize = 24;

    /// Returns a packet with this header and a payload of `payload` bytes of 0xEE.
    pub fn packet(self, payload: usize) -> Vec<u8> {
        let Self { port, flags, queue, color, class_of_service, cpu_class_of_service, .. } = self;
        let small = [flags, queue, color, class_of_service, cpu_class_of_service];
        let [[group_a, group_b], [node_hash, lag_hash], [node, port_exclusion]] =
            [self.groups, self.hashes, self.exclusions];
        let words = [group_a, group_b, node_hash, lag_hash, node, port_exclusion, self.rid, self.session];
        let words = words.into_iter().flat_map(u16::to_be_bytes);
        let header = port.to_be_bytes().into_iter().chain(small).chain(words);
        header.chain([self.again]).chain(std::iter::repeat_n(0xEE, payload)).collect()
    }
}

/// What egress has written in front of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub port: u16,
    pub rid: u16,
    pub first: u8,
    pub deflected: u8,
    pub queue: u8,
    pub class_of_service: u8,
    pub congestion: [u8; 2],
    pub pools: u8,
    pub depth: u32,
    pub length: u16,
    pub own: u64,
}

impl Seen {
    pub const LENGTH: usize = 24;

    /// Reads what egress has written in front of a packet; returns it with the bytes behind.
    pub fn of(bytes: &[u8]) -> (Self, &[u8]) {
        let short = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let seen = Self {
            port: short(0),
            rid: short(2),
            first: bytes[4],
            deflected: bytes[5],
            queue: bytes[6],
            class_of_service: bytes[7],
            congestion: [bytes[8] >> 2, bytes[8] & 3],
            pools: bytes[9],
            depth: u32::from_be_bytes([bytes[10], bytes[11], bytes[12], bytes[13]]),
            length: short(14),
            own: u64::from_be_bytes(bytes[16..24].try_into().unwrap()),
        };
        (seen, &bytes[Self::LENGTH..])
    }
}

/// Reads settings, which must be right, of a chip in which nothing takes time.
pub fn settings(text: &str) -> ChipSettings {
    read(text).unwrap_or_else(|found| panic!("{found:?}"))
}

/// Reads settings of a chip of one pipe that has all ports, or returns the mistakes.
pub fn read(text: &str) -> Result<ChipSettings, Vec<(String, String)>> {
    let all: String = (0..72).map(|port| format!("{port}, ")).collect();
    read_file(&format!("{text}\n[[port]]\nports = [{all}]\n"))
}

/// Reads a file of a chip in which nothing takes time, or returns the mistakes, each with the text at its place.
pub fn read_file(text: &str) -> Result<ChipSettings, Vec<(String, String)>> {
    let of = |found: &diagnostics::Diagnostic| {
        assert!(found.hint.is_some(), "{}", found.message);
        let place = found.span.map_or(0..0, |span| span.start as usize..span.end as usize);
        (found.message.clone(), text[place].to_owned())
    };
    match ChipSettings::parse("chip.toml", text) {
        Ok(settings) => Ok(ChipSettings { timed: None, ..settings }),
        Err(diagnostics::Failure::BadInput { diagnostics, .. }) => Err(diagnostics.iter().map(of).collect()),
        Err(other) => panic!("{other:?}"),
    }
}

/// Returns a chip with settings, for TNA.
pub fn bench(text: &str) -> Bench {
    Bench::of(
        chip_with(PROGRAM, TofinoParameters { chip: Some(settings(text)), ..TofinoParameters::default() }).unwrap(),
    )
}

/// Returns a chip with settings, for T2NA.
pub fn bench_of_tofino_2(text: &str) -> Bench {
    let program = PROGRAM.replace("<tna.p4>", "<t2na.p4>");
    Bench::of(
        chip_with(&program, TofinoParameters { chip: Some(settings(text)), ..TofinoParameters::default() }).unwrap(),
    )
}

/// Puts links of 1 Gb/s and four queues behind the ports of a chip, each of which may hold `limit` of the `cells`, of 80
/// bytes, of a pool.
pub fn hold_queues(bench: &mut Bench, cells: u64, limit: u64) {
    hold_queues_of(bench, 72, cells, limit);
}

/// Does the same for the device ports below `ports`.
pub fn hold_queues_of(bench: &mut Bench, ports: usize, cells: u64, limit: u64) {
    let room = RoomPlan { limit: Some(limit), yellow: 0.5, ..RoomPlan::default() };
    hold(bench, ports, room, Some(CellPlan { size: 80, pools: vec![cells] }));
}

/// Puts such links behind the device ports below `ports`, with queues without limits, in memory that is counted in bytes.
pub fn hold_queues_without_cells(bench: &mut Bench, ports: usize) {
    hold(bench, ports, RoomPlan::default(), None);
}

fn hold(bench: &mut Bench, ports: usize, room: RoomPlan, cells: Option<CellPlan>) {
    let queue = QueuePlan { room, ..QueuePlan::default() };
    let scheduler = SchedulerPlan { queues: vec![queue; 4], ..SchedulerPlan::default() };
    let port = PortPlan {
        rate: Rate::from_gigabits_per_second(1),
        framing: 24,
        is_last_hop: false,
        discipline: DisciplinePlan::Scheduler(scheduler.into()),
    };
    let buffer = BufferPlan { cells, ..BufferPlan::default() };
    let plan = OutputPlan { ports: vec![port; ports], buffer, seed: 0 };
    assert!(bench.chip.hold_queues(plan).unwrap().is_none());
}

/// Lets all links of a chip become free until nothing waits, and returns what happens.
pub fn drain(bench: &mut Bench) -> Vec<End> {
    let mut ends = Vec::new();
    for _ in 0..10_000 {
        let mut readies: Vec<(Port, Instant)> = bench.out.readies.drain(..).collect();
        if readies.is_empty() {
            return ends;
        }
        readies.sort_by_key(|(port, at)| (*at, *port));
        for (port, now) in readies {
            bench.out.begin(now);
            bench.chip.control(now, Control::PortReady(port), &mut bench.out);
            ends.extend(bench.ends());
        }
    }
    panic!("the queues do not become empty");
}

/// Returns what egress has seen of each packet that was sent, and the reason of each that was not.
pub fn seen(ends: &[End]) -> Vec<Result<Seen, node::Reason>> {
    let of = |end: &End| match end {
        End::Sent(port, bytes) => {
            let seen = Seen::of(bytes).0;
            assert_eq!(seen.port, *port);
            Ok(seen)
        }
        End::Discarded(reason) => Err(*reason),
    };
    ends.iter().map(of).collect()
}

/// Returns the port, the replication id and whether it is the first of its group, of each copy that was sent.
pub fn copies(ends: &[End]) -> Vec<(u16, u16, bool)> {
    let all = seen(ends);
    all.into_iter().flatten().map(|seen| (seen.port, seen.rid, seen.first == 1)).collect()
}
