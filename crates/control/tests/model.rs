//! Compares a table with a list of entries: insert, modify, delete and read must have the same effect on both.

mod common;

use common::*;
use control::*;
use proptest::prelude::*;
use runtime::Bits;
use runtime::tables::FieldMatch;

#[derive(Clone, Debug)]
enum Action {
    Insert(u64, u32),
    Modify(u64, u32),
    Delete(u64),
    Clear,
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let one = prop_oneof![
        5 => (0_u64..6, 0_u32..4).prop_map(|(key, port)| Action::Insert(key, port)),
        2 => (0_u64..6, 0_u32..4).prop_map(|(key, port)| Action::Modify(key, port)),
        3 => (0_u64..6).prop_map(Action::Delete),
        1 => Just(Action::Clear),
    ];
    prop::collection::vec(one, 0..40)
}

/// The table `ingress.ipv4_lpm` holds three entries.
const SIZE: usize = 3;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_table_behaves_like_a_list_of_entries(actions in actions()) {
        let mut bench = Bench::new();
        let mut model: Vec<(u64, u32)> = Vec::new();
        let key = |value: u64| vec![FieldMatch::Prefix { value: Bits::from_u64(value << 24, 32), length: 8 }];
        let target = |port: u32| run(FORWARD, &[u64::from(port), 0]);
        for action in actions {
            let at = |model: &[(u64, u32)], value| model.iter().position(|(key, _)| *key == value);
            let (request, is_right) = match action {
                Action::Insert(value, port) => {
                    let is_right = at(&model, value).is_none() && model.len() < SIZE;
                    if is_right {
                        model.push((value, port));
                    }
                    (TableRequest::insert(key(value), None, target(port)), is_right)
                }
                Action::Modify(value, port) => {
                    let found = at(&model, value);
                    if let Some(at) = found {
                        model[at].1 = port;
                    }
                    let entry = EntrySelection::Key { key: key(value), priority: None };
                    (TableRequest::modify(entry, target(port)), found.is_some())
                }
                Action::Delete(value) => {
                    let found = at(&model, value);
                    if let Some(at) = found {
                        model.remove(at);
                    }
                    (TableRequest::Delete(EntrySelection::Key { key: key(value), priority: None }), found.is_some())
                }
                Action::Clear => {
                    model.clear();
                    (TableRequest::Clear, true)
                }
            };
            prop_assert_eq!(bench.execute(Request::Table(LPM, request)).is_ok(), is_right);
            let Response::Entries(read) = bench.done(Request::Table(LPM, TableRequest::read_all())) else { panic!() };
            let found: Vec<(Vec<FieldMatch>, Target)> = read.into_iter().map(|entry| (entry.key, entry.target)).collect();
            let fitted = |port: u32| {
                let data = vec![Bits::from_u64(u64::from(port), 9), Bits::from_u64(0, 48)];
                Target::Action(ActionCall { action: FORWARD, data })
            };
            let expected: Vec<_> = model.iter().map(|(value, port)| (key(*value), fitted(*port))).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
