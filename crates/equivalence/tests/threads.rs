//! The chip for programs of threads, held against the interpreter, which runs its threads again in the chip's order.

use std::sync::Arc;

use basis::{Instant, Random};
use control::{
    EventNumber, Info, MemoryRequest, MulticastGroup, RecordRequest, RecordTableNumber, Replica, ReplicationRequest,
    Request, SegmentNumber,
};
use equivalence::{Comparison, Effort, Leaving, Reference, Rules, Subject, ThreadReasons, Verdict, Witness};
use ir::Program;
use ir::interpret::threads::{INSTRUCTIONS, ThreadCode};
use machines::Device;
use machines::trio::{Trio, TrioParameters, reasons};
use node::{Offered, Port};
use wire::Packet;

/// Threads of packets count, swap, make and find records, read ahead while they go on, use an engine as hard as they can, send,
/// multicast, drop, fail, and end before the last reply comes (which the interpreter once took for an impossible order); those of a timer and of an event make packets.
const PROGRAM: &str = "program mixture
local a: bit<64>
local b: bit<64>
local c: bit<64>
local n: bit<64>
local argument: bit<64>
local length: bit<16>
local head_length: bit<16>
intrinsic packet_length = length
intrinsic head_length = head_length
intrinsic argument = argument
local_memory 256
head 64 size 32
segment counts: on_chip at 0 size 256
segment far: off_chip at 4096 size 65536
segment places: on_chip at 131072 size 512
records flows: key 2 size 32 in places
timer tick period 2000
event flush
reason bad
digest seen(number: bit<32>)
instruction start {
  b = bit<64>(memory(64u16, 0, 8))
  async count 0u32, length
  call work then decide
}
instruction work {
  async read 4096u32 + (bit<32>(memory(64u16, 8, 8)) * 64u32), 8 -> c
  goto hurry
}
instruction hurry {
  n = n + 1u64
  a = a + c
  async add 64u32, (1u32, 2u32)
  goto hurry if n < 3u64
  goto join
}
instruction join waits {
  a = a + c
  fetch_swap 4096u32 + (bit<32>(memory(64u16, 8, 8)) * 64u32), a -> b
  return
}
instruction decide {
  memory(72u16, 0, 64) = b
  memory(80u16, 0, 64) = a
  insert flows, memory 64u16, 2, (a) -> a, c
  goto full if memory(64u16, 0, 8) == 7u8
  goto spread if memory(64u16, 0, 8) == 8u8
  goto drops if memory(64u16, 0, 8) == 9u8
  goto fails if memory(64u16, 0, 8) == 10u8
  goto leaves_early if memory(64u16, 0, 8) == 6u8
  goto out
}
instruction full {
  async digest seen(c[31:0])
  goto makes if memory(64u16, 8, 1) == 1u1
  goto out
}
instruction makes {
  make tail 0u8 -> a
  goto sends
}
instruction sends {
  async send a port 2u16 queue 0u8 head 64u16, 20u16
  goto out
}
instruction out {
  send 0u8 port 1u16 queue 0u8 head 64u16, head_length
  end
}
instruction leaves_early {
  async send 0u8 port 1u16 queue 0u8 head 64u16, head_length
  goto last
}
instruction last {
  n = 0u64
  end
}
instruction spread {
  multicast 0u8 group 5u16 head 64u16, head_length
  end
}
instruction drops {
  drop 0u8 reason bad
  end
}
instruction fails {
  read 9u32, 8 -> a
  end
}
instruction ticks {
  scan flows, 0u8, 16u8 -> a, b
  goto alive
}
instruction alive {
  memory(64u16, 0, 64) = a
  memory(72u16, 0, 64) = argument
  make -> a
  goto gone
}
instruction gone {
  send a port 3u16 queue 0u8 head 64u16, 16u16
  end
}
entrance packet = instruction start
entrance timer tick = instruction ticks
entrance event flush = instruction alive
";

fn program(text: &str) -> Arc<Program> {
    let program = ir::parse::program("mixture.ir", text).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(ir::verify::program(&program), Ok(()), "{text}");
    Arc::new(program)
}

