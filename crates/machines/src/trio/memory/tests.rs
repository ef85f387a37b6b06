//! Measures of the memory system: threads that do nothing but ask for the next transaction when a reply has come.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use basis::Instant;
use ir::interpret::threads::{Bytes, Packets, ThreadCode};
use ir::threads::RecordTableId;
use runtime::ProgramState;

use super::*;

/// A chip in which threads ask for one transaction after the other.
struct Chip {
    code: ThreadCode,
    state: ProgramState,
    memory: MemorySystem,
    threads_of_ppe: u32,
    applied: u64,
    /// For each thread, the cycles in which its replies came.
    replies: Vec<Vec<u64>>,
}

impl Chip {
    fn new(parameters: &MemoryParameters, ppes: u32, threads_of_ppe: u32) -> Self {
        let text = "program p\nsegment near: on_chip at 0 size 65536\nsegment far: off_chip at 0x1000000 size 0x4000000\n\
            segment room: on_chip at 65536 size 4096\nrecords flows: key 8 size 64 in room\n\
            instruction i {\n  end\n}\nentrance packet = instruction i\n";
        let program = Arc::new(ir::parse::program("p.ir", text).expect("the text is a program"));
        let threads = program.threads.as_ref().expect("a program of threads");
        let state =
            ProgramState { memory: threads.initial_memory(), records: threads.initial_records(), ..Default::default() };
        let memory = MemorySystem::new(parameters, threads, ppes);
        let replies = vec![Vec::new(); (ppes * threads_of_ppe) as usize];
        Self { code: ThreadCode::new(Arc::clone(&program)), state, memory, threads_of_ppe, applied: 0, replies }
    }

    /// Lets every thread ask for one transaction after the other until `end`, each when the reply to the last one is there.
    /// The threads of a PPE begin one cycle after the other.
    fn run(&mut self, end: u64, request: impl Fn(u32, u64) -> Request) {
        let threads = self.replies.len() as u32;
        let asks = (0..threads).map(|thread| Reverse((u64::from(thread % self.threads_of_ppe), thread, 0)));
        let mut asks: BinaryHeap<Reverse<(u64, u32, u64)>> = asks.collect();
        let mut entered = Vec::new();
        loop {
            let ask = asks.peek().map(|Reverse((cycle, ..))| *cycle);
            let Some(cycle) = ask.into_iter().chain(self.memory.next()).min().filter(|cycle| *cycle < end) else {
                break;
            };
            self.memory.advance(cycle, &mut entered);
            if entered.is_empty() && ask == Some(cycle) {
                let Some(Reverse((_, thread, number))) = asks.pop() else { break };
                let from = Requester { thread, ppe: thread / self.threads_of_ppe, ticket: Ticket(number) };
                entered.extend(self.memory.issue(cycle, from, &request(thread, number)).map(|times| (from, times)));
            }
            for (from, times) in entered.drain(..) {
                assert!(cycle <= times.left && times.left <= times.effect && times.effect < times.reply);
                let (thread, number) = (from.thread, from.ticket.0);
                let at = Instant::from_picoseconds(times.effect * 1000);
                let (packets, outputs) = (&mut Packets::default(), &mut Vec::new());
                self.code.apply(&mut self.state, at, &request(thread, number), packets, outputs);
                self.applied += 1;
                self.replies[thread as usize].push(times.reply);
                asks.push(Reverse((times.reply, thread, number + 1)));
            }
        }
    }

    fn number(&self, address: u64) -> u32 {
        let mut bytes = [0; 4];
        self.state.memory.read(address, &mut bytes).expect("the address is in a segment");
        u32::from_be_bytes(bytes)
    }
}

fn add(address: u64) -> Request {
    Request::Add { segment: 0, address, data: Bytes::of(&1u32.to_be_bytes()).expect("four bytes") }
}

fn read(address: u64, bytes: u32) -> Request {
    Request::Read { segment: u32::from(address >= 0x100_0000), address, bytes }
}

/// Section 2.3: "approximately 70 ns" on chip, "300 ns to 400 ns" off chip; a hit in the cache is as on chip.
#[test]
fn a_thread_in_an_idle_chip_waits_as_long_as_the_parameters_say() {
    let mut chip = Chip::new(&MemoryParameters::default(), 1, 1);
    let far = 0x100_0000;
    let all = [read(0, 8), read(64, 64), read(far, 8), read(far + 8, 8), read(far + 64, 64), add(4), read(0, 8)];
    chip.run(1100, |_, number| all.get(number as usize).copied().unwrap_or(read(0, 8)));
    let times: Vec<u64> = chip.replies[0].windows(2).map(|two| two[1] - two[0]).collect();
    assert_eq!(chip.replies[0][0], 70);
    // Each 8 bytes more take the engine a cycle; an addition takes two.
    assert_eq!(times[..6], [77, 350, 70, 357, 71, 70]);
    let cache = chip.memory.statistics(1100).cache;
    assert_eq!((cache.hits, cache.misses), (1, 2));

    let slow = MemoryParameters { off_chip: basis::Duration::from_nanoseconds(400), ..MemoryParameters::default() };
    let mut chip = Chip::new(&slow, 1, 1);
    chip.run(300, |_, _| read(far, 8));
    assert_eq!(chip.replies[0][0], 400);
}

