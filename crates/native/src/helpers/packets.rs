//! Access to packet bytes for fields that are not aligned to bytes, and for fields whose length is known only at run
//! time.

use runtime::bits::{read_narrow, write_narrow};

use crate::context::{Context, Words};
use crate::program_data::Field;

/// Reads `width` bits that begin `position` bits after the start of the packet into words.
fn read(context: &Context<'_, '_>, out: &mut [u64], position: u64, width: u64) {
    out.fill(0);
    for (place, word) in (0..width.div_ceil(64)).zip(out) {
        // The last bits of the field form the least significant word.
        let rest = width - place * 64;
        let start = position.saturating_add(rest.saturating_sub(64)) as usize;
        *word = read_narrow(context.arrived(), start, rest.min(64) as u32);
    }
}

/// Appends the lowest `width` bits of a value to the emitted bits.
fn emit(context: &mut Context<'_, '_>, value: &[u64], width: u64) {
    if context.emitted_bits + width > context.emitted_room {
        context.grow(width);
    }
    let start = context.emitted_bits;
    context.emitted_bits += width;
    for (place, &word) in (0..width.div_ceil(64)).zip(value) {
        let rest = width - place * 64;
        let start = start + rest.saturating_sub(64);
        write_narrow(context.emitted(), start as usize, rest.min(64) as u32, word);
    }
    // The rest of the last byte is cleared, since the buffer may hold old data.
    let end = context.emitted_bits;
    let unused = (8 - end % 8) % 8;
    write_narrow(context.emitted(), end as usize, unused as u32, 0);
}

/// Reads the fields of a list in sequence, starting at bit `position`.
pub(super) extern "C" fn read_fields(context: &mut Context<'_, '_>, list: u64, mut position: u64) {
    let plan = context.plan;
    for &Field { start, width } in &plan.fields[list as usize] {
        let out = context.variable(start).write(width.div_ceil(64).into());
        read(context, out, position, width.into());
        position += u64::from(width);
    }
}

/// Reads a value of `width` bits into `count` words, which may be more than the width needs.
pub(super) extern "C" fn read_bits(context: &mut Context<'_, '_>, out: Words, count: u64, position: u64, width: u64) {
    read(context, out.write(count), position, width);
}

/// Emits the fields of a list in sequence.
pub(super) extern "C" fn emit_fields(context: &mut Context<'_, '_>, list: u64) {
    let plan = context.plan;
    for &Field { start, width } in &plan.fields[list as usize] {
        let value = context.variable(start).read(width.div_ceil(64).into());
        emit(context, value, width.into());
    }
}

/// Emits the lowest `width` bits of a value of `count` words.
pub(super) extern "C" fn emit_bits(context: &mut Context<'_, '_>, value: Words, count: u64, width: u64) {
    emit(context, value.read(count), width);
}

/// Materialises the packet's bytes up to bit `bit`.
pub(super) extern "C" fn reach(context: &mut Context<'_, '_>, bit: u64) {
    context.reach(bit);
}

/// Makes room for emitting `bits` more bits.
pub(super) extern "C" fn grow(context: &mut Context<'_, '_>, bits: u64) {
    context.grow(bits);
}
