//! Whether shortcuts are the answers of the table.

use basis::Random;

use super::*;
use crate::Bits;
use crate::tables::{FieldMatch, MatchTable, TableEntry, Target};

/// The data words of three actions: the second takes more than a shortcut holds, and no entry suits the third.
const DATA_WORDS: [usize; 3] = [1, 6, 2];

fn target(random: &mut Random) -> Target {
    let action = random.below(8).saturating_sub(5) as u32;
    let words = if action == 1 { 6 } else { 1 };
    Target::Action { action, data: (0..words).map(|_| Bits::from_u64(random.below(5), 64)).collect() }
}

/// Returns the answer that compiled code reads for a key.
fn read(table: &MatchTable, word: u64) -> Option<&Shortcut> {
    let shortcuts = &table.shortcuts;
    if shortcuts.address == 0 {
        return None;
    }
    assert_eq!(shortcuts.address, shortcuts.places.as_ptr().addr());
    assert_eq!(shortcuts.last as usize + 1, shortcuts.places.len());
    let place = &shortcuts.places[(word >> shortcuts.shift & shortcuts.last) as usize];
    (word & place.mask == place.value).then_some(place)
}

/// Compares the shortcut of a key with the answer of the table, and returns whether there is one.
fn compare(table: &MatchTable, fields: &[KeyField], word: u64, key: &[u64]) -> bool {
    let Some(shortcut) = read(table, word) else { return false };
    let (entry, target) = table.lookup_target(key);
    let TargetWords::Action(action) = target else { panic!("every target is an action") };
    let hit = if entry.is_some() { Shortcut::HIT } else { 0 };
    assert_eq!(shortcut.found, u64::from(action.action()) | hit, "{fields:?} {key:?}");
    assert_eq!(&shortcut.data[..action.words().len()], action.words(), "{fields:?} {key:?}");
    true
}

/// Looks up a key until there is nothing more to be made.
fn ask(table: &mut MatchTable) {
    (0..=MOST_PLACES).for_each(|_| table.ask_for_shortcuts(&DATA_WORDS));
}

