//! Accesses to local memory: fields that are near each other share one.

use ir::threads::MemoryField;
use ir::{BinaryOperator, Expression, VariableId};

/// The fields of local memory that an instruction reads, or those that it writes.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    /// The register that gives the address, the first bit behind it (or behind byte 0), and the bit behind the last one.
    fields: Vec<(Option<VariableId>, i64, i64)>,
}

impl Accesses {
    /// Adds a field. Returns false if its address is neither a constant, nor a register plus a constant: "using either
    /// pointer registers or an address contained in the micro-instruction" (section 2.2).
    pub fn add(&mut self, field: &MemoryField) -> bool {
        let Some((base, distance)) = address(&field.address) else { return false };
        let first = distance * 8 + i64::from(field.offset);
        self.fields.push((base, first, first + i64::from(field.width)));
        true
    }

    /// Returns the registers that give addresses.
    pub fn pointers(&self) -> impl Iterator<Item = VariableId> {
        self.fields.iter().filter_map(|(base, ..)| *base)
    }

    /// Returns the number of accesses of so many bytes, each from any byte on, that cover all fields.
    pub fn count(&self, bytes: u32) -> u32 {
        let mut fields = self.fields.clone();
        fields.sort_by_key(|&(base, first, end)| (base.map(VariableId::index), first, end));
        let mut count = 0;
        let mut covered: Option<(Option<VariableId>, i64)> = None;
        for (base, first, end) in fields {
            let is_covered = covered.is_some_and(|(known, limit)| known == base && end <= limit);
            if !is_covered {
                let begin = first.div_euclid(8) * 8;
                // A field of 64 bits that begins within a byte takes two accesses.
                let needed = (end - begin).div_euclid(i64::from(bytes) * 8)
                    + i64::from((end - begin) % (i64::from(bytes) * 8) != 0);
                let needed = needed.max(1);
                count += needed as u32;
                covered = Some((base, begin + needed * i64::from(bytes) * 8));
            }
        }
        count
    }
}

/// Returns the register and the distance in bytes that an address is.
fn address(expression: &Expression) -> Option<(Option<VariableId>, i64)> {
    match expression {
        Expression::Constant(constant) => Some((None, constant.value as i64)),
        Expression::Variable(variable) => Some((Some(*variable), 0)),
        Expression::Slice { value, .. } | Expression::Cast(_, value) => address(value).filter(|(_, at)| *at == 0),
        Expression::Binary(operator @ (BinaryOperator::Add | BinaryOperator::Subtract), left, right) => {
            match (address(left)?, address(right)?, operator) {
                ((base, left), (None, right), BinaryOperator::Add) => Some((base, left + right)),
                ((None, left), (base, right), BinaryOperator::Add) => Some((base, left + right)),
                ((base, left), (None, right), _) => Some((base, left - right)),
                _ => None,
            }
        }
        _ => None,
    }
}
