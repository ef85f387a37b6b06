//! Words as instructions of the IR: a disassembler.

mod condition;
mod value;

use ir::threads::{Branch, Instruction, MemoryField, Move, Next, Operation, Place, Transaction};
use ir::{Constant, Expression, Program, Type, UnaryOperator, VariableId};

use crate::encoding::Damage;
use crate::word::{Access, AluOperation, Carried, CarriedValue, Field, Input, MoveAlu, Read, Way, Word};

use self::value::{constant, converted, field};

/// Returns the instruction that a word is, in a program with these declarations.
///
/// # Errors
/// If the word does something that no word does which TC makes.
pub(crate) fn instruction(program: &Program, name: &str, word: &Word) -> Result<Instruction, Damage> {
    let reader = Reader { program, word };
    reader.unused()?;
    let moves = word.moves.iter().map(|alu| reader.step(alu)).collect::<Result<_, _>>()?;
    let transaction = word.transaction.as_ref().map(|transaction| reader.transaction(transaction)).transpose()?;
    let cases = word.ways.iter().map(|(condition, way)| Ok((reader.combination(condition)?, reader.way(way)?)));
    let cases = cases.collect::<Result<_, Damage>>()?;
    let branch = Branch { cases, otherwise: reader.way(&word.otherwise)? };
    Ok(Instruction { name: name.to_owned(), waits: word.waits, moves, transaction, branch })
}

fn damage<T>(what: &str) -> Result<T, Damage> {
    Err(Damage(what.to_owned()))
}

struct Reader<'w> {
    program: &'w Program,
    word: &'w Word,
}

