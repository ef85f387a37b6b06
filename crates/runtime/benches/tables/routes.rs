//! Generated routes with the prefix lengths of public BGP tables.

use basis::Random;
use runtime::Bits;
use runtime::tables::{FieldMatch, KeyField, MatchKind};

use crate::measure::{Case, KEYS};

/// Lengths of IPv4 prefixes with their shares per thousand routes, rounded from the long-term figures of route
/// collectors (cidr-report.org, bgp.potaroo.net): most are /24, and few are shorter than /16.
const LENGTHS_4: &[(u32, u64)] = &[
    (24, 600),
    (23, 100),
    (22, 110),
    (21, 52),
    (20, 46),
    (19, 27),
    (18, 15),
    (17, 10),
    (16, 26),
    (15, 4),
    (14, 3),
    (13, 2),
    (12, 2),
    (11, 1),
    (10, 1),
    (8, 1),
];

/// Lengths of IPv6 prefixes with their shares per thousand routes.
const LENGTHS_6: &[(u32, u64)] =
    &[(48, 470), (32, 120), (44, 85), (40, 85), (36, 50), (47, 20), (46, 40), (45, 15), (29, 35), (42, 30), (64, 50)];

/// The first 16 bits of the ranges from which IPv6 addresses are allocated.
const REGIONS_6: &[u128] = &[
    0x2001, 0x2400, 0x2402, 0x2404, 0x2406, 0x2409, 0x2600, 0x2604, 0x2607, 0x2620, 0x2800, 0x2804, 0x2A00, 0x2A02,
    0x2A06, 0x2A0C, 0x2C0F,
];

/// Makes IPv4 routes.
pub fn version_4(count: usize, seed: u64) -> Case {
    let address = |random: &mut Random| u128::from(0x0100_0000 + random.below(0xDF00_0000));
    routes(32, count, LENGTHS_4, address, &mut Random::new(seed))
}

/// Makes IPv6 routes.
pub fn version_6(count: usize, seed: u64) -> Case {
    let address = |random: &mut Random| {
        let region = REGIONS_6[random.below(REGIONS_6.len() as u64) as usize];
        region << 112 | u128::from(random.bits()) << 48
    };
    routes(128, count, LENGTHS_6, address, &mut Random::new(seed))
}

fn routes(
    width: u32,
    count: usize,
    lengths: &[(u32, u64)],
    address: impl Fn(&mut Random) -> u128,
    random: &mut Random,
) -> Case {
    let bits = |value: u128| Bits::from_limbs(&[value as u64, (value >> 64) as u64], width);
    let ones = u128::MAX >> (128 - width);
    let host = |random: &mut Random| (u128::from(random.bits()) << 64 | u128::from(random.bits())) & ones;
    let total: u64 = lengths.iter().map(|(_, share)| share).sum();
    let mut routes: Vec<(u128, u32)> = Vec::new();
    for _ in 0..count {
        let mut draw = random.below(total);
        let drawn = lengths.iter().find(|(_, share)| draw.checked_sub(*share).map(|rest| draw = rest).is_none());
        let length = drawn.expect("the draw is below the sum").0;
        let hosts = ones.unbounded_shr(length);
        // Half of all routes are nested in other ones, or adjacent to them.
        let value = match routes.len() as u64 {
            known @ 1.. if random.chance(0.5) => {
                let (near, near_length) = routes[random.below(known) as usize];
                near | host(random) & ones.unbounded_shr(near_length.saturating_sub(4))
            }
            _ => address(random),
        };
        routes.push((value & ones & !hosts, length));
    }
    let keys = (0..KEYS).map(|_| {
        let (value, length) = routes[random.below(count as u64) as usize];
        vec![bits(value | host(random) & ones.unbounded_shr(length))]
    });
    let keys = keys.collect();
    let entries = routes.iter().map(|&(value, length)| (vec![FieldMatch::Prefix { value: bits(value), length }], 0));
    Case { fields: vec![KeyField { kind: MatchKind::Lpm, width }], entries: entries.collect(), keys }
}
