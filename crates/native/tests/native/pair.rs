//! A harness that runs a program on the interpreter and as machine code side by side and compares everything.

use std::sync::Arc;

use basis::{Instant, Random};
use ir::interpret::{Ending, Packet, PacketInterpreter, Request, Surroundings, Undefined, Unobserved};
use ir::{Block, Program, VariableId};
use machines::blocks::{BlockList, Executor, Frame, Ran};
use native::Native;
use runtime::{Bits, ProgramState};

/// A program in both executors.
pub struct Pair {
    program: Arc<Program>,
    interpreter: Side<PacketInterpreter>,
    native: Side<Native>,
    pub now: Instant,
}

/// An executor with everything that it works on.
struct Side<E: Executor> {
    executor: E,
    packet: E::Packet,
    state: ProgramState,
    random: Random,
}

impl<E: Executor> Side<E> {
    fn new(executor: E, state: ProgramState) -> Self {
        Self { packet: executor.packet(), executor, state, random: Random::new(7) }
    }

    /// Runs blocks by `how`, which is given the executor, the packet, its surroundings and the requests.
    fn run<R>(
        &mut self,
        now: Instant,
        length: u64,
        how: impl FnOnce(&mut E, &mut E::Packet, &mut Surroundings<'_>, &mut Vec<Request>) -> R,
    ) -> (R, Vec<Request>) {
        let mut requests = Vec::new();
        let mut undefined = Undefined::Zero;
        let mut surroundings = Surroundings {
            state: &mut self.state,
            now,
            length,
            packets: 1,
            random: &mut self.random,
            undefined: &mut undefined,
            observer: &mut Unobserved,
        };
        let result = how(&mut self.executor, &mut self.packet, &mut surroundings, &mut requests);
        (result, requests)
    }
}

impl Pair {
    pub fn new(program: Program, change: impl FnOnce(&mut ProgramState)) -> Self {
        assert_eq!(ir::verify::program(&program), Ok(()), "tests are of programs that are sound");
        let program = Arc::new(program);
        let mut state = program.initial_state();
        change(&mut state);
        let native = Native::compile(Arc::clone(&program)).expect("programs of tests can be compiled");
        Self {
            interpreter: Side::new(PacketInterpreter::new(Arc::clone(&program)), state.clone()),
            native: Side::new(native, state),
            program,
            now: Instant::ZERO,
        }
    }

    /// Begins another packet, whose variables are all 0.
    pub fn packet(&mut self, bytes: &[u8]) {
        self.interpreter.packet.clear();
        self.interpreter.packet.set_bytes(|place| place.extend_from_slice(bytes));
        self.native.packet.clear();
        self.native.packet.set_bytes(|place| place.extend_from_slice(bytes));
    }

    /// Assigns a value to a variable.
    pub fn set(&mut self, variable: VariableId, value: &Bits) {
        self.interpreter.packet.values[variable.index()] = value.clone();
        self.native.packet.words_mut(variable).copy_from_slice(value.limbs());
    }

    /// Returns the program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the block of an entrance.
    pub fn entrance(&self, name: &str) -> Block {
        self.program.entrances.iter().find(|entrance| entrance.name == name).expect("the program has it").block
    }

    /// Runs a block on both executors; the error says what differs.
    pub fn run(&mut self, block: Block) -> Result<Ending, String> {
        let (now, length) = (self.now, self.interpreter.packet.bytes.len() as u64);
        let expected = self
            .interpreter
            .run(now, length, |executor, packet, around, requests| executor.run(block, packet, around, requests));
        let found = self
            .native
            .run(now, length, |executor, packet, around, requests| executor.run(block, packet, around, requests));
        self.compare(expected, found)
    }

    /// Runs blocks one after the other on both executors; the error says what differs.
    pub fn run_each(&mut self, blocks: &[Block]) -> Result<Ran, String> {
        self.run_list(&BlockList::from(blocks.to_vec()))
    }

    /// Runs the blocks of a list on both executors; the error says what differs.
    pub fn run_list(&mut self, blocks: &BlockList) -> Result<Ran, String> {
        let (now, length) = (self.now, self.interpreter.packet.bytes.len() as u64);
        let expected = self
            .interpreter
            .run(now, length, |executor, packet, around, requests| executor.run_each(blocks, packet, around, requests));
        let found = self
            .native
            .run(now, length, |executor, packet, around, requests| executor.run_each(blocks, packet, around, requests));
        self.compare(expected, found)
    }

    /// Compares how a run ended, its requests, and everything that it worked on.
    fn compare<R: PartialEq + std::fmt::Debug>(
        &self,
        (ending, requests): (R, Vec<Request>),
        (native_ending, native_requests): (R, Vec<Request>),
    ) -> Result<R, String> {
        let (expected, found) = (&self.interpreter.packet, &self.native.packet);
        for (number, variable) in self.program.variables.iter().enumerate() {
            let id = VariableId::from(number);
            let value = Bits::from_limbs(found.words(id), variable.ty.width());
            same(&format!("`{}`", variable.name), &expected.values[number], &value)?;
            same("words above the width", value.limbs(), found.words(id))?;
        }
        same("how it ended", &ending, &native_ending)?;
        same("requests", &requests, &native_requests)?;
        self.same_bytes(expected, found)?;
        same("random draws", &format!("{:?}", self.interpreter.random), &format!("{:?}", self.native.random))?;
        same("state", &format!("{:?}", self.interpreter.state), &format!("{:?}", self.native.state))?;
        Ok(ending)
    }

    fn same_bytes(&self, expected: &Packet, found: &native::Packet) -> Result<(), String> {
        same("position", &Frame::position(expected), &found.position())?;
        same("emitted bits", &expected.emitted.bits, &found.emitted_bits())?;
        same("emitted bytes", Frame::emitted(expected), found.emitted())?;
        let consumed = found.position().div_ceil(8);
        let rest = |bytes: &[u8]| bytes[consumed.min(bytes.len())..].to_vec();
        same("payload", &rest(Frame::bytes(expected)), &rest(found.bytes()))
    }
}

fn same<T: PartialEq + std::fmt::Debug + ?Sized>(what: &str, expected: &T, found: &T) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("{what}: expected {expected:?}, found {found:?}")) }
}
