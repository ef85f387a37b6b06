//! Tables: look-ups, actions, data, members, groups, direct counters and direct meters.

use basis::Instant;
use ir::interpret::Ending;
use ir::{
    Counter, CounterId, CounterUnit, Expression, Flow, FunctionId, Key, Meter, MeterId, Profile, ProfileId, Program,
    Selection, Statement, Table, TableAction, TableId, Type, VariableId,
};
use runtime::checksum::Algorithm;
use runtime::profile::Member;
use runtime::tables::{FieldMatch, MatchKind, TableEntry, Target};
use runtime::{Count, GroupMember, MeterRates, MeterUnit};

use crate::support::*;

/// The variables and the function that the tests use.
struct Seen {
    key: [VariableId; 2],
    out: VariableId,
    hit: VariableId,
    action: VariableId,
    main: FunctionId,
}

/// Makes a program that applies one table with keys of these kinds. Action 0 sets `out` to 99, action 1 sets it to its
/// data, and action 2 sets it to its data and exits.
fn with_table(kinds: &[MatchKind]) -> (Program, Seen) {
    let mut program = empty();
    let key = ["k0", "k1"].map(|name| local(&mut program, name, Type::Bits(16)));
    let [out, datum] = ["out", "datum"].map(|name| local(&mut program, name, Type::Bits(8)));
    let hit = local(&mut program, "hit", Type::Bool);
    let number = local(&mut program, "action", Type::Bits(32));
    let otherwise = action(&mut program, vec![], vec![assign(out, constant(8, 99))]);
    let set = assign(out, variable(datum));
    let setting = action(&mut program, vec![datum], vec![set.clone()]);
    let leaving = action(&mut program, vec![datum], vec![set, Statement::Flow(Flow::Exit)]);
    let listed =
        |function| TableAction { function, before: vec![], after: vec![], only_default: false, only_entries: false };
    let keyed =
        |(place, &kind): (usize, &MatchKind)| Key { name: format!("k{place}"), value: variable(key[place]), kind };
    program.tables.push(Table {
        name: "t".into(),
        keys: kinds.iter().enumerate().map(keyed).collect(),
        actions: [otherwise, setting, leaving].map(listed).to_vec(),
        default: Target::Action { action: 0, data: vec![] },
        is_default_constant: false,
        entries: vec![],
        is_constant: false,
        size: None,
        profile: None,
        selector: vec![],
        counter: None,
        meter: None,
        has_idle_timeout: false,
        has_slots: false,
        registers: vec![],
        counts_when_called: false,
    });
    let apply = Flow::Apply { table: TableId(0), hit: Some(hit), action: Some(number), entry: None };
    let main = function(&mut program, vec![Statement::Flow(apply)]);
    (program, Seen { key, out, hit, action: number, main })
}

fn entry(key: Vec<FieldMatch>, priority: u32, value: u64) -> TableEntry {
    TableEntry { key, priority, target: Target::Action { action: 1, data: vec![bits(value, 8)] }, is_constant: false }
}

fn exact(value: u64) -> FieldMatch {
    FieldMatch::Exact(bits(value, 16))
}

/// Looks up keys; returns the value of `out` and whether an entry matched.
fn look_up(running: &mut Running, seen: &Seen, key: [u64; 2]) -> (u64, bool) {
    let (ending, packet) = running.call(seen.main, &[(seen.key[0], key[0]), (seen.key[1], key[1])]);
    assert_eq!(ending, Ending::Done);
    (packet.low(seen.out), packet.low(seen.hit) == 1)
}

#[test]
fn each_match_kind_finds_its_entries() {
    let prefix = |value, length| FieldMatch::Prefix { value: bits(value, 16), length };
    let mask = |value, mask| FieldMatch::Mask { value: bits(value, 16), mask: bits(mask, 16) };
    let range = |low, high| FieldMatch::Range { low: bits(low, 16), high: bits(high, 16) };
    for (kind, first, second, expected) in [
        (MatchKind::Exact, exact(1), exact(2), [(1, 1), (2, 2), (3, 99)]),
        // The longer prefix wins, whatever the order of insertion; there is no priority.
        (MatchKind::Lpm, prefix(0x1200, 8), prefix(0x1230, 12), [(0x1234, 2), (0x1244, 1), (0x2244, 99)]),
        (MatchKind::Ternary, mask(0x0034, 0x00ff), mask(0x1200, 0xff00), [(0x1234, 2), (0x1134, 1), (0x1133, 99)]),
        (MatchKind::Range, range(10, 20), range(20, 30), [(19, 1), (20, 2), (31, 99)]),
        (MatchKind::Optional, FieldMatch::Any, exact(5), [(5, 2), (6, 1), (7, 1)]),
    ] {
        let (mut program, seen) = with_table(&[kind]);
        let priority = |number| if kind.has_priority() { number } else { 0 };
        program.tables[0].entries = vec![entry(vec![first], priority(1), 1), entry(vec![second], priority(2), 2)];
        let mut running = Running::new(program);
        for (key, value) in expected {
            assert_eq!(look_up(&mut running, &seen, [key, 0]), (value, value != 99), "{kind}: {key:#x}");
        }
    }
}

