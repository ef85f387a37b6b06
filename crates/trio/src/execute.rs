//! Words that are executed.

use ir::interpret::threads::{Declarations, Effects, Fault, Instructions, Operands, ReplyPlace, Target};
use ir::threads::InstructionId;

use crate::word::{
    ACCESS_BYTES, Access, AluOperation, Carried, CarriedValue, Combination, Input, MoveAlu, Pointer, Read, Source, Way,
    Word,
};

/// The greatest number of each unit in a word, so that a word is executed without an allocation.
pub(crate) const MOST_UNITS: usize = 16;

/// The words of a program, which a thread steps over as over the instructions of the IR.
#[derive(Clone, Debug)]
pub struct Code {
    pub(crate) declarations: Declarations,
    pub(crate) words: Vec<Word>,
    pub(crate) most_writes: usize,
}

impl Code {
    /// Returns the words, by the numbers of their instructions.
    pub fn words(&self) -> &[Word] {
        &self.words
    }
}

impl Code {
    /// Replaces the word of an instruction by another one with the same registers, as a fault of instruction memory would. A check
    /// of the chip has to find it.
    ///
    /// # Panics
    /// If there is no such instruction.
    pub fn replace(&mut self, id: InstructionId, word: Word) {
        self.most_writes = self.most_writes.max(word.moves.len());
        self.words[id.index()] = word;
    }
}

impl Instructions for Code {
    #[inline]
    fn declarations(&self) -> &Declarations {
        &self.declarations
    }

    fn declarations_mut(&mut self) -> &mut Declarations {
        &mut self.declarations
    }

    fn most_writes(&self) -> usize {
        self.most_writes
    }

    #[inline]
    fn waits(&self, id: InstructionId) -> bool {
        self.words[id.index()].waits
    }

    #[inline]
    fn evaluate(&self, id: InstructionId, effects: &mut Effects<'_>) -> Result<Target, Fault> {
        let word = &self.words[id.index()];
        let mut values = Values::read(word, effects);
        values.compute(word);
        let mut is_outside = false;
        for alu in &word.moves {
            is_outside |= values.is_doubtful(&alu.condition);
            if values.holds(&alu.condition) {
                is_outside |= values.write(word, alu, is_outside, effects)?;
            }
        }
        inside(is_outside)?;
        if let Some(transaction) = &word.transaction {
            effects.ask(&self.declarations, transaction, &mut &values)?;
        }
        values.branch(word)
    }

    #[inline]
    fn reply(&self, id: InstructionId) -> ReplyPlace<'_> {
        let transaction = self.words[id.index()].transaction.as_ref();
        transaction.map_or(ReplyPlace::Nothing, |transaction| (&transaction.reply).into())
    }
}

#[inline]
fn inside(is_outside: bool) -> Result<(), Fault> {
    if is_outside { Err(Fault::LocalMemory) } else { Ok(()) }
}

/// What there is on the inputs of ALUs.
struct Values<'w> {
    constants: &'w [u32],
    reads: [u64; MOST_UNITS],
    /// For each read of local memory, the number of its bits that are inside of local memory.
    there: [u8; MOST_UNITS],
    results: [u32; MOST_UNITS],
    /// The conditions, a bit for each condition ALU.
    conditions: u32,
    /// A bit for each condition ALU that depends on something outside of local memory.
    doubtful: u32,
}

impl<'w> Values<'w> {
    #[inline]
    fn read(word: &'w Word, effects: &Effects<'_>) -> Self {
        let mut values = Self {
            constants: &word.constants,
            reads: [0; MOST_UNITS],
            there: [0; MOST_UNITS],
            results: [0; MOST_UNITS],
            conditions: 0,
            doubtful: 0,
        };
        for (place, read) in word.reads.iter().enumerate() {
            match read {
                Read::Register(variable) => values.reads[place] = effects.variables()[variable.index()],
                Read::Memory(access) => {
                    (values.reads[place], values.there[place]) = loaded(access, effects);
                }
            }
        }
        values
    }

    #[inline]
    fn compute(&mut self, word: &Word) {
        for (place, alu) in word.conditions.iter().enumerate() {
            let (left, left_outside) = self.input(&alu.left, 0);
            let (right, right_outside) = self.input(&alu.right, 0);
            let result = alu.operation.of(left as u32, right as u32);
            self.results[place] = result;
            self.conditions |= (result & 1) << place;
            self.doubtful |= u32::from(left_outside | right_outside) << place;
        }
    }

    /// Returns an input, and whether it depends on something outside of local memory.
    #[inline]
    fn input(&self, input: &Input, choice: u64) -> (u64, bool) {
        let (value, is_outside) = match input.source {
            Source::Zero => return (0, false),
            Source::Read(place) => (self.reads[usize::from(place)], input.reach > self.there[usize::from(place)]),
            Source::Constant(place) => (self.constants[usize::from(place)].into(), false),
            Source::Result(place) => (self.results[usize::from(place)].into(), self.doubtful >> place & 1 == 1),
            Source::Choice => (choice, false),
        };
        (input.field.of(value), is_outside)
    }

