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

/// A program with a local memory of 256 bytes, where the head of a packet is loaded at 64, with these declarations and
/// instructions. It has the variables `a`, `b` and `c` of 64 bits, `small` of 8 bits and `flag`; threads begin for packets at
/// `start`.
pub fn text(declarations: &str, instructions: &str) -> String {
    format!(
        "program test\nlocal a: bit<64>\nlocal b: bit<64>\nlocal c: bit<64>\nlocal small: bit<8>\nlocal flag: bool\n\
         local_memory 256\nhead 64 size 128\n{declarations}\n{instructions}\nentrance packet = instruction start\n"
    )
}

/// Makes one instruction after the other of these lines, the last of which ends the thread. An empty line ends an
/// instruction. The first is called `start`, the others `i1`, `i2`, ….
pub fn sequence(lines: &str) -> String {
    let parts: Vec<&str> = lines.split("\n\n").collect();
    let name = |place: usize| if place == 0 { "start".to_owned() } else { format!("i{place}") };
    let mut text = String::new();
    for (place, part) in parts.iter().enumerate() {
        let (waits, part) = part.trim_start().strip_prefix("waits").map_or(("", *part), |rest| (" waits", rest));
        let next = if place + 1 < parts.len() { format!("goto {}", name(place + 1)) } else { "end".to_owned() };
        text += &format!("instruction {}{waits} {{\n{part}\n{next}\n}}\n", name(place));
    }
    text
}

impl Running {
    pub fn new(text: &str) -> Self {
        let program = program(text);
        let state = program.initial_state();
        Self { code: ThreadCode::new(Arc::new(program)), state, now: Instant::ZERO, outputs: Vec::new() }
    }

    /// Runs a thread for a packet of 200 bytes, which are 0, 1, 2, …, and returns how it ended and its first variables.
    pub fn values(&mut self) -> (ThreadEnding, [u64; 5]) {
        let bytes: Vec<u8> = (0..200).collect();
        let (ending, thread) = self.packet(3, &bytes);
        (ending, thread.variables()[..5].try_into().expect("five variables"))
    }

    /// Runs a thread for a packet of 200 bytes, which must not have an error, and returns the variables a, b and c.
    pub fn abc(&mut self) -> [u64; 3] {
        let (ending, [a, b, c, ..]) = self.values();
        assert_eq!(ending, ThreadEnding::Done);
        [a, b, c]
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
