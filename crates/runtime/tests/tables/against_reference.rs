//! After any insertions and deletions, every table finds the same entries as the reference.

use proptest::prelude::*;
use runtime::Bits;
use runtime::tables::{KeyField, MatchKind, MatchTable, TableEntry, TableError, Target};

use crate::reference::{Asked, Line, bits, ones, winner, words};

/// Few values for any width, so that entries overlap and keys match: they differ in their first and last bits.
fn value(width: u32) -> impl Strategy<Value = u128> {
    (0..4u128, 0..4u128).prop_map(move |(high, low)| match width {
        0..=4 => (high << 2 | low) & ones(width),
        _ => high << (width.min(128) - 2) | low,
    })
}

fn asked(field: KeyField) -> BoxedStrategy<Asked> {
    let width = field.width.min(128);
    let any = Just(Asked::Any);
    match field.kind {
        MatchKind::Exact => value(width).prop_map(Asked::One).boxed(),
        MatchKind::Optional => prop_oneof![value(width).prop_map(Asked::One), any].boxed(),
        MatchKind::Lpm => {
            let prefix = (value(width), 0..=width)
                .prop_map(move |(value, length)| Asked::Prefix(value & ones(width) & !ones(width - length), length));
            prop_oneof![4 => prefix, 1 => any].boxed()
        }
        MatchKind::Ternary => {
            let mask = (value(width), value(width)).prop_map(|(value, mask)| Asked::Mask(value & mask, mask));
            prop_oneof![4 => mask, 1 => any].boxed()
        }
        MatchKind::Range => {
            let range = (value(width), value(width)).prop_map(|(a, b)| Asked::Range(a.min(b), a.max(b)));
            prop_oneof![4 => range, 1 => any].boxed()
        }
    }
}

fn field(kinds: &'static [MatchKind]) -> impl Strategy<Value = KeyField> {
    // An optional field of no bits would have two forms of the same set, one value and any value, which P4Runtime
    // distinguishes; so the width is at least one bit.
    let width = prop_oneof![4 => 1..=6u32, 1 => prop::sample::select(vec![32, 64, 65, 127, 128, 129, 130, 300])];
    (prop::sample::select(kinds), width).prop_map(|(kind, width)| KeyField { kind, width })
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<Asked>, u32),
    Delete(prop::sample::Index),
    Clear,
    Look(Vec<u128>),
}

/// The fields of a key, changes to its table, and the keys that packets look up afterwards.
type Case = (Vec<KeyField>, Vec<Step>, Vec<Vec<u128>>);

fn case(fields: impl Strategy<Value = Vec<KeyField>>, steps: usize) -> impl Strategy<Value = Case> {
    fields.prop_flat_map(move |fields| {
        let keys: Vec<_> = fields.iter().map(|&field| asked(field)).collect();
        let values = || fields.iter().map(|field| value(field.width)).collect::<Vec<_>>();
        let step = prop_oneof![
            20 => values().prop_map(Step::Look),
            steps as u32 => (keys, 0..4u32).prop_map(|(key, priority)| Step::Insert(key, priority)),
            steps as u32 / 3 => any::<prop::sample::Index>().prop_map(Step::Delete),
            1 => Just(Step::Clear),
        ];
        let packets = proptest::collection::vec(values(), 20);
        (Just(fields), proptest::collection::vec(step, 0..steps), packets)
    })
}