/// Section 6.3: 12 engines, each addition takes two cycles, at 1 GHz: 0.5 billion additions a second for an engine.
#[test]
fn all_threads_add_to_one_word() {
    let mut chip = Chip::new(&MemoryParameters::default(), 16, 20);
    chip.run(100_000, |_, _| add(8));
    assert_eq!(u64::from(chip.number(8)), chip.applied, "no addition is lost");
    let statistics = chip.memory.statistics(100_000);
    let engine = statistics.engines[0];
    // The first request arrives after 25 cycles; from then on the engine is never idle.
    assert_eq!((engine.busy, engine.longest_queue), (100_000 - 25, 16));
    let rate = chip.applied as f64 / 100_000.0;
    assert!((rate - 0.5).abs() < 0.005, "{rate} a cycle");
    assert!(statistics.engines[1..].iter().all(|engine| engine.requests == 0));
    // 320 threads share the engine: each waits about 640 cycles for an answer, most of them at the ports.
    assert!(statistics.ports.iter().all(|port| port.stalls > 1000 && port.most_held >= 15), "{:?}", statistics.ports);
    let latency = engine.latency as f64 / engine.requests as f64;
    assert!((latency - 640.0).abs() < 6.4, "{latency}");
}

/// Section 6.3: "6 billion operations per second per PFE".
#[test]
fn additions_that_are_spread_over_all_engines() {
    let mut chip = Chip::new(&MemoryParameters::default(), 64, 20);
    let word = |thread: u32, number: u64| 64 * ((u64::from(thread) * 7 + number * 5) % 12);
    chip.run(50_000, |thread, number| add(word(thread, number)));
    let sum: u64 = (0..12).map(|engine| u64::from(chip.number(64 * engine))).sum();
    assert_eq!(sum, chip.applied, "no addition is lost");
    let rate = chip.applied as f64 / 50_000.0;
    assert!((rate - 6.0).abs() < 0.06, "{rate} a cycle");
}

/// The crossbar itself never limits (section 2.3): 1,280 threads that load 12 engines with less than they can do wait for
/// nobody.
#[test]
fn the_crossbar_does_not_limit() {
    let mut chip = Chip::new(&MemoryParameters { banks: 1280, ..MemoryParameters::default() }, 64, 20);
    chip.run(10_000, |thread, _| read(64 * u64::from(thread % 1024), 8));
    let statistics = chip.memory.statistics(10_000);
    assert!(statistics.ports.iter().all(|port| port.stalls == 0));
    assert!(chip.replies.iter().all(|replies| replies.len() >= 140));
}

/// A request behind one that waits for a full queue waits, too, though its own engine is idle; requests of other PPEs do not.
#[test]
fn back_pressure_holds_later_requests_of_the_same_ppe() {
    let parameters = MemoryParameters { queue: 1, ..MemoryParameters::default() };
    let mut memory = Chip::new(&parameters, 2, 1).memory;
    let data = Bytes::zeros(64);
    let vector = Request::Add { segment: 0, address: 0, data };
    let from = |thread, ppe| Requester { thread, ppe, ticket: Ticket(0) };
    // The engine is busy with the first one from 25 to 57, and the second one waits in the queue until then.
    assert_eq!(memory.issue(0, from(0, 0), &vector).map(|times| times.effect), Some(25));
    assert_eq!(memory.issue(1, from(1, 0), &vector).map(|times| times.effect), Some(57));
    assert_eq!(memory.issue(2, from(2, 0), &vector), None);
    assert_eq!(memory.issue(3, from(3, 0), &read(64, 8)), None);
    assert!(memory.issue(4, from(4, 1), &read(64, 8)).is_some_and(|times| times.reply == 74));
    assert_eq!(memory.issue(5, from(5, 1), &vector), None);
    let mut entered = Vec::new();
    // The queue has a place from 57 on, so the third one leaves its port in 32.
    assert_eq!(memory.next(), Some(32));
    memory.advance(31, &mut entered);
    assert!(entered.is_empty());
    memory.advance(1000, &mut entered);
    let entered: Vec<(u32, u64, u64)> =
        entered.iter().map(|(from, times)| (from.thread, times.left, times.effect)).collect();
    assert_eq!(entered, [(2, 32, 89), (3, 33, 58), (5, 64, 121)]);
    let ports = memory.statistics(1000).ports;
    assert_eq!((ports[0].stalls, ports[0].stalled, ports[0].most_held), (2, 30 + 30, 2));
    assert_eq!((ports[1].stalls, ports[1].stalled, ports[1].held), (1, 59, 0));
}

