//! First contents of memory.

use diagnostics::{Diagnostic, Span};

use super::Checker;
use super::value::Value;
use crate::predefined::WORD_BYTES;
use crate::syntax::{self, Initializer};
use crate::types::Type;

/// Bytes that are filled bit by bit.
pub(super) struct Bytes {
    words: Vec<u64>,
}

impl Bytes {
    /// Makes so many bytes, all 0.
    pub fn new(bytes: u64) -> Self {
        Self { words: vec![0; bytes.div_ceil(WORD_BYTES) as usize] }
    }

    /// Sets a bit field, whose bits are 0 so far: the first bit is the most significant one of the first byte.
    fn set(&mut self, offset: u64, width: u32, value: u64) {
        let bits = u128::from(value) << (128 - u64::from(width) - offset % 64);
        let word = (offset / 64) as usize;
        self.words[word] |= (bits >> 64) as u64;
        if let Some(next) = self.words.get_mut(word + 1) {
            *next |= bits as u64;
        }
    }

    /// Returns the bytes as words in network order.
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }
}

impl Checker<'_> {
    /// Returns the words of a segment of shared memory, without zeros at the end.
    pub(super) fn shared_contents(
        &mut self,
        variable: &syntax::Variable,
        initial: &Initializer,
        stride: u64,
        bytes: u64,
    ) -> Option<Vec<u64>> {
        let ty = self.sized_type(&variable.ty)?;
        let Type::Array(element, length) = &ty else {
            let mut contents = self.room(bytes, variable.name.span)?;
            self.contents(&mut contents, &ty, 0, initial)?;
            return Some(contents.into_words());
        };
        let Initializer::List(values, span) = initial else { return self.refuse_single(&ty, initial) };
        if values.len() as u64 > *length {
            return self.refuse_surplus(*span, *length);
        }
        let mut contents = self.room(values.len() as u64 * stride, *span)?;
        for (place, value) in values.iter().enumerate() {
            self.contents(&mut contents, element, place as u64 * stride * 8, value);
        }
        Some(contents.into_words())
    }

    /// Makes room for contents that are written down, unless it is too much.
    fn room(&mut self, bytes: u64, span: Span) -> Option<Bytes> {
        let Some(left) = self.content_left.checked_sub(bytes) else {
            let error = Diagnostic::error(span, "the program has more first contents than an image can hold");
            self.error(error.hint("let the control plane write them"));
            return None;
        };
        self.content_left = left;
        Some(Bytes::new(bytes))
    }

    /// Writes the contents of a value of a type, which begins at this bit.
    pub(super) fn contents(&mut self, into: &mut Bytes, ty: &Type, offset: u64, initial: &Initializer) -> Option<()> {
        match (ty, initial) {
            (Type::Array(element, length), Initializer::List(values, span)) => {
                if values.len() as u64 > *length {
                    return self.refuse_surplus(*span, *length);
                }
                for (place, value) in values.iter().enumerate() {
                    self.contents(into, element, offset + place as u64 * element.bits(), value);
                }
                Some(())
            }
            (Type::Structure(structure), Initializer::List(values, span)) => {
                let most = if structure.is_union { 1 } else { structure.order.len() };
                if values.len() > most {
                    return self.refuse_surplus(*span, most as u64);
                }
                for (name, value) in structure.order.iter().zip(values) {
                    let field = &structure.fields[name];
                    self.contents(into, &field.ty, offset + field.offset, value);
                }
                Some(())
            }
            (Type::Array(..) | Type::Structure(_), Initializer::Single(_)) => self.refuse_single(ty, initial),
            (_, Initializer::List(_, span)) => {
                let error = Diagnostic::error(*span, format!("several values for one of type `{}`", ty.describe()));
                self.error(error.hint("write the value without braces"));
                None
            }
            (_, Initializer::Single(expression)) => {
                let number = self.constant(expression)?;
                let value = Value::literal(number);
                self.warn_of_lost_bits(ty, &value, expression.span);
                if ty.bits() > 64 {
                    let error = Diagnostic::error(expression.span, "a first value has at most 64 bits");
                    self.error(error.hint("declare an array of parts, or a struct"));
                    return None;
                }
                let in_ir = ty.in_ir();
                let bits = if in_ir == ir::Type::Bool { u64::from(number != 0) } else { in_ir.value_of(number as i64) };
                into.set(offset, in_ir.width(), bits);
                Some(())
            }
        }
    }

    fn refuse_surplus<T>(&mut self, span: Span, most: u64) -> Option<T> {
        let error = Diagnostic::error(span, format!("more values than there is room for: at most {most}"));
        self.error(error);
        None
    }

    fn refuse_single<T>(&mut self, ty: &Type, initial: &Initializer) -> Option<T> {
        let (Initializer::Single(syntax::Expression { span, .. }) | Initializer::List(_, span)) = initial;
        let error = Diagnostic::error(*span, format!("one value for all of `{}`", ty.describe()));
        self.error(error.hint("write the values in braces; zeros follow the last one"));
        None
    }
}
