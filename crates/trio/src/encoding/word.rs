//! The bits of a word: one description by which words are written and read.

use std::convert::Infallible;

use ir::VariableId;
use ir::threads::{Destination, InstructionId, Operation, Transaction};

use super::bits::Bits;
use super::{Damage, Layout, operation};
use crate::parameters::Parameters;
use crate::word::{
    Access, AluOperation, Carried, CarriedValue, Combination, ConditionAlu, Field, Input, MOST_INPUTS, MoveAlu,
    Pointer, Read, Source, Way, Word,
};

/// The greatest number of words in a reply.
const MOST_REPLY_WORDS: usize = 8;

/// Writes or reads a word. `docs/trio-compiler.md` shows the same fields in the same order.
pub(super) fn word<B: Bits>(
    bits: &mut B,
    word: &Word,
    layout: &Layout,
    parameters: &Parameters,
) -> Result<Word, Damage> {
    let waits = bits.flag(word.waits)?;
    let reads = list(bits, &word.reads, parameters.read_slots, |bits, one| read(bits, one, layout))?;
    let constants = list(bits, &word.constants, parameters.constants, |bits, one| {
        bits.number(one.into(), 32).map(|number| number as u32)
    })?;
    let conditions = list(bits, &word.conditions, parameters.condition_alus, condition_alu)?;
    let writes = list(bits, &word.writes, parameters.writes, |bits, one| read(bits, one, layout))?;
    let moves = list(bits, &word.moves, parameters.move_alus, move_alu)?;

    let mut operands: Vec<Carried> = Vec::new();
    let header = if B::WRITES { word.transaction.as_ref().map(|all| parted(all, &mut operands)) } else { None };
    let header = transaction(bits, header, layout)?;
    let block = bits.number(layout.block(&word.targets()) as u64, 16)? as usize;
    let targets = word.targets();
    let ways = |bits: &mut B, operands: &mut Vec<Carried>, (condition, way)| {
        let condition = combination(bits, condition)?;
        Ok((condition, self::way(bits, way, &targets, block, layout, operands)?))
    };
    let conditional = list(bits, &word.ways, parameters.targets, |bits, one| ways(bits, &mut operands, one))?;
    let (_, otherwise) = ways(bits, &mut operands, (Combination::ALWAYS, word.otherwise))?;

    let entries: Vec<Entry> = operands.iter().flat_map(Entry::of).collect();
    let entries = list(bits, &entries, parameters.carried, entry)?;
    let operands = if B::WRITES { operands } else { Entry::operands(&entries)? };
    let mut rest = operands.iter().copied();
    let transaction =
        header.map(|header| header.replaced(|()| rest.next().ok_or_else(too_few_operands))).transpose()?;
    let first_jump = operands.len() - rest.len();
    let jump = |way| match way {
        Way::Jump(Carried { bits: number, .. }) if !B::WRITES => {
            let operand = operands.get(usize::from(number)).filter(|_| usize::from(number) >= first_jump);
            operand.map(|operand| Way::Jump(*operand)).ok_or_else(too_few_operands)
        }
        other => Ok(other),
    };
    let ways =
        conditional.into_iter().map(|(condition, way)| Ok((condition, jump(way)?))).collect::<Result<_, Damage>>()?;
    Ok(Word { waits, reads, constants, conditions, writes, moves, transaction, ways, otherwise: jump(otherwise)? })
}

fn too_few_operands() -> Damage {
    Damage("a transaction or a jump has no operand".to_owned())
}

/// Writes or reads a list: the number of its elements, and as many of them as a word has.
fn list<B: Bits, T: Clone + Default>(
    bits: &mut B,
    elements: &[T],
    most: u32,
    mut element: impl FnMut(&mut B, T) -> Result<T, Damage>,
) -> Result<Vec<T>, Damage> {
    let count = bits.number(elements.len() as u64, 5)?;
    if count > most.into() {
        return Err(Damage(format!("a word has {count} units of a kind of which there are {most}")));
    }
    let mut all = Vec::new();
    for place in 0..most as usize {
        let one = element(bits, elements.get(place).cloned().unwrap_or_default())?;
        if (place as u64) < count {
            all.push(one);
        }
    }
    Ok(all)
}

