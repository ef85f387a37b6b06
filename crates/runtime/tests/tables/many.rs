//! Tables as large as those of routers and firewalls, compared with the reference.

use std::collections::HashMap;

use basis::Random;
use runtime::tables::{EntryHandle, FieldMatch, KeyField, MatchKind, MatchTable, TableEntry, Target};

use crate::reference::{Asked, Line, ones, winner, words};

fn entry(key: Vec<FieldMatch>, priority: u32) -> TableEntry {
    TableEntry { key, priority, target: Target::Action { action: 0, data: Vec::new() }, is_constant: false }
}

fn wide(random: &mut Random) -> u128 {
    u128::from(random.bits()) << 64 | u128::from(random.bits())
}

/// The routes of one field, by prefix and length.
struct Routes {
    field: KeyField,
    table: MatchTable,
    known: HashMap<(u128, u32), EntryHandle>,
}

impl Routes {
    fn longest(&self, value: u128) -> Option<EntryHandle> {
        let cut = |length: u32| value & !ones(self.field.width - length);
        (0..=self.field.width).rev().find_map(|length| self.known.get(&(cut(length), length)).copied())
    }

    fn add(&mut self, value: u128, length: u32) {
        let value = value & ones(self.field.width) & !ones(self.field.width - length);
        let asked = Asked::Prefix(value, length).field_match(self.field.width);
        if let Ok(handle) = self.table.insert(entry(vec![asked], 0)) {
            assert_eq!(self.known.insert((value, length), handle), None);
        }
    }

    fn check(&self, random: &mut Random) {
        let mut prefixes: Vec<_> = self.known.iter().collect();
        prefixes.sort();
        for (&(prefix, length), _) in prefixes.into_iter().step_by(7) {
            let value = prefix | wide(random) & ones(self.field.width - length);
            assert_eq!(self.table.lookup_words(&words(&[value], &[self.field])), self.longest(value), "{value:x}");
        }
    }
}

/// More routes than the threshold for a direct table are added and removed: short and long ones, and the default route.
#[test]
fn many_routes_come_and_go() {
    for width in [16, 24, 32, 64, 128] {
        let mut random = Random::new(u64::from(width));
        let field = KeyField { kind: MatchKind::Lpm, width };
        let mut routes = Routes { field, table: MatchTable::new(vec![field], None), known: HashMap::new() };
        for number in 0..12_000 {
            // Three regions, so that prefixes are nested.
            let region = [0, 0x55 << (width - 8), 0xF0 << (width - 8)][number % 3];
            let length = random.below(u64::from(width) + 1) as u32;
            routes.add(region | wide(&mut random) & ones(width) >> 6, length);
        }
        assert!(routes.known.len() > 5000 || width == 16, "{} of {width} bits", routes.known.len());
        routes.check(&mut random);
        for share in [2, 3, 1] {
            let mut going: Vec<_> = routes.known.iter().map(|(&prefix, &handle)| (prefix, handle)).collect();
            going.sort();
            for (prefix, handle) in going.into_iter().step_by(share) {
                routes.known.remove(&prefix);
                routes.table.delete(handle).unwrap();
            }
            routes.check(&mut random);
            routes.add(0, 0);
            routes.add(0, 5);
        }
        assert_eq!(routes.table.len(), 2);
    }
}

/// A few nested routes of wide fields that differ at the borders of words are removed one by one.
#[test]
fn nested_routes_come_and_go() {
    for width in [60, 65, 70, 128] {
        let mut random = Random::new(u64::from(width));
        let field = KeyField { kind: MatchKind::Lpm, width };
        let mut routes = Routes { field, table: MatchTable::new(vec![field], None), known: HashMap::new() };
        for _ in 0..600 {
            let length = width.min(70) - random.below(24) as u32;
            routes.add(wide(&mut random) & ones(16) << (width.min(70) - 16), length);
            routes.add((wide(&mut random) & ones(8)) << (width - width.min(70)), length);
        }
        while !routes.known.is_empty() {
            let mut prefixes: Vec<_> = routes.known.keys().copied().collect();
            prefixes.sort();
            let going = prefixes.into_iter().filter(|_| random.chance(0.4)).collect::<Vec<_>>();
            for prefix in going {
                let handle = routes.known.remove(&prefix).unwrap();
                routes.table.delete(handle).unwrap();
            }
            routes.check(&mut random);
        }
    }
}

