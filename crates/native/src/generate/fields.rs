//! Moving fields between variables and packet bytes: eight bytes at a time where fields begin at a byte boundary, as
//! they usually do, otherwise by a helper.

use cranelift_codegen::ir::types::{I16, I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use ir::VariableId;

use super::code::{BYTES, Code, EMITTED};
use super::operand::MemoryWords;
use crate::context::offsets;
use crate::helpers::Helper;
use crate::program_data::Field;

/// Eight loaded bytes as a number in network byte order, and the position of their first bit.
#[derive(Clone, Copy)]
struct Window {
    start: u32,
    bytes: Value,
}

/// The part of a field's value that one word holds: the lowest `width` bits of that word.
struct Piece {
    place: MemoryWords,
    word: u32,
    width: u32,
}

impl Code<'_> {
    fn list(&mut self, fields: &[VariableId]) -> (Vec<Field>, u32) {
        let layout = &self.shared.plan.layout;
        let field = |&variable: &VariableId| Field {
            start: layout.place(variable).start as u32,
            width: self.program.variable(variable).ty.width(),
        };
        let fields: Vec<Field> = fields.iter().map(field).collect();
        let bits = fields.iter().map(|field| field.width).sum();
        (fields, bits)
    }

    /// Reads fields from the packet at a position. The bits must exist. Returns the position after them.
    pub(super) fn read_fields(&mut self, fields: &[VariableId], position: Value) -> Value {
        let (list, bits) = self.list(fields);
        if bits == 0 {
            return position;
        }
        let aligned = |code: &mut Self| {
            let bytes = code.load_context(offsets::BYTES);
            let offset = code.builder.ins().ushr_imm(position, 3);
            let from = code.builder.ins().iadd(bytes, offset);
            code.read_aligned(fields, from);
        };
        if self.shared.analysis.parses_bytes {
            aligned(self);
        } else {
            let number = self.shared.field_list(list);
            self.if_aligned(position, aligned, |code| {
                let number = code.constant(number);
                code.call(Helper::ReadFields, &[number, position]);
            });
        }
        self.builder.ins().iadd_imm(position, i64::from(bits))
    }

    /// Emits code for a position at a byte boundary, and code for any other position, which is assumed to be rare.
    fn if_aligned(&mut self, position: Value, aligned: impl FnOnce(&mut Self), other: impl FnOnce(&mut Self)) {
        let rest = self.and(position, 7);
        let (fast, slow) = (self.builder.create_block(), self.builder.create_block());
        let next = self.builder.create_block();
        self.builder.set_cold_block(slow);
        self.branch(rest, slow, fast);
        self.builder.switch_to_block(slow);
        other(self);
        self.go(next);
        self.builder.switch_to_block(fast);
        aligned(self);
        self.go(next);
        self.builder.switch_to_block(next);
    }

    fn read_aligned(&mut self, fields: &[VariableId], from: Value) {
        let mut window = None;
        let mut start = 0;
        for &variable in fields {
            for Piece { place, word, width } in self.pieces(variable) {
                let value = self.read_piece(from, start, width, &mut window);
                self.store(place, word, value);
                start += width;
            }
        }
    }

    /// Returns the words of a variable in the order in which they appear in the packet, most significant first.
    fn pieces(&self, variable: VariableId) -> Vec<Piece> {
        let (place, width) = (self.variable(variable), self.program.variable(variable).ty.width());
        let piece = |word: u32| Piece { place, word, width: (width - word * 64).min(64) };
        (0..place.words).rev().map(piece).collect()
    }

    /// Reads a number of at most 64 bits that begins `start` bits after the byte boundary `from`.
    fn read_piece(&mut self, from: Value, start: u32, width: u32, window: &mut Option<Window>) -> Value {
        let (byte, skip) = ((start / 8) as i32, start % 8);
        let end = start + width;
        if (skip, width) == (0, 8) {
            return self.builder.ins().uload8(I64, BYTES, from, byte);
        }
        if let Some(known) = window.filter(|known| known.start <= start && end <= known.start + 64) {
            return self.within(known, start, width);
        }
        if let (0, 16 | 32) = (skip, width) {
            let bytes = self.builder.ins().load(if width == 16 { I16 } else { I32 }, BYTES, from, byte);
            let number = self.builder.ins().bswap(bytes);
            return self.builder.ins().uextend(I64, number);
        }
        let bytes = self.builder.ins().load(I64, BYTES, from, byte);
        let bytes = self.builder.ins().bswap(bytes);
        let loaded = Window { start: start - skip, bytes };
        *window = Some(loaded);
        if skip + width <= 64 {
            return self.within(loaded, start, width);
        }
        // The number extends into a ninth byte.
        let last = self.builder.ins().uload8(I64, BYTES, from, byte + 8);
        let last = self.builder.ins().ushr_imm(last, i64::from(8 - skip));
        let first = self.builder.ins().ishl_imm(bytes, i64::from(skip));
        let whole = self.builder.ins().bor(first, last);
        self.moved_down(whole, 64 - width)
    }

    /// Extracts a number that lies within a window.
    fn within(&mut self, window: Window, start: u32, width: u32) -> Value {
        let moved = self.moved_down(window.bytes, window.start + 64 - (start + width));
        if window.start == start { moved } else { self.cut(moved, width) }
    }

    fn moved_down(&mut self, value: Value, bits: u32) -> Value {
        if bits == 0 { value } else { self.builder.ins().ushr_imm(value, i64::from(bits)) }
    }

    /// Appends fields to the emitted bits.
    pub(super) fn emit_fields(&mut self, fields: &[VariableId]) {
        let (list, bits) = self.list(fields);
        if bits == 0 {
            return;
        }
        let emitted = self.builder.use_var(self.emitted);
        let aligned = |code: &mut Self| {
            let end = code.builder.ins().iadd_imm(emitted, i64::from(bits));
            code.make_room(end, bits);
            let buffer = code.load_context(offsets::EMITTED);
            let offset = code.builder.ins().ushr_imm(emitted, 3);
            let to = code.builder.ins().iadd(buffer, offset);
            code.emit_aligned(fields, to);
            code.set_emitted(end);
        };
        if self.shared.analysis.emits_bytes {
            return aligned(self);
        }
        let number = self.shared.field_list(list);
        self.if_aligned(emitted, aligned, |code| {
            let number = code.constant(number);
            code.call(Helper::EmitFields, &[number]);
            code.load_emitted();
        });
    }

    fn make_room(&mut self, end: Value, bits: u32) {
        use cranelift_codegen::ir::condcodes::IntCC;
        let room = self.load_context(offsets::EMITTED_ROOM);
        let lacks = self.compare(IntCC::UnsignedGreaterThan, end, room);
        let (grow, next) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(grow);
        self.branch(lacks, grow, next);
        self.builder.switch_to_block(grow);
        let bits = self.constant(bits.into());
        self.call(Helper::Grow, &[bits]);
        self.go(next);
        self.builder.switch_to_block(next);
    }

    /// Emits fields by gathering eight bytes at a time. The last store writes zeros beyond the end, where there is room
    /// for them.
    fn emit_aligned(&mut self, fields: &[VariableId], to: Value) {
        let mut gathered: Option<Value> = None;
        let (mut filled, mut offset) = (0, 0);
        for piece in fields.iter().flat_map(|&field| self.pieces(field)).collect::<Vec<_>>() {
            let value = self.load(piece.place, piece.word);
            let mut width = piece.width;
            while width > 0 {
                let taken = width.min(64 - filled);
                // Bits above the field are shifted out.
                let (up, down) = (64 - filled - taken, width - taken);
                let moved = self.moved_down(value, down);
                let moved = if up == 0 { moved } else { self.builder.ins().ishl_imm(moved, i64::from(up)) };
                gathered = Some(gathered.map_or(moved, |before| self.builder.ins().bor(before, moved)));
                filled += taken;
                width -= taken;
                if filled == 64 {
                    self.flush(&mut gathered, to, offset);
                    (filled, offset) = (0, offset + 8);
                }
            }
        }
        self.flush(&mut gathered, to, offset);
    }

    fn flush(&mut self, gathered: &mut Option<Value>, to: Value, offset: i32) {
        if let Some(value) = gathered.take() {
            let bytes = self.builder.ins().bswap(value);
            self.builder.ins().store(EMITTED, bytes, to, offset);
        }
    }
}
