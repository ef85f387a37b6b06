//! The targets that look-ups return: always those that the control plane wrote last.

use proptest::prelude::*;
use runtime::tables::{EntryHandle, FieldMatch, KeyField, MatchKind, TableEntry, Target, TargetWords};
use runtime::{Bits, TableState};

fn action(number: u64) -> Target {
    Target::Action { action: number as u32 % 3, data: vec![Bits::Narrow(number)] }
}

/// Makes a table with `many` routes outside of the tested range; if they are enough it has a direct table.
fn table(kind: MatchKind, many: u64) -> TableState {
    let mut table = TableState::new(vec![KeyField { kind, width: 32 }], None, action(0)).with_counters();
    for number in 0..many {
        table.insert(entry(kind, 1 << 31 | number << 12, 20, number % 7)).unwrap();
    }
    table
}

fn entry(kind: MatchKind, value: u64, length: u32, target: u64) -> TableEntry {
    let mask = u32::MAX.unbounded_shl(32 - length);
    let masked = Bits::from_u64(value & u64::from(mask), 32);
    let asked = match kind {
        MatchKind::Exact => FieldMatch::Exact(Bits::from_u64(value, 32)),
        MatchKind::Lpm => FieldMatch::Prefix { value: masked, length },
        _ => FieldMatch::Mask { value: masked, mask: Bits::from_u64(mask.into(), 32) },
    };
    TableEntry { key: vec![asked], priority: length, target: action(target), is_constant: false }
}

#[derive(Clone, Debug)]
enum Change {
    Insert(u64, u32, u64),
    Modify(prop::sample::Index, u64),
    Delete(prop::sample::Index),
    Default(u64),
    Clear,
}

fn change() -> impl Strategy<Value = Change> {
    // Values within one slot of a direct table, and in the next one.
    let value = (0u64..0x2_0000).prop_map(|low| 0x0A00_0000 + (low >> 8 << 8));
    prop_oneof![
        20 => (value, 0u32..=32, 0u64..5).prop_map(|(value, length, target)| Change::Insert(value, length, target)),
        10 => (any::<prop::sample::Index>(), 0u64..5).prop_map(|(which, target)| Change::Modify(which, target)),
        8 => any::<prop::sample::Index>().prop_map(Change::Delete),
        2 => (0u64..5).prop_map(Change::Default),
        1 => Just(Change::Clear),
    ]
}

fn agree(table: &TableState, key: u64) -> Result<(), TestCaseError> {
    let (entry, target) = table.lookup_target(&[key]);
    prop_assert_eq!(entry, table.lookup_words(&[key]));
    prop_assert_eq!(target, table.target_words(entry));
    let written = entry.map_or(table.default_target(), |entry| &table.matches().get(entry).unwrap().target);
    prop_assert_eq!(target, &TargetWords::of(written));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn look_ups_return_the_target_written_last(
        kind in prop::sample::select(vec![MatchKind::Exact, MatchKind::Lpm, MatchKind::Ternary]),
        is_large in any::<bool>(),
        changes in prop::collection::vec(change(), 1..120),
    ) {
        let is_large = is_large && kind == MatchKind::Lpm;
        let mut table = table(kind, if is_large { 5000 } else { 0 });
        for change in changes {
            let handles: Vec<EntryHandle> = table.matches().entries().map(|(handle, _)| handle).collect();
            // The latest entries, which are the ones that earlier changes added.
            let latest = &handles[handles.len().saturating_sub(50)..];
            match change {
                Change::Insert(value, length, target) => _ = table.insert(entry(kind, value, length, target)),
                Change::Modify(which, target) if !latest.is_empty() => {
                    table.modify(*which.get(latest), action(target)).unwrap();
                }
                Change::Delete(which) if !latest.is_empty() => _ = table.delete(*which.get(latest)).unwrap(),
                Change::Modify(..) | Change::Delete(_) => {}
                Change::Default(target) => table.set_default(action(target)),
                // A large table is not cleared, because refilling it would be slow.
                Change::Clear if !is_large => table.clear(),
                Change::Clear => {}
            }
            for key in (0x0A00_0000..0x0A02_0000).step_by(0x700) {
                agree(&table, key)?;
            }
            agree(&table, 1 << 31)?;
        }
    }
}