fn register<B: Bits>(bits: &mut B, variable: VariableId, layout: &Layout) -> Result<VariableId, Damage> {
    let number = bits.number(layout.register(variable).unwrap_or_default() as u64, 8)?;
    // Unused parts of a word name register 0, whether the program has one or not.
    if number == 0 { Ok(layout.registers.first().copied().unwrap_or(VariableId(0))) } else { layout.variable(number) }
}

fn read<B: Bits>(bits: &mut B, read: Read, layout: &Layout) -> Result<Read, Damage> {
    let (kind, variable, access) = match read {
        Read::Register(variable) => (0, variable, Access::default()),
        Read::Memory(access) => match access.pointer {
            None => (1, VariableId(0), access),
            Some(pointer) => (2, pointer.register, access),
        },
    };
    let none = Pointer { register: variable, field: Field::NONE, distance: 0, bits: 0 };
    let pointer = access.pointer.unwrap_or(none);
    let kind = bits.small(kind, 2)?;
    let variable = register(bits, variable, layout)?;
    let field = self::field(bits, pointer.field)?;
    let distance = bits.number((pointer.distance as u32 & 0x1_ffff).into(), 17)?;
    let distance = (distance as i32) << 15 >> 15;
    let width = bits.small(pointer.bits, 7)?;
    let bytes = bits.number(access.bytes.into(), 17)? as u32;
    match kind {
        0 => Ok(Read::Register(variable)),
        1 => Ok(Read::Memory(Access { pointer: None, bytes })),
        2 if (1..=64).contains(&width) => {
            let pointer = Pointer { register: variable, field, distance, bits: width };
            Ok(Read::Memory(Access { pointer: Some(pointer), bytes }))
        }
        _ => Err(Damage("a word has an unknown kind of access".to_owned())),
    }
}

fn field<B: Bits>(bits: &mut B, field: Field) -> Result<Field, Damage> {
    let field = Field {
        offset: bits.small(field.offset, 6)?,
        width: bits.small(field.width, 7)?,
        left: bits.small(field.left, 6)?,
        extent: bits.small(field.extent, 7)?,
    };
    if field.is_valid() { Ok(field) } else { Err(Damage("a field does not lie in 64 bits".to_owned())) }
}

fn input<B: Bits>(bits: &mut B, input: Input) -> Result<Input, Damage> {
    let (kind, number) = match input.source {
        Source::Zero => (0, 0),
        Source::Read(number) => (1, number),
        Source::Constant(number) => (2, number),
        Source::Result(number) => (3, number),
        Source::Choice => (4, 0),
    };
    let (kind, number) = (bits.small(kind, 3)?, bits.small(number, 4)?);
    let (field, reach) = (field(bits, input.field)?, bits.small(input.reach, 7)?);
    let source = match kind {
        0 => Source::Zero,
        1 => Source::Read(number),
        2 => Source::Constant(number),
        3 => Source::Result(number),
        4 => Source::Choice,
        _ => return Err(Damage("an input has an unknown source".to_owned())),
    };
    Ok(Input { source, field, reach })
}

fn combination<B: Bits>(bits: &mut B, combination: Combination) -> Result<Combination, Damage> {
    let count = bits.small(combination.inputs().len() as u8, 3)?;
    let mut inputs = [0; MOST_INPUTS];
    for (place, input) in inputs.iter_mut().enumerate() {
        *input = bits.small(combination.inputs().get(place).copied().unwrap_or_default(), 4)?;
    }
    let table = bits.number(combination.table().into(), 16)? as u16;
    let combined = inputs.get(..usize::from(count)).and_then(|inputs| Combination::new(inputs, table));
    combined.ok_or_else(|| Damage("a combination of conditions has no such table of truth".to_owned()))
}

