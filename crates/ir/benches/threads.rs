//! Benchmark of the stepping interpreter of threads: instructions and packets per second on one core, with one thread after
//! the other and with many threads that take turns. Run it with `cargo bench -p polyplane-ir --bench threads`.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant as Clock;

use basis::Instant;
use ir::interpret::Unobserved;
use ir::interpret::threads::{Output, Start, Step, Thread, ThreadCode, ThreadEnding, run};
use runtime::ProgramState;

/// The packet filter of the paper.
const FILTER: &str = include_str!("../tests/threads/filter.ir");

/// A loop of four instructions, one of which adds to shared memory.
const LOOP: &str = "\
program loop
local left: bit<32>
local sum: bit<32>
local_memory 1280
head 64 size 192
segment total: on_chip at 0 size 64
instruction start {
  left = 1000u32
  goto next
}
instruction next {
  sum = sum + (0u16 ++ memory(76u16, 0, 16))
  memory(80u16, 4, 12) = sum[11:0]
  goto add
}
instruction add {
  async add 0u8, (sum)
  goto count
}
instruction count {
  left = left - 1u32
  memory(100u16, 0, 32) = left
  goto end_of_loop if left == 1u32
  goto next
}
instruction end_of_loop {
  end
}
entrance packet = instruction start
";

/// Threads that take turns: 64 engines of 20 threads.
const THREADS: usize = 1280;

fn code(text: &str) -> (ThreadCode, ProgramState) {
    let program = ir::parse::program("bench.ir", text).expect("a program");
    let state = program.initial_state();
    (ThreadCode::new(Arc::new(program)), state)
}

fn row(name: &str, unit: &str, count: u64, since: Clock) {
    println!("{name:<44} {:>8.1} million {unit}/s", count as f64 / since.elapsed().as_secs_f64() / 1e6);
}

fn packet() -> [u8; 64] {
    let mut packet = [7; 64];
    packet[12..15].copy_from_slice(&[8, 0, 0x45]);
    packet
}

/// Runs one thread after the other, each to its end.
fn alone(name: &str, text: &str, packets: u64) {
    let (code, mut state) = code(text);
    let bytes = packet();
    let start = Start::packet(1, &bytes, Instant::ZERO);
    let mut thread = Thread::new(&code, &start).expect("an entrance");
    let mut outputs = Vec::new();
    let (since, mut instructions) = (Clock::now(), 0);
    for _ in 0..packets {
        thread.begin(&code, &start);
        assert_eq!(run(&code, &mut state, &mut thread, Instant::ZERO, &mut outputs), ThreadEnding::Done);
        instructions += thread.executed();
        black_box(&outputs);
        outputs.clear();
    }
    row(&format!("{name}, one after the other"), "instructions", instructions, since);
    row(&format!("{name}, one after the other"), "packets", packets, since);
}

/// Runs many threads that take turns after each instruction.
fn in_turns(name: &str, text: &str, packets: u64) {
    let (code, mut state) = code(text);
    let bytes = packet();
    let start = Start::packet(1, &bytes, Instant::ZERO);
    let mut threads: Vec<Thread> = (0..THREADS).map(|_| Thread::new(&code, &start).expect("an entrance")).collect();
    let mut outputs: Vec<Output> = Vec::new();
    let observer = &mut Unobserved;
    let (since, mut instructions, mut left) = (Clock::now(), 0, packets);
    while left > 0 {
        for thread in &mut threads {
            match thread.step(&code, observer) {
                Step::Asks(ticket) => thread.perform(&code, &mut state, ticket, Instant::ZERO, &mut outputs, observer),
                Step::Ended(_) => {
                    instructions += thread.executed();
                    left = left.saturating_sub(1);
                    thread.begin(&code, &start);
                }
                Step::Done | Step::Waits => (),
            }
        }
        black_box(&outputs);
        outputs.clear();
    }
    row(&format!("{name}, {THREADS} in turns"), "instructions", instructions, since);
}

fn main() {
    alone("filter", FILTER, 2_000_000);
    in_turns("filter", FILTER, 2_000_000);
    alone("loop", LOOP, 5_000);
    in_turns("loop", LOOP, 5_000);
}
