//! Expressions. They are evaluated in the same order as in the interpreter, because checksum algorithms may draw random
//! numbers.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use ir::{BinaryOperator, Constant, Expression, Type, UnaryOperator};
use runtime::hash::HashFunction;

use super::code::Code;
use super::operand::{MemoryWords, Operand};
use crate::helpers::Helper;
use crate::layout::words_of;

/// Stands for every number that does not fit 64 bits where only smaller numbers are valid. It is out of every range
/// just as they are, and it is a multiple of 8, so that it is never mistaken for a length that is not whole bytes.
const HUGE: u64 = !7;

impl Code<'_> {
    /// Returns the value of an expression.
    pub(super) fn value(&mut self, expression: &Expression) -> Operand {
        match expression {
            Expression::Constant(Constant { ty, value }) => self.number_of(*value, ty.width()),
            Expression::Variable(id) => self.operand(self.variable(*id)),
            Expression::Read { register, index, predicate } => {
                self.read(*register, index.as_deref(), predicate.as_deref())
            }
            Expression::Unary(operator, operand) => {
                let ty = self.program.type_of(operand);
                match self.value(operand) {
                    Operand::Word(value) => Operand::Word(self.on_words().unary(*operator, ty, value)),
                    Operand::Wide(value) => Operand::Wide(self.wide_unary(*operator, ty, value)),
                }
            }
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right),
            Expression::Select(condition, if_true, if_false) => self.select(condition, if_true, if_false),
            Expression::Hash(function, arguments) => self.hash(*function, arguments),
            Expression::Cast(ty, operand) => {
                let from = self.program.type_of(operand);
                let operand = self.value(operand);
                self.cast(from, *ty, operand)
            }
            Expression::Wide(_, bits) => {
                let address = self.shared.keep(bits.limbs());
                let base = self.constant(address);
                Operand::Wide(MemoryWords { base, offset: 0, words: bits.limbs().len() as u32 })
            }
            Expression::Slice { value, high, low } => {
                let (high, low) = (u32::from(*high), u32::from(*low));
                let width = self.program.type_of(value).width();
                match self.value(value) {
                    Operand::Word(value) => {
                        let moved = if low == 0 { value } else { self.builder.ins().ushr_imm(value, i64::from(low)) };
                        Operand::Word(if high + 1 == width { moved } else { self.cut(moved, high - low + 1) })
                    }
                    Operand::Wide(value) => self.wide_window(value, i64::from(low), high - low + 1),
                }
            }
            Expression::Concatenate(high, low) => {
                let (high_width, low_width) = (self.program.type_of(high).width(), self.program.type_of(low).width());
                let (high, low) = (self.value(high), self.value(low));
                self.concatenate((high, high_width), (low, low_width))
            }
            Expression::Element { array, index } => self.element(*array, index),
            // Values that the language leaves undefined are 0 here.
            Expression::Undefined(ty) => self.number_of(0, ty.width()),
            Expression::Checksum(checksum) => self.checksum(checksum),
            Expression::Lookup(lookup) => {
                let keys: Vec<Value> = lookup.keys.iter().map(|key| self.word(key)).collect();
                let place = self.room(keys.len() as u32);
                (0..).zip(keys).for_each(|(word, key)| self.store(place, word, key));
                self.shared.plan.lookups.push((**lookup).clone());
                let number = self.constant(self.shared.plan.lookups.len() as u64 - 1);
                let address = self.address(place);
                Operand::Word(self.ask(Helper::LookUp, &[number, address]))
            }
            Expression::Memory(_) => unreachable!("only programs of threads have local memory"),
        }
    }

    /// Returns the constant `value`, which is at most 64 bits wide, as an operand of `width` bits.
    pub(super) fn number_of(&mut self, value: u64, width: u32) -> Operand {
        let value = self.constant(value);
        self.widened(value, width)
    }

    /// Returns a word as an operand of `width` bits; the word must fit.
    pub(super) fn widened(&mut self, value: Value, width: u32) -> Operand {
        if width <= 64 {
            return Operand::Word(value);
        }
        let place = self.room_for(width);
        self.clear(place);
        self.store(place, 0, value);
        Operand::Wide(place)
    }

    /// Returns the value in a place.
    pub(super) fn operand(&mut self, place: MemoryWords) -> Operand {
        if place.words == 1 { Operand::Word(self.load(place, 0)) } else { Operand::Wide(place) }
    }

    /// Returns the lowest 64 bits of a value.
    pub(super) fn low(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Word(value) => value,
            Operand::Wide(place) => self.load(place, 0),
        }
    }

    /// Returns the lowest 64 bits of the value of an expression.
    pub(super) fn word(&mut self, expression: &Expression) -> Value {
        let operand = self.value(expression);
        self.low(operand)
    }

    /// Returns the value of an expression as an unsigned number, or [`HUGE`] if it does not fit 64 bits.
    pub(super) fn number(&mut self, expression: &Expression) -> Value {
        let operand = self.value(expression);
        self.as_number(operand)
    }

    /// Returns a value as an unsigned number, or [`HUGE`] if it does not fit 64 bits.
    pub(super) fn as_number(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Word(value) => value,
            Operand::Wide(place) => {
                let upper = self.wide_nonzero(MemoryWords { offset: place.at(1), words: place.words - 1, ..place });
                let (low, huge) = (self.load(place, 0), self.constant(HUGE));
                self.builder.ins().select(upper, huge, low)
            }
        }
    }

    /// Returns a value for a branch, which is not 0 if the condition holds.
    pub(super) fn condition(&mut self, condition: &Expression) -> Value {
        match condition {
            Expression::Unary(UnaryOperator::Not, inner) => {
                let inner = self.condition(inner);
                self.compare_constant(IntCC::Equal, inner, 0)
            }
            Expression::Binary(operator @ (BinaryOperator::And | BinaryOperator::Or), left, right) => {
                let (left, right) = (self.condition(left), self.condition(right));
                let (left, right) = (self.truth(left), self.truth(right));
                match operator {
                    BinaryOperator::And => self.builder.ins().band(left, right),
                    _ => self.builder.ins().bor(left, right),
                }
            }
            Expression::Binary(operator, left, right) if operator.is_comparison() => {
                self.comparison(*operator, left, right)
            }
            _ => self.word(condition),
        }
    }

    fn binary(&mut self, operator: BinaryOperator, left: &Expression, right: &Expression) -> Operand {
        if operator.is_comparison() {
            let flag = self.comparison(operator, left, right);
            return Operand::Word(self.truth(flag));
        }
        let ty = self.program.type_of(left);
        let (left, right) = (self.value(left), self.value(right));
        if operator.is_shift() {
            let count = self.as_number(right);
            return match left {
                Operand::Word(value) => Operand::Word(self.on_words().narrow(operator, ty, value, count)),
                Operand::Wide(value) => Operand::Wide(self.wide_shift(operator, ty, value, count)),
            };
        }
        match (left, right) {
            (Operand::Word(left), Operand::Word(right)) => {
                Operand::Word(self.on_words().narrow(operator, ty, left, right))
            }
            (Operand::Wide(left), Operand::Wide(right)) => Operand::Wide(self.wide_binary(operator, ty, left, right)),
            _ => unreachable!("`verify` demands operands of one type"),
        }
    }

    /// Returns a truth value for a branch: whether a comparison of two expressions holds.
    fn comparison(&mut self, operator: BinaryOperator, left: &Expression, right: &Expression) -> Value {
        let ty = self.program.type_of(left);
        let (left, right) = (self.value(left), self.value(right));
        self.compared(operator, ty, left, right)
    }

    /// Returns a truth value for a branch: whether a comparison of two values holds.
    pub(super) fn compared(&mut self, operator: BinaryOperator, ty: Type, left: Operand, right: Operand) -> Value {
        match (left, right) {
            (Operand::Word(left), Operand::Word(right)) => self.on_words().narrow_comparison(operator, ty, left, right),
            (Operand::Wide(left), Operand::Wide(right)) => self.wide_comparison(operator, ty, left, right),
            _ => unreachable!("`verify` demands operands of one type"),
        }
    }

    fn select(&mut self, condition: &Expression, if_true: &Expression, if_false: &Expression) -> Operand {
        let width = self.program.type_of(if_true).width();
        let condition = self.condition(condition);
        if is_cheap(if_true, 4) && is_cheap(if_false, 4) && width <= 64 {
            let (if_true, if_false) = (self.word(if_true), self.word(if_false));
            return Operand::Word(self.builder.ins().select(condition, if_true, if_false));
        }
        self.choose(condition, width, |code| code.value(if_true), |code| code.value(if_false))
    }

    /// Returns one of two values and computes only that one.
    pub(super) fn choose(
        &mut self,
        condition: Value,
        width: u32,
        if_true: impl FnOnce(&mut Self) -> Operand,
        if_false: impl FnOnce(&mut Self) -> Operand,
    ) -> Operand {
        let (then, otherwise) = (self.builder.create_block(), self.builder.create_block());
        let (next, result) = self.block_with_word();
        self.branch(condition, then, otherwise);
        self.builder.switch_to_block(then);
        let value = if_true(self);
        let word = self.word_or_address(value);
        self.go_with(next, word);
        self.builder.switch_to_block(otherwise);
        let value = if_false(self);
        let word = self.word_or_address(value);
        self.go_with(next, word);
        self.builder.switch_to_block(next);
        match words_of(width) {
            1 => Operand::Word(result),
            words => Operand::Wide(MemoryWords { base: result, offset: 0, words }),
        }
    }

    fn word_or_address(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Word(value) => value,
            Operand::Wide(place) => self.address(place),
        }
    }

    fn hash(&mut self, function: HashFunction, arguments: &[Expression]) -> Operand {
        let place = HashFunction::ALL.iter().position(|known| *known == function).unwrap_or_default();
        let mut words: Vec<Value> = arguments.iter().map(|argument| self.word(argument)).collect();
        words.insert(0, self.constant(place as u64));
        while words.len() < Helper::Hash.parameters() {
            words.push(self.constant(0));
        }
        Operand::Word(self.ask(Helper::Hash, &words))
    }
}

/// Returns true if computing an expression is as fast as jumping over it, and draws no random number.
pub(super) fn is_cheap(expression: &Expression, depth: u32) -> bool {
    let cheap = |inner: &Expression| depth > 0 && is_cheap(inner, depth - 1);
    match expression {
        Expression::Constant(constant) => constant.ty.width() <= 64,
        Expression::Variable(_) => true,
        Expression::Unary(_, inner) | Expression::Slice { value: inner, .. } => cheap(inner),
        Expression::Binary(operator, left, right) => {
            let is_slow =
                matches!(operator, BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Remainder);
            !is_slow && cheap(left) && cheap(right)
        }
        _ => false,
    }
}
