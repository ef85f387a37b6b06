//! The operations that tables refuse, and the keys that they treat as equal.

use runtime::Bits;
use runtime::tables::{FieldMatch, KeyField, MatchKind, MatchTable, TableEntry, TableError, Target};

fn field(kind: MatchKind) -> KeyField {
    KeyField { kind, width: 8 }
}

fn value(number: u64) -> Bits {
    Bits::from_u64(number, 16)
}

fn entry(key: Vec<FieldMatch>, priority: u32) -> TableEntry {
    let target = Target::Action { action: 0, data: Vec::new() };
    TableEntry { key, priority, target, is_constant: false }
}

/// Returns the error message of a table of one field.
fn answer(kind: MatchKind, asked: FieldMatch) -> String {
    match MatchTable::new(vec![field(kind)], None).insert(entry(vec![asked], 1)) {
        Ok(_) => "inserted".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn matches_that_do_not_suit_a_field_are_refused() {
    use FieldMatch::{Any, Exact, Mask, Prefix, Range};
    let prefix = |number, length| Prefix { value: value(number), length };
    let mask = |number, mask| Mask { value: value(number), mask: value(mask) };
    let range = |low, high| Range { low: value(low), high: value(high) };
    let kinds = [
        (MatchKind::Exact, Any, "field 0 of the key is matched as `exact`, which takes one value"),
        (MatchKind::Lpm, Exact(value(1)), "field 0 of the key is matched as `lpm`, which takes a prefix or anything"),
        (
            MatchKind::Ternary,
            range(0, 1),
            "field 0 of the key is matched as `ternary`, which takes a value with a mask or anything",
        ),
        (MatchKind::Range, mask(0, 1), "field 0 of the key is matched as `range`, which takes a range or anything"),
        (
            MatchKind::Optional,
            mask(0, 1),
            "field 0 of the key is matched as `optional`, which takes one value or anything",
        ),
        (MatchKind::Exact, Exact(value(256)), "a number for field 0 of the key does not fit in its 8 bits"),
        (MatchKind::Ternary, mask(0, 256), "a number for field 0 of the key does not fit in its 8 bits"),
        (MatchKind::Range, range(0, 256), "a number for field 0 of the key does not fit in its 8 bits"),
        (MatchKind::Range, range(2, 1), "the range for field 0 of the key ends before it begins"),
        (MatchKind::Lpm, prefix(0, 9), "a prefix of 9 bits is too long for field 0 of the key, which has 8"),
        (
            MatchKind::Lpm,
            prefix(0x81, 7),
            "the value for field 0 of the key has bits outside of its mask or prefix; they must be zero",
        ),
        (
            MatchKind::Ternary,
            mask(3, 2),
            "the value for field 0 of the key has bits outside of its mask or prefix; they must be zero",
        ),
        (MatchKind::Lpm, prefix(0x80, 7), "inserted"),
        (MatchKind::Optional, Exact(value(255)), "inserted"),
    ];
    for (kind, asked, expected) in kinds {
        assert_eq!(answer(kind, asked.clone()), expected, "{kind} {asked:?}");
    }
}

#[test]
fn the_number_of_fields_must_match_the_key() {
    let mut table = MatchTable::new(vec![field(MatchKind::Exact)], None);
    assert_eq!(table.insert(entry(Vec::new(), 0)), Err(TableError::FieldCount { expected: 1, given: 0 }));
    assert_eq!(table.find(&[], 0), None);
}

#[test]
fn equivalent_matches_are_the_same_key() {
    let spellings = [
        (MatchKind::Lpm, FieldMatch::Prefix { value: value(0), length: 0 }),
        (MatchKind::Ternary, FieldMatch::Mask { value: value(0), mask: value(0) }),
        (MatchKind::Range, FieldMatch::Range { low: value(0), high: value(255) }),
    ];
    for (kind, all) in spellings {
        let mut table = MatchTable::new(vec![field(kind)], None);
        let existing = table.insert(entry(vec![all.clone()], 3)).unwrap();
        assert_eq!(table.get(existing).unwrap().key, [FieldMatch::Any]);
        assert_eq!(table.insert(entry(vec![FieldMatch::Any], 3)), Err(TableError::Duplicate { existing }));
        assert_eq!(table.find(&[all], 3), Some(existing));
    }
}

#[test]
fn priorities_distinguish_entries_only_if_used() {
    let key = |kind| vec![field(kind).exactly(value(7))];
    for kind in [MatchKind::Ternary, MatchKind::Range, MatchKind::Optional] {
        let mut table = MatchTable::new(vec![field(kind)], None);
        let (low, high) = (table.insert(entry(key(kind), 1)).unwrap(), table.insert(entry(key(kind), 2)).unwrap());
        assert_eq!((table.find(&key(kind), 1), table.find(&key(kind), 2)), (Some(low), Some(high)));
        assert_eq!(table.lookup(&[Bits::Narrow(7)]), Some(high));
    }
    for kind in [MatchKind::Exact, MatchKind::Lpm] {
        let mut table = MatchTable::new(vec![field(kind)], None);
        let existing = table.insert(entry(key(kind), 1)).unwrap();
        assert_eq!(table.insert(entry(key(kind), 2)), Err(TableError::Duplicate { existing }));
        assert_eq!(table.get(existing).unwrap().priority, 0);
    }
}

#[test]
fn a_full_table_has_room_after_a_deletion() {
    let mut table = MatchTable::new(vec![field(MatchKind::Exact)], Some(2));
    let key = |number| vec![FieldMatch::Exact(value(number))];
    let first = table.insert(entry(key(1), 0)).unwrap();
    table.insert(entry(key(2), 0)).unwrap();
    assert_eq!(table.insert(entry(key(3), 0)), Err(TableError::Full { size: 2 }));
    assert_eq!(
        table.insert(entry(key(1), 0)),
        Err(TableError::Duplicate { existing: first }),
        "this error is more specific than a full table"
    );
    table.delete(first).unwrap();
    table.insert(entry(key(3), 0)).unwrap();
}

#[test]
fn constant_entries_cannot_be_changed() {
    let mut table = MatchTable::new(vec![field(MatchKind::Exact)], None);
    let constant = TableEntry { is_constant: true, ..entry(vec![FieldMatch::Exact(value(1))], 0) };
    let constant = table.insert(constant).unwrap();
    let other = table.insert(entry(vec![FieldMatch::Exact(value(2))], 0)).unwrap();
    assert_eq!(table.modify(constant, Target::Member(1)), Err(TableError::Constant));
    assert_eq!(table.delete(constant), Err(TableError::Constant));
    table.modify(other, Target::Member(1)).unwrap();
    assert!(table.uses(&Target::Member(1)) && !table.uses(&Target::Group(1)));
    table.clear();
    assert_eq!(table.modify(other, Target::Member(1)), Err(TableError::NoSuchEntry));
    assert_eq!(table.lookup(&[Bits::Narrow(1)]), Some(constant));
    assert_eq!(table.lookup(&[Bits::Narrow(2)]), None);
}
