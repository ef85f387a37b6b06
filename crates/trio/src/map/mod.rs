//! One instruction, one word: which unit does what.

mod condition;
mod formula;
mod local_memory;
mod operand;
mod request;
mod value;

use ir::threads::{Instruction, InstructionId, Move, Next, Place};
use ir::{Expression, Program, VariableId};

use crate::misfit::Misfit;
use crate::parameters::Parameters;
use crate::units::Unit;
use crate::word::{AluOperation, ConditionAlu, Input, MoveAlu, Read, Source, Way, Word};

use self::local_memory::{Demands, Windows};

/// Maps an instruction to a word.
///
/// # Errors
/// Returns what does not fit.
pub(crate) fn map(
    program: &Program,
    id: InstructionId,
    instruction: &Instruction,
    parameters: &Parameters,
) -> Result<Word, Vec<Misfit>> {
    // Which fields of local memory share an access is known when all are known: the instruction is mapped twice.
    let mut demands = Mapper::new(program, id, instruction, parameters, Windows::default(), Windows::default());
    demands.instruction(instruction);
    let (reads, writes) = (demands.memory_reads.windows(), demands.memory_writes.windows());
    let mut mapper = Mapper::new(program, id, instruction, parameters, reads, writes);
    mapper.instruction(instruction);
    mapper.finish()
}

/// An instruction that is being mapped.
pub(crate) struct Mapper<'p> {
    program: &'p Program,
    parameters: &'p Parameters,
    id: InstructionId,
    name: &'p str,
    word: Word,
    read_windows: Windows,
    write_windows: Windows,
    memory_reads: Demands,
    memory_writes: Demands,
    misfits: Vec<Misfit>,
}

impl<'p> Mapper<'p> {
    fn new(
        program: &'p Program,
        id: InstructionId,
        instruction: &'p Instruction,
        parameters: &'p Parameters,
        read_windows: Windows,
        write_windows: Windows,
    ) -> Self {
        let of = |windows: &Windows| windows.0.iter().map(|access| Read::Memory(*access)).collect();
        let word =
            Word { waits: instruction.waits, reads: of(&read_windows), writes: of(&write_windows), ..Word::default() };
        Self {
            program,
            parameters,
            id,
            name: &instruction.name,
            word,
            read_windows,
            write_windows,
            memory_reads: Demands::default(),
            memory_writes: Demands::default(),
            misfits: Vec::new(),
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        instruction.moves.iter().for_each(|step| self.step(step));
        self.word.transaction = instruction.transaction.as_ref().map(|transaction| self.request(transaction));
        for (condition, next) in &instruction.branch.cases {
            let condition = self.combination(condition);
            let way = self.way(next);
            self.word.ways.push((condition, way));
        }
        self.word.otherwise = self.way(&instruction.branch.otherwise);
    }

    fn way(&mut self, next: &Next) -> Way {
        match next {
            Next::Goto(to) => Way::Goto(*to),
            Next::Call { to, then } => Way::Call { to: *to, then: *then },
            Next::Return => Way::Return,
            Next::End => Way::End,
            Next::Jump(to) => Way::Jump(self.carried(to)),
        }
    }

    /// Maps a move to a move ALU for each 32 bits, the lowest ones first: if a part of a field lies outside of local memory, its
    /// last bits do, and the error is found before anything else about the field.
    fn step(&mut self, step: &Move) {
        let bits = match &step.place {
            Place::Variable(variable) => self.program.variable(*variable).ty.width(),
            Place::Bits { high, low, .. } => u32::from(high - low + 1),
            Place::Memory(field) => field.width.into(),
        };
        let condition = step.condition.as_ref().map(|condition| self.combination(condition)).unwrap_or_default();
        for low in (0..bits).step_by(32) {
            let width = (bits - low).min(32);
            let computed = self.moved(&step.value, low, width);
            let (write, first) = match &step.place {
                Place::Variable(variable) => (self.write_register(*variable), low as u8),
                Place::Bits { variable, low: from, .. } => (self.write_register(*variable), *from as u8 + low as u8),
                Place::Memory(field) => self.write_memory(field, bits - low - width, width),
            };
            self.word.moves.push(MoveAlu { condition, write, first, bits: width as u8, ..computed });
        }
    }

    fn write_register(&mut self, variable: VariableId) -> u8 {
        place(&mut self.word.writes, Read::Register(variable))
    }

    /// Takes a constant of 32 bits; 0 takes nothing.
    fn constant(&mut self, value: u32) -> Source {
        if value == 0 { Source::Zero } else { Source::Constant(place(&mut self.word.constants, value)) }
    }

    /// Uses a condition ALU for an operation, unless the same one is done anyway.
    fn alu(&mut self, operation: AluOperation, left: Input, right: Input) -> u8 {
        place(&mut self.word.conditions, ConditionAlu { operation, left, right })
    }

    fn refuse(&mut self, what: impl Into<String>, advice: &str) {
        let message = format!("`{}` needs {}", self.name, what.into());
        let misfit = Misfit { instruction: Some(self.id), message, advice: advice.to_owned() };
        if !self.misfits.contains(&misfit) {
            self.misfits.push(misfit);
        }
    }

    fn width(&self, expression: &Expression) -> u32 {
        self.program.type_of(expression).width()
    }

    fn finish(mut self) -> Result<Word, Vec<Misfit>> {
        if self.memory_writes.overlap() {
            self.refuse("to write the same bits of local memory twice", "write them once, with a choice of the value");
        }
        let units = self.word.units();
        for unit in Unit::ALL {
            let (needed, available) = (units.of(unit), self.parameters.of(unit));
            if needed > available {
                self.misfits.push(Misfit::too_many(self.id, self.name, unit, needed, available));
            }
        }
        let (needed, most) = (self.word.carried(), self.parameters.carried);
        if needed > most {
            self.refuse(
                format!("{needed} operands of a transaction, a word carries {most}"),
                "put bytes into local memory, and name a pointer to them",
            );
        }
        let (ways, most) = (self.word.ways.len() as u32, self.parameters.targets);
        if ways > most {
            self.refuse(format!("{ways} conditions of its branch, a word has {most}"), Unit::Targets.advice());
        }
        if self.misfits.is_empty() { Ok(self.word) } else { Err(self.misfits) }
    }
}

/// Returns the place of an element, which is added if it is not there.
fn place<T: PartialEq>(all: &mut Vec<T>, element: T) -> u8 {
    let known = all.iter().position(|known| *known == element);
    // More than 255 do not fit in any word.
    known.unwrap_or_else(|| {
        all.push(element);
        all.len() - 1
    }) as u8
}
