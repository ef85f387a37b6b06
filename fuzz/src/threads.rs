//! Threads that go on as the bytes of an input say.

use std::sync::Arc;

use basis::Instant;
use ir::Program;
use ir::interpret::Unobserved;
use ir::interpret::threads::{Instructions, Interleaving, Output, Start, Step, Thread, ThreadCode, Ticket};
use ir::threads::Cause;

/// Bytes of state that a fuzzer is ready to allocate for each input.
const MOST_STATE: u64 = 1 << 20;
/// Threads that run at once.
const THREADS: usize = 6;
/// Instructions that a thread executes at most.
const LIMIT: u64 = 200;

/// Runs threads of an image by its words and by its disassembly, which must do the same. Does nothing if the program's state is too
/// large.
pub fn run_image(image: &trio::Image, bytes: &[u8]) {
    if !is_small(image.program()) {
        return;
    }
    let mut words = image.code();
    words.declarations_mut().limit = LIMIT;
    let mut code = ThreadCode::new(image.program().clone());
    code.limit = LIMIT;
    assert_eq!(run(&code, bytes), run(&words, bytes), "{}", image.program());
}

/// Runs threads of a program: each byte chooses a thread, and whether it goes on or a transaction takes effect. The bytes are
/// also the packets. Does nothing if the program's state is too large to run it thousands of times a second.
pub fn run_threads(program: &Program, bytes: &[u8]) {
    if is_small(program) {
        let mut code = ThreadCode::new(Arc::new(program.clone()));
        code.limit = LIMIT;
        run(&code, bytes);
    }
}

fn is_small(program: &Program) -> bool {
    program.threads.as_ref().is_some_and(|threads| {
        let local = threads.local_memory.bytes as usize;
        let fits = program.state_bytes() <= MOST_STATE && local * THREADS <= MOST_STATE as usize;
        fits && !threads.entrances.is_empty()
    })
}

/// What threads leave: for each the number of instructions, its variables and its local memory, and what all have asked of the
/// machine.
type Left = (Vec<(u64, Vec<u64>, Vec<u8>)>, Vec<(usize, Output)>);

fn run<I: Instructions>(code: &I, bytes: &[u8]) -> Left {
    let program = code.declarations().program();
    let threads = code.declarations().threads();
    let mut all = Interleaving::new(code, program.initial_state());
    for (number, entrance) in threads.entrances.iter().cycle().take(THREADS).enumerate() {
        let packet = &bytes[..bytes.len().min(40 * number)];
        let start = match entrance.cause {
            Cause::Packet => Start::packet(number as u64, packet, Instant::ZERO),
            cause => Start { cause, time: Instant::ZERO, argument: number as u64, packet: None },
        };
        all.add(Thread::new(code, &start).expect("the cause has an entrance"));
    }
    for (turn, byte) in (0..).zip(bytes) {
        let thread = usize::from(byte % 8) % THREADS;
        let pending: Vec<Ticket> = all.threads()[thread].pending().map(|(ticket, _)| ticket).collect();
        let chosen = pending.get(usize::from(byte / 16));
        match chosen {
            Some(ticket) => {
                all.apply(thread, *ticket, Instant::from_picoseconds(turn), &mut Unobserved);
            }
            None => {
                let step = all.step(thread, &mut Unobserved);
                assert!(step != Step::Waits || !pending.is_empty(), "a thread that waits has asked for something");
            }
        }
    }
    let left = |thread: &Thread| (thread.executed(), thread.variables().to_vec(), thread.local_memory().to_vec());
    (all.threads().iter().map(left).collect(), std::mem::take(&mut all.outputs))
}
