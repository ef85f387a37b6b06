//! Generation of packets that reach every instruction of a program of threads.
//!
//! A packet that reaches an instruction by a way that no earlier one has taken is varied further. What its thread has compared
//! is written to it so that the outcome is another one, to where the compared field lies in the packet, or wherever its value
//! occurs. All else is chance: bits change, and the numbers of the program's text are written to any byte.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use basis::{Instant, Random};
use control::{DigestQueue, Info, Plane, Replication, Request};
use ir::interpret::Observer;
use ir::interpret::threads::{Arrival, Instructions, Output, Start, Step, Thread, ThreadCode};
use ir::threads::{Cause, InstructionId};
use ir::{Constant, Expression, Program, Threads};
use node::Port;
use runtime::ProgramState;

use super::compared::{self, Compared};
use super::generate::{Generated, Offered, Options};
use super::goals::{Coverage, Goal};

/// The greatest number of instructions of a thread while packets are generated.
const LIMIT: u64 = 100_000;
/// The maximum length of a packet, in bytes.
const LONGEST: usize = 1500;
/// The maximum number of comparisons of a thread that are noted.
const MOST_COMPARED: usize = 256;
/// The maximum number of packets that wait to be sent.
const WAITING: usize = 1024;

/// Generates a stream for a program of threads, as [`super::generate()`] does for programs with parsers. Threads of timers and
/// events run now and then, for the instructions that they reach.
pub(super) fn generate(
    program: &Arc<Program>,
    info: &Arc<Info>,
    requests: &[Request],
    seeds: &[(Port, Vec<u8>)],
    options: &Options,
) -> Generated {
    let mut code = ThreadCode::new(Arc::clone(program));
    code.limit = LIMIT;
    let mut states = [program.initial_state()];
    let mut plane = Plane::new(Arc::clone(info));
    let (mut replication, mut digests) = (Replication::new(), DigestQueue::new(info, 1));
    for request in requests {
        let (replication, digests) = (&mut replication, &mut digests);
        let device = &mut control::Device { states: &mut states, replication, digests, now: Instant::ZERO };
        // One that is refused changes nothing.
        let _ = plane.execute(request, device);
    }
    let [state] = states;
    let generator = Generator {
        coverage: Coverage::of_threads(code.declarations().threads()),
        ways: HashSet::new(),
        numbers: numbers(program),
        random: Random::for_part(options.seed, 3),
        outputs: Vec::new(),
        now: Instant::ZERO,
        known: Vec::new(),
        waiting: VecDeque::new(),
        compared: Vec::new(),
        packets: Vec::with_capacity(options.packets),
        options,
        code,
        state,
    };
    generator.run(seeds)
}

struct Generator<'o> {
    code: ThreadCode,
    state: ProgramState,
    coverage: Coverage,
    /// Which instruction has followed which. Never iterated.
    ways: HashSet<[InstructionId; 2]>,
    /// The numbers in the text of the program, with the bytes that they may have in a packet.
    numbers: Vec<(u64, usize)>,
    random: Random,
    outputs: Vec<Output>,
    now: Instant,
    /// The packets that were the first to reach something.
    known: Vec<Vec<u8>>,
    /// Packets with other outcomes of comparisons.
    waiting: VecDeque<(u16, Vec<u8>)>,
    /// The values that the last thread has compared.
    compared: Vec<Compared>,
    packets: Vec<Offered>,
    options: &'o Options,
}

/// Notes which instructions are reached, and from where.
struct Reached<'c> {
    coverage: &'c mut Coverage,
    ways: &'c mut HashSet<[InstructionId; 2]>,
    last: Option<InstructionId>,
    is_new: bool,
}

impl Observer for Reached<'_> {
    fn executed(&mut self, instruction: InstructionId) {
        self.is_new |= self.coverage.reach(Goal::Instruction(instruction));
        if let Some(last) = self.last.replace(instruction) {
            self.is_new |= self.ways.insert([last, instruction]);
        }
    }
}

