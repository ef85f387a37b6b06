//! What packets share, what is drawn, and what the machine is asked for.

use ir::interpret::{Request, between};
use ir::{CloneKind, DigestId};
use runtime::Bits;

use crate::context::{Context, Words};
use crate::layout::words_of;

/// Counts the packet.
pub(super) extern "C" fn count(context: &mut Context<'_, '_>, counter: u64, index: u64) {
    context.around.state.counters[counter as usize].count(index, context.around.length);
}

/// Measures the packet, and gives its colour.
pub(super) extern "C" fn measure(context: &mut Context<'_, '_>, meter: u64, index: u64) -> u64 {
    let meters = &mut context.around.state.meters[meter as usize];
    meters.mark(index, context.around.now, meters.unit().amount(context.around.length)).number()
}

/// A number from `low` to `high`; 0 if there is none.
pub(super) extern "C" fn random(context: &mut Context<'_, '_>, low: u64, high: u64, width: u64) -> u64 {
    if high < low {
        return 0;
    }
    between(context.around.random, &Bits::Narrow(low), &Bits::Narrow(high), width as u32).low()
}

/// The same for more than 64 bits.
pub(super) extern "C" fn random_wide(context: &mut Context<'_, '_>, out: Words, low: Words, high: Words, width: u64) {
    let words = words_of(width as u32).into();
    let value = |words: &[u64]| Bits::from_limbs(words, width as u32);
    let (low, high) = (value(low.read(words)), value(high.read(words)));
    let drawn =
        if high < low { Bits::zero(width as u32) } else { between(context.around.random, &low, &high, width as u32) };
    out.write(words).copy_from_slice(drawn.limbs());
}

/// The place of a field list, or none: the greatest number.
fn place(keep: u64) -> Option<usize> {
    (keep != u64::MAX).then_some(keep as usize)
}

/// Asks for a clone.
pub(super) extern "C" fn clone(context: &mut Context<'_, '_>, of_egress: u64, session: u64, keep: u64) {
    let kind = if of_egress != 0 { CloneKind::EgressToEgress } else { CloneKind::IngressToEgress };
    context.requests.push(Request::Clone { kind, session: session as u32, keep: place(keep) });
}

/// Asks for another round from the start.
pub(super) extern "C" fn resubmit(context: &mut Context<'_, '_>, keep: u64) {
    context.requests.push(Request::Resubmit { keep: place(keep) });
}

/// Asks for another round of the packet as it leaves.
pub(super) extern "C" fn recirculate(context: &mut Context<'_, '_>, keep: u64) {
    context.requests.push(Request::Recirculate { keep: place(keep) });
}

/// Asks for the packet to be cut.
pub(super) extern "C" fn truncate(context: &mut Context<'_, '_>, length: u64) {
    context.requests.push(Request::Truncate { length: length as u32 });
}

/// Sends a message whose values lie one behind the other.
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
