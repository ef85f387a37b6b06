//! The bytes of a packet where fields do not lie at whole bytes, and fields of a length that is known at run time.

use runtime::bits::{read_narrow, write_narrow};

use crate::context::{Context, Words};
use crate::plan::Field;

/// Reads `width` bits that begin `position` bits after the start into words.
fn read(context: &Context<'_, '_>, out: &mut [u64], position: u64, width: u64) {
    out.fill(0);
    for (place, word) in (0..width.div_ceil(64)).zip(out) {
        // The last bits are the lowest word.
        let rest = width - place * 64;
        let start = position.saturating_add(rest.saturating_sub(64)) as usize;
        *word = read_narrow(context.arrived(), start, rest.min(64) as u32);
    }
}

/// Puts the lowest `width` bits of a value behind what was emitted.
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
    // What is left of the last byte is 0, whatever was there before.
    let end = context.emitted_bits;
    let unused = (8 - end % 8) % 8;
    write_narrow(context.emitted(), end as usize, unused as u32, 0);
}

/// Reads fields one behind the other from a bit on.
pub(super) extern "C" fn read_fields(context: &mut Context<'_, '_>, list: u64, mut position: u64) {
    let plan = context.plan;
    for &Field { start, width } in &plan.fields[list as usize] {
        let out = context.variable(start).write(width.div_ceil(64).into());
        read(context, out, position, width.into());
        position += u64::from(width);
    }
}

/// Reads a value of `width` bits into words, of which there may be more.
pub(super) extern "C" fn read_bits(context: &mut Context<'_, '_>, out: Words, count: u64, position: u64, width: u64) {
    read(context, out.write(count), position, width);
}

/// Emits fields one behind the other.
pub(super) extern "C" fn emit_fields(context: &mut Context<'_, '_>, list: u64) {
    let plan = context.plan;
    for &Field { start, width } in &plan.fields[list as usize] {
        let value = context.variable(start).read(width.div_ceil(64).into());
        emit(context, value, width.into());
    }
}

/// Emits the lowest `width` bits of a value of so many words.
pub(super) extern "C" fn emit_bits(context: &mut Context<'_, '_>, value: Words, count: u64, width: u64) {
    emit(context, value.read(count), width);
}

/// Takes the packet's bytes up to a bit into memory.
pub(super) extern "C" fn reach(context: &mut Context<'_, '_>, bit: u64) {
    context.reach(bit);
}

/// Makes room for so many bits to be emitted.
pub(super) extern "C" fn grow(context: &mut Context<'_, '_>, bits: u64) {
    context.grow(bits);
}