#[test]
fn all_keys_count_and_entries_change_at_run_time() {
    let (program, seen) = with_table(&[MatchKind::Exact, MatchKind::Exact]);
    let mut running = Running::new(program);
    assert_eq!(look_up(&mut running, &seen, [1, 2]), (99, false));
    let handle = running.state.tables[0].insert(entry(vec![exact(1), exact(2)], 0, 7)).unwrap();
    assert_eq!([[1, 2], [2, 1], [1, 1]].map(|key| look_up(&mut running, &seen, key).0), [7, 99, 99]);
    running.state.tables[0].set_default(Target::Action { action: 1, data: vec![bits(50, 8)] });
    running.state.tables[0].delete(handle).unwrap();
    assert_eq!(look_up(&mut running, &seen, [1, 2]), (50, false));
}

#[test]
fn a_table_without_keys_runs_its_default() {
    let (program, seen) = with_table(&[]);
    assert_eq!(look_up(&mut Running::new(program), &seen, [0, 0]), (99, false));
}

#[test]
fn hit_and_action_are_set_before_the_action_runs() {
    let (mut program, seen) = with_table(&[MatchKind::Exact]);
    let copies =
        [("was_hit", Type::Bool, seen.hit), ("was_action", Type::Bits(32), seen.action)].map(|(name, ty, from)| {
            let copy = local(&mut program, name, ty);
            program.functions[1].body.push(assign(copy, variable(from)));
            copy
        });
    program.tables[0].entries.push(entry(vec![exact(1)], 0, 5));
    let (_, packet) = Running::new(program).call(seen.main, &[(seen.key[0], 1)]);
    assert_eq!(copies.map(|copy| packet.low(copy)), [1, 1]);
}

#[test]
fn bound_arguments_are_copied_out_even_on_exit() {
    let (mut program, seen) = with_table(&[MatchKind::Exact]);
    let [given, taken, after] = ["given", "taken", "after"].map(|name| local(&mut program, name, Type::Bits(8)));
    for (number, listed) in program.tables[0].actions.iter_mut().enumerate() {
        listed.before = vec![assign(given, constant(8, 10 + number as u64))];
        listed.after = vec![assign(taken, add(variable(given), variable(seen.out)))];
    }
    program.functions[seen.main.index()].body.push(assign(after, constant(8, 1)));
    let mut leaving = entry(vec![exact(2)], 0, 5);
    leaving.target = Target::Action { action: 2, data: vec![bits(6, 8)] };
    program.tables[0].entries = vec![entry(vec![exact(1)], 0, 5), leaving];
    let mut running = Running::new(program);
    for (key, expected) in [(1, [11, 16, 1]), (2, [12, 18, 0]), (3, [10, 109, 1])] {
        let (ending, packet) = running.call(seen.main, &[(seen.key[0], key)]);
        assert_eq!((ending, [given, taken, after].map(|id| packet.low(id))), (Ending::Done, expected), "{key}");
    }
}

#[test]
fn members_and_groups_lead_to_actions() {
    let (mut program, seen) = with_table(&[MatchKind::Exact]);
    let selection = Some(Selection::from(Algorithm::Identity));
    program.profiles.push(Profile { name: "p".into(), size: 8, selection });
    program.tables[0].profile = Some(ProfileId(0));
    program.tables[0].selector = vec![variable(seen.key[1])];
    let mut running = Running::new(program);
    let member = |value| Member { action: 1, data: vec![bits(value, 8)] };
    let profile = &mut running.state.profiles[0];
    for id in [3, 5] {
        profile.insert_member(id, member(id.into())).unwrap();
    }
    profile.insert_group(1, &[3, 5].map(GroupMember::from), 0).unwrap();
    profile.insert_group(2, &[], 0).unwrap();
    for (key, target) in [(1, Target::Member(5)), (2, Target::Group(1)), (3, Target::Group(2)), (4, Target::Member(9))]
    {
        let entry = TableEntry { key: vec![exact(key)], priority: 0, target, is_constant: false };
        running.state.tables[0].insert(entry).unwrap();
    }
    assert_eq!(look_up(&mut running, &seen, [1, 0]), (5, true));
    // The selector key selects one of two members.
    assert_eq!([10, 11, 12].map(|flow| look_up(&mut running, &seen, [2, flow])), [(3, true), (5, true), (3, true)]);
    // An empty group or a member that does not exist counts as a miss.
    assert_eq!([3, 4].map(|key| look_up(&mut running, &seen, [key, 0])), [(99, false); 2]);
    running.state.profiles[0].modify_member(5, member(55)).unwrap();
    assert_eq!(look_up(&mut running, &seen, [1, 0]), (55, true));
    running.state.tables[0].set_default(Target::Member(3));
    assert_eq!([3, 7].map(|key| look_up(&mut running, &seen, [key, 0])), [(3, false); 2]);
    running.state.tables[0].set_default(Target::Member(9));
    assert_eq!(look_up(&mut running, &seen, [7, 0]), (0, false), "no action can run");
}

