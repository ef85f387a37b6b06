//! Derivation of new packets from packets that were sent.

use basis::Random;
use ir::VariableId;
use runtime::{Bits, read_bits, write_bits};

use super::watch::ExtractedBits;
use super::wishes::{Change, Wish};

/// A packet to send, without its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) port: u16,
    pub(super) bytes: Vec<u8>,
}

/// The number of leading bits of a packet that are searched for a value that is not a field by itself.
const SEARCHED_BITS: usize = 1024;
/// The maximum length of a packet, in bytes.
const LONGEST: usize = 1500;

/// Returns the packet with all changes of a wish, each applied to one of the fields that hold the old value, or `None`
/// if the packet does not change. `port` is the variable that holds the ingress port.
pub(super) fn grant(
    wish: &Wish,
    from: &Draft,
    extracted: &[ExtractedBits],
    port: Option<VariableId>,
    random: &mut Random,
) -> Option<Draft> {
    let mut draft = from.clone();
    for change in &wish.changes {
        if change.variable.is_some() && change.variable == port {
            draft.port = u16::try_from(change.wanted.to_u64()?).ok()?;
            continue;
        }
        let known: Vec<usize> = (0..extracted.len()).filter(|&at| holds(extracted[at], change, &from.bytes)).collect();
        // In most cases, the right field is the last one that was read into the variable itself.
        let exact = known.iter().rev().find(|&&at| change.variable == Some(extracted[at].variable));
        let exact = exact.filter(|_| random.chance(0.9));
        if let Some(chosen) = exact.or_else(|| one_of(&known, random)) {
            let ExtractedBits { from, width, .. } = extracted[*chosen];
            write_bits(&mut draft.bytes, from, width, &change.wanted.resize(change.width, false, width));
            continue;
        }
        // The value may be a part of a field, or a combination of several.
        let end = (from.bytes.len() * 8).min(SEARCHED_BITS).saturating_sub(change.width as usize - 1);
        let there = |&at: &usize| read_bits(&from.bytes, at, change.width) == change.found;
        let parts: Vec<usize> = (0..end).step_by(4).filter(there).collect();
        // A value that is found nowhere was computed. Another packet may already have the right one, so the other
        // changes are still worth making.
        if let Some(&at) = one_of(&parts, random) {
            write_bits(&mut draft.bytes, at, change.width, &change.wanted);
        }
    }
    (draft != *from).then_some(draft)
}

/// Returns whether the field at `extracted` has the value that was found and can hold the wanted one.
fn holds(extracted: ExtractedBits, change: &Change, bytes: &[u8]) -> bool {
    extracted.width > 0
        && (extracted.from + extracted.width as usize) <= bytes.len() * 8
        && read_bits(bytes, extracted.from, extracted.width).resize(extracted.width, false, change.width)
            == change.found
        && change.wanted.length() <= extracted.width
        && (extracted.width <= change.width)
}

/// Returns one of the ports, or 0 if there is none.
pub(super) fn any_of(ports: &[u16], random: &mut Random) -> u16 {
    ports.get(random.below(ports.len().max(1) as u64) as usize).copied().unwrap_or_default()
}

/// Returns the packet with random changes to a few fields or bits, to its length or to its port.
pub(super) fn vary(from: &Draft, extracted: &[ExtractedBits], ports: &[u16], random: &mut Random) -> Draft {
    let mut draft = from.clone();
    for _ in 0..=random.below(3) {
        match random.below(8) {
            0 => draft.port = any_of(ports, random),
            1 => {
                let length = random.below(draft.bytes.len() as u64 + 1) as usize;
                draft.bytes.truncate(length);
            }
            2 => {
                let more = random.below(64) as usize;
                let more: Vec<u8> = (0..more).map(|_| random.bits() as u8).collect();
                draft.bytes.extend(more);
                draft.bytes.truncate(LONGEST);
            }
            3 if !draft.bytes.is_empty() => {
                let bit = random.below(draft.bytes.len() as u64 * 8) as usize;
                draft.bytes[bit / 8] ^= 0x80 >> (bit % 8);
            }
            _ => {
                let Some(&ExtractedBits { from, width, .. }) = one_of(extracted, random) else { continue };
                if width > 0 && from + width as usize <= draft.bytes.len() * 8 {
                    let old = read_bits(&draft.bytes, from, width);
                    write_bits(&mut draft.bytes, from, width, &other_value(&old, width, random));
                }
            }
        }
    }
    draft
}

/// Returns a random value that is at a limit of the type, adjacent to the old value, differs in few bits, or is
/// arbitrary.
fn other_value(old: &Bits, width: u32, random: &mut Random) -> Bits {
    let one = Bits::from_u64(1, width);
    match random.below(6) {
        0 => Bits::zero(width),
        1 => Bits::ones(width),
        2 => old.add(&one, width),
        3 => old.subtract(&one, width),
        4 => Bits::from_u64(random.below(16), width.max(4)).resize(width.max(4), false, width),
        _ => {
            let limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| random.bits()).collect();
            Bits::from_limbs(&limbs, width)
        }
    }
}

/// Returns one of the items, each with the same probability.
fn one_of<'i, T>(items: &'i [T], random: &mut Random) -> Option<&'i T> {
    if items.is_empty() { None } else { items.get(random.below(items.len() as u64) as usize) }
}
