//! Words: instructions as packet processing engines execute them.

mod alu;
mod combination;
mod field;

use ir::VariableId;
use ir::threads::{Destination, InstructionId, Transaction};

pub use alu::AluOperation;
pub use combination::{Combination, MOST_INPUTS};
pub use field::Field;

use crate::units::Units;

/// The number of bytes of an access to local memory.
pub(crate) const ACCESS_BYTES: u64 = 8;

/// One instruction of a packet processing engine, decoded: its registers are the variables of the program, and its targets the
/// instructions. How it is written down in bits, `docs/trio-compiler.md` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Whether it begins only when all replies to earlier asynchronous transactions have come.
    pub waits: bool,
    /// What it reads.
    pub reads: Vec<Read>,
    /// Its constants, each not 0.
    pub constants: Vec<u32>,
    /// What condition ALUs compute, from what is read and constants.
    pub conditions: Vec<ConditionAlu>,
    /// The places that it writes.
    pub writes: Vec<Read>,
    /// What move ALUs compute, in the order in which their errors count.
    pub moves: Vec<MoveAlu>,
    /// The transaction.
    pub transaction: Option<Transaction<Carried>>,
    /// Conditions and where they lead. The first one that holds decides.
    pub ways: Vec<(Combination, Way)>,
    /// Where the thread goes on if no condition holds.
    pub otherwise: Way,
}

/// What a read slot reads, or a write slot writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Read {
    /// A register.
    Register(VariableId),
    /// Eight bytes of local memory, from any byte on, as a number in network order.
    Memory(Access),
}

/// The address of an access to local memory: "using either pointer registers or an address contained in the
/// micro-instruction" (section 2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Access {
    /// The register that gives the address; `None` if only `bytes` does.
    pub pointer: Option<Pointer>,
    /// The number of bytes behind the pointer, or behind the beginning of local memory.
    pub bytes: u32,
}

/// A pointer: a field of a register, plus a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer {
    /// The register.
    pub register: VariableId,
    /// The field of it.
    pub field: Field,
    /// The bytes that are added to it.
    pub distance: i32,
    /// The number of bits, 1 to 64, in which the sum wraps around.
    pub bits: u8,
}

/// An input of an ALU, or a part of what a transaction carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Input {
    /// Where it comes from.
    pub source: Source,
    /// The field of it.
    pub field: Field,
    /// If it comes from local memory, the number of bits of the access that must lie inside of local memory; otherwise 0.
    pub reach: u8,
}

impl Default for Read {
    fn default() -> Self {
        Self::Register(VariableId(0))
    }
}

impl Default for CarriedValue {
    fn default() -> Self {
        Self::Constant(0)
    }
}

impl Input {
    /// The number 0.
    pub const ZERO: Self = Self { source: Source::Zero, field: Field::NONE, reach: 0 };
}

/// Where an input comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// Nowhere: it is 0.
    #[default]
    Zero,
    /// What is read, by its number.
    Read(u8),
    /// A constant, by its number.
    Constant(u8),
    /// The result of a condition ALU, by its number. Condition ALUs have no such inputs.
    Result(u8),
    /// The choice of the move ALU: 0 or 1. Only move ALUs have it.
    Choice,
}

/// An ALU whose result of 32 bits other ALUs take, and whose lowest bit is a condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConditionAlu {
    /// What it computes.
    pub operation: AluOperation,
    /// The left operand.
    pub left: Input,
    /// The right operand.
    pub right: Input,
}

/// An ALU whose result is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveAlu {
    /// Whether it is written; if not, nothing is computed.
    pub condition: Combination,
    /// What it computes.
    pub operation: AluOperation,
    /// The left operand.
    pub left: Input,
    /// The right operand.
    pub right: Input,
    /// What chooses between them, or is an input.
    pub choice: Combination,
    /// The field of the result that is written.
    pub result: Field,
    /// The place, by its number among [`Word::writes`].
    pub write: u8,
    /// The first bit of the place that is written: of a register from the lowest one on, of local memory from the first one on.
    pub first: u8,
    /// The number of bits that are written.
    pub bits: u8,
}

/// What a transaction carries for an operand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// The number of bits of the operand.
    pub bits: u8,
    /// The value, or the lower part of it.
    pub value: CarriedValue,
    /// The upper part, whose bits are added to those of `value`.
    pub upper: Option<Input>,
}

/// Where a carried value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarriedValue {
    /// A constant, which is a part of the request.
    Constant(u64),
    /// What is read, a constant of the word or a result of a condition ALU.
    Input(Input),
    /// A combination of conditions: 0 or 1.
    Condition(Combination),
}

/// A way of a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// To an instruction.
    Goto(InstructionId),
    /// To the instruction with this number.
    Jump(Carried),
    /// To a subroutine.
    Call {
        /// Its first instruction.
        to: InstructionId,
        /// Where the thread goes on when it returns.
        then: InstructionId,
    },
    /// Back from a subroutine.
    Return,
    /// The thread ends.
    #[default]
    End,
}

impl Way {
    /// Returns the instruction to which the way leads at once, if the word says so.
    pub const fn target(&self) -> Option<InstructionId> {
        match *self {
            Self::Goto(to) | Self::Call { to, .. } => Some(to),
            Self::Jump(_) | Self::Return | Self::End => None,
        }
    }
}

impl Word {
    /// Returns all ways, the one without a condition last.
    pub fn all_ways(&self) -> impl Iterator<Item = &Way> {
        self.ways.iter().map(|(_, way)| way).chain([&self.otherwise])
    }

    /// Returns the instructions to which the word leads, each once, in the order of its ways: its target block (section 2.2).
    pub fn targets(&self) -> Vec<InstructionId> {
        let mut targets = Vec::new();
        for target in self.all_ways().filter_map(Way::target) {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        targets
    }

    /// Returns how many values the word carries for its transaction and its jumps; one of two parts counts twice.
    pub fn carried(&self) -> u32 {
        let mut all = Vec::new();
        if let Some(transaction) = &self.transaction {
            all.extend(transaction.operation.expressions());
            if let Destination::Memory(address) = &transaction.reply {
                all.push(address);
            }
        }
        all.extend(self.all_ways().filter_map(|way| match way {
            Way::Jump(to) => Some(to),
            _ => None,
        }));
        all.iter().map(|carried| 1 + u32::from(carried.upper.is_some())).sum()
    }

    /// Returns what the word uses.
    pub fn units(&self) -> Units {
        let is_register = |read: &&Read| matches!(read, Read::Register(_));
        let registers = |all: &[Read]| all.iter().filter(is_register).count() as u32;
        let mut pointers: Vec<VariableId> = Vec::new();
        for read in self.reads.iter().chain(&self.writes) {
            if let Read::Memory(Access { pointer: Some(pointer), .. }) = read
                && !pointers.contains(&pointer.register)
            {
                pointers.push(pointer.register);
            }
        }
        let mut ways: Vec<&Way> = Vec::new();
        for way in self.all_ways() {
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        Units {
            register_reads: registers(&self.reads),
            memory_reads: self.reads.len() as u32 - registers(&self.reads),
            pointers: pointers.len() as u32,
            register_writes: registers(&self.writes),
            memory_writes: self.writes.len() as u32 - registers(&self.writes),
            condition_alus: self.conditions.len() as u32,
            move_alus: self.moves.len() as u32,
            constants: self.constants.len() as u32,
            targets: ways.len() as u32,
        }
    }
}
