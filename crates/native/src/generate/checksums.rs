//! Checksums and hashes: the Internet checksum is computed inline, all others by helpers from a bit string.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use ir::Checksum;
use runtime::checksum::Algorithm;

use super::code::Code;
use super::operand::Operand;
use crate::helpers::Helper;

/// A part of the data: its value, its width in bits, and the number of its lowest bits that count, if not all do.
struct ChecksumOperand {
    value: Operand,
    width: u32,
    length: Option<Value>,
}

/// The position of the end of a bit string, known at compile time or computed at run time.
#[derive(Clone, Copy)]
enum BitPosition {
    Known(u64),
    Computed(Value),
}

/// The number of parts, each below 2^49, whose sum still fits 64 bits.
const FOLDED: usize = 1 << 14;

impl Code<'_> {
    pub(super) fn checksum(&mut self, checksum: &Checksum) -> Operand {
        // All parts are evaluated first, because a part may contain another checksum.
        let parts: Vec<ChecksumOperand> = checksum
            .data
            .iter()
            .map(|part| {
                let width = self.program.type_of(&part.value).width();
                let value = self.value(&part.value);
                let length = part.length.as_ref().map(|length| {
                    // A length beyond the field means all of it.
                    let (length, most) = (self.number(length), self.constant(width.into()));
                    self.builder.ins().umin(length, most)
                });
                ChecksumOperand { value, width, length }
            })
            .collect();
        let (number, bits) = match checksum.algorithm {
            Algorithm::Csum16 => (self.internet_checksum(&parts, checksum.with_payload), 16),
            _ => (self.other_checksum(&parts, checksum), 64),
        };
        let width = checksum.result.width();
        let number = if width < bits { self.cut(number, width) } else { number };
        self.widened(number, width)
    }

    fn other_checksum(&mut self, parts: &[ChecksumOperand], checksum: &Checksum) -> Value {
        self.call(Helper::BitsClear, &[]);
        for part in parts {
            let length = part.length.unwrap_or_else(|| self.constant(part.width.into()));
            self.push_bits(part.value, length);
        }
        if checksum.with_payload {
            self.call(Helper::BitsPushPayload, &[]);
        }
        let algorithms = &mut self.shared.plan.algorithms;
        algorithms.push(checksum.algorithm.clone());
        let number = algorithms.len() as u64 - 1;
        let number = self.constant(number);
        self.ask(Helper::Checksum, &[number])
    }

    /// Appends the lowest `length` bits of a value to the bit string.
    pub(super) fn push_bits(&mut self, value: Operand, length: Value) {
        match value {
            Operand::Word(value) => self.call(Helper::BitsPush, &[value, length]),
            Operand::Wide(place) => {
                let address = self.address(place);
                self.call(Helper::BitsPushWide, &[address, length]);
            }
        }
    }

    /// Computes the Internet checksum (RFC 1071). The sum of 16-bit words with end-around carry is the sum modulo
    /// 65,535, where 2^16 is congruent to 1. A value therefore contributes itself, shifted left by the number of bits
    /// between its end and the end of the last 16-bit word that it reaches.
    fn internet_checksum(&mut self, parts: &[ChecksumOperand], with_payload: bool) -> Value {
        let mut sum = self.constant(0);
        let mut end = BitPosition::Known(0);
        for (number, part) in (1..).zip(parts) {
            end = self.advance(end, part);
            let share = self.share(part, end);
            sum = self.builder.ins().iadd(sum, share);
            if number % FOLDED == 0 {
                sum = self.fold(sum, 32);
            }
        }
        if with_payload {
            let bits = match end {
                BitPosition::Known(end) => self.constant(end),
                BitPosition::Computed(end) => end,
            };
            let share = self.ask(Helper::SumPayload, &[bits]);
            sum = self.builder.ins().iadd(sum, share);
        }
        let folded = self.fold_to_16(sum);
        self.builder.ins().bxor_imm(folded, 0xFFFF)
    }

    /// Returns the sum of the four 16-bit words of `sum` with end-around carry, which is 0 only if `sum` is. The upper
    /// half of a number plus itself with its halves exchanged is the sum of its halves with the carry of the lower ones,
    /// which is the same as the carry of the upper ones.
    fn fold_to_16(&mut self, sum: Value) -> Value {
        let exchanged = self.builder.ins().rotl_imm(sum, 32);
        let sum = self.builder.ins().iadd(sum, exchanged);
        let upper = self.builder.ins().ushr_imm(sum, 32);
        let sum = self.builder.ins().ireduce(I32, upper);
        let exchanged = self.builder.ins().rotl_imm(sum, 16);
        let sum = self.builder.ins().iadd(sum, exchanged);
        let upper = self.builder.ins().ushr_imm(sum, 16);
        self.builder.ins().uextend(I64, upper)
    }

    /// Adds the bits of `sum` above the lowest `bits` to those below.
    fn fold(&mut self, sum: Value, bits: u32) -> Value {
        let (low, high) = (self.cut(sum, bits), self.builder.ins().ushr_imm(sum, i64::from(bits)));
        self.builder.ins().iadd(low, high)
    }

    /// Returns the end of the string after `part` is appended.
    fn advance(&mut self, end: BitPosition, part: &ChecksumOperand) -> BitPosition {
        match (end, part.length) {
            (BitPosition::Known(end), None) => BitPosition::Known(end + u64::from(part.width)),
            (BitPosition::Known(end), Some(length)) => {
                BitPosition::Computed(self.builder.ins().iadd_imm(length, end as i64))
            }
            (BitPosition::Computed(end), None) => {
                BitPosition::Computed(self.builder.ins().iadd_imm(end, i64::from(part.width)))
            }
            (BitPosition::Computed(end), Some(length)) => BitPosition::Computed(self.builder.ins().iadd(end, length)),
        }
    }

    /// Returns the contribution of a part to the sum, which is below 2^49.
    fn share(&mut self, part: &ChecksumOperand, end: BitPosition) -> Value {
        let value = match (part.value, part.length) {
            (Operand::Wide(place), _) => {
                let length = part.length.unwrap_or_else(|| self.constant(part.width.into()));
                let bits = match end {
                    BitPosition::Known(end) => self.constant(end),
                    BitPosition::Computed(end) => end,
                };
                // Skip the call for empty fields: fields of variable length often are.
                let is_empty = self.compare_constant(IntCC::Equal, length, 0);
                let sum = self.choose(
                    is_empty,
                    64,
                    |code| Operand::Word(code.constant(0)),
                    |code| {
                        let address = code.address(place);
                        Operand::Word(code.ask(Helper::SumWide, &[address, length, bits]))
                    },
                );
                return self.low(sum);
            }
            (Operand::Word(value), None) => value,
            (Operand::Word(value), Some(length)) => {
                // Mask the lowest `length` bits; a shift by 64 would not clear anything, so that length is handled
                // separately.
                let ones = self.constant(u64::MAX);
                let above = self.builder.ins().ishl(ones, length);
                let kept = self.builder.ins().bnot(above);
                let kept = self.builder.ins().band(value, kept);
                let all = self.compare_constant(IntCC::Equal, length, 64);
                self.builder.ins().select(all, value, kept)
            }
        };
        // The value is reduced to at most 33 bits, so that shifting it by 15 stays within the bound.
        let narrow = if part.width > 33 {
            let (low, high) = (self.and(value, 0xFFFF_FFFF), self.builder.ins().ushr_imm(value, 32));
            self.builder.ins().iadd(low, high)
        } else {
            value
        };
        match end {
            BitPosition::Known(end) if end.is_multiple_of(16) => narrow,
            BitPosition::Known(end) => self.builder.ins().ishl_imm(narrow, 16 - (end % 16) as i64),
            BitPosition::Computed(end) => {
                let negated = self.builder.ins().ineg(end);
                let shift = self.and(negated, 15);
                self.builder.ins().ishl(narrow, shift)
            }
        }
    }
}
