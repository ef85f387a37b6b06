//! How fast the chip is simulated on one core, beside the bare stepping interpreter.

use std::time::Instant as WallClock;

use basis::Instant;
use diagnostics::Failure;
use ir::interpret::Unobserved;
use ir::interpret::threads::{Start, Step, Thread, ThreadCode};
use machines::trio::TrioParameters;
use serde::Serialize;

use super::work::{packet, program, run};
use crate::timing::RUNS;

/// The engines of the chip that is measured.
const PPES: u32 = 64;

/// How fast the chip is simulated.
#[derive(Debug, Serialize)]
pub struct ChipSpeed {
    /// The program.
    pub program: &'static str,
    /// The packets that are simulated in a second of this computer.
    pub packets_per_second: f64,
    /// The instructions.
    pub instructions_per_second: f64,
    /// The instructions of the bare stepping interpreter, which steps as many threads in turns.
    pub interpreter_per_second: f64,
    /// The ratio of the two.
    pub against_interpreter: f64,
}

/// Measures a loop that keeps all engines busy, and the filter of the paper, whose packets come one after the other or as many
/// as four links of 100 Gb/s carry.
pub fn speeds(quick: bool) -> Result<Vec<ChipSpeed>, Failure> {
    let (work, filter) = (include_str!("loop.ir"), include_str!("filter.ir"));
    let (part, runs) = if quick { (20, 1) } else { (1, RUNS) };
    let all = [
        ("a loop, 64 engines busy", work, 2560 / part, 1),
        ("filter, packets one by one", filter, 300_000 / part, 1_000_000),
        ("filter, at line rate", filter, 300_000 / part, 1_680),
    ];
    all.into_iter().map(|(name, text, packets, spacing)| measure(name, text, packets, spacing, runs)).collect()
}

fn measure(name: &'static str, text: &str, packets: u64, spacing: u64, runs: u64) -> Result<ChipSpeed, Failure> {
    let program = program("bench.ir", text);
    let (mut fastest, mut instructions, mut bare) = (f64::MAX, 0, 0.0_f64);
    for _ in 0..runs {
        let parameters = TrioParameters { ppes: PPES, waiting: 1 << 20, ..TrioParameters::default() };
        let start = WallClock::now();
        let (_, statistics) = run(&program, parameters, packets, spacing)?;
        fastest = fastest.min(start.elapsed().as_secs_f64());
        instructions = statistics.own("instructions");
        bare = bare.max(interpreter(&ThreadCode::new(program.program.clone()), packets));
    }
    let instructions_per_second = instructions as f64 / fastest;
    Ok(ChipSpeed {
        program: name,
        packets_per_second: packets as f64 / fastest,
        instructions_per_second,
        interpreter_per_second: bare,
        against_interpreter: instructions_per_second / bare,
    })
}

/// Steps as many threads as the chip has in turns, until they have worked on so many packets. Returns the instructions of a
/// second.
fn interpreter(code: &ThreadCode, packets: u64) -> f64 {
    let mut state = code.program().initial_state();
    let (mut outputs, mut instructions, mut begun) = (Vec::new(), 0, u64::from(PPES * 20));
    let begin = |number| Thread::new(code, &Start::packet(1, &packet(number), Instant::ZERO)).expect("an entrance");
    let mut threads: Vec<Thread> = (0..begun).map(begin).collect();
    let mut left = packets;
    let start = WallClock::now();
    while left > 0 {
        for thread in &mut threads {
            match thread.step(code, &mut Unobserved) {
                Step::Asks(ticket) => {
                    thread.perform(code, &mut state, ticket, Instant::ZERO, &mut outputs, &mut Unobserved);
                    outputs.clear();
                }
                Step::Done | Step::Waits => (),
                Step::Ended(_) => {
                    instructions += thread.executed();
                    left = left.saturating_sub(1);
                    thread.begin(code, &Start::packet(1, &packet(begun), Instant::ZERO));
                    begun += 1;
                }
            }
        }
    }
    instructions += threads.iter().map(Thread::executed).sum::<u64>();
    instructions as f64 / start.elapsed().as_secs_f64()
}