/// A port with a request that had just left once gave the next one its place in the queue of its engine a cycle ahead, so what
/// came to the engine from other ports in that cycle seemed to come back in time.
#[test]
fn requests_reach_an_engine_in_the_order_of_time() {
    let mut memory = Chip::new(&MemoryParameters::default(), 2, 1).memory;
    let from = |thread, ppe| Requester { thread, ppe, ticket: Ticket(0) };
    assert_eq!(memory.issue(0, from(0, 0), &read(0, 8)).map(|times| times.effect), Some(25));
    assert_eq!(memory.issue(0, from(1, 0), &read(0, 8)), None);
    assert_eq!(memory.issue(0, from(2, 1), &read(0, 8)).map(|times| times.effect), Some(26));
    assert_eq!(memory.next(), Some(1));
    let mut entered = Vec::new();
    memory.advance(1, &mut entered);
    let expected = Times { left: 1, effect: 27, reply: 72 };
    assert_eq!(entered, [(from(1, 0), expected)]);
    assert_eq!(memory.statistics(1).engines[0].waited, 2);
}

/// Asynchronous writes to new lines off chip once piled up without end. A bank fetches `misses` lines at once, and what comes
/// after them waits at the ports.
#[test]
fn misses_are_bounded_by_back_pressure() {
    let parameters = MemoryParameters { banks: 1, misses: 8, ..MemoryParameters::default() };
    let mut memory = Chip::new(&parameters, 1, 1).memory;
    let write = |number: u64| {
        let data = Bytes::zeros(8);
        Request::Write { segment: 1, address: 0x100_0000 + 64 * number, data }
    };
    let from = |ticket| Requester { thread: 0, ppe: 0, ticket: Ticket(ticket) };
    // A request a cycle, as long as the last one has left its port; none of them waits for its reply.
    let (mut number, mut replies, mut entered) = (0, Vec::new(), Vec::new());
    for cycle in 0..100_000 {
        memory.advance(cycle, &mut entered);
        let has_room = memory.statistics(cycle).ports[0].held == 0;
        if has_room {
            entered.extend(memory.issue(cycle, from(number), &write(number)).map(|times| (from(number), times)));
            number += 1;
        }
        replies.extend(entered.drain(..).map(|(_, times)| times.reply));
        replies.retain(|reply| *reply > cycle);
        // Eight lines on their way, 16 requests in the queue, and those between the port and the queue or on the way back.
        assert!(replies.len() <= 8 + 16 + 25 + 44, "{} requests in cycle {cycle}", replies.len());
    }
    // A line takes 280 cycles, so eight at once are a request in 35 cycles, and 25 more are on their way.
    assert!((100_000 / 35..=100_000 / 35 + 30).contains(&number), "{number} requests");
    let statistics = memory.statistics(100_000);
    assert!(statistics.engines[0].stalled > 90_000, "{:?}", statistics.engines[0]);
    assert!(statistics.ports[0].stalls > 2000 && statistics.engines[0].longest_queue == 16);
}

/// Records of a table are served by one engine, in order; a new record of 64 bytes takes it a cycle more.
#[test]
fn records_are_served_by_the_hash_block() {
    let mut chip = Chip::new(&MemoryParameters::default(), 4, 4);
    let key = |thread: u32| Bytes::of_words(&[thread.into()]);
    chip.run(1000, |thread, number| match number {
        0 => Request::Insert { records: RecordTableId(0), key: key(thread), contents: key(thread) },
        _ => Request::Find { records: RecordTableId(0), key: key(thread) },
    });
    assert_eq!(chip.state.records[0].len(), 16);
    let statistics = chip.memory.statistics(2000);
    let hash: Vec<_> = statistics.of(Block::Hash).collect();
    assert_eq!((hash[0].requests, hash[0].busy), (chip.applied, chip.applied + 16));
    assert_eq!(hash[1].requests, 0);
    assert!(hash[0].longest_queue > 0 && statistics.of(Block::Bank).all(|bank| bank.requests == 0));
}

#[test]
fn a_busy_memory_system_is_saved_and_restored() {
    let parameters = MemoryParameters { queue: 2, cache_bytes: 1 << 16, ..MemoryParameters::default() };
    let request = |thread: u32, number: u64| match (u64::from(thread) + number) % 4 {
        0 => add(8 * (number % 64)),
        1 => read(0x100_0000 + 64 * (number * 37 % 5000), 8),
        _ => Request::Add { segment: 0, address: 0, data: Bytes::zeros(64) },
    };
    let mut chip = Chip::new(&parameters, 4, 8);
    chip.run(5000, request);
    let mut saver = Saver::default();
    chip.memory.save(&mut saver).expect("plain values");
    let bytes = saver.into_bytes();
    let mut other = Chip::new(&parameters, 4, 8).memory;
    other.restore(&mut Loader::new(&bytes)).expect("the same chip");
    let go_on = |memory: &mut MemorySystem| {
        let mut entered = Vec::new();
        memory.advance(6000, &mut entered);
        let last = memory.issue(6000, Requester { thread: 0, ppe: 0, ticket: Ticket(9) }, &add(0));
        (entered, last, memory.statistics(7000))
    };
    let (one, another) = (go_on(&mut chip.memory), go_on(&mut other));
    assert!(!one.0.is_empty());
    assert_eq!(one, another);
    let mut small = Chip::new(&parameters, 3, 8).memory;
    assert!(small.restore(&mut Loader::new(&bytes)).is_err());
}
