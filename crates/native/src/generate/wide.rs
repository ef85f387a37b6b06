//! Values of more than 64 bits: short operations are inlined, the rest call helpers.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use ir::{BinaryOperator, Type, UnaryOperator};
use runtime::arithmetic::mask;

use super::code::{Code, UNROLLED};
use super::operand::{MemoryWords, Operand};
use crate::helpers::{Helper, LOGIC, UNARY};
use crate::layout::words_of;

impl Code<'_> {
    /// Copies a value to a place with the same number of words.
    pub(super) fn copy(&mut self, to: MemoryWords, from: MemoryWords) {
        if to.words > UNROLLED {
            return self.window_by_helper(to, from, 0);
        }
        for word in 0..to.words {
            let value = self.load(from, word);
            self.store(to, word, value);
        }
    }

    /// Stores a value in a place with the same number of words.
    pub(super) fn put(&mut self, to: MemoryWords, value: Operand) {
        match value {
            Operand::Word(value) => self.store(to, 0, value),
            Operand::Wide(from) => self.copy(to, from),
        }
    }

    /// Returns a word that is not 0 if the value is not 0.
    pub(super) fn wide_nonzero(&mut self, value: MemoryWords) -> Value {
        if value.words > UNROLLED {
            let zeros = self.shared.keep(&vec![0; value.words as usize]);
            let (a, b, words) = (self.address(value), self.constant(zeros), self.constant(value.words.into()));
            let equal = self.ask(Helper::WideEqual, &[a, b, words]);
            return self.builder.ins().bxor_imm(equal, 1);
        }
        let mut all = self.load(value, 0);
        for word in 1..value.words {
            let next = self.load(value, word);
            all = self.builder.ins().bor(all, next);
        }
        all
    }

    pub(super) fn wide_unary(&mut self, operator: UnaryOperator, ty: Type, value: MemoryWords) -> MemoryWords {
        let number = UNARY.iter().position(|known| *known == operator).unwrap_or_default();
        let out = self.room(value.words);
        let (number, to) = (self.constant(number as u64), self.address(out));
        let (from, width) = (self.address(value), self.constant(ty.width().into()));
        self.call(Helper::WideUnary, &[number, to, from, width]);
        out
    }

    pub(super) fn wide_binary(
        &mut self,
        operator: BinaryOperator,
        ty: Type,
        a: MemoryWords,
        b: MemoryWords,
    ) -> MemoryWords {
        let out = self.room(a.words);
        if let Some(logic) = LOGIC.iter().position(|known| *known == operator) {
            self.wide_logic(operator, logic as u64, out, a, b);
            return out;
        }
        let number = BinaryOperator::ALL.iter().position(|known| *known == operator).unwrap_or_default();
        let (number, to) = (self.constant(number as u64), self.address(out));
        let (a, b) = (self.address(a), self.address(b));
        let (width, signed) = (self.constant(ty.width().into()), self.constant(ty.is_signed().into()));
        self.call(Helper::WideBinary, &[number, to, a, b, width, signed]);
        out
    }

    fn wide_logic(&mut self, operator: BinaryOperator, number: u64, out: MemoryWords, a: MemoryWords, b: MemoryWords) {
        if out.words > UNROLLED {
            let (number, to, words) = (self.constant(number), self.address(out), self.constant(out.words.into()));
            let (a, b) = (self.address(a), self.address(b));
            return self.call(Helper::WideLogic, &[number, to, a, b, words]);
        }
        for word in 0..out.words {
            let (a, b) = (self.load(a, word), self.load(b, word));
            let result = match operator {
                BinaryOperator::And => self.builder.ins().band(a, b),
                BinaryOperator::Or => self.builder.ins().bor(a, b),
                _ => self.builder.ins().bxor(a, b),
            };
            self.store(out, word, result);
        }
    }

    pub(super) fn wide_shift(
        &mut self,
        operator: BinaryOperator,
        ty: Type,
        value: MemoryWords,
        count: Value,
    ) -> MemoryWords {
        let out = self.room(value.words);
        let is_left = self.constant((operator == BinaryOperator::ShiftLeft).into());
        let (to, from) = (self.address(out), self.address(value));
        let (width, signed) = (self.constant(ty.width().into()), self.constant(ty.is_signed().into()));
        self.call(Helper::WideShift, &[is_left, to, from, count, width, signed]);
        out
    }

    /// Returns a truth value for a branch: whether a comparison holds.
    pub(super) fn wide_comparison(
        &mut self,
        operator: BinaryOperator,
        ty: Type,
        a: MemoryWords,
        b: MemoryWords,
    ) -> Value {
        let (a, b, negated) = match operator {
            BinaryOperator::Equal => return self.wide_equal(a, b),
            BinaryOperator::NotEqual => {
                let equal = self.wide_equal(a, b);
                return self.compare_constant(IntCC::Equal, equal, 0);
            }
            BinaryOperator::Less => (a, b, false),
            BinaryOperator::Greater => (b, a, false),
            BinaryOperator::LessEqual => (b, a, true),
            _ => (a, b, true),
        };
        let (a, b) = (self.address(a), self.address(b));
        let (width, signed) = (self.constant(ty.width().into()), self.constant(ty.is_signed().into()));
        let less = self.ask(Helper::WideLess, &[a, b, width, signed]);
        if negated { self.compare_constant(IntCC::Equal, less, 0) } else { less }
    }

    fn wide_equal(&mut self, a: MemoryWords, b: MemoryWords) -> Value {
        if a.words > UNROLLED {
            let (words, a, b) = (self.constant(a.words.into()), self.address(a), self.address(b));
            return self.ask(Helper::WideEqual, &[a, b, words]);
        }
        let mut differ: Option<Value> = None;
        for word in 0..a.words {
            let (a, b) = (self.load(a, word), self.load(b, word));
            let bits = self.builder.ins().bxor(a, b);
            differ = Some(differ.map_or(bits, |before| self.builder.ins().bor(before, bits)));
        }
        let differ = differ.unwrap_or_else(|| self.constant(0));
        self.compare_constant(IntCC::Equal, differ, 0)
    }

    /// Returns `width` bits of a value starting at bit `low`, which may be negative; bits outside the value are zeros.
    pub(super) fn wide_window(&mut self, value: MemoryWords, low: i64, width: u32) -> Operand {
        if width <= 64 {
            let word = self.window_word(value, low);
            return Operand::Word(self.cut(word, width));
        }
        let out = self.room_for(width);
        if out.words > UNROLLED {
            self.window_by_helper(out, value, low);
        } else {
            for word in 0..out.words {
                let bits = self.window_word(value, low + i64::from(word) * 64);
                self.store(out, word, bits);
            }
        }
        self.cut_top(out, width);
        Operand::Wide(out)
    }

    /// Returns 64 bits of a value starting at bit `low`, which may be negative; bits outside the value are zeros.
    fn window_word(&mut self, value: MemoryWords, low: i64) -> Value {
        let (word, shift) = (low.div_euclid(64), low.rem_euclid(64));
        let at = |code: &mut Self, word: i64| match u32::try_from(word) {
            Ok(word) => code.load(value, word),
            Err(_) => code.constant(0),
        };
        let below = at(self, word);
        if shift == 0 {
            return below;
        }
        let below = self.builder.ins().ushr_imm(below, shift);
        let above = at(self, word + 1);
        let above = self.builder.ins().ishl_imm(above, 64 - shift);
        self.builder.ins().bor(below, above)
    }

    fn window_by_helper(&mut self, out: MemoryWords, value: MemoryWords, low: i64) {
        let (to, words) = (self.address(out), self.constant(out.words.into()));
        let (from, count, low) = (self.address(value), self.constant(value.words.into()), self.constant(low as u64));
        self.call(Helper::WideWindow, &[to, words, from, count, low]);
    }

    /// Clears the bits above a width.
    fn cut_top(&mut self, place: MemoryWords, width: u32) {
        if !width.is_multiple_of(64) {
            let top = self.load(place, place.words - 1);
            let top = self.and(top, mask(width % 64));
            self.store(place, place.words - 1, top);
        }
    }

    /// Concatenates two values, each given with its width.
    pub(super) fn concatenate(&mut self, high: (Operand, u32), low: (Operand, u32)) -> Operand {
        let width = high.1 + low.1;
        if let (Operand::Word(high), Operand::Word(low_value), true) = (high.0, low.0, width <= 64) {
            let moved = self.builder.ins().ishl_imm(high, i64::from(low.1));
            return Operand::Word(self.builder.ins().bor(moved, low_value));
        }
        let (high, low_place) = (self.in_memory(high.0), self.in_memory(low.0));
        let out = self.room_for(width);
        if out.words > UNROLLED {
            let (own, moved) = (self.room_for(width), self.room_for(width));
            self.window_by_helper(own, low_place, 0);
            self.window_by_helper(moved, high, -i64::from(low.1));
            let or = LOGIC.iter().position(|known| *known == BinaryOperator::Or).unwrap_or_default();
            self.wide_logic(BinaryOperator::Or, or as u64, out, own, moved);
            return Operand::Wide(out);
        }
        for word in 0..out.words {
            let start = i64::from(word) * 64;
            let moved = self.window_word(high, start - i64::from(low.1));
            let own = self.load(low_place, word);
            let bits = self.builder.ins().bor(moved, own);
            self.store(out, word, bits);
        }
        Operand::Wide(out)
    }

    /// Returns a value as words in memory.
    pub(super) fn in_memory(&mut self, operand: Operand) -> MemoryWords {
        match operand {
            Operand::Wide(place) => place,
            Operand::Word(value) => {
                let place = self.room(1);
                self.store(place, 0, value);
                place
            }
        }
    }

    /// Converts a value to another type, with the semantics of [`ir::Expression::Cast`].
    pub(super) fn cast(&mut self, from: Type, to: Type, operand: Operand) -> Operand {
        let (width, target) = (from.width(), to.width());
        match operand {
            _ if to == Type::Bool => {
                let word = match operand {
                    Operand::Word(value) => value,
                    Operand::Wide(place) => self.wide_nonzero(place),
                };
                if width == 1 {
                    return Operand::Word(word);
                }
                let flag = self.compare_constant(IntCC::NotEqual, word, 0);
                Operand::Word(self.truth(flag))
            }
            Operand::Word(value) if target <= 64 => {
                let extends = from.is_signed() && target > width;
                let value = if extends { self.on_words().sign_extend(width, value) } else { value };
                let needs_cut = extends || target < width;
                Operand::Word(if needs_cut { self.cut(value, target) } else { value })
            }
            _ if from.is_signed() && target > width => {
                let place = self.in_memory(operand);
                let out = self.room(words_of(target));
                let (to, target) = (self.address(out), self.constant(target.into()));
                let (value, width) = (self.address(place), self.constant(width.into()));
                self.call(Helper::WideExtend, &[to, target, value, width]);
                Operand::Wide(out)
            }
            Operand::Word(value) => self.widened(value, target),
            Operand::Wide(place) => self.wide_window(place, 0, target),
        }
    }
}
