//! Members, groups and action sets: section 9.2.

use p4runtime::message::google::rpc::Code;
use p4runtime::message::p4::v1::action_profile_action_set::{ActionSelectionMode, SizeSemantics};
use p4runtime::message::p4::v1::action_profile_group::{Member, WatchKind};
use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::table_action::Type;
use p4runtime::message::p4::v1::update::Type as Kinds;
use p4runtime::message::p4::v1::write_request::Atomicity;
use p4runtime::message::p4::v1::{
    ActionProfileAction, ActionProfileActionSet, ActionProfileGroup, ActionProfileMember, TableAction, TableEntry,
    action_profile_action,
};

use crate::bench::*;

fn member(bench: &Bench, member_id: u32, port: u8) -> ActionProfileMember {
    let action = Some(bench.call("forward", &[&[port], b"\x01"]));
    ActionProfileMember { action_profile_id: bench.profile("selector"), member_id, action }
}

fn group(bench: &Bench, group_id: u32, members: &[(u32, i32)]) -> ActionProfileGroup {
    let members = members.iter().map(|&(member_id, weight)| Member { member_id, weight, watch_kind: None });
    let (action_profile_id, members) = (bench.profile("selector"), members.collect());
    ActionProfileGroup { action_profile_id, group_id, members, max_size: 0 }
}

