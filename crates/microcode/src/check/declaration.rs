//! Variables that are declared outside of instructions.

use std::rc::Rc;

use diagnostics::Diagnostic;
use ir::threads::{Contents, LINE_BYTES, MemoryKind, Segment};
use ir::{Initial, Variable, VariableId, VariableKind};

use super::contents::Bytes;
use super::{Checker, Entity};
use crate::limits::MOST_VALUE_BITS;
use crate::predefined::{LOCAL_MEMORY_BYTES, WORD_BYTES};
use crate::syntax::{self, Class, Initializer};
use crate::types::Type;

/// The address at which memory off the chip begins. Memory on the chip, at most 8 MB (section 2.3), is below.
pub(super) const OFF_CHIP_START: u64 = 1 << 32;
/// The end of shared memory: what addresses of 32 bits reach that count words of 8 bytes.
const SHARED_END: u64 = WORD_BYTES << 32;

impl Checker<'_> {
    /// Declares a variable of the program.
    pub(super) fn variable(&mut self, variable: &syntax::Variable) {
        let entity = match variable.class {
            Class::Memory => self.local_variable(variable),
            Class::Register => self.register(variable),
            Class::Virtual => self.named_value(variable),
            Class::Sram => self.shared_variable(variable, MemoryKind::OnChip),
            Class::Dram => self.shared_variable(variable, MemoryKind::OffChip),
            Class::Bus => {
                let error = Diagnostic::error(variable.span, "a bus carries a value within one instruction");
                self.error(error.hint("declare it between `begin` and `end`"));
                None
            }
        };
        self.declare(&variable.name, entity.unwrap_or(Entity::Broken));
    }

    /// `memory`: in local memory.
    fn local_variable(&mut self, variable: &syntax::Variable) -> Option<Entity> {
        let ty = self.sized_type(&variable.ty)?;
        let bytes = ty.bytes();
        // Transactions carry 8 bytes or a multiple of them, so structs and arrays begin and end at such.
        let alignment = if ty.is_scalar() { bytes.next_power_of_two().min(WORD_BYTES) } else { WORD_BYTES };
        let address = self.local_end.next_multiple_of(alignment);
        let end = (address + bytes).next_multiple_of(alignment);
        if end > LOCAL_MEMORY_BYTES.into() {
            let message = format!("`{}` does not fit in the local memory of a thread", variable.name.text);
            let free = u64::from(LOCAL_MEMORY_BYTES).saturating_sub(address);
            let error = Diagnostic::error(variable.name.span, message);
            self.error(error.label(format!("it takes {bytes} bytes, {free} of {LOCAL_MEMORY_BYTES} are free")));
            return None;
        }
        if let Some(initial) = &variable.initial {
            let begin = address / WORD_BYTES * WORD_BYTES;
            let mut contents = Bytes::new(end - begin);
            self.contents(&mut contents, &ty, (address - begin) * 8, initial)?;
            let first = (begin / WORD_BYTES) as usize;
            for (place, word) in contents.into_words().into_iter().enumerate() {
                if self.local_words.len() <= first + place {
                    self.local_words.resize(first + place + 1, 0);
                }
                // A word may hold several small variables.
                self.local_words[first + place] |= word;
            }
        }
        self.local_end = end;
        Some(Entity::Memory { ty, address })
    }

    /// `register`: a variable of the IR.
    fn register(&mut self, variable: &syntax::Variable) -> Option<Entity> {
        let ty = self.sized_type(&variable.ty)?;
        if let Some(Initializer::Single(syntax::Expression { span, .. }) | Initializer::List(_, span)) =
            &variable.initial
        {
            let error = Diagnostic::error(*span, "a register is 0 when a thread begins");
            self.error(error.hint("assign the value in the first instruction, or declare the variable as `memory`"));
        }
        if ty.bits() > MOST_VALUE_BITS.into() {
            let message = format!("`{}` does not fit in a register", variable.name.text);
            let error = Diagnostic::error(variable.name.span, message).label(format!("it has {} bits", ty.bits()));
            self.error(error.hint("a register has 64 bits; declare the variable as `memory`"));
            return None;
        }
        let in_ir = if ty.is_scalar() { ty.in_ir() } else { ir::Type::Bits(ty.bits().max(1) as u16) };
        let id = self.new_variable(&variable.name.text, in_ir);
        Some(Entity::Register { ty, variable: id })
    }

    /// Makes a variable of the IR.
    pub(super) fn new_variable(&mut self, name: &str, ty: ir::Type) -> VariableId {
        let id = VariableId::from(self.program.variables.len());
        self.program.variables.push(Variable { name: name.to_owned(), ty, kind: VariableKind::Local });
        id
    }

    /// `virtual` or `const`: a name for a value that is known at compile time.
    fn named_value(&mut self, variable: &syntax::Variable) -> Option<Entity> {
        let value = self.named(variable)?;
        if value.number().is_none() {
            let error = Diagnostic::error(variable.name.span, "this value is not known at compile time");
            self.error(error.hint("name values that are computed between `begin` and `end`"));
            return None;
        }
        Some(Entity::Value(value))
    }

    /// `sram`, `dram`: a segment of shared memory.
    fn shared_variable(&mut self, variable: &syntax::Variable, kind: MemoryKind) -> Option<Entity> {
        let ty = self.sized_type(&variable.ty)?;
        let (element, length) = match &ty {
            Type::Array(element, length) => (Rc::clone(element), *length),
            _ => (Rc::new(ty.clone()), 1),
        };
        let stride = stride(element.bytes());
        let bytes = stride.saturating_mul(length);
        let name = &variable.name;
        let address = self.shared_room(name, kind, bytes)?;
        let initial = match &variable.initial {
            None => Initial::Fill(0),
            Some(initial) => Initial::List(self.shared_contents(variable, initial, stride, bytes)?),
        };
        self.threads().segments.push(Segment {
            name: name.text.to_string(),
            kind,
            address,
            bytes,
            contents: Contents::Words(initial),
        });
        Some(Entity::Shared { ty, address, stride })
    }

    /// Takes room in shared memory. Segments begin at lines, so that no access to an element crosses one.
    pub(super) fn shared_room(&mut self, name: &syntax::Name, kind: MemoryKind, bytes: u64) -> Option<u64> {
        let limit = if kind == MemoryKind::OnChip { OFF_CHIP_START } else { SHARED_END };
        let end = self.shared_end(kind);
        let address = *end;
        let next = address.checked_add(bytes).and_then(|end| end.checked_next_multiple_of(LINE_BYTES));
        match next.filter(|&next| next <= limit) {
            Some(next) => {
                *end = next;
                Some(address)
            }
            None => {
                let error = Diagnostic::error(name.span, format!("`{}` does not fit in shared memory", name.text));
                let left = limit - address;
                self.error(error.label(format!("it takes {bytes} bytes, {left} are left")));
                None
            }
        }
    }
}

/// Returns the distance of elements of so many bytes in shared memory: a multiple of 8, and such that no element crosses
/// a line of 64 bytes unless it is longer.
pub(super) fn stride(bytes: u64) -> u64 {
    let words = bytes.max(1).next_multiple_of(WORD_BYTES);
    if words >= LINE_BYTES { words.next_multiple_of(LINE_BYTES) } else { words.next_power_of_two() }
}
