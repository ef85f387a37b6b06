//! Addressing of registers and arrays of variables by index.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};
use ir::{ArrayId, Expression, RegisterId, VariableId};

use super::code::{CONTEXT, Code, WORDS};
use super::operand::{MemoryWords, Operand};
use crate::context::offsets;
use crate::helpers::Helper;
use crate::layout::words_of;

impl Code<'_> {
    /// Reads a register; the value is 0 if the predicate does not hold.
    pub(super) fn read(
        &mut self,
        register: RegisterId,
        index: Option<&Expression>,
        predicate: Option<&Expression>,
    ) -> Operand {
        let Some(predicate) = predicate else {
            let place = self.register(register, index);
            return self.operand(place);
        };
        let width = self.program.register(register).ty.width();
        let condition = self.condition(predicate);
        let read = |code: &mut Self| {
            let place = code.register(register, index);
            code.operand(place)
        };
        self.choose(condition, width, read, |code| code.number_of(0, width))
    }

    /// Returns the place of the value of a register at an index.
    pub(super) fn register(&mut self, register: RegisterId, index: Option<&Expression>) -> MemoryWords {
        let declared = self.program.register(register);
        let words = words_of(declared.ty.width());
        let size = declared.size() as u64;
        let place = index.map(|index| self.wrapped(index, size));
        let arrays = self.load_context(offsets::REGISTERS);
        let array = self.builder.ins().load(I64, CONTEXT, arrays, register.0 as i32 * 8);
        let Some(place) = place else { return MemoryWords { base: array, offset: 0, words } };
        let offset = self.builder.ins().imul_imm(place, i64::from(words) * 8);
        MemoryWords { base: self.builder.ins().iadd(array, offset), offset: 0, words }
    }

    /// Returns an index modulo the length of a register.
    fn wrapped(&mut self, index: &Expression, size: u64) -> Value {
        if let Expression::Constant(constant) = index {
            return self.constant(constant.value % size.max(1));
        }
        let width = self.program.type_of(index).width();
        let value = match self.value(index) {
            Operand::Word(value) => value,
            Operand::Wide(place) => {
                let (address, words, length) =
                    (self.address(place), self.constant(place.words.into()), self.constant(size));
                return self.ask(Helper::WideWrap, &[address, words, length]);
            }
        };
        if width < 64 && 1 << width <= size {
            return value;
        }
        if size.is_power_of_two() {
            return self.and(value, size - 1);
        }
        // Most indices are in bounds, and a division is slow.
        let outside = self.builder.create_block();
        self.builder.set_cold_block(outside);
        let (next, result) = self.block_with_word();
        let is_inside = self.compare_constant(IntCC::UnsignedLessThan, value, size);
        self.builder.ins().brif(is_inside, next, &[value.into()], outside, &[]);
        self.builder.switch_to_block(outside);
        let rest = self.builder.ins().urem_imm(value, size as i64);
        self.go_with(next, rest);
        self.builder.switch_to_block(next);
        result
    }

    /// Reads the variable at an index of an array; the value is 0 if the index is out of bounds.
    pub(super) fn element(&mut self, array: ArrayId, index: &Expression) -> Operand {
        let elements = &self.program.arrays[array.index()].elements;
        let width = self.program.variable(elements[0]).ty.width();
        let index = self.number(index);
        let is_inside = self.compare_constant(IntCC::UnsignedLessThan, index, elements.len() as u64);
        let load = |code: &mut Self| {
            let place = code.element_place(elements, index);
            code.operand(place)
        };
        self.choose(is_inside, width, load, |code| code.number_of(0, width))
    }

    /// Returns the place of the variable at an index, which must be in bounds.
    pub(super) fn element_place(&mut self, elements: &[VariableId], index: Value) -> MemoryWords {
        let starts: Vec<u64> = elements.iter().map(|&element| self.variable(element).offset as u64).collect();
        let words = self.variable(elements[0]).words;
        let step = starts.get(1).map_or(0, |second| second.wrapping_sub(starts[0]));
        let offset = if starts.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step) {
            // The elements are the same field of a header stack, at equal distances.
            let offset = self.builder.ins().imul_imm(index, step as i64);
            self.builder.ins().iadd_imm(offset, starts[0] as i64)
        } else {
            let table = self.shared.keep(&starts);
            let place = self.builder.ins().imul_imm(index, 8);
            let at = self.builder.ins().iadd_imm(place, table as i64);
            self.builder.ins().load(I64, WORDS, at, 0)
        };
        MemoryWords { base: self.builder.ins().iadd(self.words, offset), offset: 0, words }
    }
}
