//! Counters, action profiles, and the direct counters and meters of table entries.

use basis::Instant;
use runtime::meter::MeterError;
use runtime::profile::{Member, ProfileError, ProfileLimits};
use runtime::tables::{ActionWords, FieldMatch, KeyField, MatchKind, TableEntry, Target, TargetWords};
use runtime::{
    Bits, Color, Count, CounterArray, DirectError, GroupMember, MeterRates, MeterUnit, Profile, TableState,
    value_set_contains,
};

fn action(action: u32) -> Target {
    Target::Action { action, data: Vec::new() }
}

fn member(action: u32) -> Member {
    Member { action, data: vec![Bits::Narrow(u64::from(action))] }
}

fn entry(value: u64) -> TableEntry {
    let key = vec![FieldMatch::Exact(Bits::Narrow(value))];
    TableEntry { key, priority: 0, target: action(1), is_constant: false }
}

fn table() -> TableState {
    TableState::new(vec![KeyField { kind: MatchKind::Exact, width: 8 }], None, action(0))
}

#[test]
fn counters_ignore_indices_out_of_range() {
    let mut counters = CounterArray::new(2);
    for (index, bytes) in [(0, 60), (1, 1500), (1, 40), (2, 100), (u64::MAX, 100)] {
        counters.count(index, 1, bytes);
    }
    assert_eq!(counters.counts(), [Count { packets: 1, bytes: 60 }, Count { packets: 2, bytes: 1540 }]);
    assert!(counters.set(0, Count { packets: u64::MAX, bytes: 5 }) && !counters.set(2, Count::default()));
    counters.count(0, 1, 1);
    assert_eq!((counters.get(0), counters.get(2)), (Some(Count { packets: 0, bytes: 6 }), None), "wraps");
    counters.clear();
    assert_eq!(counters.counts(), [Count::default(); 2]);
}

#[test]
fn direct_counters_and_meters_follow_their_entries() {
    let rates = MeterRates { committed_rate: 0, committed_burst: 1, peak_rate: 0, peak_burst: 2 };
    let mut table = table().with_counters().with_meters(MeterUnit::Packets);
    let first = table.insert(entry(1)).unwrap();
    let kept = table.insert(TableEntry { is_constant: true, ..entry(2) }).unwrap();
    table.count(first, 1, 100);
    table.count(kept, 1, 10);
    table.set_meter(first, Some(rates)).unwrap();
    table.set_meter(kept, Some(rates)).unwrap();
    let colors = [(); 3].map(|()| table.mark(first, Instant::ZERO, 1));
    assert_eq!(colors, [Color::Green, Color::Yellow, Color::Red]);
    assert_eq!(table.mark(kept, Instant::ZERO, 1), Color::Green, "each entry has a meter of its own");
    table.modify(first, action(2)).unwrap();
    assert_eq!(table.counter(first), Some(Count { packets: 1, bytes: 100 }), "changing the action keeps the counter");
    table.delete(first).unwrap();
    let again = table.insert(entry(1)).unwrap();
    assert_eq!((table.counter(first), table.counter(again)), (None, Some(Count::default())));
    assert_eq!((table.meter(first), table.meter(again)), (None, None));
    assert_eq!(table.mark(again, Instant::ZERO, 9), Color::Green);
    table.clear();
    assert_eq!((table.counter(again), table.counter(kept)), (None, Some(Count { packets: 1, bytes: 10 })));
    assert_eq!(table.meter(kept), Some(rates));
}

#[test]
fn absent_counters_and_meters_cannot_be_set() {
    let rates = MeterRates { committed_rate: 5, committed_burst: 1, peak_rate: 1, peak_burst: 2 };
    let mut bare = table();
    let handle = bare.insert(entry(1)).unwrap();
    bare.count(handle, 1, 1);
    assert_eq!((bare.counter(handle), bare.mark(handle, Instant::ZERO, 1)), (None, Color::Green));
    assert_eq!(bare.set_counter(handle, Count::default()), Err(DirectError::NoCounters));
    assert_eq!(bare.set_meter(handle, None), Err(DirectError::NoMeters));
    let mut table = table().with_counters().with_meters(MeterUnit::Bytes);
    assert_eq!(table.set_counter(handle, Count::default()), Err(DirectError::NoSuchEntry));
    assert_eq!(table.set_meter(handle, None), Err(DirectError::NoSuchEntry));
    let handle = table.insert(entry(1)).unwrap();
    assert_eq!(table.set_meter(handle, Some(rates)), Err(DirectError::Rates(MeterError::PeakBelowCommitted)));
}

#[test]
fn a_default_action_can_be_changed_and_reset() {
    let mut table = table();
    table.set_default(action(3));
    assert_eq!(*table.default_target(), action(3));
    table.reset_default();
    assert_eq!(*table.default_target(), action(0));
}

fn group(members: &[u32]) -> Vec<GroupMember> {
    members.iter().copied().map(GroupMember::from).collect()
}

#[test]
fn a_hash_selects_among_members_ordered_by_id() {
    let mut profile = Profile::default();
    for id in [7, 0, 1, 4] {
        profile.insert_member(id, member(id)).unwrap();
    }
    profile.insert_group(5, &group(&[7, 1]), 0).unwrap();
    profile.modify_group(5, &group(&[4, 7, 1])).unwrap();
    assert_eq!(
        [0, 1, 2, 3, u64::MAX].map(|hash| profile.choose(5, hash, &runtime::RegisterFile::default())),
        [1, 4, 7, 1, 1].map(Some)
    );
    profile.modify_group(5, &group(&[7, 1])).unwrap();
    assert_eq!([0, 1, 2].map(|hash| profile.choose(5, hash, &runtime::RegisterFile::default())), [1, 7, 1].map(Some));
    profile.insert_group(0, &[], 0).unwrap();
    assert_eq!(
        (
            profile.choose(0, 3, &runtime::RegisterFile::default()),
            profile.choose(9, 3, &runtime::RegisterFile::default())
        ),
        (None, None),
        "the group is empty or does not exist"
    );
    assert_eq!((profile.unused_member(), profile.unused_group()), (2, 1));
    assert_eq!(profile.member(4), Some(&member(4)));
    profile.delete_group(5).unwrap();
    assert_eq!(profile.delete_member(7), Ok(member(7)), "no group has the member any more");
}

