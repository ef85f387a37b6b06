//! Helpers for state that packets share, for random numbers, and for requests to the machine.

use ir::interpret::{Emitted, Request, between};
use ir::{CloneKind, DigestId};
use runtime::{Bits, Color};

use crate::context::{Context, Words};
use crate::layout::words_of;

/// Counts the packet in a counter array. `adjust` is a signed number of bytes.
pub(super) extern "C" fn count(context: &mut Context<'_, '_>, counter: u64, index: u64, adjust: u64) {
    let (packets, length) = counted(context, adjust);
    context.around.state.counters[counter as usize].count(index, packets, length);
}

/// Counts the packet in the direct counter of the entry of a table that has a slot.
pub(super) extern "C" fn count_entry(context: &mut Context<'_, '_>, table: u64, slot: u64, adjust: u64) {
    let (packets, length) = counted(context, adjust);
    let state = &mut context.around.state.tables[table as usize];
    if let Some(entry) = state.entry_at(slot) {
        state.count(entry, packets, length);
    }
}

/// Returns the packets and the bytes that a counter counts.
fn counted(context: &Context<'_, '_>, adjust: u64) -> (u64, u64) {
    (context.around.packets, context.around.length.saturating_add_signed(adjust.cast_signed()))
}

/// Meters the packet, which has the colour `before`, and returns its colour. `adjust` is a signed number of bytes.
pub(super) extern "C" fn measure(
    context: &mut Context<'_, '_>,
    meter: u64,
    index: u64,
    before: u64,
    adjust: u64,
) -> u64 {
    let meters = &mut context.around.state.meters[meter as usize];
    let amount = meters.unit().adjusted(context.around.length, adjust.cast_signed());
    meters.mark_colored(index, context.around.now, amount, Color::from_number(before)).number()
}

/// Does the same as [`measure`] for the direct meter of the entry of a table that has a slot.
pub(super) extern "C" fn measure_entry(
    context: &mut Context<'_, '_>,
    table: u64,
    slot: u64,
    before: u64,
    adjust: u64,
) -> u64 {
    let arriving = Color::from_number(before);
    let state = &mut context.around.state.tables[table as usize];
    let (Some(entry), Some(unit)) = (state.entry_at(slot), state.meter_unit()) else { return arriving.number() };
    let amount = unit.adjusted(context.around.length, adjust.cast_signed());
    state.mark_colored(entry, context.around.now, amount, arriving).number()
}

/// Takes a value into a low-pass filter and returns the output.
pub(super) extern "C" fn filter(context: &mut Context<'_, '_>, filter: u64, index: u64, value: u64) -> u64 {
    context.around.state.filters[filter as usize].filter(index, context.around.now, value)
}

/// Takes a value into a random early detector and returns whether the packet is to be dropped.
pub(super) extern "C" fn detect(context: &mut Context<'_, '_>, wred: u64, index: u64, value: u64) -> u64 {
    let wreds = &mut context.around.state.wreds[wred as usize];
    wreds.drops(index, context.around.now, value, context.around.random).into()
}

/// Returns a random number from `low` to `high`, or 0 if `high` is less than `low`.
pub(super) extern "C" fn random(context: &mut Context<'_, '_>, low: u64, high: u64, width: u64) -> u64 {
    if high < low {
        return 0;
    }
    between(context.around.random, &Bits::Narrow(low), &Bits::Narrow(high), width as u32).low()
}

/// Writes a random number of more than 64 bits to `out`, from `low` to `high`, or 0 if `high` is less than `low`.
pub(super) extern "C" fn random_wide(context: &mut Context<'_, '_>, out: Words, low: Words, high: Words, width: u64) {
    let words = words_of(width as u32).into();
    let value = |words: &[u64]| Bits::from_limbs(words, width as u32);
    let (low, high) = (value(low.read(words)), value(high.read(words)));
    let drawn =
        if high < low { Bits::zero(width as u32) } else { between(context.around.random, &low, &high, width as u32) };
    out.write(words).copy_from_slice(drawn.limbs());
}

/// Returns the index of a field list, where `u64::MAX` stands for none.
fn place(keep: u64) -> Option<usize> {
    (keep != u64::MAX).then_some(keep as usize)
}

/// Requests a clone of the packet.
pub(super) extern "C" fn clone(context: &mut Context<'_, '_>, of_egress: u64, session: u64, keep: u64) {
    let kind = if of_egress != 0 { CloneKind::EgressToEgress } else { CloneKind::IngressToEgress };
    context.requests.push(Request::Clone { kind, session: session as u32, keep: place(keep) });
}

/// Returns the bits of values that are stored one after the other and described by a list of fields, as bytes.
fn in_front(context: &Context<'_, '_>, list: u64, values: Words) -> Vec<u8> {
    let mut data = Emitted::default();
    for field in &context.plan.fields[list as usize] {
        let words = values.read(u64::from(field.start + words_of(field.width)));
        data.push(&Bits::from_limbs(&words[field.start as usize..], field.width), field.width);
    }
    data.bytes
}

/// Requests a mirror copy of the packet with data in front of it.
pub(super) extern "C" fn mirror(context: &mut Context<'_, '_>, session: u64, list: u64, values: Words) {
    let data = in_front(context, list, values);
    context.requests.push(Request::Mirror { session: session as u32, data });
}

/// Requests that the packet is resubmitted to the parser as it arrived, with data in front of it.
pub(super) extern "C" fn resubmit(context: &mut Context<'_, '_>, keep: u64, list: u64, values: Words) {
    let data = in_front(context, list, values);
    context.requests.push(Request::Resubmit { keep: place(keep), data });
}

/// Requests that the packet is recirculated as it leaves.
pub(super) extern "C" fn recirculate(context: &mut Context<'_, '_>, keep: u64) {
    context.requests.push(Request::Recirculate { keep: place(keep) });
}

/// Requests that the packet is truncated.
pub(super) extern "C" fn truncate(context: &mut Context<'_, '_>, length: u64) {
    context.requests.push(Request::Truncate { length: length as u32 });
}

/// Requests a digest message whose values are stored one after the other.
pub(super) extern "C" fn digest(context: &mut Context<'_, '_>, digest: u64, values: Words) {
    let fields = &context.plan.program.digests[digest as usize].fields;
    let widths = fields.iter().map(|(_, ty)| ty.width());
    let mut words = values.read(widths.clone().map(|width| u64::from(words_of(width))).sum());
    let values = widths.map(|width| {
        let (own, others) = words.split_at(words_of(width) as usize);
        words = others;
        Bits::from_limbs(own, width)
    });
    let values = values.collect();
    context.requests.push(Request::Digest { digest: DigestId(digest as u32), values });
}
