//! Selection from groups and action sets by weight, held against a plain list.

use basis::snapshot::{Loader, Saver, Snapshot};
use proptest::prelude::*;
use runtime::profile::{GroupMember, Member, ProfileLimits, ProfileSize, WeightedMember};
use runtime::{Profile, RegisterFile};

const GROUP: u32 = 3;

fn member(action: u32) -> Member {
    Member { action, data: Vec::new() }
}

fn any_members() -> impl Strategy<Value = Vec<GroupMember>> {
    let member = (0_u32..8, 1_u32..5, prop::option::of(0_u32..3))
        .prop_map(|(member, weight, watch_port)| GroupMember { member, weight, watch_port });
    prop::collection::btree_map(0_u32..8, member, 0..6)
        .prop_map(|members| members.into_iter().map(|(number, of)| GroupMember { member: number, ..of }).collect())
}

/// The members whose ports are up, each as often as its weight says.
fn listed<T: Copy>(members: &[T], down: &[u32], share: impl Fn(&T) -> (u32, Option<u32>)) -> Vec<T> {
    let is_up = |port: Option<u32>| port.is_none_or(|port| !down.contains(&port));
    let up = members.iter().filter(|member| is_up(share(member).1));
    up.flat_map(|member| (0..share(member).0).map(|_| *member)).collect()
}

proptest! {
    #[test]
    fn a_hash_selects_as_from_a_list_with_repetitions(
        members in any_members(),
        changed in any_members(),
        down in prop::collection::vec(0_u32..3, 0..4),
        hashes in prop::collection::vec(any::<u64>(), 1..20),
    ) {
        let mut profile = Profile::new(ProfileLimits::default());
        (0..8).for_each(|number| profile.insert_member(number, member(number)).unwrap());
        let mut reversed = members.clone();
        reversed.reverse();
        profile.insert_group(GROUP, &reversed, 9).unwrap();
        let weighted = |of: &GroupMember| {
            WeightedMember { member: member(of.member), weight: of.weight, watch_port: of.watch_port }
        };
        // Actions of a set may be equal, and keep their order.
        let doubled: Vec<GroupMember> = members.iter().rev().chain(&members).copied().collect();
        let set = profile.insert_set(doubled.iter().map(weighted).collect());
        down.iter().for_each(|port| profile.set_port(*port, false));
        let share = |member: &GroupMember| (member.weight, member.watch_port);
        let check = |profile: &Profile, members: &[GroupMember], down: &[u32]| -> Result<(), TestCaseError> {
            let [list, of_set] = [members, &doubled].map(|members| listed(members, down, share));
            let sum = |members: &[GroupMember]| members.iter().map(|member| u64::from(member.weight)).sum::<u64>();
            let size = ProfileSize {
                members: (members.len() + doubled.len()) as u64,
                weights: sum(members) + sum(&doubled),
            };
            prop_assert_eq!(profile.size(), size);
            prop_assert_eq!(profile.group(GROUP), Some(members), "what is read does not depend on ports");
            for &hash in &hashes {
                let at = |list: &[GroupMember]| {
                    hash.checked_rem(list.len() as u64).map(|place| list[place as usize].member)
                };
                prop_assert_eq!(profile.choose(GROUP, hash, &RegisterFile::default()), at(&list));
                prop_assert_eq!(profile.choose_of_set(set, hash).map(|member| member.action), at(&of_set));
            }
            Ok(())
        };
        check(&profile, &members, &down)?;

        let mut saver = Saver::default();
        profile.save(&mut saver).unwrap();
        let mut restored = Profile::new(ProfileLimits::default());
        restored.restore(&mut Loader::new(&saver.into_bytes())).unwrap();
        prop_assert_eq!(&restored, &profile);

        let before = profile.keep_group(GROUP);
        profile.modify_group(GROUP, &changed).unwrap();
        check(&profile, &changed, &down)?;
        (0..3).for_each(|port| profile.set_port(port, true));
        check(&profile, &changed, &[])?;
        profile.restore_group(GROUP, before);
        check(&profile, &members, &[])?;
        prop_assert_eq!(profile.maximum_size(GROUP), Some(9));
    }

    /// Whatever is inserted and removed, undone in reverse order, leaves the profile as it was.
    #[test]
    fn sets_are_put_back_in_reverse_order(
        before in prop::collection::vec(0_usize..6, 0..12),
        undone in prop::collection::vec(0_usize..6, 0..12),
    ) {
        let mut profile = Profile::new(ProfileLimits::default());
        let actions = |weight: usize| vec![WeightedMember { member: member(1), weight: weight as u32 + 1, watch_port: None }];
        for &step in &before {
            match step {
                0..3 => _ = profile.insert_set(actions(step)),
                number => _ = profile.remove_set(number as u32 - 3),
            }
        }
        let start = profile.clone();
        let mut log = Vec::new();
        for &step in &undone {
            match step {
                0..3 => log.push((profile.insert_set(actions(step)), None)),
                number => {
                    let number = number as u32 - 3;
                    log.extend(profile.remove_set(number).map(|removed| (number, Some(removed))));
                }
            }
        }
        for (number, removed) in log.into_iter().rev() {
            match removed {
                Some(actions) => profile.restore_set(number, actions),
                None => _ = profile.remove_set(number),
            }
        }
        let sets = |profile: &Profile| (0..12).map(|set| profile.set(set).map(<[_]>::to_vec)).collect::<Vec<_>>();
        prop_assert_eq!(sets(&profile), sets(&start));
        prop_assert_eq!((profile.size(), profile.count_sets()), (start.size(), start.count_sets()));
        let [mut one, mut other] = [profile, start];
        for _ in 0..4 {
            prop_assert_eq!(one.insert_set(actions(1)), other.insert_set(actions(1)), "numbers are given out as before");
        }
    }
}

#[test]
fn a_group_without_weight_or_all_of_whose_ports_are_down_selects_nothing() {
    let mut profile = Profile::new(ProfileLimits::default());
    profile.insert_member(1, member(1)).unwrap();
    let weightless = GroupMember { weight: 0, ..GroupMember::from(1) };
    assert!(profile.insert_group(GROUP, &[weightless], 0).is_err());
    let watching = GroupMember { watch_port: Some(7), weight: 3, member: 1 };
    profile.insert_group(GROUP, &[watching], 0).unwrap();
    profile.set_port(7, false);
    assert_eq!(profile.choose(GROUP, 5, &RegisterFile::default()), None);
    profile.modify_group(GROUP, &[watching]).unwrap();
    assert_eq!(
        profile.choose(GROUP, 5, &RegisterFile::default()),
        None,
        "a group that is written while a port is down knows of it"
    );
    profile.set_port(7, true);
    assert_eq!(profile.choose(GROUP, 5, &RegisterFile::default()), Some(1));
}