#[test]
fn profiles_enforce_limits_and_keep_used_members() {
    use ProfileError::*;
    let limits = ProfileLimits { members: Some(2), groups: Some(1), group_size: Some(1) };
    let mut profile = Profile::new(limits);
    profile.insert_member(1, member(1)).unwrap();
    assert_eq!(profile.insert_member(1, member(2)), Err(DuplicateMember(1)));
    profile.insert_member(2, member(2)).unwrap();
    assert_eq!(profile.insert_member(3, member(3)), Err(TooManyMembers { limit: 2 }));
    assert_eq!(profile.modify_member(3, member(3)), Err(NoSuchMember(3)));
    assert_eq!(profile.insert_group(1, &group(&[1, 2]), 0), Err(GroupTooLarge { limit: 1 }));
    assert_eq!(profile.insert_group(1, &group(&[3]), 0), Err(NoSuchMember(3)));
    profile.insert_group(1, &group(&[1]), 0).unwrap();
    assert_eq!(profile.insert_group(1, &group(&[]), 0), Err(DuplicateGroup(1)));
    assert_eq!(profile.insert_group(2, &group(&[]), 0), Err(TooManyGroups { limit: 1 }));
    assert_eq!(profile.modify_group(1, &group(&[2, 2])), Err(GroupTooLarge { limit: 1 }));
    assert_eq!(profile.group(1), Some(&group(&[1])[..]), "as it was");
    assert_eq!(profile.delete_member(1), Err(MemberInUse { group: 1 }));
    assert_eq!(profile.delete_member(3), Err(NoSuchMember(3)));
    assert_eq!(profile.delete_group(2), Err(NoSuchGroup(2)));
    let mut free = Profile::default();
    free.insert_member(2, member(2)).unwrap();
    assert_eq!(free.insert_group(1, &group(&[2, 2]), 0), Err(AlreadyInGroup(2)));
}

#[test]
fn targets_in_words_follow_the_control_plane() {
    // Three words are stored inline, four in an allocation.
    let wide = |limbs: &[u64]| Bits::from_limbs(limbs, 129);
    let three = Target::Action { action: 7, data: vec![wide(&[1, 2, 1])] };
    let four = Target::Action { action: 8, data: vec![Bits::Narrow(9), wide(&[4, 5, 0])] };
    let words = |words: &TargetWords| match words {
        TargetWords::Action(action) => (action.action(), action.words().to_vec()),
        other => panic!("{other:?}"),
    };
    let mut table = table();
    let handle = table.insert(TableEntry { target: three.clone(), ..entry(1) }).unwrap();
    assert_eq!(words(table.target_words(Some(handle))), (7, vec![1, 2, 1]));
    assert_eq!(words(table.target_words(None)), (0, vec![]));
    table.modify(handle, four.clone()).unwrap();
    table.set_default(three);
    assert_eq!(words(table.target_words(Some(handle))), (8, vec![9, 4, 5, 0]));
    assert_eq!(words(table.target_words(None)), (7, vec![1, 2, 1]));
    table.modify(handle, Target::Member(3)).unwrap();
    assert_eq!(table.target_words(Some(handle)), &TargetWords::Member(3));
    table.modify(handle, Target::Group(3)).unwrap();
    assert_eq!(table.target_words(Some(handle)), &TargetWords::Group(3));
    // Deleted entries leave nothing behind, and entries that the program declares constant stay.
    let constant = table.insert(TableEntry { is_constant: true, target: four, ..entry(2) }).unwrap();
    assert!(table.modify(constant, Target::Member(4)).is_err());
    table.clear();
    table.reset_default();
    assert_eq!(words(table.target_words(Some(handle))), (0, vec![]));
    assert_eq!(words(table.target_words(Some(constant))), (8, vec![9, 4, 5, 0]));
}

#[test]
fn members_in_words_follow_the_control_plane() {
    let mut profile = Profile::default();
    profile.insert_member(2, member(5)).unwrap();
    assert_eq!(profile.member_words(2), Some(&ActionWords::new(5, &[Bits::Narrow(5)])));
    profile.modify_member(2, member(6)).unwrap();
    assert_eq!(profile.member_words(2).map(|words| (words.action(), words.words())), Some((6, &[6][..])));
    profile.delete_member(2).unwrap();
    assert_eq!(profile.member_words(2), None);
}

#[test]
fn a_value_set_contains_what_any_member_matches() {
    let value = Bits::Narrow;
    let set = vec![
        vec![FieldMatch::Exact(value(1)), FieldMatch::Any],
        vec![FieldMatch::Mask { value: value(0x10), mask: value(0xF0) }, FieldMatch::Exact(value(2))],
    ];
    let contains = |first, second| value_set_contains(&set, &[value(first), value(second)], &[8, 8]);
    assert_eq!([contains(1, 99), contains(0x15, 2), contains(0x15, 3), contains(2, 2)], [true, true, false, false]);
    assert!(!value_set_contains(&[], &[value(1)], &[8]));
}
