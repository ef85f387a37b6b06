//! Fields of local memory: those that are near each other share an access.

use ir::threads::MemoryField;
use ir::{BinaryOperator, Expression};

use super::Mapper;
use super::operand::{Core, constant, placed};
use crate::word::{ACCESS_BYTES, Access, Field, Input, Pointer, Source};

/// The greatest distance of a field from its pointer in bytes, in each direction.
pub(crate) const MOST_DISTANCE: u64 = 1 << 16;

/// The bits of local memory that an instruction reads, or those that it writes.
#[derive(Debug, Default)]
pub(super) struct Demands(Vec<(Option<Pointer>, u64, u64)>);

/// Accesses that cover all bits.
#[derive(Debug, Default)]
pub(super) struct Windows(pub Vec<Access>);

impl Demands {
    /// Returns whether some bits are there twice.
    pub fn overlap(&self) -> bool {
        let later = |place| self.0.iter().skip(place + 1);
        let overlaps = |(pointer, first, end): &(Option<Pointer>, u64, u64), other: &(Option<Pointer>, u64, u64)| {
            *pointer == other.0 && *first < other.2 && other.1 < *end
        };
        self.0.iter().enumerate().any(|(place, one)| later(place).any(|other| overlaps(one, other)))
    }

    /// Returns as few accesses as cover all bits, each from any byte on.
    pub fn windows(&self) -> Windows {
        let mut demands = self.0.clone();
        demands.sort_unstable();
        let mut all: Vec<Access> = Vec::new();
        for (pointer, first, end) in demands {
            let covers = |last: &Access| last.pointer == pointer && end <= (u64::from(last.bytes) + ACCESS_BYTES) * 8;
            if !all.last().is_some_and(covers) {
                all.push(Access { pointer, bytes: (first / 8) as u32 });
            }
        }
        Windows(all)
    }
}

impl Windows {
    /// Returns the access that covers these bits, and the bit at which it begins.
    fn covering(&self, pointer: Option<Pointer>, first: u64, end: u64) -> Option<(u8, u64)> {
        let covers = |access: &Access| {
            let begin = u64::from(access.bytes) * 8;
            access.pointer == pointer && begin <= first && end <= begin + ACCESS_BYTES * 8
        };
        let place = self.0.iter().position(covers)?;
        Some((place as u8, u64::from(self.0[place].bytes) * 8))
    }
}

impl Mapper<'_> {
    /// Returns an input from a field of local memory; `of` is the field of its value.
    pub(super) fn read_memory(&mut self, field: &MemoryField, of: Field) -> Input {
        let Some((pointer, begin)) = self.address(field) else { return Input::ZERO };
        let end = begin + u64::from(field.width);
        // Bits that do not matter are read, too, for whether they exist does.
        let (first, last) = match of.width {
            0 => (begin, begin + 1),
            width => (end - u64::from(of.offset) - u64::from(width), end - u64::from(of.offset)),
        };
        self.memory_reads.0.push((pointer, first, last));
        // Before all fields are known there are no accesses.
        let Some((place, window)) = self.read_windows.covering(pointer, first, last) else { return Input::ZERO };
        let offset = if of.width == 0 { 0 } else { window + ACCESS_BYTES * 8 - last };
        let reach = (end - window) as u8;
        Input { source: Source::Read(place), field: Field { offset: offset as u8, ..of }, reach }
    }

    /// Returns where bits of a field of local memory are written, `from` bits behind its beginning: the access and
    /// the first bit there.
    pub(super) fn write_memory(&mut self, field: &MemoryField, from: u32, width: u32) -> (u8, u8) {
        let Some((pointer, begin)) = self.address(field) else { return (0, 0) };
        let (first, end) = (begin + u64::from(from), begin + u64::from(from + width));
        self.memory_writes.0.push((pointer, first, end));
        let Some((place, window)) = self.write_windows.covering(pointer, first, end) else { return (0, 0) };
        (place, (first - window) as u8)
    }

    /// Returns the pointer of a field, and the distance of its first bit from there.
    fn address(&mut self, field: &MemoryField) -> Option<(Option<Pointer>, u64)> {
        let behind = u64::from(field.offset);
        let found = match constant(self.program, &field.address) {
            Some(address) if address <= ir::threads::MAX_LOCAL_MEMORY.into() => Some((None, address * 8 + behind)),
            Some(_) => None,
            None => self.pointer(&field.address).map(|pointer| (Some(pointer), behind)),
        };
        match found {
            Some((_, first)) if first / 8 > MOST_DISTANCE => self.refuse(
                format!("a field {} bytes behind an address, and a word reaches {MOST_DISTANCE}", first / 8),
                "compute the pointer in an instruction before",
            ),
            Some(_) => return found,
            None => self.refuse(
                "an address that is computed; a word addresses local memory by a constant, or by a register plus a constant",
                "compute the pointer in an instruction before: `pointer = &array[index];`",
            ),
        }
        None
    }

    /// Returns the register and the distance that an address is.
    fn pointer(&self, address: &Expression) -> Option<Pointer> {
        let (core, field) = placed(self.program, address);
        match core {
            // A register as it is: what moves its bits has computed a pointer.
            Core::Register(register) if field == Field::whole(field.width.into()) => {
                Some(Pointer { register, field, distance: 0, bits: self.width(address) as u8 })
            }
            Core::Computed(Expression::Binary(
                operator @ (BinaryOperator::Add | BinaryOperator::Subtract),
                left,
                right,
            )) => {
                let bits = self.width(left);
                // A sum may be taken for a wider number, but not be moved elsewhere.
                if field != Field::whole(bits) {
                    return None;
                }
                let number = |side| constant(self.program, side);
                let (inner, added) = match (number(left), number(right), operator) {
                    (None, Some(value), BinaryOperator::Add) => (left, value),
                    (None, Some(value), _) => (left, value.wrapping_neg()),
                    (Some(value), None, BinaryOperator::Add) => (right, value),
                    _ => return None,
                };
                let pointer = self.pointer(inner).filter(|pointer| u32::from(pointer.bits) == bits)?;
                let sum = i64::from(pointer.distance) + runtime::arithmetic::sign_extend(added, bits);
                let distance = i32::try_from(sum).ok().filter(|sum| u64::from(sum.unsigned_abs()) < MOST_DISTANCE)?;
                Some(Pointer { distance, ..pointer })
            }
            _ => None,
        }
    }
}
