//! A program that runs on the stepping interpreter, one thread after the other.
#![allow(dead_code, reason = "each test file is a crate of its own and uses some of these")]

use std::sync::Arc;

use basis::Instant;
use ir::Program;
use ir::interpret::threads::{Output, Start, Thread, ThreadCode, ThreadEnding, run};
use ir::threads::Cause;
use runtime::ProgramState;

/// A program with its state, and what its threads have put out so far.
pub struct Running {
    pub code: ThreadCode,
    pub state: ProgramState,
    pub now: Instant,
    pub outputs: Vec<Output>,
}

impl Running {
    pub fn new(program: Program) -> Self {
        let state = program.initial_state();
        Self { code: ThreadCode::new(Arc::new(program)), state, now: Instant::ZERO, outputs: Vec::new() }
    }

    /// Runs a thread for a packet to its end, and returns how it ended.
    pub fn packet(&mut self, port: u64, bytes: &[u8]) -> ThreadEnding {
        self.run(&Start::packet(port, bytes, self.now))
    }

    pub fn run(&mut self, start: &Start<'_>) -> ThreadEnding {
        let mut thread = Thread::new(&self.code, start).expect("an entrance");
        run(&self.code, &mut self.state, &mut thread, self.now, &mut self.outputs)
    }

    /// Runs a thread of a timer, which has fired so often before, to its end.
    pub fn timer(&mut self, name: &str, argument: u64) -> ThreadEnding {
        let timers = &self.code.threads().timers;
        let timer = timers.iter().position(|timer| timer.name == name).expect("the timer");
        let cause = Cause::Timer(timer.into());
        self.run(&Start { cause, argument, ..Start::packet(0, &[], self.now) })
    }

    /// Returns where a segment of shared memory begins.
    pub fn address(&self, segment: &str) -> u64 {
        let segments = &self.code.threads().segments;
        segments.iter().find(|known| known.name == segment).expect("the segment").address
    }

    /// Returns the `index`th word of 8 bytes of a segment.
    pub fn word(&self, segment: &str, index: u64) -> u64 {
        let mut bytes = [0; 8];
        self.state.memory.read(self.address(segment) + 8 * index, &mut bytes).expect("it is in the segment");
        u64::from_be_bytes(bytes)
    }

    /// Writes the `index`th word of 8 bytes of a segment, as the control plane does.
    pub fn set_word(&mut self, segment: &str, index: u64, word: u64) {
        let address = self.address(segment) + 8 * index;
        self.state.memory.write(address, &word.to_be_bytes()).expect("it is in the segment");
    }

    /// Takes the packets that were sent: port, queue and bytes.
    pub fn sent(&mut self) -> Vec<(u64, u64, Vec<u8>)> {
        let sent = self.outputs.iter().filter_map(|output| match output {
            Output::Sent { port, queue, packet } => Some((*port, *queue, packet.bytes())),
            _ => None,
        });
        let sent = sent.collect();
        self.outputs.retain(|output| !matches!(output, Output::Sent { .. }));
        sent
    }

    /// Takes the reasons of dropped packets.
    pub fn drops(&mut self) -> Vec<String> {
        let reasons = &self.code.threads().reasons;
        let drops = self.outputs.iter().filter_map(|output| match output {
            Output::Dropped { reason, .. } => Some(reasons[reason.index()].clone()),
            _ => None,
        });
        let drops = drops.collect();
        self.outputs.retain(|output| !matches!(output, Output::Dropped { .. }));
        drops
    }

    /// Takes the messages to the control plane: name and values.
    pub fn digests(&mut self) -> Vec<(String, Vec<u64>)> {
        let names = &self.code.program().digests;
        let digests = self.outputs.iter().filter_map(|output| match output {
            Output::Digest { digest, values } => Some((names[digest.index()].name.clone(), values.to_vec())),
            _ => None,
        });
        let digests = digests.collect();
        self.outputs.retain(|output| !matches!(output, Output::Digest { .. }));
        digests
    }
}