    #[inline]
    fn holds(&self, combination: &Combination) -> bool {
        combination.holds(self.conditions)
    }

    #[inline]
    fn is_doubtful(&self, combination: &Combination) -> bool {
        self.doubtful != 0 && combination.uses(self.doubtful)
    }

    /// Carries out a move. Returns whether it depends on something outside of local memory.
    #[inline]
    fn write(&self, word: &Word, alu: &MoveAlu, is_outside: bool, effects: &mut Effects<'_>) -> Result<bool, Fault> {
        let choice = self.holds(&alu.choice);
        let (left, left_outside) = self.input(&alu.left, choice.into());
        let (right, right_outside) = self.input(&alu.right, choice.into());
        let uses_choice = alu.operation == AluOperation::Select
            || alu.left.source == Source::Choice
            || alu.right.source == Source::Choice;
        let (value, outside) = match alu.operation {
            AluOperation::Select if choice => (left as u32, left_outside),
            AluOperation::Select => (right as u32, right_outside),
            operation => (operation.of(left as u32, right as u32), left_outside | right_outside),
        };
        let outside = outside | (uses_choice && self.is_doubtful(&alu.choice));
        let value = alu.result.of(value.into());
        match &word.writes[usize::from(alu.write)] {
            Read::Register(variable) => effects.set_bits(*variable, alu.first.into(), alu.bits.into(), value),
            Read::Memory(access) => {
                inside(is_outside | outside)?;
                let begin = address(access, effects.variables()).and_then(|address| address.checked_mul(8));
                let begin = begin.ok_or(Fault::LocalMemory)?;
                let first = begin.checked_add(alu.first.into()).ok_or(Fault::LocalMemory)?;
                effects.store(first, alu.bits.into(), value)?;
            }
        }
        Ok(outside)
    }

    /// Returns what a transaction carries; an error if it depends on something outside of local memory.
    #[inline]
    fn carried(&self, carried: &Carried) -> Result<u64, Fault> {
        let (value, is_outside) = match &carried.value {
            CarriedValue::Constant(value) => (*value, false),
            CarriedValue::Input(input) => self.input(input, 0),
            CarriedValue::Condition(condition) => (self.holds(condition).into(), self.is_doubtful(condition)),
        };
        let (upper, upper_outside) = carried.upper.as_ref().map_or((0, false), |upper| self.input(upper, 0));
        inside(is_outside | upper_outside)?;
        Ok(value | upper)
    }

    #[inline]
    fn branch(&self, word: &Word) -> Result<Target, Fault> {
        let mut way = &word.otherwise;
        for (condition, next) in &word.ways {
            inside(self.is_doubtful(condition))?;
            if self.holds(condition) {
                way = next;
                break;
            }
        }
        Ok(match way {
            Way::Goto(to) => Target::Goto(*to),
            Way::Jump(to) => Target::Jump(self.carried(to)?),
            Way::Call { to, then } => Target::Call { to: *to, then: *then },
            Way::Return => Target::Return,
            Way::End => Target::End,
        })
    }
}

impl Operands<Carried> for &Values<'_> {
    fn width(&self, operand: &Carried) -> u32 {
        operand.bits.into()
    }

    #[inline]
    fn value(&mut self, operand: &Carried) -> Result<u64, Fault> {
        self.carried(operand)
    }
}

/// Returns the address of an access; `None` if it is beyond all numbers.
#[inline]
fn address(access: &Access, variables: &[u64]) -> Option<u64> {
    let pointer = access.pointer.map_or(0, |Pointer { register, field, distance, bits }| {
        let sum = field.of(variables[register.index()]).wrapping_add(i64::from(distance) as u64);
        sum & u64::MAX >> (64 - u32::from(bits))
    });
    pointer.checked_add(access.bytes.into())
}

/// Returns the bytes of an access, with zeros for those outside of local memory, and how many bits are inside.
#[inline]
fn loaded(access: &Access, effects: &Effects<'_>) -> (u64, u8) {
    let memory = effects.local_memory();
    let Some(address) = address(access, effects.variables()) else { return (0, 0) };
    let Some(rest) = usize::try_from(address).ok().and_then(|address| memory.get(address..)) else { return (0, 0) };
    if let Some(bytes) = rest.first_chunk::<{ ACCESS_BYTES as usize }>() {
        // Fields that an access covers in part may end up to 8 bytes behind it.
        let there = (rest.len() * 8).min(usize::from(u8::MAX));
        return (u64::from_be_bytes(*bytes), there as u8);
    }
    let mut bytes = [0; ACCESS_BYTES as usize];
    bytes[..rest.len()].copy_from_slice(rest);
    (u64::from_be_bytes(bytes), rest.len() as u8 * 8)
}
