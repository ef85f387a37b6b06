//! Generated access lists.

use basis::Random;
use runtime::Bits;
use runtime::tables::{FieldMatch, KeyField, MatchKind};

use crate::measure::{Case, KEYS};

/// The services that rules name.
const SERVICES: &[u64] =
    &[20, 21, 22, 23, 25, 53, 67, 80, 110, 123, 143, 161, 179, 389, 443, 445, 993, 1433, 3306, 3389, 5060, 8080];

const WIDTHS: [u32; 5] = [32, 32, 16, 16, 8];

/// Makes rules on source and destination address, source and destination port, and protocol, as in firewalls: networks
/// of some sites and any; services, ranges of ports and any; TCP and UDP. Nine of ten packets match a rule.
pub fn realistic(count: usize, seed: u64) -> Case {
    let mut random = Random::new(seed);
    let sites: Vec<u64> = (0..200).map(|_| random.bits() & 0xFFFF_0000).collect();
    let rule = |random: &mut Random| {
        let mut network = |any: f64| {
            if random.chance(any) {
                return FieldMatch::Any;
            }
            let site = sites[random.below(sites.len() as u64) as usize];
            let length = [16, 20, 24, 24, 24, 26, 28, 32, 32, 32][random.below(10) as usize];
            let mask = u64::from(u32::MAX << (32 - length));
            FieldMatch::Mask { value: Bits::Narrow((site | random.below(1 << 16)) & mask), mask: Bits::Narrow(mask) }
        };
        let (source, destination) = (network(0.25), network(0.1));
        let range = |low: u64, high: u64| FieldMatch::Range { low: Bits::Narrow(low), high: Bits::Narrow(high) };
        let mut port = |any: f64| match random.unit() {
            draw if draw < any => FieldMatch::Any,
            draw if draw < any + (1.0 - any) * 0.2 => range(1024, 65535),
            draw if draw < any + (1.0 - any) * 0.3 => {
                let low = random.below(60_000);
                range(low, low + random.below(2_000))
            }
            _ => {
                let port = SERVICES[random.below(SERVICES.len() as u64) as usize];
                range(port, port)
            }
        };
        let (from, to) = (port(0.85), port(0.25));
        let protocol = match random.unit() {
            draw if draw < 0.1 => FieldMatch::Any,
            draw if draw < 0.7 => masked(6, 0xFF),
            draw if draw < 0.95 => masked(17, 0xFF),
            _ => masked(1, 0xFF),
        };
        // Authors of such lists put the exception before the rule.
        let key = vec![source, destination, from, to, protocol];
        let priority = 100 * key.iter().map(specified).sum::<u32>() + random.below(1_000) as u32;
        (key, priority)
    };
    let kinds = [MatchKind::Ternary, MatchKind::Ternary, MatchKind::Range, MatchKind::Range, MatchKind::Ternary];
    case(kinds, count, rule, &mut random)
}

/// Makes rules on the same fields with unrelated masks: each rule has one bit in eight set in its mask.
pub fn random_masks(count: usize, seed: u64) -> Case {
    let rule = |random: &mut Random| {
        let field = |width: u32| {
            let ones = u64::MAX >> (64 - width);
            let mask = random.bits() & random.bits() & random.bits() & ones;
            masked(random.bits() & mask, mask)
        };
        (WIDTHS.map(field).to_vec(), random.below(1 << 16) as u32)
    };
    case([MatchKind::Ternary; 5], count, rule, &mut Random::new(seed))
}

fn masked(value: u64, mask: u64) -> FieldMatch {
    FieldMatch::Mask { value: Bits::Narrow(value), mask: Bits::Narrow(mask) }
}

/// Returns the number of bits that a match specifies.
fn specified(asked: &FieldMatch) -> u32 {
    match asked {
        FieldMatch::Mask { mask, .. } => mask.count_ones(),
        FieldMatch::Range { low, high } => 16 - (high.low() - low.low() + 1).ilog2(),
        _ => 0,
    }
}

fn case(
    kinds: [MatchKind; 5],
    count: usize,
    rule: impl Fn(&mut Random) -> (Vec<FieldMatch>, u32),
    random: &mut Random,
) -> Case {
    let entries: Vec<(Vec<FieldMatch>, u32)> = (0..count).map(|_| rule(random)).collect();
    let keys = (0..KEYS).map(|_| {
        let (rule, _) = &entries[random.below(count as u64) as usize];
        let met = !random.chance(0.1);
        let value = |(asked, width): (&FieldMatch, u32)| {
            let drawn = random.bits() & (u64::MAX >> (64 - width));
            Bits::Narrow(match asked {
                FieldMatch::Mask { value, mask } if met => value.low() | drawn & !mask.low(),
                FieldMatch::Range { low, high } if met => low.low() + drawn % (high.low() - low.low() + 1),
                _ => drawn,
            })
        };
        rule.iter().zip(WIDTHS).map(value).collect()
    });
    let keys = keys.collect();
    let fields = kinds.iter().zip(WIDTHS).map(|(&kind, width)| KeyField { kind, width });
    Case { fields: fields.collect(), entries, keys }
}
