//! The effect of each option of an MP5, on programs small enough to follow by hand.

use machines::Device;
use machines::mp5::counters::WASTED_CYCLES;
use machines::mp5::reasons;
use machines::mp5::{Mp5, Mp5Parameters, Ordering, Sharding};
use node::{Offered, Reason};

use crate::support::{Outcome, interpret, pipeline, record, record_binding, run};

/// A packet whose `access` is 1 is counted in stage 1; all counted packets are counted again in stage 2, by `index`.
pub const COUNTER: &str = "\
pipeline counter

field access: int<32>
field index: int<32>
local does: bool
local old: int<32>
local new: int<32>
local older: int<32>
local newer: int<32>
register total: int<32> = 0
register each: int<32>[4] = fill 0

resolution 1
stage {
  atom { does = access == 1i32 }
}
stage {
  atom raw {
    old = @total if does
    new = old + 1i32
    @total = new if does
  }
}
stage {
  atom raw {
    older = @each[index] if does
    newer = older + 1i32
    @each[index] = newer if does
  }
}
access @total stage 1 if does pinned
access @each stage 2 index index if does sharded
export access = old
export index = older
";

/// A packet reads a flag that decides whether it counts, which is known too late for address resolution.
const LATE: &str = "\
pipeline late

field flag: int<32>
local old: int<32>
local counts: bool
local before: int<32>
local after: int<32>
register flags: int<32> = 0
register count: int<32> = 0

resolution 1
stage {
}
stage {
  atom rw {
    old = @flags
    @flags = flag
  }
}
stage {
  atom { counts = old == 1i32 }
}
stage {
  atom raw {
    before = @count if counts
    after = before + 1i32
    @count = after if counts
  }
}
access @flags stage 1 always pinned
access @count stage 3 if-late counts pinned
export flag = before
";

fn run_on(text: &str, parameters: Mp5Parameters, packets: &[Offered]) -> (Outcome, String) {
    let pipeline = pipeline(text);
    let mut machine = Mp5::new(&pipeline, record_binding(&pipeline), parameters).unwrap();
    machine.record_timeline(u64::MAX);
    let outcome = run(&mut machine, packets);
    (outcome, machine.timeline().unwrap().to_string())
}

fn assert_table(table: &str, expected: &str) {
    assert_eq!(table, expected, "\n{table}");
}

fn two() -> Mp5Parameters {
    Mp5Parameters { pipelines: 2, sharding: Sharding::AllInOne, ..Mp5Parameters::default() }
}

#[test]
fn false_late_predicate_wastes_a_cycle() {
    // Flags 0, 1, 0: packets A and B see 0, pass stage 3 as stateless packets and leave their phantoms behind, each of
    // which then costs C a cycle; C sees the 1 of B.
    let packets = [record(0, 0, &[0]), record(0, 1, &[1]), record(1000, 0, &[0])];
    let (outcome, table) = run_on(LATE, two(), &packets);
    assert_table(
        &table,
        "\
ns                 | 0.000 | 1.000 | 2.000 | 3.000        | 4.000             | 5.000  | 6.000 | 7.000
pipeline 0 stage 0 | [A]   | [C]   |       |              |                   |        |       |
pipeline 0 stage 1 |       | [A] B | [B] C | [C]          |                   |        |       |
pipeline 0 stage 2 |       |       | [A]   | [B]          | [C]               |        |       |
pipeline 0 stage 3 |       |       |       | [A] (-A) (B) | [B] (-A) (-B) (C) | (-B) C | C     | [C]
pipeline 1 stage 0 | [B]   |       |       |              |                   |        |       |
",
    );
    assert_eq!(outcome.statistics.own(WASTED_CYCLES), 2);
    let (registers, completed) = interpret(&pipeline(LATE), &packets);
    assert_eq!((outcome.registers, outcome.completed), (registers, completed));
}

