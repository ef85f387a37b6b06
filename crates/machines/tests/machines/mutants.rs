//! Every mutation that is a defect is detectable; the update order of pipelines is not.

use basis::{Instant, Random};
use machines::mp5::counters::MOVES;
use machines::mp5::{Departure, Mp5, Mp5Parameters, Mutation, Rules};
use machines::{Device, drive};
use measure::{Event, Interest};
use node::{Discarded, Offered, Sink, Transmission};

use crate::support::{Outcome, interpret, overtaking, pipeline, record, record_binding, run};

/// A packet multiplies one register by 3, adds that register's old value to another one, and carries the other one's
/// old value.
const PROGRAM: &str = "\
pipeline mixer

field first: int<32>
field second: int<32>
local factor: int<32>
local product: int<32>
local old: int<32>
local sum: int<32>
register products: int<32>[8] = fill 1
register sums: int<32>[8] = fill 0

resolution 1
stage {
}
stage {
  atom mul_acc {
    factor = @products[first]
    product = factor * 3i32
    @products[first] = product
  }
}
stage {
}
stage {
  atom raw {
    old = @sums[second]
    sum = old + factor
    @sums[second] = sum
  }
}
access @products stage 1 index first always sharded
access @sums stage 3 index second always sharded
export first = factor
export second = old
";

/// Returns three packets per nanosecond, half of which use only two indices.
fn packets() -> Vec<Offered> {
    let mut random = Random::new(5);
    let mut index = || {
        let indices = if random.chance(0.5) { 2 } else { 8 };
        random.below(indices) as u32
    };
    (0..900).map(|packet| record(packet / 3 * 1000, packet as u16 % 3, &[index(), index()])).collect()
}

fn run_mutant(mutation: Mutation) -> Outcome {
    let pipeline = pipeline(PROGRAM);
    let parameters = Mp5Parameters {
        pipelines: 4,
        remap_period: 7,
        rules: Rules::paper().with(Departure::FirstModulo),
        mutation,
        ..Mp5Parameters::default()
    };
    run(&mut Mp5::new(&pipeline, record_binding(&pipeline), parameters).unwrap(), &packets())
}

fn differs(outcome: &Outcome) -> bool {
    let (registers, completed) = interpret(&pipeline(PROGRAM), &packets());
    outcome.registers != registers || outcome.completed != completed
}

#[test]
fn without_mutation_matches_the_interpreter() {
    let outcome = run_mutant(Mutation::None);
    assert!(!differs(&outcome));
    assert_eq!(overtaking(&outcome.accesses), 0);
    assert!(outcome.statistics.own(MOVES) > 0, "state has to move for its mutant to mean anything");
}

#[test]
fn packets_overtake_without_phantoms() {
    let outcome = run_mutant(Mutation::NoPhantoms);
    assert!(differs(&outcome));
    assert!(overtaking(&outcome.accesses) > 0);
}

#[test]
fn packets_overtake_with_swapped_timestamps() {
    let outcome = run_mutant(Mutation::SwappedTimestamps);
    assert!(differs(&outcome));
    assert!(overtaking(&outcome.accesses) > 0);
}

#[test]
fn moving_indices_in_flight_reads_stale_state() {
    let outcome = run_mutant(Mutation::MoveWhileInFlight);
    assert!(differs(&outcome));
}

#[test]
fn update_order_of_pipelines_changes_nothing() {
    let expected = run_mutant(Mutation::None);
    for order in [[3, 2, 1, 0], [2, 0, 3, 1]] {
        assert_eq!(run_mutant(Mutation::UpdateOrder(order.to_vec())), expected);
    }
}

/// A sink that ignores everything.
struct Nobody;

impl Sink for Nobody {
    fn transmitted(&mut self, _: Transmission) {}
    fn discarded(&mut self, _: Instant, _: Discarded) {}
    fn event(&mut self, _: Instant, _: Event) {}
}

#[test]
fn reports_what_waits_after_losing_a_packet() {
    let pipeline = pipeline(PROGRAM);
    let parameters = Mp5Parameters { pipelines: 2, mutation: Mutation::LostPacket, ..Mp5Parameters::default() };
    let mut machine = Mp5::new(&pipeline, record_binding(&pipeline), parameters).unwrap();
    let standstill = drive(&mut machine, packets(), Interest::default(), &mut Nobody).expect_err("packet 49 is lost");
    assert_eq!((standstill.inside, standstill.endless), (machine.statistics().in_flight, None));
    let report = standstill.to_string();
    assert!(report.contains("- packet 49 is in no stage, queue or entrance: the machine has lost it\n"), "{report}");
    let waits = "behind the phantom of packet 49, which has not arrived\n";
    assert!(report.contains("waits in the queue of stage 3") && report.contains("for `sums`"), "{report}");
    assert!(report.contains(waits) && report.contains(" more\n"), "{report}");
}