fn info(program: &Program) -> Arc<Info> {
    Arc::new(machines::control_plane_of(program))
}

fn thread_reasons(program: &Program) -> ThreadReasons {
    let threads = program.threads.as_ref().expect("a program of threads");
    let declared = reasons::of_program(threads);
    ThreadReasons { consumed: reasons::CONSUMED, declared, of_fault: reasons::of_fault }
}

fn write(execute: &mut dyn FnMut(&Request)) {
    let replicas = [2, 3].map(|port| Replica { port, instance: 0 });
    let group = MulticastGroup { replicas: replicas.into(), ..MulticastGroup::default() };
    execute(&Request::MulticastGroup(5, ReplicationRequest::Insert(group)));
    for (offset, word) in [(0, 5), (6400, 9), (12_800, 6)] {
        execute(&Request::Memory(SegmentNumber(1), MemoryRequest::Write { offset, words: vec![word] }));
    }
}

/// Packets from many ports at once, most of them of few flows.
fn packets(count: u64, seed: u64) -> Vec<Offered> {
    let mut random = Random::new(seed);
    let packet = |number: u64| {
        let mut bytes = vec![0; 20 + random.below(60) as usize];
        bytes.iter_mut().for_each(|byte| *byte = random.below(256) as u8);
        (bytes[0], bytes[1]) = (random.below(12) as u8, random.below(3) as u8 * 100);
        let at = Instant::from_picoseconds(1_000_000 + number * 5_000);
        Offered { at, port: Port(random.below(4) as u16), packet: Packet::of_bytes(&bytes) }
    };
    (0..count).map(packet).collect()
}

fn requests() -> Vec<(Instant, Request)> {
    let at = |nanoseconds: u64| Instant::from_picoseconds(nanoseconds * 1000);
    let delete = |key: [u8; 2]| Request::Records(RecordTableNumber(0), RecordRequest::Delete(key.to_vec()));
    let read = Request::Memory(SegmentNumber(1), MemoryRequest::ReadWritten);
    vec![
        (at(1_300), Request::RaiseEvent(EventNumber(0), 42)),
        (at(1_400), read.clone()),
        (at(1_500), delete([0, 0])),
        (at(1_501), delete([3, 100])),
        (at(1_600), read),
        (at(1_700), Request::Records(RecordTableNumber(0), RecordRequest::Read(None))),
    ]
}

/// A small chip, whose engines and ports are often full.
fn chip(text: &str, parameters: &TrioParameters) -> Box<dyn Device> {
    let program = program(text);
    let chip = Trio::new(ThreadCode::new(Arc::clone(&program)), info(&program), parameters.clone());
    let mut chip = chip.expect("the program fits");
    write(&mut |request| _ = chip.execute(request));
    Box::new(chip)
}

fn parameters() -> TrioParameters {
    let mut parameters = TrioParameters { ppes: 4, threads: 8, ..TrioParameters::default() };
    (parameters.memory.queue, parameters.memory.cache_bytes) = (2, 1 << 16);
    parameters
}

fn rules() -> Rules {
    Rules { leaving: Leaving::AtTheEnd, requests: requests(), ..Rules::default() }
}

fn reference(program: &Arc<Program>) -> Reference<'_> {
    Reference::of_order(program, &info(program), INSTRUCTIONS, thread_reasons(program), &write)
}

fn compare(text: &str, packets: Vec<Offered>) -> Comparison {
    let program = program(PROGRAM);
    equivalence::compare(reference(&program), &mut *chip(text, &parameters()), packets, &rules())
}

#[test]
fn the_chip_does_what_the_program_means() {
    for seed in 0..8 {
        let comparison = compare(PROGRAM, packets(400, seed));
        assert_eq!(comparison.verdict, Verdict::Equal, "seed {seed}: {comparison:#?}");
        assert!(comparison.machine.own("threads_of_timers") > 0 && comparison.machine.own("threads_of_events") == 1);
        assert!(comparison.machine.own("faults") > 0 && comparison.machine.own("packets_made") > 10);
    }
}

