//! Random programs that use all of the IR, on random packets.

use basis::{Instant, Random};
use ir::{Block, Entrance, FunctionId, ParserId, Program, VariableId};
use machines::blocks::{Assigned, BlockList, Condition, Gate};
use proptest::prelude::*;
use runtime::filter::{FilterKind, FilterSettings};
use runtime::profile::Member;
use runtime::tables::{FieldMatch, Target};
use runtime::wred::WredSettings;
use runtime::{Bits, GroupMember, MeterRates, ProgramState};

use crate::generate::{Choices, choices};
use crate::generate_parts;
use crate::pair::Pair;

/// Makes every block of a program an entrance.
fn enter_all(program: &mut Program) -> Vec<Block> {
    let parsers = (0..program.parsers.len()).map(|id| Block::Parser(ParserId::from(id)));
    let functions = (0..program.functions.len()).map(|id| Block::Function(FunctionId::from(id)));
    let blocks: Vec<Block> = parsers.chain(functions).collect();
    let entrance = |(number, block): (usize, &Block)| Entrance { name: format!("e{number}"), block: *block };
    program.entrances = blocks.iter().enumerate().map(entrance).collect();
    blocks
}

/// Inserts members and groups into action profiles, members into value sets, and configures meters and filters.
fn fill(program: &Program, state: &mut ProgramState, random: &mut Random) {
    for (number, table) in program.tables.iter().enumerate() {
        let rates = MeterRates { committed_rate: 1, committed_burst: 60, peak_rate: 2, peak_burst: 100 };
        let entries: Vec<_> = state.tables[number].matches().entries().map(|(handle, _)| handle).collect();
        for entry in entries {
            let _ = state.tables[number].set_meter(entry, Some(rates));
        }
        let Some(profile) = table.profile else { continue };
        for id in 0..3 {
            let action = random.below(table.actions.len() as u64) as u32;
            let parameters = &program.functions[table.actions[action as usize].function.index()].parameters;
            let data = parameters.iter().map(|&id| value(random, program.variable(id).ty.width())).collect();
            // An earlier table may share the profile, with other actions; its members then stay.
            let _ = state.profiles[profile.index()].insert_member(id, Member { action, data });
        }
        for (group, members) in [(0, &[][..]), (1, &[0, 1, 2][..]), (2, &[1][..])] {
            let weighted = |(member, weight): (&u32, u32)| GroupMember { weight, ..GroupMember::from(*member) };
            let members: Vec<GroupMember> = members.iter().zip([2, 1, 5]).map(weighted).collect();
            let _ = state.insert_group(profile.index(), group, &members, 0);
        }
    }
    // Of each array the first is configured, if there is one.
    for meters in &mut state.meters {
        let rates = MeterRates { committed_rate: 1, committed_burst: 60, peak_rate: 2, peak_burst: 100 };
        let _ = meters.set(0, Some(rates));
    }
    for filters in &mut state.filters {
        let kind = if random.below(2) == 0 { FilterKind::Rate } else { FilterKind::Sample };
        let settings =
            FilterSettings { kind, gain_time_constant: 1 << 33, decay_time_constant: 1 << 30, scale_down: 2 };
        let _ = filters.set(0, Some(settings));
    }
    for wreds in &mut state.wreds {
        let settings =
            WredSettings { time_constant: 1 << 33, minimum: 1, maximum: 1 << 30, maximum_probability: 500_000 };
        let _ = wreds.set(0, Some(settings));
    }
    for (set, members) in program.value_sets.iter().zip(&mut state.value_sets) {
        members.push(set.fields.iter().map(|field| field.exactly(Bits::from_u64(3, field.width))).collect());
        members.push(set.fields.iter().map(|_| FieldMatch::Any).collect());
        members.truncate(1 + random.below(2) as usize);
    }
}

/// Returns true if no table shares its profile with a table of other actions, for which the members would be
/// meaningless.
fn has_sound_profiles(program: &Program) -> bool {
    program.tables.iter().filter(|table| table.profile.is_some()).count() <= 1
        && program.tables.iter().all(|table| matches!(table.default, Target::Action { .. }))
}