impl Generator<'_> {
    fn run(mut self, seeds: &[(Port, Vec<u8>)]) -> Generated {
        // The longest is long enough for the headers of realistic programs, and has a tail.
        let blank = [0, 64, 256].map(|length| (Port(0), vec![0; length]));
        for (port, bytes) in seeds.iter().chain(&blank) {
            self.send(port.0, bytes.clone());
            self.known.push(bytes.clone());
        }
        while self.packets.len() < self.options.packets {
            if self.packets.len().is_multiple_of(16) {
                self.run_others();
            }
            if let Some((port, bytes)) = self.waiting.pop_front() {
                self.send(port, bytes);
                continue;
            }
            // The newest packets are varied most often.
            let back = self.random.below(self.known.len() as u64).min(self.random.below(self.known.len() as u64));
            let mut bytes = self.known[self.known.len() - 1 - back as usize].clone();
            for _ in 0..=self.random.below(3) {
                self.vary(&mut bytes);
            }
            let ports = &self.options.ports;
            let port = ports.get(self.random.below(ports.len().max(1) as u64) as usize).copied().unwrap_or_default();
            let repeats = if self.random.chance(0.02) { 1 << self.random.below(5) } else { 1 };
            for _ in 0..repeats {
                self.send(port, bytes.clone());
            }
        }
        Generated { packets: self.packets, coverage: self.coverage }
    }

    fn vary(&mut self, bytes: &mut Vec<u8>) {
        match self.random.below(8) {
            0 => bytes.truncate(self.random.below(bytes.len() as u64 + 1) as usize),
            1 => {
                let more = self.random.below(128) as usize;
                bytes.extend((0..more).map(|_| self.random.bits() as u8));
                bytes.truncate(LONGEST);
            }
            2 | 3 if !bytes.is_empty() => {
                let bit = self.random.below(bytes.len() as u64 * 8) as usize;
                bytes[bit / 8] ^= 0x80 >> (bit % 8);
            }
            4 if !bytes.is_empty() => {
                let at = self.random.below(bytes.len() as u64) as usize;
                bytes[at] = self.random.bits() as u8;
            }
            _ => {
                let Some(&(number, width)) =
                    self.numbers.get(self.random.below(self.numbers.len().max(1) as u64) as usize)
                else {
                    return;
                };
                // Headers are in front.
                let places = bytes.len().min(96).saturating_sub(width - 1) as u64;
                if places > 0 {
                    let at = self.random.below(places) as usize;
                    bytes[at..at + width].copy_from_slice(&number.to_be_bytes()[8 - width..]);
                }
            }
        }
    }

    /// Sends a packet, and keeps it for variations if it reaches something new.
    fn send(&mut self, port: u16, bytes: Vec<u8>) {
        if self.packets.len() >= self.options.packets {
            return;
        }
        // Sometimes threads are alone, sometimes there are many.
        let order = self.random.below(8);
        let pause = self.random.below(1 << order);
        self.now += self.options.spacing.times(1 + pause);
        let arrival = Arrival { port: port.into(), bytes: &bytes, zeros: 0 };
        let start = Start { cause: Cause::Packet, time: self.now, argument: 0, packet: Some(arrival) };
        if self.thread(&start) {
            self.known.push(bytes.clone());
            self.wish(port, &bytes);
        } else if self.random.chance(0.05) {
            self.wish(port, &bytes);
        }
        self.packets.push(Offered { at: self.now, port: Port(port), bytes });
    }

    /// Lets packets wait that have other outcomes of what the last thread has compared.
    fn wish(&mut self, port: u16, bytes: &[u8]) {
        let compared = std::mem::take(&mut self.compared);
        for (number, own) in compared.iter().enumerate() {
            if self.waiting.len() >= WAITING {
                break;
            }
            let mut one = bytes.to_vec();
            if own.grant(&mut one, |count| self.random.below(count)) {
                self.waiting.push_back((port, one));
            }
            // A condition may be a conjunction.
            let is_first = number == 0 || compared[number - 1].condition != own.condition;
            let together = compared.iter().filter(|other| other.condition == own.condition && other.has_place());
            if is_first && together.clone().count() > 1 {
                let mut all = bytes.to_vec();
                together.for_each(|other| _ = other.grant(&mut all, |_| 0));
                self.waiting.push_back((port, all));
            }
        }
    }

    /// Runs a thread of each cause that is not a packet.
    fn run_others(&mut self) {
        let entrances = &self.code.declarations().threads().entrances;
        let others: Vec<Cause> = entrances.iter().map(|own| own.cause).filter(|own| *own != Cause::Packet).collect();
        let argument = self.random.below(4);
        for cause in others {
            self.thread(&Start { cause, time: self.now, argument, packet: None });
        }
    }

    /// Runs a thread to its end, and returns whether it reached something new.
    fn thread(&mut self, start: &Start<'_>) -> bool {
        let Some(mut thread) = Thread::new(&self.code, start) else { return false };
        let mut reached = Reached { coverage: &mut self.coverage, ways: &mut self.ways, last: None, is_new: false };
        self.compared.clear();
        loop {
            if let Some(id) = thread.next_instruction()
                && self.compared.len() < MOST_COMPARED
            {
                let declarations = self.code.declarations();
                let instruction = declarations.threads().instruction(id);
                // Conditions are numbered over all instructions.
                let before = self.compared.last().map_or(0, |last| last.condition + 1);
                compared::comparisons(declarations.program(), instruction, &thread, before, &mut self.compared);
            }
            match thread.step(&self.code, &mut reached) {
                Step::Done => (),
                Step::Asks(ticket) => {
                    let (state, outputs) = (&mut self.state, &mut self.outputs);
                    thread.perform(&self.code, state, ticket, self.now, outputs, &mut reached);
                }
                Step::Waits | Step::Ended(_) => break,
            }
        }
        self.outputs.clear();
        reached.is_new
    }
}

/// Returns the numbers that a program's instructions name, each with the number of bytes that it has in packets.
fn numbers(program: &Program) -> Vec<(u64, usize)> {
    let mut numbers = Vec::new();
    for expression in program.threads.iter().flat_map(Threads::expressions) {
        expression.walk(&mut |part| {
            if let Expression::Constant(Constant { ty, value }) = part {
                numbers.push((*value, (ty.width().div_ceil(8) as usize).clamp(1, 8)));
            }
        });
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
