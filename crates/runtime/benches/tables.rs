//! Benchmarks of match tables: nanoseconds per look-up of random keys, by kind and size of table, and entries inserted
//! per second. Run them with `cargo bench -p polyplane-runtime`; an argument selects the rows whose names contain it.
//!
//! Routes have the lengths of public BGP tables, and access lists have five fields as in firewalls; both are generated
//! from a seed. For each table in which several entries can match, the time of a plain list in winning order is shown
//! too.

#[path = "tables/access_list.rs"]
mod access_list;
#[path = "tables/list.rs"]
mod list;
#[path = "tables/measure.rs"]
mod measure;
#[path = "tables/routes.rs"]
mod routes;

use basis::Random;
use runtime::Bits;
use runtime::tables::{FieldMatch, KeyField, MatchKind};

use measure::Case;

const SEED: u64 = 5;

fn exact(widths: &[u32], entries: usize) -> Case {
    let mut random = Random::new(SEED);
    let fields: Vec<KeyField> = widths.iter().map(|&width| KeyField { kind: MatchKind::Exact, width }).collect();
    let value = |random: &mut Random, width: u32| Bits::from_limbs(&[random.bits(), random.bits()], width);
    let rows: Vec<Vec<Bits>> =
        (0..entries).map(|_| widths.iter().map(|&width| value(&mut random, width)).collect()).collect();
    let keys = (0..measure::KEYS).map(|_| rows[random.below(entries as u64) as usize].clone()).collect();
    let entries = rows.into_iter().map(|row| (row.into_iter().map(FieldMatch::Exact).collect(), 0)).collect();
    Case { fields, entries, keys }
}

fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let row = |name: String, with_list: bool, case: &dyn Fn() -> Case| {
        if name.contains(&wanted) {
            measure::row(&name, &case(), with_list);
        }
    };
    measure::heading();
    for entries in [10, 1_000, 100_000] {
        row(format!("exact, 48 bits, {entries}"), false, &|| exact(&[48], entries));
        row(format!("exact, 5-tuple IPv4, {entries}"), false, &|| exact(&[32, 32, 16, 16, 8], entries));
        row(format!("exact, 5-tuple IPv6, {entries}"), false, &|| exact(&[128, 128, 16, 16, 8], entries));
        row(format!("lpm, IPv4, {entries}"), false, &|| routes::version_4(entries, SEED));
        row(format!("lpm, IPv6, {entries}"), false, &|| routes::version_6(entries, SEED));
    }
    for entries in [10, 100, 1_000, 10_000, 100_000] {
        row(format!("access list, {entries}"), entries <= 10_000, &|| access_list::realistic(entries, SEED));
    }
    for entries in [100, 10_000] {
        row(format!("random masks, {entries}"), true, &|| access_list::random_masks(entries, SEED));
    }
}