fn value(random: &mut Random, width: u32) -> Bits {
    let limbs: Vec<u64> =
        (0..width.div_ceil(64)).map(|_| if random.below(2) == 0 { random.below(4) } else { random.bits() }).collect();
    Bits::from_limbs(&limbs, width)
}

/// Returns a list of some blocks with a gate somewhere between them; `None` if there are too few blocks, or no variables.
fn with_gate(program: &Program, blocks: &[Block], random: &mut Random) -> Option<BlockList> {
    let width = |variable: &VariableId| program.variable(*variable).ty.width();
    let variables = (0..program.variables.len()).map(VariableId::from);
    let variables: Vec<VariableId> = variables.filter(|variable| width(variable) > 0).collect();
    if blocks.len() < 2 || variables.is_empty() {
        return None;
    }
    let mut some = || variables[random.below(variables.len() as u64) as usize];
    let [port, one, other, set, to_port] = std::array::from_fn(|_| some());
    let ports = if random.chance(0.2) { 0 } else { random.bits() | 1 };
    let conditions =
        [one, other].map(|variable| Condition { variable, value: random.below(2), is_equal: random.chance(0.5) });
    let constant = value(random, width(&set)).limbs()[0];
    let gate = Gate {
        port,
        ports,
        conditions: conditions[..random.below(3) as usize].to_vec(),
        assignments: vec![(set, Assigned::Constant(constant)), (to_port, Assigned::Port(width(&to_port).min(64)))],
    };
    let place = 1 + random.below(blocks.len() as u64 - 1) as usize;
    Some(BlockList::with_gate(blocks.to_vec(), place, gate))
}

/// Returns the number of random cases from `PROPTEST_CASES`, or `usual` if it is not set.
fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(150)))]

    #[test]
    fn random_programs_behave_as_in_the_interpreter(
        given in choices(), bytes in prop::collection::vec(any::<u8>(), 0..100), seed in any::<u64>(),
    ) {
        let mut program = generate_parts::program(&mut Choices::new(given));
        prop_assume!(program.registers.iter().map(ir::Register::size).sum::<usize>() < 10_000);
        prop_assume!(has_sound_profiles(&program));
        let blocks = enter_all(&mut program);
        let mut random = Random::new(seed);
        let widths: Vec<u32> = program.variables.iter().map(|variable| variable.ty.width()).collect();
        let copy = program.clone();
        let mut pair = Pair::new(program, |state| fill(&copy, state, &mut random));
        for round in 0..3 {
            pair.packet(&bytes);
            if round > 0 {
                for (number, &width) in widths.iter().enumerate() {
                    pair.set(VariableId::from(number), &value(&mut random, width));
                }
            }
            for &block in &blocks {
                pair.now = Instant::from_picoseconds(random.below(1 << 45));
                let ran = pair.run(block);
                prop_assert!(ran.is_ok(), "round {round}, {block:?}: {}\n{copy}", ran.unwrap_err());
            }
            // Blocks in the order of the entrances and in any other, some of them more than once.
            pair.packet(&bytes);
            let mut some: Vec<Block> = blocks.iter().copied().filter(|_| random.chance(0.7)).collect();
            if !blocks.is_empty() && random.chance(0.5) {
                some.extend((0..3).map(|_| blocks[random.below(blocks.len() as u64) as usize]));
            }
            let ran = pair.run_each(&some);
            prop_assert!(ran.is_ok(), "round {round}, {some:?}: {}\n{copy}", ran.unwrap_err());
            let Some(list) = with_gate(&copy, &some, &mut random) else { continue };
            // When a list is run again, it is known.
            for _ in 0..2 {
                pair.packet(&bytes);
                let ran = pair.run_list(&list);
                prop_assert!(ran.is_ok(), "round {round}, {list:?}: {}\n{copy}", ran.unwrap_err());
            }
        }
    }
}
