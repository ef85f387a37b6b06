//! Members of groups that a register says are there, and selections that move few packets.

use basis::snapshot::{Loader, Saver, Snapshot};
use proptest::prelude::*;
use runtime::profile::{GroupMember, Member, MemberBits, ProfileError, ProfileLimits, SelectionMode};
use runtime::{Profile, ProgramState, RegisterFile};

const HASHES: u64 = 2000;

/// Returns a state with one profile of members 0 to 7, whose groups have blocks of four bits in a register of eight.
fn state(mode: SelectionMode) -> ProgramState {
    let mut profile = Profile::new(ProfileLimits::default()).with_mode(mode).with_bits(MemberBits {
        register: 0,
        places: 4,
        groups: 2,
    });
    for number in 0..8 {
        profile.insert_member(number, Member { action: number, data: Vec::new() }).unwrap();
    }
    ProgramState { registers: RegisterFile::new(vec![vec![0; 8]]), profiles: vec![profile], ..ProgramState::default() }
}

fn members(numbers: &[u32]) -> Vec<GroupMember> {
    numbers.iter().map(|&number| number.into()).collect()
}

fn chosen(state: &ProgramState, group: u32) -> Vec<Option<u32>> {
    (0..HASHES).map(|hash| state.profiles[0].choose(group, basis::mix(hash), &state.registers)).collect()
}

#[test]
fn groups_take_the_first_free_block_and_members_the_first_free_places() {
    let mut state = state(SelectionMode::Fair);
    state.insert_group(0, 9, &members(&[2, 5]), 0).unwrap();
    state.insert_group(0, 4, &[GroupMember { weight: 2, ..GroupMember::from(7) }], 0).unwrap();
    assert_eq!(state.registers.array(0), [1, 1, 0, 0, 1, 1, 0, 0]);
    assert_eq!(state.profiles[0].bits_of(9), Some(vec![vec![0], vec![1]]));
    assert_eq!(state.profiles[0].bits_of(4), Some(vec![vec![4, 5]]));
    // Member 2 leaves, 3 and 6 come; 5 keeps its place, and its bit, which a packet has cleared.
    state.registers.array_mut(0)[1] = 0;
    state.modify_group(0, 9, &members(&[3, 5, 6])).unwrap();
    assert_eq!(state.profiles[0].bits_of(9), Some(vec![vec![0], vec![1], vec![2]]));
    assert_eq!(state.registers.array(0), [1, 0, 1, 0, 1, 1, 0, 0]);
    assert_eq!(state.insert_group(0, 5, &[], 0), Err(ProfileError::TooManyGroups { limit: 2 }));
    assert_eq!(state.modify_group(0, 4, &members(&[0, 1, 2, 3, 4])), Err(ProfileError::GroupTooLarge { limit: 4 }));
    state.delete_group(0, 9).unwrap();
    assert_eq!(state.registers.array(0), [0, 0, 0, 0, 1, 1, 0, 0]);
    state.insert_group(0, 5, &members(&[1]), 0).unwrap();
    assert_eq!(state.registers.array(0), [1, 0, 0, 0, 1, 1, 0, 0]);
}

#[test]
fn members_without_their_bit_are_not_selected() {
    for mode in [SelectionMode::Fair, SelectionMode::Resilient] {
        let mut state = state(mode);
        state.insert_group(0, 1, &members(&[2, 5, 6]), 0).unwrap();
        let all = chosen(&state, 1);
        assert!([2, 5, 6].iter().all(|member| all.contains(&Some(*member))));
        state.registers.array_mut(0)[1] = 0;
        let without = chosen(&state, 1);
        assert!(without.iter().all(|member| matches!(member, Some(2 | 6))), "{mode:?}");
        let moved = all.iter().zip(&without).filter(|(before, after)| **before != Some(5) && before != after).count();
        assert_eq!(moved == 0, mode == SelectionMode::Resilient, "{moved} of those that need not move");
        state.registers.array_mut(0)[1] = 1;
        assert_eq!(chosen(&state, 1), all);
        state.registers.array_mut(0).fill(0);
        assert!(chosen(&state, 1).iter().all(Option::is_none));
    }
}

