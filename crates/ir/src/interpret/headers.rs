//! Statements on headers: extraction of bytes into headers, validity, and emission of headers as bytes.

use runtime::{Bits, read_bits};

use super::run::{Run, StatementResult, Stop, rejected};
use crate::{
    ErrorId, Expression, Header, HeaderField, HeaderId, HeaderReference, PacketStatement, VariableId, evaluate,
};

impl Run<'_, '_> {
    pub(super) fn packet_statement(&mut self, statement: &PacketStatement) -> StatementResult {
        match statement {
            PacketStatement::Extract { header, length } => {
                let header = self.header(header).ok_or(rejected(ErrorId::STACK_OUT_OF_BOUNDS))?;
                self.extract(header, length.as_ref())?;
            }
            PacketStatement::Lookahead { variables } => self.look_ahead(variables)?,
            PacketStatement::Advance { bits } => {
                // Only whole bytes can be skipped, as P4_16, 13.8.4 allows targets to demand.
                let bits = whole_bytes(self.number(bits))?;
                self.enough(bits)?;
                self.packet.position += bits;
            }
            PacketStatement::Verify { condition, error } => {
                let holds = self.is_true(condition);
                self.around.observer.verified(condition, holds, &self.packet.values);
                if !holds {
                    return Err(rejected(ErrorId(self.value(error).low() as u32)));
                }
            }
            PacketStatement::SetValid { header, valid } => {
                if let Some(header) = self.header(header) {
                    self.set_valid(header, *valid);
                }
            }
            PacketStatement::Emit { header } => {
                if let Some(header) = self.header(header) {
                    self.emit(header);
                }
            }
        }
        Ok(())
    }

    /// The header that a place refers to; `None` if the index is outside of the stack.
    fn header(&mut self, place: &HeaderReference) -> Option<HeaderId> {
        match place {
            HeaderReference::Fixed(header) => Some(*header),
            HeaderReference::Element(stack, index) => {
                evaluate::element(&self.program.stacks[stack.index()].elements, self.number(index))
            }
        }
    }

    /// Rejects with `PacketTooShort` unless this many bits are left.
    fn enough(&self, bits: usize) -> StatementResult {
        let bytes = self.packet.bytes.len() + self.packet.zeros;
        let left = (bytes * 8).saturating_sub(self.packet.position);
        if bits <= left { Ok(()) } else { Err(rejected(ErrorId::PACKET_TOO_SHORT)) }
    }

    fn extract(&mut self, id: HeaderId, length: Option<&Expression>) -> StatementResult {
        let program = self.program;
        let header = &program.headers[id.index()];
        // The errors are checked in the order of the specification (P4_16, 13.8.2).
        let variable = length.map_or(Ok(0), |length| whole_bytes(self.number(length)))?;
        let fixed: usize = header.fields.iter().filter(|field| field.length.is_none()).map(|f| self.width(f)).sum();
        let bits = fixed.saturating_add(variable);
        self.enough(bits)?;
        if header.fields.iter().any(|field| field.length.is_some() && variable > self.width(field)) {
            return Err(rejected(ErrorId::HEADER_TOO_SHORT));
        }
        let mut position = self.packet.position;
        self.around.observer.extracted(id, position, bits);
        for field in &header.fields {
            let width = program.variable(field.variable).ty.width();
            let read = if field.length.is_some() { variable as u32 } else { width };
            // Bytes that are not in memory are 0.
            let value = read_bits(&self.packet.bytes, position, read).resize(read, false, width);
            position += read as usize;
            self.set(field.variable, value);
            if let Some(length) = field.length {
                self.set_number(length, variable as u64);
            }
        }
        self.packet.position = position;
        self.set(header.valid, Bits::from(true));
        Ok(())
    }

    fn look_ahead(&mut self, variables: &[VariableId]) -> StatementResult {
        let width = |run: &Self, id: VariableId| run.program.variable(id).ty.width();
        self.enough(variables.iter().map(|&id| width(self, id) as usize).sum())?;
        let mut position = self.packet.position;
        self.around.observer.looked_ahead(variables, position);
        for &id in variables {
            let value = read_bits(&self.packet.bytes, position, width(self, id));
            position += width(self, id) as usize;
            self.set(id, value);
        }
        Ok(())
    }

    fn set_valid(&mut self, id: HeaderId, valid: bool) {
        let header = &self.program.headers[id.index()];
        if self.is_valid(header) == valid {
            return;
        }
        self.around.observer.validity(id, valid);
        for field in &header.fields {
            let value = self.around.undefined.value(self.program.variable(field.variable).ty.width());
            self.set(field.variable, value);
            if let Some(length) = field.length {
                // 0 is the only length that fits every type.
                self.set_number(length, 0);
            }
        }
        self.set(header.valid, Bits::from(valid));
    }

    fn emit(&mut self, id: HeaderId) {
        let header = &self.program.headers[id.index()];
        if !self.is_valid(header) {
            return;
        }
        let before = self.packet.emitted.bits;
        for field in &header.fields {
            let width = self.program.variable(field.variable).ty.width();
            let length = field.length.map_or(width, |length| self.packet.low(length).min(width.into()) as u32);
            self.packet.emitted.push(&self.packet.values[field.variable.index()], length);
        }
        self.around.observer.emitted(id, self.packet.emitted.bits - before);
    }

    fn is_valid(&self, header: &Header) -> bool {
        !self.packet.values[header.valid.index()].is_zero()
    }

    fn width(&self, field: &HeaderField) -> usize {
        self.program.variable(field.variable).ty.width() as usize
    }

    /// Assigns a number to a variable of any width.
    pub(super) fn set_number(&mut self, variable: VariableId, number: u64) {
        self.set(variable, Bits::from_u64(number, self.program.variable(variable).ty.width()));
    }
}

/// Requires a number of bits to be whole bytes. A number too large for any packet becomes `usize::MAX`, which has the
/// same effect.
fn whole_bytes(bits: Option<u64>) -> Result<usize, Stop> {
    match bits.map(usize::try_from) {
        Some(Ok(bits)) if bits % 8 != 0 => Err(rejected(ErrorId::PARSER_INVALID_ARGUMENT)),
        Some(Ok(bits)) => Ok(bits),
        _ => Ok(usize::MAX),
    }
}