#[test]
fn direct_counters_and_meters_see_hits_of_their_entry() {
    let (mut program, seen) = with_table(&[MatchKind::Exact]);
    let color = local(&mut program, "color", Type::Bits(8));
    program.counters.push(Counter { name: "c".into(), size: None, unit: CounterUnit::PacketsAndBytes, width: 64 });
    program.meters.push(Meter { name: "m".into(), size: None, unit: MeterUnit::Bytes });
    program.tables[0].counter = Some(CounterId(0));
    program.tables[0].meter = Some((MeterId(0), color));
    program.tables[0].entries = vec![entry(vec![exact(1)], 0, 1), entry(vec![exact(2)], 0, 2)];
    let mut running = Running::new(program);
    let handles: Vec<_> = running.state.tables[0].matches().entries().map(|(handle, _)| handle).collect();
    let rates = MeterRates { committed_rate: 1000, committed_burst: 150, peak_rate: 2000, peak_burst: 250 };
    running.state.tables[0].set_meter(handles[0], Some(rates)).unwrap();
    running.length = 100;
    let mut color_of = |key: u64, now| {
        running.now = Instant::from_microseconds(now);
        running.call(seen.main, &[(seen.key[0], key), (color, 9)]).1.low(color)
    };
    // 100 of the 150 bytes that are green at once; then 100 of the 150 that are left before red.
    assert_eq!([1, 1, 1].map(|key| color_of(key, 0)), [0, 1, 2]);
    assert_eq!([2, 2, 2].map(|key| color_of(key, 0)), [0, 0, 0], "the other entry's meter has no rates");
    assert_eq!(color_of(3, 0), 9, "a miss measures nothing");
    // 100 milliseconds add 100 bytes to the committed bucket.
    assert_eq!(color_of(1, 100_000), 0);
    let counted = [0, 1].map(|at: usize| running.state.tables[0].counter(handles[at]).unwrap());
    assert_eq!(counted, [Count { packets: 4, bytes: 400 }, Count { packets: 3, bytes: 300 }]);
}

#[test]
fn the_size_of_a_table_limits_its_entries() {
    let (mut program, seen) = with_table(&[MatchKind::Exact]);
    program.tables[0].size = Some(2);
    program.tables[0].entries = vec![entry(vec![exact(1)], 0, 1)];
    let mut running = Running::new(program);
    running.state.tables[0].insert(entry(vec![exact(2)], 0, 2)).unwrap();
    assert!(running.state.tables[0].insert(entry(vec![exact(3)], 0, 3)).is_err());
    assert_eq!([1, 2, 3].map(|key| look_up(&mut running, &seen, [key, 0]).0), [1, 2, 99]);
}

#[test]
fn an_action_may_apply_another_table() {
    let (mut program, seen) = with_table(&[MatchKind::Exact]);
    let mut inner = program.tables[0].clone();
    inner.name = "inner".into();
    inner.actions.truncate(2);
    inner.entries = vec![entry(vec![exact(1)], 0, 40)];
    program.tables.push(inner);
    let before = Statement::Flow(Flow::Apply { table: TableId(1), hit: None, action: None, entry: None });
    let sum = local(&mut program, "sum", Type::Bits(8));
    let outer = action(
        &mut program,
        vec![sum],
        vec![before, assign(seen.out, Expression::binary(ir::BinaryOperator::Add, variable(seen.out), variable(sum)))],
    );
    program.tables[0].actions[1].function = outer;
    program.tables[0].entries = vec![entry(vec![exact(1)], 0, 2)];
    assert_eq!(look_up(&mut Running::new(program), &seen, [1, 0]), (42, true));
}