#[test]
fn a_resilient_selection_moves_only_what_it_must() {
    let mut profile = Profile::new(ProfileLimits::default()).with_mode(SelectionMode::Resilient);
    (0..8).for_each(|number| profile.insert_member(number, Member { action: 0, data: Vec::new() }).unwrap());
    let all = |profile: &Profile| -> Vec<u32> {
        let one = |hash| profile.choose(1, hash, &RegisterFile::default()).unwrap();
        (0..HASHES).map(one).collect()
    };
    profile.insert_group(1, &members(&[1, 2, 3, 4]), 0).unwrap();
    let first = all(&profile);
    for member in 1..=4 {
        let share = first.iter().filter(|own| **own == member).count();
        assert!((400..600).contains(&share), "{share} of 500");
    }
    // Those of the member that leaves are shared by all others.
    profile.modify_group(1, &members(&[1, 3, 4])).unwrap();
    let second = all(&profile);
    assert!(first.iter().zip(&second).all(|(before, after)| *before == 2 || before == after));
    for member in [1, 3, 4] {
        assert!(first.iter().zip(&second).any(|(before, after)| *before == 2 && *after == member));
    }
    // A member that comes takes its share of all, and nobody else gets anything; of twice the weight, twice as much.
    let heavy = GroupMember { weight: 2, ..GroupMember::from(7) };
    profile.modify_group(1, &[members(&[1, 3, 4]), vec![heavy]].concat()).unwrap();
    let third = all(&profile);
    assert!(second.iter().zip(&third).all(|(before, after)| *after == 7 || before == after));
    let share = third.iter().filter(|own| **own == 7).count();
    assert!((700..900).contains(&share), "{share} of 800");
}

proptest! {
    /// Whatever happens to groups and bits, undone in reverse order, leaves the state as it was; and a saved state has it.
    #[test]
    fn changes_of_groups_are_undone_and_saved(
        steps in prop::collection::vec((0_u32..4, 0_u32..3, prop::collection::btree_map(0_u32..8, 1_u32..3, 0..4), 0_usize..8), 1..20),
        undone in 0_usize..20,
    ) {
        let mut state = state(SelectionMode::Fair);
        let mut log = Vec::new();
        let mut before = Vec::new();
        for (what, group, listed, bit) in steps {
            let listed: Vec<GroupMember> =
                listed.into_iter().map(|(member, weight)| GroupMember { weight, ..GroupMember::from(member) }).collect();
            let kept = state.keep_group(0, group);
            before.push((state.registers.clone(), state.profiles.clone()));
            let flips = what == 3;
            let done = match what {
                0 => state.insert_group(0, group, &listed, 0),
                1 => state.modify_group(0, group, &listed),
                2 => state.delete_group(0, group),
                _ => {
                    state.registers.array_mut(0)[bit] ^= 1;
                    Ok(())
                }
            };
            match (flips, done) {
                (true, _) => log.push(Err(bit)),
                (false, Ok(())) => log.push(Ok(kept)),
                (false, Err(_)) => _ = before.pop(),
            }
        }
        let mut saver = Saver::default();
        state.profiles[0].save(&mut saver).unwrap();
        let mut restored = self::state(SelectionMode::Fair).profiles.remove(0);
        restored.restore(&mut Loader::new(&saver.into_bytes())).unwrap();
        prop_assert_eq!(&restored, &state.profiles[0]);
        for _ in 0..undone.min(log.len()) {
            match log.pop().expect("there is one") {
                Ok(kept) => state.restore_group(0, kept),
                Err(bit) => state.registers.array_mut(0)[bit] ^= 1,
            }
            let (registers, profiles) = before.pop().expect("there is one");
            prop_assert_eq!(&state.registers, &registers);
            prop_assert_eq!(&state.profiles, &profiles);
        }
    }
}
