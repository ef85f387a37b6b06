//! Idle timeouts of entries, held against a model that looks at every entry.

use std::collections::BTreeMap;

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot};
use proptest::prelude::*;
use runtime::tables::{EntryHandle, FieldMatch, KeyField, MatchKind, TableEntry, Target};
use runtime::{Bits, TableState};

/// The precision of timeouts, in nanoseconds.
const TICK: u64 = 1_000_000;

fn table() -> TableState {
    let target = Target::Action { action: 0, data: Vec::new() };
    TableState::new(vec![KeyField { kind: MatchKind::Exact, width: 16 }], None, target).with_ages()
}

fn entry(value: u64) -> TableEntry {
    let target = Target::Action { action: 0, data: Vec::new() };
    TableEntry { key: vec![FieldMatch::Exact(Bits::Narrow(value))], priority: 0, target, is_constant: false }
}

fn at(nanoseconds: u64) -> Instant {
    Instant::from_picoseconds(nanoseconds * 1_000)
}

/// An entry of the model; times are in nanoseconds.
struct Modelled {
    handle: EntryHandle,
    hit: u64,
    since: u64,
    timeout: u64,
    is_idle: bool,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Insert(u64),
    SetTimeout(u64),
    Hit,
    Delete,
    Take,
    SaveAndRestore,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0_u64..5).prop_map(|ticks| Step::Insert(ticks * TICK + ticks / 2)),
        1 => (0_u64..5).prop_map(|ticks| Step::SetTimeout(ticks * TICK)),
        4 => Just(Step::Hit),
        1 => Just(Step::Delete),
        2 => Just(Step::Take),
        1 => Just(Step::SaveAndRestore),
    ]
}

proptest! {
    #[test]
    fn entries_are_idle_as_a_model_says(
        steps in prop::collection::vec((any_step(), 0_u64..4, 0..2 * TICK), 0..60),
    ) {
        let (mut table, mut model, mut now) = (table(), BTreeMap::<u64, Modelled>::new(), 0);
        for (step, key, later) in steps {
            now += later;
            // As a switch that is woken when it asks to be.
            while let Some(next) = table.next_idle().filter(|next| *next <= at(now)) {
                table.expire(next);
                for entry in model.values_mut().filter(|entry| entry.timeout > 0 && !entry.is_idle) {
                    let end = (entry.hit.max(entry.since) + entry.timeout).next_multiple_of(TICK);
                    if at(end) <= next {
                        entry.is_idle = true;
                        entry.since = next.picoseconds() / 1_000;
                    }
                }
            }
            match (step, model.get_mut(&key)) {
                (Step::Insert(timeout), None) => {
                    let handle = table.insert(entry(key)).unwrap();
                    table.begin_age(handle, at(now));
                    table.set_idle_timeout(handle, timeout);
                    model.insert(key, Modelled { handle, hit: now, since: now, timeout, is_idle: false });
                }
                (Step::SetTimeout(timeout), Some(modelled)) if !modelled.is_idle => {
                    table.set_idle_timeout(modelled.handle, timeout);
                    if modelled.timeout == 0 || timeout == 0 {
                        modelled.since = modelled.hit;
                    }
                    modelled.timeout = timeout;
                }
                (Step::Hit, Some(modelled)) => {
                    table.hit(modelled.handle, at(now));
                    modelled.hit = now;
                }
                (Step::Delete, Some(modelled)) => {
                    table.delete(modelled.handle).unwrap();
                    model.remove(&key);
                }
                (Step::Take, _) => {
                    let mut taken: Vec<EntryHandle> = table.take_idle().into_iter().map(|(_, handle)| handle).collect();
                    taken.sort_unstable();
                    let idle = model.values_mut().filter(|entry| entry.is_idle);
                    let mut expected: Vec<EntryHandle> = idle.map(|entry| {
                        entry.is_idle = false;
                        entry.handle
                    }).collect();
                    expected.sort_unstable();
                    prop_assert_eq!(taken, expected);
                }
                (Step::SaveAndRestore, _) => {
                    let mut saver = Saver::default();
                    table.save(&mut saver).unwrap();
                    table = self::table();
                    table.restore(&mut Loader::new(&saver.into_bytes())).unwrap();
                }
                _ => {}
            }
            for modelled in model.values() {
                let since = table.time_since_hit(modelled.handle, at(now)).map(|since| since.picoseconds() / 1_000);
                prop_assert_eq!(since, Some(now - modelled.hit));
                prop_assert_eq!(table.idle_timeout(modelled.handle), modelled.timeout);
            }
        }
    }
}

#[test]
fn a_notification_comes_once_until_it_is_taken() {
    let mut table = table();
    let handle = table.insert(entry(1)).unwrap();
    table.begin_age(handle, at(0));
    table.set_idle_timeout(handle, 3 * TICK);
    assert_eq!(table.next_idle(), Some(at(3 * TICK)));
    table.hit(handle, at(TICK));
    table.expire(at(3 * TICK));
    assert_eq!((table.take_idle(), table.next_idle()), (vec![], Some(at(4 * TICK))), "it was hit in the meantime");
    table.expire(at(4 * TICK));
    table.expire(at(40 * TICK));
    assert_eq!(table.next_idle(), None, "nothing wakes a switch that nobody listens to");
    assert_eq!(table.take_idle(), [(at(4 * TICK), handle)]);
    assert_eq!(table.next_idle(), Some(at(7 * TICK)), "the next period began with the notification");
}

#[test]
fn extreme_timeouts_neither_overflow_nor_keep_a_switch_busy() {
    let mut table = table();
    let handle = table.insert(entry(1)).unwrap();
    table.begin_age(handle, at(5));
    table.set_idle_timeout(handle, u64::MAX);
    assert_eq!((table.next_idle(), table.idle_timeout(handle)), (None, u64::MAX), "it ends after the end of time");
    table.set_idle_timeout(handle, 1);
    assert_eq!((table.next_idle(), table.idle_timeout(handle)), (Some(at(TICK)), 1));
    table.delete(handle).unwrap();
    assert_eq!((table.next_idle(), table.take_idle()), (None, vec![]));
}
