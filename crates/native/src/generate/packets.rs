//! Statements on the packet and its headers.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::Switch;
use ir::{ErrorId, Expression, Header, HeaderField, HeaderId, HeaderReference, PacketStatement, VariableId};

use super::code::Code;
use super::operand::status;
use super::parser::rejected;
use crate::analysis::fixed_bits;
use crate::context::offsets;
use crate::helpers::Helper;

impl Code<'_> {
    /// Emits a packet statement. Returns false if control never reaches its end.
    pub(super) fn packet_statement(&mut self, statement: &PacketStatement) -> bool {
        match statement {
            PacketStatement::Extract { header, length } => {
                let outside = rejected(ErrorId::STACK_OUT_OF_BOUNDS);
                self.each_header(header, Some(outside), |code, header| code.extract(header, length.as_ref()));
            }
            PacketStatement::Lookahead { variables } => self.look_ahead(variables),
            PacketStatement::Advance { bits } => {
                let bits = self.whole_bytes(bits);
                let (position, left) = self.position_and_left();
                let short = self.compare(IntCC::UnsignedGreaterThan, bits, left);
                self.stop_if(short, rejected(ErrorId::PACKET_TOO_SHORT));
                let position = self.builder.ins().iadd(position, bits);
                self.move_to(position);
            }
            PacketStatement::Verify { condition, error } => {
                let holds = self.condition(condition);
                let (fails, next) = (self.builder.create_block(), self.builder.create_block());
                self.branch(holds, next, fails);
                self.builder.switch_to_block(fails);
                let error = self.word(error);
                let error = self.and(error, u32::MAX.into());
                let how = self.builder.ins().bor_imm(error, status::REJECTED as i64);
                self.go_with(self.scope.stops, how);
                self.builder.switch_to_block(next);
            }
            PacketStatement::SetValid { header, valid } => {
                self.each_header(header, None, |code, header| code.set_valid(header, *valid));
            }
            PacketStatement::Emit { header } => self.each_header(header, None, Self::emit),
        }
        true
    }

    /// Emits code for a header. For an element of a header stack, emits code for each element and selects one by the
    /// index at run time. An index out of bounds stops with the status `outside`, or does nothing if that is `None`.
    fn each_header(&mut self, place: &HeaderReference, outside: Option<u64>, write: impl Fn(&mut Self, &Header)) {
        let program = self.program;
        let header = |id: HeaderId| &program.headers[id.index()];
        let (stack, index) = match place {
            HeaderReference::Fixed(id) => return write(self, header(*id)),
            HeaderReference::Element(stack, index) => (stack, index),
        };
        let elements = &program.stacks[stack.index()].elements;
        let index = self.number(index);
        let (next, none) = (self.builder.create_block(), self.builder.create_block());
        let blocks: Vec<_> = elements.iter().map(|_| self.builder.create_block()).collect();
        let mut switch = Switch::new();
        (0..).zip(&blocks).for_each(|(number, block)| switch.set_entry(number, *block));
        switch.emit(&mut self.builder, index, none);
        let scratch = self.scratch_used;
        for (element, block) in elements.iter().zip(blocks) {
            self.builder.switch_to_block(block);
            self.scratch_used = scratch;
            write(self, header(*element));
            self.go(next);
        }
        self.builder.switch_to_block(none);
        match outside {
            Some(status) => self.stop(status),
            None => self.go(next),
        }
        self.builder.switch_to_block(next);
    }

    /// Evaluates a number of bits and rejects it if it is not a multiple of 8. Any number longer than the packet may
    /// stand for another one.
    fn whole_bytes(&mut self, bits: &Expression) -> Value {
        let bits = self.number(bits);
        let rest = self.and(bits, 7);
        self.stop_if(rest, rejected(ErrorId::PARSER_INVALID_ARGUMENT));
        bits
    }

    /// Returns the position of the parser and the number of bits after it.
    fn position_and_left(&mut self) -> (Value, Value) {
        let (position, bits) = (self.builder.use_var(self.position), self.load_context(offsets::BITS));
        (position, self.builder.ins().isub(bits, position))
    }

    /// Rejects unless `bits` bits are left.
    fn enough(&mut self, bits: u64, left: Value) {
        if bits > 0 {
            let short = self.compare_constant(IntCC::UnsignedLessThan, left, bits);
            self.stop_if(short, rejected(ErrorId::PACKET_TOO_SHORT));
        }
    }

    /// Returns the position and the one `bits` bits after it. Rejects unless these bits exist, and ensures that they are
    /// in memory, where all of most packets is.
    fn ahead(&mut self, bits: u64) -> (Value, Value) {
        let position = self.builder.use_var(self.position);
        if bits == 0 {
            return (position, position);
        }
        let (end, known) = (self.builder.ins().iadd_imm(position, bits as i64), self.load_context(offsets::KNOWN));
        let lacks = self.compare(IntCC::UnsignedGreaterThan, end, known);
        let (more, next) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(more);
        self.branch(lacks, more, next);
        self.builder.switch_to_block(more);
        let all = self.load_context(offsets::BITS);
        let short = self.compare(IntCC::UnsignedGreaterThan, end, all);
        self.stop_if(short, rejected(ErrorId::PACKET_TOO_SHORT));
        self.call(Helper::Reach, &[end]);
        self.go(next);
        self.builder.switch_to_block(next);
        (position, end)
    }

    /// Ensures that the packet's bytes up to bit `end`, which exist, are in memory. Those behind the head of a packet
    /// are brought there on demand; few parsers read so far.
    fn reach(&mut self, end: Value) {
        let known = self.load_context(offsets::KNOWN);
        let lacks = self.compare(IntCC::UnsignedGreaterThan, end, known);
        let (reach, next) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(reach);
        self.branch(lacks, reach, next);
        self.builder.switch_to_block(reach);
        self.call(Helper::Reach, &[end]);
        self.go(next);
        self.builder.switch_to_block(next);
    }

    fn width(&self, variable: VariableId) -> u32 {
        self.program.variable(variable).ty.width()
    }

    fn extract(&mut self, header: &Header, length: Option<&Expression>) {
        // Errors are checked in the order of the specification (P4_16, 13.8.2).
        let variable = length.map(|length| self.whole_bytes(length));
        let fixed = fixed_bits(self.program, header);
        let mut position = match variable {
            None => self.ahead(fixed).0,
            Some(variable) => {
                let (position, left) = self.position_and_left();
                let short = self.compare(IntCC::UnsignedGreaterThan, variable, left);
                self.stop_if(short, rejected(ErrorId::PACKET_TOO_SHORT));
                let left = self.builder.ins().isub(left, variable);
                self.enough(fixed, left);
                if let Some(field) = header.fields.iter().find(|field| field.length.is_some()) {
                    let most = u64::from(self.width(field.variable));
                    let long = self.compare_constant(IntCC::UnsignedGreaterThan, variable, most);
                    self.stop_if(long, rejected(ErrorId::HEADER_TOO_SHORT));
                }
                let end = self.builder.ins().iadd_imm(position, fixed as i64);
                let end = self.builder.ins().iadd(end, variable);
                self.reach(end);
                position
            }
        };
        let is_variable = |field: &HeaderField| field.length.is_some();
        for fields in header.fields.chunk_by(|a, b| !is_variable(a) && !is_variable(b)) {
            match (fields, variable) {
                (&[HeaderField { variable: field, length: Some(length) }], Some(bits)) => {
                    self.read_variable(field, position, bits);
                    self.set_number(length, bits);
                    position = self.builder.ins().iadd(position, bits);
                }
                _ => {
                    let fields: Vec<VariableId> = fields.iter().map(|field| field.variable).collect();
                    position = self.read_fields(&fields, position);
                }
            }
        }
        self.move_to(position);
        let (valid, one) = (self.variable(header.valid), self.constant(1));
        self.store(valid, 0, one);
    }

    /// Reads a field whose length is known only at run time.
    fn read_variable(&mut self, field: VariableId, position: Value, bits: Value) {
        let place = self.variable(field);
        let (some, none) = (self.builder.create_block(), self.builder.create_block());
        let next = self.builder.create_block();
        self.branch(bits, some, none);
        self.builder.switch_to_block(none);
        self.clear(place);
        self.go(next);
        self.builder.switch_to_block(some);
        let (address, words) = (self.address(place), self.constant(place.words.into()));
        self.call(Helper::ReadBits, &[address, words, position, bits]);
        self.go(next);
        self.builder.switch_to_block(next);
    }

    fn look_ahead(&mut self, variables: &[VariableId]) {
        let bits = variables.iter().map(|&variable| u64::from(self.width(variable))).sum();
        let (position, _) = self.ahead(bits);
        self.read_fields(variables, position);
    }

    fn set_valid(&mut self, header: &Header, valid: bool) {
        let place = self.variable(header.valid);
        let before = self.load(place, 0);
        let changes = self.compare_constant(IntCC::NotEqual, before, valid.into());
        self.only_if(changes, |code| {
            for field in &header.fields {
                for variable in [Some(field.variable), field.length].into_iter().flatten() {
                    code.clear(code.variable(variable));
                }
            }
            let valid = code.constant(valid.into());
            code.store(place, 0, valid);
        });
    }

    fn emit(&mut self, header: &Header) {
        let valid = self.load(self.variable(header.valid), 0);
        self.only_if(valid, |code| {
            let is_variable = |field: &HeaderField| field.length.is_some();
            for fields in header.fields.chunk_by(|a, b| !is_variable(a) && !is_variable(b)) {
                match fields {
                    &[HeaderField { variable, length: Some(length) }] => code.emit_variable(variable, length),
                    _ => {
                        let fields: Vec<VariableId> = fields.iter().map(|field| field.variable).collect();
                        code.emit_fields(&fields);
                    }
                }
            }
        });
    }

    /// Emits the lowest bits of a variable-length field, as many as its length says.
    fn emit_variable(&mut self, field: VariableId, length: VariableId) {
        let place = self.variable(field);
        let (length, most) = (self.load(self.variable(length), 0), self.constant(self.width(field).into()));
        let bits = self.builder.ins().umin(length, most);
        self.only_if(bits, |code| {
            let (address, words) = (code.address(place), code.constant(place.words.into()));
            code.call(Helper::EmitBits, &[address, words, bits]);
            code.load_emitted();
        });
    }
}
