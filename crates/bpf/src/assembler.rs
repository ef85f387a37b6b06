//! Writing programs, with labels in place of distances.

use crate::{Comparison, Instruction, Operand, Operation, Register, Size};

/// A place of a program that jumps lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

/// A program that is being written, from its first instruction to its last.
///
/// ```
/// use bpf::{Assembler, Comparison, Register};
///
/// let mut assembler = Assembler::default();
/// let end = assembler.label();
/// assembler.set(Register::R0, 2);
/// assembler.jump_if(Comparison::Greater, Register::R1, 7, end);
/// assembler.set(Register::R0, 1);
/// assembler.bind(end);
/// assembler.exit();
/// assert_eq!(assembler.finish().len(), 4);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Assembler {
    instructions: Vec<Instruction>,
    /// The position that each label leads to, once that is known.
    labels: Vec<Option<usize>>,
    /// The positions of jumps, and where they lead to.
    jumps: Vec<(usize, Label)>,
}

impl Assembler {
    /// Returns a new label, which still leads nowhere.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Lets a label lead to the next instruction, or to what follows the program if there is none.
    ///
    /// # Panics
    ///
    /// If it leads somewhere already.
    pub fn bind(&mut self, label: Label) {
        let place = &mut self.labels[label.0];
        assert!(place.is_none(), "a label leads to one place");
        *place = Some(self.instructions.len());
    }

    /// Loads bytes from an offset of what a register points to; further bits become zeros.
    pub fn load(&mut self, size: Size, to: Register, base: Register, offset: i16) {
        self.instructions.push(Instruction::load(size, to, base, offset));
    }

    /// Loads a number of 16 bits in network byte order.
    pub fn load_network_half(&mut self, to: Register, base: Register, offset: i16) {
        self.load(Size::Half, to, base, offset);
        self.instructions.push(Instruction::from_big_endian(to, 16));
    }

    /// Stores the lowest bytes of a register at an offset of what another one points to.
    pub fn store(&mut self, size: Size, base: Register, offset: i16, from: Register) {
        self.instructions.push(Instruction::store(size, base, offset, from));
    }

    /// Stores the lowest bytes of a value at an offset of what a register points to.
    pub fn store_value(&mut self, size: Size, base: Register, offset: i16, value: i32) {
        self.instructions.push(Instruction::store_value(size, base, offset, value));
    }

    /// Gives a register a value, or that of another one.
    pub fn set(&mut self, to: Register, operand: impl Into<Operand>) {
        self.compute(Operation::Set, to, operand);
    }

    /// Replaces a register by the result of an operation on it and an operand.
    pub fn compute(&mut self, operation: Operation, to: Register, operand: impl Into<Operand>) {
        self.instructions.push(Instruction::compute(operation, to, operand.into()));
    }

    /// Lets a register be a map of which the program's maker has the descriptor.
    pub fn map(&mut self, to: Register, descriptor: i32) {
        self.instructions.extend(Instruction::map(to, descriptor));
    }

    /// Jumps if a comparison holds.
    pub fn jump_if(&mut self, comparison: Comparison, left: Register, right: impl Into<Operand>, to: Label) {
        self.jumps.push((self.instructions.len(), to));
        self.instructions.push(Instruction::jump_if(comparison, left, right.into()));
    }

    /// Jumps.
    pub fn jump(&mut self, to: Label) {
        self.jumps.push((self.instructions.len(), to));
        self.instructions.push(Instruction::jump());
    }

    /// Calls a function of the kernel by its number.
    pub fn call(&mut self, function: i32) {
        self.instructions.push(Instruction::call(function));
    }

    /// Ends the program.
    pub fn exit(&mut self) {
        self.instructions.push(Instruction::exit());
    }

    /// Appends instructions that were assembled elsewhere. Where they would end, they go on behind themselves.
    pub fn append(&mut self, instructions: &[Instruction]) {
        self.instructions.extend_from_slice(instructions);
    }

    /// Returns the program.
    ///
    /// # Panics
    ///
    /// If a jump leads nowhere, or further than the 16 bits of its distance.
    pub fn finish(mut self) -> Vec<Instruction> {
        for (at, Label(label)) in self.jumps {
            let to = self.labels[label].expect("a label is bound before the program is finished") as i64;
            let distance = to - at as i64 - 1;
            self.instructions[at].offset = i16::try_from(distance).expect("a jump of at most 32767 instructions");
        }
        self.instructions
    }
}