impl Reader<'_> {
    fn width(&self, variable: VariableId) -> Result<u32, Damage> {
        let variable = self.program.variables.get(variable.index());
        variable.map(|variable| variable.ty.width()).ok_or_else(|| Damage("a register has no variable".to_owned()))
    }

    /// Checks the units whose results nothing takes: the word evaluates them all the same.
    fn unused(&self) -> Result<(), Damage> {
        for read in self.word.reads.iter().chain(&self.word.writes) {
            match read {
                Read::Register(variable) => self.width(*variable)?,
                Read::Memory(access) => access.pointer.map_or(Ok(0), |pointer| self.width(pointer.register))?,
            };
        }
        let alus = self.word.conditions.iter().map(|alu| (alu.operation, &alu.right));
        let moves = self.word.moves.iter().map(|alu| (alu.operation, &alu.right));
        for (operation, right) in alus.chain(moves) {
            if !operation.is_binary() && *right != Input::ZERO {
                return damage("an operation of one operand has two");
            }
        }
        (0..self.word.conditions.len()).try_for_each(|place| self.alu(place).map(drop))
    }

    /// Returns what is written, as a move.
    fn step(&self, alu: &MoveAlu) -> Result<Move, Damage> {
        let bits = u32::from(alu.bits);
        if !(1..=32).contains(&bits) || u32::from(alu.result.extent) > bits {
            return damage("a move ALU writes no bits, or more than it computes");
        }
        let choice = self.combination(&alu.choice)?;
        let condition = self.combination(&alu.condition)?;
        let condition = (condition != Expression::Constant(Constant { ty: Type::Bool, value: 1 })).then_some(condition);
        let read = |input: &crate::word::Input, width| self.input(input, width, Some(&choice));
        let value = match alu.operation {
            AluOperation::Select => {
                let (left, right) = (read(&alu.left, 32)?, read(&alu.right, 32)?);
                let chosen = Expression::Select(Box::new(choice.clone()), Box::new(left), Box::new(right));
                field(chosen, 32, alu.result, bits)?
            }
            operation if operation.is_comparison() => return damage("a move ALU compares"),
            // What is only placed has as many bits as are written.
            AluOperation::Pass if alu.result == Field::whole(bits) && alu.left.field.extent <= alu.bits => {
                read(&alu.left, bits)?
            }
            operation => {
                let (value, width) = value::narrow(operation, (&alu.left, &alu.right), alu.result, read)?;
                field(value, width, if width < 32 { Field::whole(width) } else { alu.result }, bits)?
            }
        };
        let first = u32::from(alu.first);
        let write = self
            .word
            .writes
            .get(usize::from(alu.write))
            .ok_or_else(|| Damage("a move ALU writes nowhere".to_owned()))?;
        let (place, value) = match write {
            Read::Register(variable) => self.register(*variable, first, bits, value)?,
            Read::Memory(access) if first + bits <= 64 => (Place::Memory(self.memory(access, first, bits)?), value),
            Read::Memory(_) => return damage("a move ALU writes behind an access"),
        };
        Ok(Move { place, value, condition })
    }

    fn register(
        &self,
        variable: VariableId,
        first: u32,
        bits: u32,
        value: Expression,
    ) -> Result<(Place, Expression), Damage> {
        let width = self.width(variable)?;
        if first + bits > width {
            return damage("a move ALU writes bits that a register does not have");
        }
        if bits == width {
            let ty = self.program.variable(variable).ty;
            let value = match value {
                Expression::Cast(Type::Bits(1), inner) if ty == Type::Bool => *inner,
                value if ty == Type::Bits(width as u16) => value,
                value => Expression::Cast(ty, Box::new(value)),
            };
            return Ok((Place::Variable(variable), value));
        }
        Ok((Place::Bits { variable, high: (first + bits - 1) as u16, low: first as u16 }, value))
    }

    /// Returns the field of local memory that is `bits` bits of an access from `first` on.
    fn memory(&self, access: &Access, first: u32, bits: u32) -> Result<MemoryField, Damage> {
        let width = bits as u16;
        let Some(pointer) = access.pointer else {
            let address = constant(Type::Bits(32), access.bytes.into());
            return Ok(MemoryField { address, offset: first, width });
        };
        let address_bits = u32::from(pointer.bits);
        let register = self.variable(pointer.register)?;
        if u32::from(pointer.field.extent) > address_bits {
            return damage("a pointer has more bits than its sum");
        }
        let register = field(register, self.width(pointer.register)?, pointer.field, address_bits)?;
        let ty = Type::Bits(address_bits as u16);
        let distance = constant(ty, u64::from(pointer.distance.unsigned_abs()) & u64::MAX >> (64 - address_bits));
        let address = match pointer.distance {
            0 => register,
            1.. => Expression::Binary(ir::BinaryOperator::Add, Box::new(register), Box::new(distance)),
            _ => Expression::Binary(ir::BinaryOperator::Subtract, Box::new(register), Box::new(distance)),
        };
        Ok(MemoryField { address, offset: access.bytes * 8 + first, width })
    }

    fn transaction(&self, transaction: &Transaction<Carried>) -> Result<Transaction, Damage> {
        let mut transaction = transaction.replaced(|operand| self.carried(operand))?;
        // The values of messages have types.
        if let Operation::Digest { digest, values } = &mut transaction.operation
            && let Some(digest) = self.program.digests.get(digest.index())
        {
            for (value, (_, ty)) in values.iter_mut().zip(&digest.fields) {
                let carried = std::mem::replace(value, constant(Type::Bool, 0));
                *value = converted(self.program, carried, *ty);
            }
        }
        Ok(transaction)
    }

    fn carried(&self, carried: &Carried) -> Result<Expression, Damage> {
        let bits = u32::from(carried.bits);
        if !(1..=64).contains(&bits) {
            return damage("an operand has no bits, or more than 64");
        }
        let ty = Type::Bits(bits as u16);
        let value = match &carried.value {
            CarriedValue::Constant(value) if *value & !(u64::MAX >> (64 - bits)) == 0 => constant(ty, *value),
            CarriedValue::Constant(_) => return damage("a constant has more bits than its operand"),
            CarriedValue::Input(input) => self.input(input, bits, None)?,
            CarriedValue::Condition(condition) => Expression::Cast(ty, Box::new(self.combination(condition)?)),
        };
        match &carried.upper {
            None => Ok(value),
            Some(upper) => {
                let upper = self.input(upper, bits, None)?;
                Ok(Expression::Binary(ir::BinaryOperator::Or, Box::new(upper), Box::new(value)))
            }
        }
    }

    fn way(&self, way: &Way) -> Result<Next, Damage> {
        Ok(match way {
            Way::Goto(to) => Next::Goto(*to),
            Way::Jump(to) => Next::Jump(self.carried(to)?),
            Way::Call { to, then } => Next::Call { to: *to, then: *then },
            Way::Return => Next::Return,
            Way::End => Next::End,
        })
    }

    fn variable(&self, variable: VariableId) -> Result<Expression, Damage> {
        self.width(variable).map(|_| match self.program.variable(variable).ty {
            Type::Bits(_) => Expression::Variable(variable),
            // A sign counts for nothing here.
            ty => Expression::Cast(Type::Bits(ty.width() as u16), Box::new(Expression::Variable(variable))),
        })
    }
}

/// Returns the negation of a condition.
fn not(condition: Expression) -> Expression {
    match condition {
        Expression::Unary(UnaryOperator::Not, inner) => *inner,
        condition => Expression::Unary(UnaryOperator::Not, Box::new(condition)),
    }
}
