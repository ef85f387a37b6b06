//! One instruction, one word.

use std::collections::BTreeSet;

use ir::threads::{Data, Destination, Instruction, InstructionId, Move, Next, Operation, Place};
use ir::{Expression, Program, VariableId};

use crate::memory::Accesses;
use crate::misfit::Misfit;
use crate::operand::{Operand, operand};
use crate::parameters::Parameters;
use crate::units::{Unit, Units};

/// An instruction that is being mapped.
pub(crate) struct Fitter<'p> {
    pub program: &'p Program,
    pub parameters: &'p Parameters,
    id: InstructionId,
    name: &'p str,
    pub units: Units,
    /// What condition ALUs compute.
    pub operations: Vec<Expression>,
    reads: BTreeSet<usize>,
    writes: BTreeSet<usize>,
    pointers: BTreeSet<usize>,
    memory_reads: Accesses,
    memory_writes: Accesses,
    constants: BTreeSet<u64>,
    misfits: Vec<Misfit>,
}

/// Maps an instruction to a word. Returns what it uses, and what does not fit.
pub(crate) fn fit(
    program: &Program,
    id: InstructionId,
    instruction: &Instruction,
    parameters: &Parameters,
) -> (Units, Vec<Misfit>) {
    let mut fitter = Fitter {
        program,
        parameters,
        id,
        name: &instruction.name,
        units: Units::default(),
        operations: Vec::new(),
        reads: BTreeSet::new(),
        writes: BTreeSet::new(),
        pointers: BTreeSet::new(),
        memory_reads: Accesses::default(),
        memory_writes: Accesses::default(),
        constants: BTreeSet::new(),
        misfits: Vec::new(),
    };
    instruction.moves.iter().for_each(|step| fitter.step(step));
    if let Some(transaction) = &instruction.transaction {
        fitter.request(&transaction.operation);
        if let Destination::Memory(address) = &transaction.reply {
            fitter.carried(address);
        }
    }
    fitter.branch(instruction);
    fitter.finish()
}

impl Fitter<'_> {
    /// Takes an operand. Returns false if the expression has to be computed.
    pub(crate) fn take(&mut self, expression: &Expression) -> bool {
        let Some((operand, bits)) = operand(self.program, expression) else { return false };
        match operand {
            Operand::Constant(value) => self.constant(value, bits),
            Operand::Register(variable) => drop(self.reads.insert(variable.index())),
            Operand::Memory(field) => {
                if !self.memory_reads.add(field) {
                    self.refuse_address();
                }
            }
        }
        true
    }

    /// Takes a constant, in parts of 32 bits. A part that is 0 takes nothing.
    fn constant(&mut self, value: u64, _bits: u32) {
        for part in [value & 0xffff_ffff, value >> 32] {
            if part != 0 {
                self.constants.insert(part);
            }
        }
    }

    fn step(&mut self, step: &Move) {
        let width = match &step.place {
            Place::Variable(variable) => {
                self.writes.insert(variable.index());
                self.program.variable(*variable).ty.width()
            }
            Place::Bits { variable, high, low } => {
                self.writes.insert(variable.index());
                u32::from(high - low + 1)
            }
            Place::Memory(field) => {
                if !self.memory_writes.add(field) {
                    self.refuse_address();
                }
                field.width.into()
            }
        };
        self.units.move_alus += width.div_ceil(self.parameters.alu_bits);
        self.moved(&step.value);
        step.condition.iter().for_each(|condition| self.condition(condition));
    }

    /// What a transaction carries: constants are part of the request.
    fn carried(&mut self, value: &Expression) {
        match operand(self.program, value) {
            Some((Operand::Constant(_), _)) => {}
            _ => self.input(value),
        }
    }

    fn request(&mut self, operation: &Operation) {
        for value in operation.expressions() {
            // The bytes of local memory that a transaction carries are not read by the instruction: an address goes along.
            self.carried(value);
        }
        let data = match operation {
            Operation::Write { data, .. } | Operation::Add { data, .. } | Operation::Hash { data, .. } => data,
            _ => return,
        };
        if let Data::Values(values) = data {
            let bits: u32 = values.iter().map(|value| self.program.type_of(value).width()).sum();
            let most = self.parameters.read_slots * 64;
            if bits > most {
                self.refuse(
                    format!("a request of {bits} bits from registers; they give {most} at most"),
                    "put the bytes into local memory, and name a pointer to them",
                );
            }
        }
    }

    fn branch(&mut self, instruction: &Instruction) {
        let mut targets: Vec<&Next> = Vec::new();
        for way in instruction.branch.ways() {
            if !targets.contains(&way) {
                targets.push(way);
            }
            if let Next::Jump(to) = way {
                self.carried(to);
            }
        }
        self.units.targets = targets.len() as u32;
        instruction.branch.cases.iter().for_each(|(condition, _)| self.condition(condition));
    }

    pub(crate) fn refuse(&mut self, what: impl Into<String>, advice: &str) {
        let message = format!("`{}` needs {}", self.name, what.into());
        let misfit = Misfit { instruction: Some(self.id), message, advice: advice.to_owned() };
        if !self.misfits.contains(&misfit) {
            self.misfits.push(misfit);
        }
    }

    fn refuse_address(&mut self) {
        self.refuse(
            "an address that is computed; a word addresses local memory by a constant, or by a register plus a constant",
            "compute the pointer in an instruction before: `pointer = &array[index];`",
        );
    }

    fn finish(mut self) -> (Units, Vec<Misfit>) {
        let bytes = self.parameters.access_bytes;
        let pointers = self.memory_reads.pointers().chain(self.memory_writes.pointers());
        self.pointers.extend(pointers.map(VariableId::index));
        self.units = Units {
            register_reads: self.reads.len() as u32,
            memory_reads: self.memory_reads.count(bytes),
            pointers: self.pointers.len() as u32,
            register_writes: self.writes.len() as u32,
            memory_writes: self.memory_writes.count(bytes),
            constants: self.constants.len() as u32,
            ..self.units
        };
        for unit in Unit::ALL {
            let (needed, available) = (self.units.of(unit), self.parameters.of(unit));
            if needed > available {
                self.misfits.push(Misfit::too_many(self.id, self.name, unit, needed, available));
            }
        }
        (self.units, self.misfits)
    }
}