fn ecmp(bench: &Bench, length: i32, kind: Type) -> TableEntry {
    let (table_id, action) = (bench.table("ecmp"), Some(TableAction { r#type: Some(kind) }));
    TableEntry { table_id, r#match: vec![lpm(1, b"\x80\x00\x00\x00", length)], action, ..Default::default() }
}

fn set(bench: &Bench, weights: &[i32]) -> ActionProfileActionSet {
    let actions = weights.iter().map(|&weight| ActionProfileAction {
        action: Some(bench.call("forward", &[b"\x03", b"\x01"])),
        weight,
        watch_kind: None,
    });
    ActionProfileActionSet { action_profile_actions: actions.collect(), ..Default::default() }
}

#[test]
fn members_and_groups_are_written_used_and_read_back() {
    let mut bench = Bench::new();
    let (one, two) = (member(&bench, 1, 4), member(&bench, 2, 5));
    let mut both = group(&bench, 9, &[(1, 3), (2, 1)]);
    both.members[1].watch_kind = Some(WatchKind::WatchPort(b"7".to_vec()));
    assert_eq!(bench.insert(Kind::ActionProfileGroup(both.clone())), Err(Code::NotFound));
    for own in [&one, &two] {
        assert_eq!(bench.insert(Kind::ActionProfileMember(own.clone())), Ok(()));
        assert_eq!(bench.insert(Kind::ActionProfileMember(own.clone())), Err(Code::AlreadyExists));
    }
    assert_eq!(bench.insert(Kind::ActionProfileGroup(both.clone())), Ok(()));
    assert_eq!(bench.insert(Kind::ActionProfileGroup(both.clone())), Err(Code::AlreadyExists));
    let entry = ecmp(&bench, 8, Type::ActionProfileGroupId(9));
    assert_eq!(bench.insert(Kind::TableEntry(entry.clone())), Ok(()));
    let lost = ecmp(&bench, 9, Type::ActionProfileGroupId(8));
    assert_eq!(bench.insert(Kind::TableEntry(lost)), Err(Code::NotFound));
    let direct = TableEntry { action: bench.entry("ecmp", vec![], bench.call("drop", &[])).action, ..entry.clone() };
    assert_eq!(bench.modify(Kind::TableEntry(direct)), Err(Code::InvalidArgument));

    let members = bench.read(Kind::ActionProfileMember(Default::default())).unwrap();
    assert_eq!(members, [one.clone(), two].map(Kind::ActionProfileMember));
    let asked = ActionProfileGroup { members: vec![], ..both.clone() };
    assert_eq!(bench.read(Kind::ActionProfileGroup(asked)), Ok(vec![Kind::ActionProfileGroup(both.clone())]));
    let missing = ActionProfileGroup { group_id: 8, ..both.clone() };
    assert_eq!(bench.read(Kind::ActionProfileGroup(missing)), Err(Code::NotFound));
    let table = TableEntry { table_id: entry.table_id, ..Default::default() };
    assert_eq!(bench.read(Kind::TableEntry(table)), Ok(vec![Kind::TableEntry(entry.clone())]));

    assert_eq!(bench.delete(Kind::ActionProfileMember(one.clone())), Err(Code::FailedPrecondition));
    assert_eq!(bench.delete(Kind::ActionProfileGroup(both.clone())), Err(Code::FailedPrecondition));
    assert_eq!(bench.delete(Kind::TableEntry(entry)), Ok(()));
    assert_eq!(bench.delete(Kind::ActionProfileGroup(both.clone())), Ok(()));
    assert_eq!(bench.delete(Kind::ActionProfileGroup(both)), Err(Code::NotFound));
    assert_eq!(bench.delete(Kind::ActionProfileMember(one.clone())), Ok(()));
    assert_eq!(bench.delete(Kind::ActionProfileMember(one)), Err(Code::NotFound));
}

#[test]
fn malformed_members_and_groups_are_refused() {
    let mut bench = Bench::new();
    assert_eq!(bench.insert(Kind::ActionProfileMember(member(&bench, 1, 4))), Ok(()));
    let own = member(&bench, 2, 4);
    let cases = [
        (ActionProfileMember { member_id: 0, ..own.clone() }, Code::InvalidArgument),
        (ActionProfileMember { action_profile_id: 0, ..own.clone() }, Code::InvalidArgument),
        (ActionProfileMember { action: None, ..own.clone() }, Code::InvalidArgument),
        (ActionProfileMember { action: Some(bench.call("metered", &[b"\x01"])), ..own }, Code::InvalidArgument),
    ];
    for (own, code) in cases {
        assert_eq!(bench.insert(Kind::ActionProfileMember(own.clone())), Err(code), "{own:?}");
    }
    let mut watched = group(&bench, 9, &[(1, 1)]);
    watched.members[0].watch_kind = Some(WatchKind::Watch(4));
    let cases = [
        (group(&bench, 0, &[(1, 1)]), Code::InvalidArgument),
        (group(&bench, 9, &[(1, 0)]), Code::InvalidArgument),
        (group(&bench, 9, &[(1, -1)]), Code::InvalidArgument),
        (group(&bench, 9, &[(1, 1), (1, 1)]), Code::InvalidArgument),
        (group(&bench, 9, &[(3, 1)]), Code::NotFound),
        (group(&bench, 9, &[(1, 100)]), Code::ResourceExhausted),
        (ActionProfileGroup { max_size: -1, ..group(&bench, 9, &[(1, 1)]) }, Code::InvalidArgument),
        (
            ActionProfileGroup { action_profile_id: bench.profile("profile"), ..group(&bench, 9, &[]) },
            Code::InvalidArgument,
        ),
        (watched, Code::Unimplemented),
    ];
    for (own, code) in cases {
        assert_eq!(bench.insert(Kind::ActionProfileGroup(own.clone())), Err(code), "{own:?}");
    }
    let sized = ActionProfileGroup { max_size: 4, ..group(&bench, 9, &[(1, 1)]) };
    assert_eq!(bench.insert(Kind::ActionProfileGroup(sized.clone())), Ok(()));
    let other = ActionProfileGroup { max_size: 5, ..sized };
    assert_eq!(bench.modify(Kind::ActionProfileGroup(other)), Err(Code::InvalidArgument));
}

#[test]
fn an_action_set_is_read_back_as_it_was_written() {
    let mut bench = Bench::new();
    let mut first = set(&bench, &[1, 2, 3, 1]);
    first.action_profile_actions[1].watch_kind = Some(action_profile_action::WatchKind::WatchPort(b"5".to_vec()));
    first.action_selection_mode = ActionSelectionMode::Hash.into();
    first.size_semantics = SizeSemantics::SumOfWeights.into();
    for (length, set) in [(8, first), (9, set(&bench, &[2]))] {
        let entry = ecmp(&bench, length, Type::ActionProfileActionSet(set));
        let entry = TableEntry { metadata: b"with it".to_vec(), ..entry };
        assert_eq!(bench.insert(Kind::TableEntry(entry.clone())), Ok(()));
        let asked = TableEntry { action: None, ..entry.clone() };
        assert_eq!(bench.read(Kind::TableEntry(asked)), Ok(vec![Kind::TableEntry(entry)]));
    }
    // One style for all tables of a profile; its own members stay unseen.
    assert_eq!(bench.insert(Kind::ActionProfileMember(member(&bench, 1, 4))), Err(Code::InvalidArgument));
    assert_eq!(bench.read(Kind::ActionProfileMember(Default::default())), Ok(vec![]));
    assert_eq!(bench.read(Kind::ActionProfileGroup(Default::default())), Ok(vec![]));
}

#[test]
fn a_malformed_action_set_is_refused() {
    let mut bench = Bench::new();
    let own = set(&bench, &[1]);
    let with = |mode: ActionSelectionMode, size: SizeSemantics| ActionProfileActionSet {
        action_selection_mode: mode.into(),
        size_semantics: size.into(),
        ..own.clone()
    };
    let (mode, size) = Default::default();
    let cases = [
        (set(&bench, &[1, 0]), Code::InvalidArgument),
        (set(&bench, &[-1]), Code::InvalidArgument),
        (ActionProfileActionSet { group_action: Some(bench.call("drop", &[])), ..own.clone() }, Code::Unimplemented),
        (with(ActionSelectionMode::Random, size), Code::Unimplemented),
        (with(mode, SizeSemantics::SumOfMembers), Code::Unimplemented),
        (ActionProfileActionSet { size_semantics: 9, ..own.clone() }, Code::InvalidArgument),
    ];
    for (set, code) in cases {
        let entry = ecmp(&bench, 8, Type::ActionProfileActionSet(set.clone()));
        assert_eq!(bench.insert(Kind::TableEntry(entry)), Err(code), "{set:?}");
    }
    let indirect = TableEntry {
        table_id: bench.table("indirect"),
        r#match: vec![exact(1, b"\x01")],
        ..ecmp(&bench, 8, Type::ActionProfileActionSet(own))
    };
    assert_eq!(bench.insert(Kind::TableEntry(indirect)), Err(Code::InvalidArgument));
    assert_eq!(
        bench.read(Kind::TableEntry(TableEntry { table_id: bench.table("ecmp"), ..Default::default() })),
        Ok(vec![])
    );
}

#[test]
fn how_the_actions_of_a_set_are_chosen_stays_when_the_actions_stay() {
    let mut bench = Bench::new();
    let chosen =
        ActionProfileActionSet { action_selection_mode: ActionSelectionMode::Hash.into(), ..set(&bench, &[1, 2]) };
    let entry = ecmp(&bench, 8, Type::ActionProfileActionSet(chosen));
    let with = |metadata: &[u8]| TableEntry { metadata: metadata.to_vec(), ..entry.clone() };
    let kept = |metadata: &[u8]| Kind::TableEntry(TableEntry { action: None, ..with(metadata) });
    assert_eq!(bench.insert(Kind::TableEntry(entry.clone())), Ok(()));
    assert_eq!(bench.modify(kept(b"one")), Ok(()));
    assert_eq!(bench.entries(&entry), Ok(vec![with(b"one")]));
    assert_eq!(bench.delete(Kind::TableEntry(entry.clone())), Ok(()));
    // The actions may be written by an update of the same batch.
    for (at, atomicity) in [Atomicity::ContinueOnError, Atomicity::DataplaneAtomic].into_iter().enumerate() {
        let first = if at == 0 { Kinds::Insert } else { Kinds::Modify };
        let updates = [
            update(first, Kind::TableEntry(entry.clone())),
            update(Kinds::Modify, kept(b"two")),
            update(Kinds::Modify, kept(b"three")),
        ];
        assert_eq!(bench.write(&updates, atomicity), Ok(()));
        assert_eq!(bench.entries(&entry), Ok(vec![with(b"three")]));
    }
    let missing = ecmp(&bench, 9, Type::ActionProfileMemberId(1));
    assert_eq!(bench.modify(Kind::TableEntry(TableEntry { action: None, ..missing })), Err(Code::NotFound));
}

#[test]
fn a_watch_port_must_be_a_port_of_the_switch() {
    let mut bench = Bench::new();
    assert_eq!(bench.insert(Kind::ActionProfileMember(member(&bench, 1, 4))), Ok(()));
    let mut watching = group(&bench, 9, &[(1, 1)]);
    watching.members[0].watch_kind = Some(WatchKind::WatchPort(b"7".to_vec()));
    bench.device.ports = 0;
    assert_eq!(bench.insert(Kind::ActionProfileGroup(watching.clone())), Err(Code::InvalidArgument));
    bench.device.ports = 511;
    assert_eq!(bench.insert(Kind::ActionProfileGroup(watching.clone())), Ok(()));
    bench.device.ports = 0;
    assert_eq!(bench.modify(Kind::ActionProfileGroup(watching.clone())), Err(Code::InvalidArgument));
    // What is there can be removed whatever the ports.
    assert_eq!(bench.delete(Kind::ActionProfileGroup(watching)), Ok(()));
    assert_eq!(bench.delete(Kind::ActionProfileMember(member(&bench, 1, 4))), Ok(()));
    let mut watching = set(&bench, &[1]);
    let watch = action_profile_action::WatchKind::WatchPort(b"7".to_vec());
    watching.action_profile_actions[0].watch_kind = Some(watch);
    let entry = ecmp(&bench, 8, Type::ActionProfileActionSet(watching));
    assert_eq!(bench.insert(Kind::TableEntry(entry)), Err(Code::InvalidArgument));
}
