//! Helpers for state that packets share, for random numbers, and for requests to the machine.

use ir::interpret::{Request, between};
use ir::{CloneKind, DigestId};
use runtime::Bits;

use crate::context::{Context, Words};
use crate::layout::words_of;

/// Counts the packet in a counter array.
pub(super) extern "C" fn count(context: &mut Context<'_, '_>, counter: u64, index: u64) {
    let (packets, length) = (context.around.packets, context.around.length);
    context.around.state.counters[counter as usize].count(index, packets, length);
}

/// Meters the packet and returns its colour.
pub(super) extern "C" fn measure(context: &mut Context<'_, '_>, meter: u64, index: u64) -> u64 {
    let meters = &mut context.around.state.meters[meter as usize];
    meters.mark(index, context.around.now, meters.unit().amount(context.around.length)).number()
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

/// Requests that the packet is resubmitted to the parser as it arrived.
pub(super) extern "C" fn resubmit(context: &mut Context<'_, '_>, keep: u64) {
    context.requests.push(Request::Resubmit { keep: place(keep) });
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