/// Each of these changes of one operation is a difference, with few packets that show it.
#[test]
fn every_wrong_operation_is_found() {
    let mutants = [
        ("async count 0u32, length", "async count 0u32, head_length"),
        ("async count 0u32, length", "async count 8u32, length"),
        ("async add 64u32, (1u32, 2u32)", "async add 64u32, (1u32, 3u32)"),
        ("fetch_swap 4096u32", "fetch_or 4096u32"),
        ("fetch_swap 4096u32", "fetch_xor 4096u32"),
        ("n < 3u64", "n < 4u64"),
        ("n < 3u64", "n <= 3u64"),
        ("goto hurry if n", "goto join if n"),
        ("a = a + c\n  async", "a = a - c\n  async"),
        ("memory(72u16, 0, 64) = b\n", "memory(73u16, 0, 56) = b[55:0]\n"),
        ("insert flows, memory 64u16, 2, (a)", "insert flows, memory 65u16, 2, (a)"),
        ("insert flows, memory 64u16, 2, (a) -> a, c", "find flows, memory 64u16, 2 -> a, c"),
        ("digest seen(c[31:0])", "digest seen(c[32:1])"),
        ("port 2u16 queue 0u8 head 64u16, 20u16", "port 2u16 queue 0u8 head 64u16, 19u16"),
        ("port 2u16 queue 0u8 head 64u16, 20u16", "port 3u16 queue 0u8 head 64u16, 20u16"),
        ("send 0u8 port 1u16", "send 0u8 port 0u16"),
        ("multicast 0u8 group 5u16", "multicast 0u8 group 6u16"),
        ("drop 0u8 reason bad", "cut_tail 0u8, 0u16"),
        ("read 9u32, 8", "read 8u32, 8"),
        ("scan flows, 0u8, 16u8", "scan flows, 0u8, 15u8"),
        ("memory(72u16, 0, 64) = argument", "memory(72u16, 0, 64) = argument + 1u64"),
        ("make tail 0u8 -> a", "make -> a"),
    ];
    for (from, to) in mutants {
        let text = PROGRAM.replacen(from, to, 1);
        assert_ne!(text, PROGRAM, "{from}");
        let comparison = compare(&text, packets(400, 1));
        assert_eq!(comparison.verdict, Verdict::Different, "{from} -> {to}");
    }
}

#[test]
fn a_difference_is_shrunk_to_the_packets_that_show_it() {
    let text = PROGRAM.replacen("fetch_swap 4096u32", "fetch_or 4096u32", 1);
    let program = program(PROGRAM);
    let rules = Rules { requests: Vec::new(), ..rules() };
    let (make_reference, parameters) = (|| reference(&program), parameters());
    let make_machine = || chip(&text, &parameters);
    let subject = Subject { make_reference: &make_reference, make_machine: &make_machine, rules: &rules };
    let stream = packets(200, 3);
    let shrunk = subject.shrink(|| stream.iter().cloned(), Effort::items(100_000)).expect("there is a difference");
    // A swap and an or differ when the word was not a part of the new one.
    assert!(shrunk.one_minimal && shrunk.packets.len() <= 3, "{:?}", shrunk.packets);
    let witness = Witness::of(make_reference(), &mut *make_machine(), "trio", shrunk.packets, &rules);
    let words = witness.to_string();
    assert!(words.contains("through `mixture` on trio: DIFFERENT") && words.contains("@far["), "{words}");
}

/// Packets that find no free thread are no difference; all others are compared.
#[test]
fn packets_without_a_thread_are_dropped_by_the_chip_alone() {
    let program = program(PROGRAM);
    let parameters = TrioParameters { ppes: 1, threads: 2, waiting: 4, ..parameters() };
    let rules = rules();
    let comparison =
        equivalence::compare(reference(&program), &mut *chip(PROGRAM, &parameters), packets(300, 2), &rules);
    assert_eq!(comparison.verdict, Verdict::Equal, "{comparison:#?}");
    assert!(comparison.machine.discarded.of(reasons::NO_THREAD) > 20);
    let text = PROGRAM.replacen("send 0u8 port 1u16", "send 0u8 port 0u16", 1);
    let comparison = equivalence::compare(reference(&program), &mut *chip(&text, &parameters), packets(300, 2), &rules);
    assert_eq!(comparison.verdict, Verdict::Different);
}