#[test]
fn timeline_shows_served_packets_between_stops() {
    // Both packets were served by the queue of stage 1. Stage 2 has no state.
    let rules = "paper,+one-after-another,+delayed-at-exit".parse().unwrap();
    let parameters = Mp5Parameters { pipelines: 1, rules, ..two() };
    let (_, table) = run_on(LATE, parameters, &[record(0, 0, &[1]), record(1000, 0, &[0])]);
    assert_table(
        &table,
        "\
ns                 | 1.000 | 2.000 | 3.000 | 4.000 | 5.000
pipeline 0 stage 0 | [A]   | [B]   |       |       |
pipeline 0 stage 1 | A     | [A] B | [B]   |       |
pipeline 0 stage 2 |       | [A]   | [B]   |       |
pipeline 0 stage 3 |       |       | (-A)  | [A] B | [B]
",
    );
}

#[test]
fn stateless_packets_precede_queued_ones() {
    // Invariant 2: C is stateless and enters pipeline 0, where B still waits for stage 1.
    let packets = [record(0, 0, &[1, 0]), record(0, 1, &[1, 0]), record(1000, 0, &[0, 0])];
    let (outcome, table) = run_on(COUNTER, two(), &packets);
    assert_table(
        &table,
        "\
ns                 | 0.000 | 1.000 | 2.000   | 3.000   | 4.000
pipeline 0 stage 0 | [A]   | [C]   |         |         |
pipeline 0 stage 1 |       | [A] B | [C] B   | [B]     |
pipeline 0 stage 2 |       |       | [A] (B) | [C] (B) | [B]
pipeline 1 stage 0 | [B]   |       |         |         |
",
    );
    assert_eq!(outcome.statistics.own(WASTED_CYCLES), 0);
}

#[test]
fn starvation_guard_discards_stateless_packets() {
    let mut packets = vec![record(0, 0, &[1, 0]), record(0, 1, &[1, 0])];
    // From here on, every cycle brings a stateless packet into each pipeline.
    packets.extend((2..20).map(|packet| record(packet / 2 * 1000, 0, &[0, 0])));
    let (starving, _) = run_on(COUNTER, two(), &packets);
    let left_last = starving.sent.last().unwrap().2;
    assert_eq!((left_last, starving.discarded), (1, vec![]), "B waits until no stateless packet comes");

    let guarded = Mp5Parameters { starvation_limit: Some(3), ..two() };
    let (outcome, _) = run_on(COUNTER, guarded, &packets);
    // B is queued in cycle 1; in cycle 5 it has waited for 4 cycles, and the packet that arrived at cycle 4 is
    // discarded.
    assert_eq!(outcome.discarded, [(8, reasons::STARVATION_GUARD)]);
}

#[test]
fn full_fifo_drops_phantom_and_then_its_packet() {
    // Four packets need stage 1 of the same pipeline, and each FIFO has room for one.
    let packets: Vec<Offered> = (0..8).map(|packet| record(packet / 4 * 1000, 0, &[1, packet as u32 % 4])).collect();
    let parameters =
        Mp5Parameters { pipelines: 4, fifo_depth: Some(1), sharding: Sharding::AllInOne, ..Mp5Parameters::default() };
    let (outcome, _) = run_on(COUNTER, parameters.clone(), &packets);
    let reasons: Vec<Reason> = outcome.discarded.iter().map(|&(_, reason)| reason).collect();
    assert!(!reasons.is_empty() && reasons.iter().all(|&reason| reason == reasons::PHANTOM_LOST), "{reasons:?}");
    // The remaining packets were counted once in each stage, so no phantom of the discarded ones blocked them.
    let counted = outcome.sent.len() as u64;
    assert_eq!(outcome.registers.array(0), [counted]);
    assert_eq!(outcome.registers.array(1).iter().sum::<u64>(), counted);

    let (outcome, _) = run_on(COUNTER, Mp5Parameters { ordering: Ordering::None, ..parameters }, &packets);
    assert!(outcome.discarded.iter().all(|&(_, reason)| reason == reasons::STAGE_QUEUE_FULL));
    assert!(!outcome.discarded.is_empty());
}

#[test]
fn marks_packets_that_join_a_long_queue() {
    let packets: Vec<Offered> = (0..4).map(|port| record(0, port, &[1, 0])).collect();
    let parameters = Mp5Parameters {
        pipelines: 4,
        ecn_threshold: Some(3),
        sharding: Sharding::AllInOne,
        ..Mp5Parameters::default()
    };
    // All four are in the queue of stage 1 at the same time, but never in that of stage 2.
    let (outcome, _) = run_on(COUNTER, parameters.clone(), &packets);
    assert_eq!((outcome.statistics.marked, outcome.statistics.largest_queue), (4, 4));
    let (outcome, _) = run_on(COUNTER, Mp5Parameters { ecn_threshold: Some(4), ..parameters }, &packets);
    assert_eq!(outcome.statistics.marked, 0);
}

