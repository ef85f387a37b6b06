//! How fast the run-to-completion chip is simulated on one core: instructions per second with 64 engines busy, beside the bare
//! stepping interpreter on the same program in the same run, and packets per second of the filter of the paper. Run it with
//! `cargo bench -p polyplane-machines --bench trio`.

use std::sync::Arc;
use std::time::Duration;

use basis::Instant;
use control::Info;
use ir::interpret::Unobserved;
use ir::interpret::threads::{Start, Step, Thread, ThreadCode};
use machines::Device;
use machines::trio::{Trio, TrioParameters};
use measure::{Event, Interest};
use node::{Course, Discarded, Limit, Offered, Port, Sink, Transmission};
use runtime::ProgramState;
use wire::Packet;

/// The packet filter of the paper.
const FILTER: &str = include_str!("../../ir/tests/threads/filter.ir");

/// A loop of eight instructions, one of which adds to a word of shared memory that the packet chooses: fewer additions than the
/// engines of shared memory can do, so the packet processing engines are busy.
const LOOP: &str = "\
program loop
local left: bit<32>
local sum: bit<32>
local place: bit<16>
local_memory 1280
head 64 size 192
segment total: on_chip at 0 size 1024
instruction start {
  left = 1000u32
  place = (0u6 ++ memory(64u16, 0, 4)) ++ 0u6
  goto next
}
instruction next {
  sum = sum + (0u16 ++ memory(76u16, 0, 16))
  memory(80u16, 4, 12) = sum[11:0]
  goto field
}
instruction field {
  memory(90u16, 0, 16) = memory(80u16, 8, 16)
  goto other if memory(76u16, 0, 8) == 3u8
  goto xor
}
instruction other {
  end
}
instruction xor {
  sum = sum ^ (0u16 ++ memory(90u16, 0, 16))
  goto shift
}
instruction shift {
  sum = (sum[30:0] ++ sum[31:31])
  goto compare
}
instruction compare {
  memory(92u16, 0, 8) = 1u8 if (sum == left)
  goto add if (left[0:0] == 1u1)
  goto count
}
instruction add {
  async add place, (sum)
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

fn code(text: &str) -> (ThreadCode, ProgramState) {
    let program = ir::parse::program("bench.ir", text).expect("a program");
    let state = program.initial_state();
    (ThreadCode::new(Arc::new(program)), state)
}

/// Returns the processor time of this thread, which does not count what other programs take (Linux, `proc(5)`); elsewhere that
/// of the clock.
fn processor_time() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(std::time::Instant::now);
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn row(name: &str, unit: &str, count: u64, took: Duration) -> f64 {
    let rate = count as f64 / took.as_secs_f64() / 1e6;
    println!("{name:<52} {rate:>8.2} million {unit}/s");
    rate
}

fn packet(number: u64) -> [u8; 64] {
    let mut packet = [7; 64];
    packet[0] = number.wrapping_mul(0x35) as u8;
    packet[12..15].copy_from_slice(&[8, 0, 0x45]);
    packet[26..34].copy_from_slice(&number.to_be_bytes());
    packet
}

struct Nowhere;

impl Sink for Nowhere {
    fn transmitted(&mut self, _: Transmission) {}
    fn discarded(&mut self, _: Instant, _: Discarded) {}
    fn event(&mut self, _: Instant, _: Event) {}
}

/// Offers packets to a chip with 64 engines, so many picoseconds apart, and returns what it did.
fn run(text: &str, packets: u64, spacing: u64) -> machines::Statistics {
    let parameters = TrioParameters { ppes: 64, waiting: 1 << 20, ..TrioParameters::default() };
    let mut chip = Trio::new(code(text).0, Arc::new(Info::default()), parameters).expect("the program fits");
    let mut course = Course::new(Limit::default(), Interest::default());
    for number in 0..packets {
        let at = Instant::from_picoseconds(number * spacing);
        let offered = Offered { at, port: Port((number % 4) as u16), packet: Packet::of_bytes(&packet(number)) };
        course.offer(&mut chip, offered, &mut Nowhere).expect("the chip comes to an end");
    }
    course.finish(&mut chip, &mut Nowhere).expect("the chip comes to an end");
    chip.statistics()
}

/// Steps as many threads as 64 engines have in turns, without a chip.
fn bare(text: &str, packets: u64) -> f64 {
    let (code, mut state) = code(text);
    let (mut outputs, mut instructions, mut begun) = (Vec::new(), 0, 1280);
    let begin = |number| Thread::new(&code, &Start::packet(1, &packet(number), Instant::ZERO)).expect("an entrance");
    let mut threads: Vec<Thread> = (0..1280).map(begin).collect();
    let mut left = packets;
    let since = processor_time();
    while left > 0 {
        for thread in &mut threads {
            match thread.step(&code, &mut Unobserved) {
                Step::Asks(ticket) => {
                    thread.perform(&code, &mut state, ticket, Instant::ZERO, &mut outputs, &mut Unobserved);
                    outputs.clear();
                }
                Step::Done | Step::Waits => (),
                Step::Ended(_) => {
                    instructions += thread.executed();
                    left = left.saturating_sub(1);
                    thread.begin(&code, &Start::packet(1, &packet(begun), Instant::ZERO));
                    begun += 1;
                }
            }
        }
    }
    row("  the bare interpreter, 1280 threads in turns", "instructions", instructions, processor_time() - since)
}

fn main() {
    for (name, text, packets, spacing) in [
        ("loop", LOOP, 1280, 1),
        ("filter, as many packets as it takes", FILTER, 2_000_000, 80),
        ("filter, alone", FILTER, 300_000, 1_000_000),
    ] {
        println!("{name}");
        let interpreter = bare(text, packets);
        let since = processor_time();
        let statistics = run(text, packets, spacing);
        let took = processor_time() - since;
        row("  the chip", "packets", statistics.received, took);
        let chip = row("  the chip", "instructions", statistics.own("instructions"), took);
        row("  the chip", "cycles", statistics.cycles, took);
        println!("  the chip does {:.2} of what the interpreter does", chip / interpreter);
    }
}