fn alu_operation<B: Bits>(bits: &mut B, operation: AluOperation) -> Result<AluOperation, Damage> {
    let number = AluOperation::ALL.iter().position(|known| *known == operation).unwrap_or_default();
    let number = bits.number(number as u64, 5)?;
    let operation = AluOperation::ALL.get(number as usize).copied();
    operation.ok_or_else(|| Damage(format!("there is no operation {number} of an ALU")))
}

fn condition_alu<B: Bits>(bits: &mut B, alu: ConditionAlu) -> Result<ConditionAlu, Damage> {
    Ok(ConditionAlu {
        operation: alu_operation(bits, alu.operation)?,
        left: input(bits, alu.left)?,
        right: input(bits, alu.right)?,
    })
}

fn move_alu<B: Bits>(bits: &mut B, alu: MoveAlu) -> Result<MoveAlu, Damage> {
    Ok(MoveAlu {
        condition: combination(bits, alu.condition)?,
        operation: alu_operation(bits, alu.operation)?,
        left: input(bits, alu.left)?,
        right: input(bits, alu.right)?,
        choice: combination(bits, alu.choice)?,
        result: field(bits, alu.result)?,
        write: bits.small(alu.write, 4)?,
        first: bits.small(alu.first, 6)?,
        bits: bits.small(alu.bits, 6)?,
    })
}

/// Returns a transaction without its operands, which are appended to `operands`.
fn parted(transaction: &Transaction<Carried>, operands: &mut Vec<Carried>) -> Transaction<()> {
    let parted = transaction.replaced(|operand| {
        operands.push(*operand);
        Ok::<(), Infallible>(())
    });
    parted.unwrap_or_else(|never| match never {})
}

fn transaction<B: Bits>(
    bits: &mut B,
    transaction: Option<Transaction<()>>,
    layout: &Layout,
) -> Result<Option<Transaction<()>>, Damage> {
    let is_there = bits.flag(transaction.is_some())?;
    let nothing = Transaction {
        is_asynchronous: false,
        operation: Operation::Read { address: (), bytes: 0 },
        reply: Destination::Nothing,
    };
    let Transaction { is_asynchronous, operation, reply } = transaction.unwrap_or(nothing);
    let is_asynchronous = bits.flag(is_asynchronous)?;
    let operation = operation::operation(bits, &operation)?;
    let (kind, variables) = match reply {
        Destination::Nothing => (0, Vec::new()),
        Destination::Variables(variables) => (1, variables),
        Destination::Memory(()) => (2, Vec::new()),
    };
    let kind = bits.small(kind, 2)?;
    let variables = list(bits, &variables, MOST_REPLY_WORDS as u32, |bits, variable: Option<VariableId>| {
        let is_there = bits.flag(variable.is_some())?;
        let variable = register(bits, variable.unwrap_or(VariableId(0)), layout)?;
        Ok(is_there.then_some(variable))
    })?;
    let reply = match kind {
        0 => Destination::Nothing,
        1 => Destination::Variables(variables),
        2 => Destination::Memory(()),
        _ => return Err(Damage("a reply goes to an unknown place".to_owned())),
    };
    Ok(is_there.then_some(Transaction { is_asynchronous, operation, reply }))
}