/// Whatever the form of the key and however entries came and went, a shortcut is the answer of the table.
#[test]
fn shortcuts_are_the_answers_of_the_table() {
    let mut random = Random::new(1);
    let exact = |width| KeyField { kind: MatchKind::Exact, width };
    let prefix = |width| KeyField { kind: MatchKind::Lpm, width };
    let keys: [&[KeyField]; 12] = [
        &[exact(64)],
        &[exact(9)],
        &[exact(1)],
        &[exact(9), exact(48)],
        &[exact(32), exact(32)],
        &[prefix(64)],
        &[prefix(32)],
        &[prefix(9)],
        &[prefix(1)],
        &[exact(8), prefix(8)],
        &[KeyField { kind: MatchKind::Ternary, width: 8 }],
        &[exact(128)],
    ];
    for fields in keys {
        let (mut read, mut asked) = (0, 0);
        for round in 0..60 {
            let mut table = MatchTable::new(fields.to_vec(), None);
            table.set_default_words(TargetWords::of(&target(&mut random)));
            let many = [1, 3, 20, 200, 300][round % 5];
            // Values near each other, or anywhere.
            let is_near = random.chance(0.5);
            let value = |random: &mut Random, width: u32| {
                let value = if is_near { random.below(2 * many) + 0x0A00_0000 } else { random.bits() };
                value & ones(width.min(64))
            };
            for _ in 0..many * 2 {
                let matched = |random: &mut Random, field: &KeyField| {
                    let (value, width) = (value(random, field.width), field.width);
                    let bits = |value| Bits::from_u64(value, width);
                    match field.kind {
                        MatchKind::Lpm => {
                            let length = random.below(u64::from(width) + 1) as u32;
                            FieldMatch::Prefix { value: bits(value & (ones(width) ^ ones(width - length))), length }
                        }
                        MatchKind::Exact => FieldMatch::Exact(bits(value)),
                        _ => FieldMatch::Mask { value: bits(value), mask: Bits::ones(width) },
                    }
                };
                let key: Vec<FieldMatch> = fields.iter().map(|field| matched(&mut random, field)).collect();
                match random.below(8) {
                    0..2 => {
                        let any = table.entries().nth(random.below(many) as usize).map(|(handle, _)| handle);
                        match (any, random.chance(0.5)) {
                            (Some(entry), true) => _ = table.delete(entry).expect("the entry is there"),
                            (Some(entry), false) => table.modify(entry, target(&mut random)).expect("it is there"),
                            (None, _) => {}
                        }
                    }
                    2 if random.chance(0.01) => table.clear(),
                    _ => {
                        let target = target(&mut random);
                        // Two entries with the same key are refused.
                        _ = table.insert(TableEntry { key, priority: 0, target, is_constant: false });
                    }
                }
                if random.chance(0.01) {
                    ask(&mut table);
                }
            }
            ask(&mut table);
            let known: Vec<Vec<FieldMatch>> = table.entries().map(|(_, entry)| entry.key.clone()).collect();
            for number in 0..600 {
                // Every other key is that of an entry, with other bits behind a prefix.
                let entry = known.get(number / 2).filter(|_| number % 2 == 0);
                let part = |(at, field): (usize, &KeyField)| match entry.map(|key| &key[at]) {
                    Some(FieldMatch::Exact(value) | FieldMatch::Mask { value, .. }) => value.low(),
                    Some(FieldMatch::Prefix { value, length }) => {
                        value.low() | random.bits() & ones(field.width - length)
                    }
                    _ => value(&mut random, field.width),
                };
                let parts: Vec<u64> = fields.iter().enumerate().map(part).collect();
                let word = match WordKey::of(fields) {
                    Some(_) => {
                        let packed = parts.iter().zip(fields);
                        packed.fold(0, |word: u64, (part, field)| word.unbounded_shl(field.width) | part)
                    }
                    None => 0,
                };
                let words = parts.iter().zip(fields);
                let key: Vec<u64> = words
                    .flat_map(|(part, field)| {
                        let high = (1..field.width.div_ceil(64)).map(|_| 0);
                        std::iter::once(*part).chain(high)
                    })
                    .collect();
                read += u32::from(compare(&table, fields, word, &key));
                asked += 1;
            }
        }
        match WordKey::of(fields) {
            Some(_) => assert!(read > asked / 4, "{fields:?}: {read} of {asked}"),
            None => assert!(read < asked / 4, "{fields:?}: only while the table is empty"),
        }
    }
}

/// Routes to places that differ in their first bits, and keys that are counted up, all have shortcuts.
#[test]
fn usual_entries_have_shortcuts() {
    let entry = |field: KeyField, value: u64| TableEntry {
        key: vec![match field.kind {
            MatchKind::Lpm => FieldMatch::Prefix { value: Bits::from_u64(value, 32), length: 24 },
            _ => FieldMatch::Exact(Bits::from_u64(value, 32)),
        }],
        priority: 0,
        target: Target::Action { action: 0, data: vec![Bits::from_u64(value, 32)] },
        is_constant: false,
    };
    for kind in [MatchKind::Exact, MatchKind::Lpm] {
        let value = |number: u64| if kind == MatchKind::Lpm { 0x0A00_0000 | number << 8 } else { number };
        let field = KeyField { kind, width: 32 };
        let mut table = MatchTable::new(vec![field], None);
        table.set_default_words(TargetWords::of(&Target::Action { action: 0, data: vec![Bits::from_u64(0, 32)] }));
        for number in 0..MOST_ENTRIES as u64 {
            table.insert(entry(field, value(number))).expect("a new key");
        }
        ask(&mut table);
        for number in 0..MOST_ENTRIES as u64 {
            assert!(compare(&table, &[field], value(number), &[value(number)]), "{kind:?} {number}");
        }
        let mut clone = table.clone();
        assert_eq!(clone.shortcuts.address, 0, "a clone has none");
        ask(&mut clone);
        assert!(compare(&clone, &[field], value(0), &[value(0)]), "but makes its own");
        table.insert(entry(field, value(MOST_ENTRIES as u64))).expect("a new key");
        ask(&mut table);
        assert!(read(&table, value(0)).is_none(), "a large table has none");
    }
}