/// A rule of a firewall: networks, a range of ports, a protocol, or anything.
fn rule(random: &mut Random) -> Vec<Asked> {
    let network = |random: &mut Random| match random.below(4) {
        0 => Asked::Any,
        _ => {
            let mask = u128::from(u32::MAX << random.below(17));
            Asked::Mask(u128::from(random.below(8) << 24 | random.below(300)) & mask, mask)
        }
    };
    let (source, destination) = (network(random), network(random));
    let port = match random.below(3) {
        0 => Asked::Any,
        1 => Asked::Range(1024, 65535),
        _ => {
            let low = u128::from(random.below(2000));
            Asked::Range(low, low + u128::from(random.below(3) * 40))
        }
    };
    let protocol = if random.chance(0.2) { Asked::Any } else { Asked::One(u128::from(6 + 11 * random.below(2))) };
    vec![source, destination, port, protocol]
}

/// A rule whose mask is unrelated to those of others, so that most groups of rules let some rule through.
fn unrelated_rule(random: &mut Random) -> Vec<Asked> {
    let field = |width: u32| {
        let mask = wide(random) & wide(random) & wide(random) & ones(width);
        Asked::Mask(wide(random) & mask, mask)
    };
    [32, 32, 16, 8].map(field).to_vec()
}

fn rules_come_and_go(kinds: [MatchKind; 4], rule: fn(&mut Random) -> Vec<Asked>, key: fn(&mut Random) -> [u128; 4]) {
    let mut widths = [32, 32, 16, 8].into_iter();
    let fields = kinds.map(|kind| KeyField { kind, width: widths.next().unwrap() });
    let mut table = MatchTable::new(fields.to_vec(), None);
    let (mut lines, mut random) = (Vec::<Line>::new(), Random::new(1));
    for left in [700, 1000, 40, 5, 0] {
        for _ in 0..1000 {
            let (key, priority) = (rule(&mut random), random.below(50) as u32);
            let asked = key.iter().zip(&fields).map(|(asked, field)| asked.field_match(field.width)).collect();
            if let Ok(handle) = table.insert(entry(asked, priority)) {
                lines.push(Line { handle, key, priority });
            }
        }
        for left in [lines.len(), left] {
            while lines.len() > left {
                let line = lines.swap_remove(random.below(lines.len() as u64) as usize);
                table.delete(line.handle).unwrap();
            }
            lines.sort_by_key(|line| line.handle);
            for _ in 0..200 {
                let key = key(&mut random);
                assert_eq!(table.lookup_words(&words(&key, &fields)), winner(&lines, &fields, &key), "{key:?}");
            }
        }
    }
    assert!(table.is_empty());
}

#[test]
fn many_rules_come_and_go() {
    let key = |random: &mut Random| {
        let near = |random: &mut Random| u128::from(random.below(8) << 24 | random.below(300));
        let protocol = u128::from(6 + 11 * random.below(2));
        [near(random), near(random), u128::from(random.below(2200)), protocol]
    };
    rules_come_and_go([MatchKind::Ternary, MatchKind::Ternary, MatchKind::Range, MatchKind::Optional], rule, key);
}

#[test]
fn many_rules_with_unrelated_masks_come_and_go() {
    let key = |random: &mut Random| [32, 32, 16, 8].map(|width| wide(random) & ones(width));
    rules_come_and_go([MatchKind::Ternary; 4], unrelated_rule, key);
}

/// Only their priorities distinguish the rules, so an index has no bytes to use.
#[test]
fn among_identical_rules_the_first_of_top_priority_wins() {
    let fields = vec![KeyField { kind: MatchKind::Ternary, width: 0 }, KeyField { kind: MatchKind::Ternary, width: 9 }];
    for fields in [vec![fields[0]], fields] {
        let mut table = MatchTable::new(fields.clone(), None);
        let key = || vec![FieldMatch::Any; fields.len()];
        let handles: Vec<_> = (0..200).map(|number| table.insert(entry(key(), number * 7 % 200)).unwrap()).collect();
        let mut by_priority: Vec<_> =
            handles.iter().map(|&handle| (table.get(handle).unwrap().priority, handle)).collect();
        by_priority.sort();
        while let Some((_, handle)) = by_priority.pop() {
            assert_eq!(table.lookup_words(&vec![0; fields.len() - 1]), Some(handle));
            table.delete(handle).unwrap();
        }
        assert_eq!(table.lookup_words(&vec![0; fields.len() - 1]), None);
    }
}