/// Writes or reads a way. The operand of a jump is appended to `operands`, or stands in place of its number of bits until the
/// operands are known.
fn way<B: Bits>(
    bits: &mut B,
    way: Way,
    targets: &[InstructionId],
    block: usize,
    layout: &Layout,
    operands: &mut Vec<Carried>,
) -> Result<Way, Damage> {
    let (mut kind, mut behind, mut jump) = (0, InstructionId(0), 0);
    match way {
        Way::End => (),
        Way::Goto(_) => kind = 1,
        Way::Call { then, .. } => (kind, behind) = (2, then),
        Way::Return => kind = 3,
        Way::Jump(operand) => {
            (kind, jump) = (4, operands.len() as u8);
            operands.push(operand);
        }
    }
    let place = way.target().and_then(|target| targets.iter().position(|known| *known == target)).unwrap_or_default();
    let kind = bits.small(kind, 3)?;
    let place = bits.number(place as u64, 3)? as usize;
    let behind = bits.number(behind.index() as u64, 16)? as usize;
    let jump = bits.small(jump, 5)?;
    Ok(match kind {
        0 => Way::End,
        1 => Way::Goto(layout.at(block + place)?),
        2 => Way::Call { to: layout.at(block + place)?, then: layout.at(behind)? },
        3 => Way::Return,
        4 if B::WRITES => way,
        4 => Way::Jump(Carried { bits: jump, ..Carried::default() }),
        _ => return Err(Damage("a branch has an unknown way".to_owned())),
    })
}

/// What a word carries for a transaction or a jump: an operand, or the upper part of the operand before.
#[derive(Clone, Copy, Debug, Default)]
enum Entry {
    #[default]
    Nothing,
    Operand(Carried),
    Upper(Input),
}

impl Entry {
    fn of(operand: &Carried) -> impl Iterator<Item = Self> + use<> {
        [Self::Operand(*operand)].into_iter().chain(operand.upper.map(Self::Upper))
    }

    fn operands(entries: &[Self]) -> Result<Vec<Carried>, Damage> {
        let mut operands: Vec<Carried> = Vec::new();
        for entry in entries {
            match (entry, operands.last_mut()) {
                (Self::Operand(operand), _) => operands.push(*operand),
                (Self::Upper(input), Some(Carried { upper: upper @ None, .. })) => *upper = Some(*input),
                _ => return Err(Damage("an operand has an upper part twice, or none".to_owned())),
            }
        }
        Ok(operands)
    }
}

fn entry<B: Bits>(bits: &mut B, entry: Entry) -> Result<Entry, Damage> {
    let (kind, width) = match entry {
        Entry::Nothing => (0, 0),
        Entry::Operand(operand) => match operand.value {
            CarriedValue::Constant(_) => (1, operand.bits),
            CarriedValue::Input(_) => (2, operand.bits),
            CarriedValue::Condition(_) => (3, operand.bits),
        },
        Entry::Upper(_) => (4, 0),
    };
    let (kind, width) = (bits.small(kind, 3)?, bits.small(width, 7)?);
    let carried = |value| Entry::Operand(Carried { bits: width, value, upper: None });
    // The three kinds of value share 64 bits.
    let entry = match (kind, entry) {
        (0, _) => bits.number(0, 64).map(|_| Entry::Nothing)?,
        (1, Entry::Operand(Carried { value: CarriedValue::Constant(value), .. })) => {
            carried(CarriedValue::Constant(bits.number(value, 64)?))
        }
        (1, _) => carried(CarriedValue::Constant(bits.number(0, 64)?)),
        (2 | 4, entry) => {
            let of = match entry {
                Entry::Operand(Carried { value: CarriedValue::Input(input), .. }) | Entry::Upper(input) => input,
                _ => Input::ZERO,
            };
            let input = input(bits, of)?;
            bits.number(0, 24)?;
            if kind == 4 { Entry::Upper(input) } else { carried(CarriedValue::Input(input)) }
        }
        (3, entry) => {
            let of = match entry {
                Entry::Operand(Carried { value: CarriedValue::Condition(condition), .. }) => condition,
                _ => Combination::ALWAYS,
            };
            let condition = combination(bits, of)?;
            bits.number(0, 29)?;
            carried(CarriedValue::Condition(condition))
        }
        _ => return Err(Damage("a word carries an unknown kind of operand".to_owned())),
    };
    match entry {
        Entry::Operand(_) if !(1..=64).contains(&width) => {
            Err(Damage("an operand has no bits, or more than 64".to_owned()))
        }
        entry => Ok(entry),
    }
}