#[test]
fn other_packets_bypass_the_program() {
    let packets = [record(0, 0, &[1, 0]), record(0, 3, &[1]), record(0, 5, &[1, 0])];
    let (outcome, _) = run_on(COUNTER, two(), &packets);
    assert_eq!(outcome.statistics.bypassed, 1);
    assert_eq!(outcome.registers.array(0), [2]);
    assert_eq!(outcome.completed.keys().copied().collect::<Vec<_>>(), [0, 2]);
    assert!(outcome.sent.contains(&(3000, 3, 1)), "{:?}", outcome.sent);
}

#[test]
fn skips_idle_cycles() {
    let packets = [record(0, 0, &[1, 0]), record(1_000_000_000_000, 0, &[1, 1])];
    let (outcome, _) = run_on(COUNTER, Mp5Parameters::default(), &packets);
    assert_eq!(outcome.statistics.cycles, 6);
    assert_eq!(outcome.sent[1].0, 1_000_000_003_000);
}

#[test]
fn sharding_and_remapping_improve_throughput() {
    // Four packets per nanosecond, most of which use a few of the 64 indices.
    let text = COUNTER.replace("int<32>[4]", "int<32>[64]").replace(" if does", "");
    let text = text.replace("access @total stage 1 pinned\n", "").replace("index sharded", "index always sharded");
    let text = text.replace("  atom raw {\n    old = @total\n    new = old + 1i32\n    @total = new\n  }\n", "");
    let text = text.replace("register total: int<32> = 0\n", "").replace("export access = old\n", "");
    let mut random = basis::Random::new(2);
    let mut index = || {
        let indices = if random.chance(0.8) { 16 } else { 64 };
        random.below(indices) as u32
    };
    let packets: Vec<Offered> = (0..4000).map(|packet| record(packet / 4 * 1000, 0, &[1, index()])).collect();
    let counts = packets.iter().fold(vec![0; 64], |mut counts, offered| {
        counts[usize::from(offered.packet.head.bytes()[7])] += 1;
        counts
    });
    let worst = Sharding::Fixed(vec![machines::mp5::sorted_worst_case(&counts, 4)]);
    let pipeline = pipeline(&text);
    let end = |sharding: Sharding| {
        let parameters = Mp5Parameters { sharding, ..Mp5Parameters::default() };
        let mut machine = Mp5::new(&pipeline, record_binding(&pipeline), parameters).unwrap();
        run(&mut machine, &packets).sent.last().unwrap().0
    };
    let [one, worst, dynamic] = [Sharding::AllInOne, worst, Sharding::Dynamic].map(end);
    assert!(one > 4_000_000, "one pipeline takes a packet a nanosecond: {one}");
    assert!(worst * 10 < one * 9 && dynamic * 10 < worst * 9, "{one} {worst} {dynamic}");
}

/// If pipelines are updated one after the other, a packet's phantoms for the stage right after resolution arrive in the
/// very turn in which they are sent. Once they were looked for only earlier in the turn and never again, so their
/// packets waited forever.
#[test]
fn one_after_another_phantoms_reach_the_next_stage() {
    let packets: Vec<Offered> =
        (0..40u32).map(|packet| record(u64::from(packet) / 4 * 1000, packet as u16 % 4, &[1, packet % 4])).collect();
    for rules in
        ["paper,+one-after-another", "artifact,-phantoms-at-once", "paper,+one-after-another,+resolved-at-entry"]
    {
        let parameters = Mp5Parameters { rules: rules.parse().unwrap(), ..Mp5Parameters::default() };
        let (outcome, _) = run_on(COUNTER, parameters, &packets);
        assert_eq!((outcome.sent.len(), outcome.statistics.in_flight), (40, 0), "{rules}");
        assert_eq!(outcome.registers.array(0), [40], "{rules}");
    }
}
