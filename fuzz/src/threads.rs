//! Threads that go on as the bytes of an input say.

use std::sync::Arc;

use basis::Instant;
use ir::Program;
use ir::interpret::Unobserved;
use ir::interpret::threads::{Interleaving, Start, Step, Thread, ThreadCode, Ticket};
use ir::threads::Cause;

/// Bytes of state that a fuzzer is ready to allocate for each input.
const MOST_STATE: u64 = 1 << 20;
/// Threads that run at once.
const THREADS: usize = 6;

/// Runs threads of a program: each byte chooses a thread, and whether it goes on or a transaction takes effect. The bytes are
/// also the packets. Does nothing if the program's state is too large to run it thousands of times a second.
pub fn run_threads(program: &Program, bytes: &[u8]) {
    let Some(threads) = &program.threads else { return };
    let local = threads.local_memory.bytes as usize;
    if program.state_bytes() > MOST_STATE || local * THREADS > MOST_STATE as usize || threads.entrances.is_empty() {
        return;
    }
    let mut code = ThreadCode::new(Arc::new(program.clone()));
    code.limit = 200;
    let mut all = Interleaving::new(&code, program.initial_state());
    for (number, entrance) in threads.entrances.iter().cycle().take(THREADS).enumerate() {
        let packet = &bytes[..bytes.len().min(40 * number)];
        let start = match entrance.cause {
            Cause::Packet => Start::packet(number as u64, packet, Instant::ZERO),
            cause => Start { cause, time: Instant::ZERO, argument: number as u64, packet: None },
        };
        all.add(Thread::new(&code, &start).expect("the cause has an entrance"));
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
}
