//! Checksums: those of IPv4 headers are right in every segment, and remain so where a program computes them anew.

use std::rc::Rc;

use ir::{Checksum, Expression};
use runtime::checksum::Algorithm;

use super::Analysis;
use super::path::Path;
use super::value::{Bit, Part, Value, input_bit};

impl Analysis<'_> {
    /// Evaluates a checksum or hash.
    pub(super) fn checksum(&mut self, checksum: &Checksum, path: &Path) -> Value {
        let mut parts = Vec::new();
        let mut is_exact = true;
        for part in &checksum.data {
            let value = self.evaluate(&part.value, path);
            let width = self.program.type_of(&part.value).width();
            let length = part.length.as_ref().map(|length| self.evaluate(length, path));
            match length {
                None => parts.push(Part { value, width }),
                // The lowest bits of a variable-length field are those in use.
                Some(Value::Constant(length)) => {
                    let used = length.to_u64().map_or(width, |length| length.min(u64::from(width)) as u32);
                    if used > 0 {
                        parts.push(Part { value: value.lowest(width, used), width: used });
                    }
                }
                Some(length) => {
                    is_exact = false;
                    let value = if length.varies(32, &self.shape) { Value::Varying } else { value };
                    parts.push(Part { value, width });
                }
            }
        }
        let varies = parts.iter().any(|part| part.value.varies(part.width, &self.shape));
        if checksum.algorithm == Algorithm::Random && self.drawn.is_none() {
            let expression = Expression::Checksum(Box::new(checksum.clone()));
            self.drawn = Some(ir::print::expression(self.program, &expression).to_string());
        }
        if is_exact
            && !checksum.with_payload
            && checksum.algorithm == Algorithm::Csum16
            && checksum.result.width() == 16
        {
            return Value::Checksum(Rc::from(parts));
        }
        if varies || checksum.with_payload { Value::Varying } else { self.unknown() }
    }

    /// Whether one of two values is the checksum of the IPv4 header as it arrived and the other one the header's field
    /// for it, which are equal in all segments.
    pub(super) fn is_right_checksum(&self, one: &Value, other: &Value) -> bool {
        let (parts, field) = match (one, other) {
            (Value::Checksum(parts), Value::Input(field)) | (Value::Input(field), Value::Checksum(parts)) => {
                (parts, field)
            }
            _ => return false,
        };
        let Some(own) = self.shape.header_checksum().filter(|own| own == field) else { return false };
        let header = (self.shape.network()..self.shape.transport()).map(|at| input_bit(at, &self.shape));
        self.covers(parts, header.collect(), own - self.shape.network())
    }

    /// Whether the parts of a checksum are the bits of a header, without those of the checksum at offset `own` or with
    /// zeros in their place.
    pub(super) fn covers(&self, parts: &[Part], header: Vec<Bit>, own: u32) -> bool {
        let bits: Vec<Bit> = parts.iter().flat_map(|part| part.bits(&self.shape)).collect();
        let own = own as usize..own as usize + 16;
        let zeros = [Bit::Known(false); 16];
        let without = [&header[..own.start], &header[own.end..]].concat();
        let with_zeros = [&header[..own.start], &zeros, &header[own.end..]].concat();
        !bits.contains(&Bit::Varying) && (bits == without || bits == with_zeros)
    }
}
