//! New packets from those that were sent.

use basis::Random;
use ir::VariableId;
use runtime::{Bits, read_bits, write_bits};

use super::watch::Place;
use super::wishes::{Change, Wish};

/// A packet to send, before its time is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) port: u16,
    pub(super) bytes: Vec<u8>,
}

/// How far into a packet a value is searched for that is no field by itself.
const SEARCHED_BITS: usize = 1024;
/// The most that a packet grows to.
const LONGEST: usize = 1500;

/// The packet with all changes of a wish, each at one of the places where its value was found; nothing if none is found
/// anywhere. `port` is the variable that says where a packet came in.
pub(super) fn grant(
    wish: &Wish,
    from: &Draft,
    places: &[Place],
    port: Option<VariableId>,
    random: &mut Random,
) -> Option<Draft> {
    let mut draft = from.clone();
    for change in &wish.changes {
        if change.variable.is_some() && change.variable == port {
            draft.port = u16::try_from(change.wanted.to_u64()?).ok()?;
            continue;
        }
        let known: Vec<usize> = (0..places.len()).filter(|&at| holds(places[at], change, &from.bytes)).collect();
        // The last one that was read into the variable itself is the one, most of the time.
        let exact = known.iter().rev().find(|&&at| change.variable == Some(places[at].variable));
        let exact = exact.filter(|_| random.chance(0.9));
        if let Some(place) = exact.or_else(|| one_of(&known, random)) {
            let Place { from, width, .. } = places[*place];
            write_bits(&mut draft.bytes, from, width, &change.wanted.resize(change.width, false, width));
            continue;
        }
        // Parts of fields, and what was made of several.
        let end = (from.bytes.len() * 8).min(SEARCHED_BITS).saturating_sub(change.width as usize - 1);
        let there = |&at: &usize| read_bits(&from.bytes, at, change.width) == change.found;
        let parts: Vec<usize> = (0..end).step_by(4).filter(there).collect();
        // What is found nowhere was computed: another packet may have it right already, for which the rest is as good.
        if let Some(&at) = one_of(&parts, random) {
            write_bits(&mut draft.bytes, at, change.width, &change.wanted);
        }
    }
    (draft != *from).then_some(draft)
}

/// True if the value that was found is that of a field, which can also hold the one that is wanted.
fn holds(place: Place, change: &Change, bytes: &[u8]) -> bool {
    place.width > 0
        && (place.from + place.width as usize) <= bytes.len() * 8
        && read_bits(bytes, place.from, place.width).resize(place.width, false, change.width) == change.found
        && change.wanted.length() <= place.width
        && (place.width <= change.width)
}

/// The packet with a few fields, bits, its length or its port changed at random.
pub(super) fn vary(from: &Draft, places: &[Place], ports: u16, random: &mut Random) -> Draft {
    let mut draft = from.clone();
    for _ in 0..=random.below(3) {
        match random.below(8) {
            0 => draft.port = random.below(u64::from(ports.max(1))) as u16,
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
                let Some(&Place { from, width, .. }) = one_of(places, random) else { continue };
                if width > 0 && from + width as usize <= draft.bytes.len() * 8 {
                    let old = read_bits(&draft.bytes, from, width);
                    write_bits(&mut draft.bytes, from, width, &other_value(&old, width, random));
                }
            }
        }
    }
    draft
}

/// Ends of the type, neighbours, few bits, any bits.
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

/// One of several, each as likely.
fn one_of<'i, T>(items: &'i [T], random: &mut Random) -> Option<&'i T> {
    if items.is_empty() { None } else { items.get(random.below(items.len() as u64) as usize) }
}
