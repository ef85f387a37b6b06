//! Helpers that run small programs of threads.

use std::sync::Arc;

use basis::Instant;
use ir::interpret::threads::{Output, Start, Thread, ThreadCode, ThreadEnding, run};
use ir::{Program, parse, verify};
use runtime::ProgramState;

/// A program with its state.
pub struct Running {
    pub code: ThreadCode,
    pub state: ProgramState,
    pub now: Instant,
    pub outputs: Vec<Output>,
}

/// Reads a program, which must be valid.
pub fn program(text: &str) -> Program {
    let program = parse::program("test.ir", text).unwrap();
    assert_eq!(verify::program(&program), Ok(()));
    program
}

impl Running {
    pub fn new(text: &str) -> Self {
        let program = program(text);
        let state = program.initial_state();
        Self { code: ThreadCode::new(Arc::new(program)), state, now: Instant::ZERO, outputs: Vec::new() }
    }

    /// Runs a thread for a packet to its end.
    pub fn packet(&mut self, port: u64, bytes: &[u8]) -> (ThreadEnding, Thread) {
        self.run(&Start::packet(port, bytes, self.now))
    }

    pub fn run(&mut self, start: &Start<'_>) -> (ThreadEnding, Thread) {
        let mut thread = Thread::new(&self.code, start).expect("an entrance");
        let ending = run(&self.code, &mut self.state, &mut thread, self.now, &mut self.outputs);
        (ending, thread)
    }

    /// Returns the 8 bytes of shared memory at an address.
    pub fn word(&self, address: u64) -> u64 {
        let mut bytes = [0; 8];
        self.state.memory.read(address, &mut bytes).unwrap();
        u64::from_be_bytes(bytes)
    }

    /// Returns the reason of each dropped packet by name.
    pub fn drops(&self) -> Vec<&str> {
        let reasons = &self.code.threads().reasons;
        let drops = self.outputs.iter().filter_map(|output| match output {
            Output::Dropped { reason, .. } => Some(reasons[reason.index()].as_str()),
            _ => None,
        });
        drops.collect()
    }

    /// Returns the packets that were sent: port, queue and bytes.
    pub fn sent(&self) -> Vec<(u64, u64, Vec<u8>)> {
        let sent = self.outputs.iter().filter_map(|output| match output {
            Output::Sent { port, queue, packet } => Some((*port, *queue, packet.bytes())),
            _ => None,
        });
        sent.collect()
    }
}
