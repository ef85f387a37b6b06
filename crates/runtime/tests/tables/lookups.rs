//! Which entry wins, by example.

use runtime::Bits;
use runtime::tables::{EntryHandle, FieldMatch, KeyField, MatchKind, MatchTable, TableEntry, TableError, Target};

use MatchKind::{Exact, Lpm, Ternary};

fn table(fields: &[(MatchKind, u32)]) -> MatchTable {
    MatchTable::new(fields.iter().map(|&(kind, width)| KeyField { kind, width }).collect(), None)
}

fn add(table: &mut MatchTable, key: Vec<FieldMatch>, priority: u32) -> EntryHandle {
    let target = Target::Action { action: 0, data: Vec::new() };
    table.insert(TableEntry { key, priority, target, is_constant: false }).unwrap()
}

fn prefix(value: u64, length: u32) -> FieldMatch {
    FieldMatch::Prefix { value: Bits::Narrow(value), length }
}

fn mask(value: u64, mask: u64) -> FieldMatch {
    FieldMatch::Mask { value: Bits::Narrow(value), mask: Bits::Narrow(mask) }
}

#[test]
fn the_longest_remaining_prefix_wins() {
    let mut routes = table(&[(Lpm, 32)]);
    let default = add(&mut routes, vec![FieldMatch::Any], 0);
    let site = add(&mut routes, vec![prefix(0x0A00_0000, 8)], 0);
    let host = add(&mut routes, vec![prefix(0x0A01_0203, 32)], 0);
    let packet = [Bits::Narrow(0x0A01_0203)];
    assert_eq!(routes.lookup(&packet), Some(host));
    routes.delete(host).unwrap();
    assert_eq!(routes.lookup(&packet), Some(site));
    assert_eq!(routes.lookup(&[Bits::Narrow(0x0B00_0000)]), Some(default));
    routes.delete(default).unwrap();
    assert_eq!(routes.lookup(&[Bits::Narrow(0x0B00_0000)]), None);
    assert_eq!(add(&mut routes, vec![FieldMatch::Any], 0), EntryHandle(3), "handles are not reused");
}

#[test]
fn priority_wins_over_prefix_length_then_age() {
    let mut rules = table(&[(Lpm, 8), (Ternary, 8)]);
    let long = add(&mut rules, vec![prefix(0xAB, 8), FieldMatch::Any], 1);
    let packet = [Bits::Narrow(0xAB), Bits::Narrow(0x11)];
    assert_eq!(rules.lookup(&packet), Some(long));
    let short = add(&mut rules, vec![prefix(0xA0, 4), mask(0x01, 0x0F)], 2);
    assert_eq!(rules.lookup(&packet), Some(short));
    add(&mut rules, vec![prefix(0xAB, 8), mask(0x10, 0xF0)], 2);
    assert_eq!(rules.lookup(&packet), Some(short), "the other one has equal priority and is later");
}

#[test]
fn a_table_without_a_key_matches_nothing() {
    let mut nothing = table(&[]);
    assert_eq!(nothing.lookup(&[]), None);
    let target = Target::Action { action: 0, data: Vec::new() };
    let entry = TableEntry { key: Vec::new(), priority: 0, target, is_constant: false };
    assert_eq!(nothing.insert(entry), Err(TableError::NoKey));
}

#[test]
fn keys_of_many_and_of_wide_fields_are_distinguished() {
    // The key is longer than those that are looked up without allocating.
    let mut wide = table(&[(Exact, 2000), (Exact, 1), (Exact, 0)]);
    let value = |low: u64, high: u64| Bits::from_limbs(&[&[low][..], &[0; 30], &[high]].concat(), 2000);
    let key = |low, high, bit| vec![value(low, high), Bits::Narrow(bit), Bits::Narrow(0)];
    let asked = |low, high, bit| key(low, high, bit).into_iter().map(FieldMatch::Exact).collect();
    let first = add(&mut wide, asked(1, 0, 0), 0);
    let second = add(&mut wide, asked(1, 1, 0), 0);
    let third = add(&mut wide, asked(1, 1, 1), 0);
    assert_eq!(wide.lookup(&key(1, 0, 0)), Some(first));
    assert_eq!(wide.lookup(&key(1, 1, 0)), Some(second));
    assert_eq!(wide.lookup(&key(1, 1, 1)), Some(third));
    assert_eq!(wide.lookup(&key(2, 1, 1)), None);
}

#[test]
fn insertions_and_deletions_keep_other_entries() {
    let mut table = table(&[(Exact, 32)]);
    let key = |value: u64| vec![FieldMatch::Exact(Bits::Narrow(value))];
    let stays = add(&mut table, key(1_000_000), 0);
    for value in 0..1000 {
        let handle = add(&mut table, key(value), 0);
        table.delete(handle).unwrap();
        assert_eq!(table.get(handle), None);
    }
    assert_eq!(table.entries().map(|(handle, _)| handle).collect::<Vec<_>>(), [stays]);
    assert_eq!(table.lookup(&[Bits::Narrow(1_000_000)]), Some(stays));
    assert_eq!(add(&mut table, key(5), 0), EntryHandle(1001));
}