fn run((fields, steps, packets): Case) -> Result<(), TestCaseError> {
    let mut table = MatchTable::new(fields.clone(), None);
    let mut lines: Vec<Line> = Vec::new();
    let field_matches = |key: &[Asked]| {
        key.iter().zip(&fields).map(|(asked, field)| asked.field_match(field.width)).collect::<Vec<_>>()
    };
    let look = |table: &MatchTable, lines: &[Line], values: &[u128]| {
        let key: Vec<Bits> = values.iter().zip(&fields).map(|(&value, field)| bits(value, field.width)).collect();
        let expected = winner(lines, &fields, values);
        prop_assert_eq!(table.lookup(&key), expected, "{:?} in {:?}", values, lines);
        prop_assert_eq!(table.lookup_words(&words(values, &fields)), expected);
        Ok(())
    };
    for step in steps {
        match step {
            Step::Look(values) => look(&table, &lines, &values)?,
            Step::Insert(key, priority) => {
                let target = Target::Action { action: lines.len() as u32, data: Vec::new() };
                let entry = TableEntry { key: field_matches(&key), priority, target, is_constant: false };
                let is_same = |line: &Line| {
                    let mut asked = line.key.iter().zip(&key).zip(&fields);
                    (!table.has_priorities() || line.priority == priority)
                        && asked.all(|((a, b), field)| a.same_values(*b, field.width))
                };
                let same = lines.iter().find(|line| is_same(line)).map(|line| line.handle);
                match table.insert(entry.clone()) {
                    Ok(handle) => {
                        prop_assert_eq!(same, None, "an entry with this key exists");
                        prop_assert!(lines.iter().all(|line| line.handle < handle), "handles grow");
                        prop_assert_eq!(table.find(&entry.key, priority), Some(handle));
                        prop_assert_eq!(&table.get(handle).unwrap().target, &entry.target);
                        lines.push(Line { handle, key, priority });
                    }
                    Err(error) => prop_assert_eq!(Some(error), same.map(|existing| TableError::Duplicate { existing })),
                }
            }
            Step::Delete(_) if lines.is_empty() => {}
            Step::Delete(index) => {
                let line = lines.remove(index.index(lines.len()));
                table.delete(line.handle).unwrap();
                prop_assert_eq!(table.find(&field_matches(&line.key), line.priority), None);
                prop_assert_eq!(table.delete(line.handle), Err(TableError::NoSuchEntry));
            }
            Step::Clear => {
                table.clear();
                lines.clear();
            }
        }
        prop_assert_eq!(table.len(), lines.len());
        let handles: Vec<_> = table.entries().map(|(handle, _)| handle).collect();
        let expected: Vec<_> = lines.iter().map(|line| line.handle).collect();
        prop_assert_eq!(handles, expected, "entries are listed in the order of insertion");
    }
    packets.iter().try_for_each(|values| look(&table, &lines, values))
}

const EXACT: &[MatchKind] = &[MatchKind::Exact];
const PREFIX: &[MatchKind] = &[MatchKind::Lpm];
const ANY: &[MatchKind] =
    &[MatchKind::Exact, MatchKind::Lpm, MatchKind::Ternary, MatchKind::Range, MatchKind::Optional];

/// One lpm field at any position among exact ones.
fn prefix_among_exact() -> impl Strategy<Value = Vec<KeyField>> {
    let exact = proptest::collection::vec(field(EXACT), 1..3);
    (field(PREFIX), exact, any::<prop::sample::Index>()).prop_map(|(prefix, mut fields, place)| {
        fields.insert(place.index(fields.len() + 1), prefix);
        fields
    })
}

fn one_prefix() -> impl Strategy<Value = Vec<KeyField>> {
    field(PREFIX).prop_map(|field| vec![field])
}

fn fields(kinds: &'static [MatchKind]) -> impl Strategy<Value = Vec<KeyField>> {
    proptest::collection::vec(field(kinds), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn exact_keys_are_found(case in case(fields(EXACT), 60)) {
        run(case)?;
    }

    #[test]
    fn the_longest_prefix_is_found(case in case(one_prefix(), 60)) {
        run(case)?;
    }

    #[test]
    fn the_longest_prefix_is_found_beside_exact_fields(case in case(prefix_among_exact(), 60)) {
        run(case)?;
    }

    #[test]
    fn the_greatest_sum_of_prefix_lengths_wins(case in case(proptest::collection::vec(field(PREFIX), 2..4), 100)) {
        run(case)?;
    }

    #[test]
    fn the_winning_entry_is_found(case in case(fields(ANY), 60)) {
        run(case)?;
    }
}

proptest! {
    // Enough entries that the data structures for large tables are used and grow and shrink.
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn the_longest_of_many_prefixes_is_found(case in case(one_prefix(), 600)) {
        run(case)?;
    }

    #[test]
    fn the_winner_of_many_entries_is_found(case in case(fields(ANY), 800)) {
        run(case)?;
    }
}
