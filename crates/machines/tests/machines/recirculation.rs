//! Today's switch, on the paper's own example of what it gets wrong.

use machines::mp5::reasons;
use machines::mp5::{self, Departure, Mp5, Recirculation, Rules, Steering};
use machines::recirculating::{self, Sharding};
use node::Offered;

use crate::support::{Outcome, interpret, overtaking, pipeline, record, record_binding, run};

/// Section 2.3.1, Example 2: every packet takes a number.
const SEQUENCER: &str = "\
pipeline sequencer

field number: int<32>
local old: int<32>
local new: int<32>
register count: int<32> = 0

resolution 1
stage {
}
stage {
  atom raw {
    old = @count
    new = old + 1i32
    @count = new
  }
}
stage {
}
access @count stage 1 always pinned
export number = new
";

fn run_on(parameters: recirculating::Parameters, packets: &[Offered]) -> Outcome {
    let pipeline = pipeline(SEQUENCER);
    run(&mut recirculating::build(&pipeline, record_binding(&pipeline), parameters).unwrap(), packets)
}

fn parameters() -> recirculating::Parameters {
    recirculating::Parameters {
        pipelines: 2,
        ports: 2,
        sharding: Sharding::AllInOne,
        latency: 4,
        ..recirculating::Parameters::default()
    }
}

#[test]
fn example_2_the_packet_that_goes_round_gets_the_last_number() {
    let packets = [record(0, 0, &[0]), record(1000, 1, &[0]), record(2000, 0, &[0])];
    let outcome = run_on(parameters(), &packets);
    let numbers: Vec<u64> = outcome.completed.values().map(|fields| fields[0]).collect();
    assert_eq!(numbers, [1, 3, 2]);
    assert_eq!((outcome.statistics.recirculations, overtaking(&outcome.accesses)), (1, 1));
    // In stage 0 at 1 ns, out of stage 2 at 4 ns, back at 8 ns, out again at 11 ns.
    assert_eq!(outcome.sent, [(3000, 0, 0), (5000, 0, 2), (11000, 1, 1)]);
}

#[test]
fn a_recirculated_packet_takes_the_place_of_a_fresh_one() {
    let mut packets = vec![record(0, 1, &[0])];
    // It is back in cycle 7, when the packet of cycle 7 wants to enter: that one is a cycle late from then on.
    packets.extend((0..10).map(|cycle| record(cycle * 1000, 0, &[0])));
    packets.sort_by_key(|offered| (offered.at, offered.port));
    let outcome = run_on(parameters(), &packets);
    let of = |packet: u64| outcome.sent.iter().find(|&&(_, _, sent)| sent == packet).unwrap().0;
    // Packet 0 is the first of port 0, packet 1 the one of port 1, packets 2 to 10 the others of port 0.
    assert_eq!(of(1), 10_000);
    assert_eq!((of(7), of(8), of(9)), (9_000, 11_000, 12_000));
}

#[test]
fn bounds_on_recirculation_discard_with_their_reason() {
    let packets: Vec<Offered> = (0..6).map(|cycle| record(cycle * 1000, 1, &[0])).collect();
    let outcome = run_on(recirculating::Parameters { limit: Some(0), ..parameters() }, &packets);
    assert!(outcome.discarded.iter().all(|&(_, reason)| reason == machines::reasons::RECIRCULATION_LIMIT));
    assert_eq!(outcome.discarded.len(), 6);
    // Each is on its way for 5 cycles, so a queue of 2 lets two of six through.
    let outcome = run_on(recirculating::Parameters { queue: Some(2), ..parameters() }, &packets);
    assert!(outcome.discarded.iter().all(|&(_, reason)| reason == reasons::RECIRCULATION_QUEUE_FULL));
    assert_eq!(outcome.sent.len(), 3, "{:?}", outcome.discarded);
}

/// Two arrays in adjacent stages: each packet counts in both.
const ADJACENT: &str = "\
pipeline adjacent

field first: int<32>
field second: int<32>
local one: int<32>
local next_one: int<32>
local two: int<32>
local next_two: int<32>
register a: int<32>[4] = fill 0
register b: int<32>[4] = fill 0

resolution 1
stage {
}
stage {
  atom raw {
    one = @a[first]
    next_one = one + 1i32
    @a[first] = next_one
  }
}
stage {
  atom raw {
    two = @b[second]
    next_two = two + 1i32
    @b[second] = next_two
  }
}
access @a stage 1 index first always sharded
access @b stage 2 index second always sharded
export first = one
export second = two
";

/// With `delayed-at-exit` two packets can leave a stage in one cycle if only one of them needs room in the next. A packet
/// that has to go round to another pipeline does need room, although it accesses state there.
#[test]
fn a_packet_on_its_way_round_needs_room_in_the_next_stage() {
    let pipeline = pipeline(ADJACENT);
    let packets: Vec<Offered> =
        (0..200u32).map(|n| record(u64::from(n) * 500, 0, &[n * 7 % 4, n * 5 / 3 % 4])).collect();
    for rules in [Rules::paper().with(Departure::DelayedAtExit), Rules::artifact()] {
        let parameters = mp5::Parameters {
            pipelines: 2,
            ports: 2,
            rules,
            steering: Steering::Recirculation(Recirculation::default()),
            ..mp5::Parameters::default()
        };
        let mut machine = Mp5::new(&pipeline, record_binding(&pipeline), parameters).unwrap();
        let outcome = run(&mut machine, &packets);
        assert!(outcome.statistics.recirculations > 20, "{rules}");
        assert_eq!(outcome.registers.array(0).iter().sum::<u64>(), 200, "{rules}: each packet counts once");
        assert_eq!(outcome.registers.array(1).iter().sum::<u64>(), 200, "{rules}: each packet counts once");
    }
}

/// A queue that waits for a packet which is long on its way round costs no cycles until it is back.
#[test]
fn a_long_way_round_is_waited_for_without_stepping_through_it() {
    let pipeline = pipeline(ADJACENT);
    let parameters = mp5::Parameters {
        pipelines: 2,
        steering: Steering::Recirculation(Recirculation { latency: 1_000_000, ..Recirculation::default() }),
        ..mp5::Parameters::default()
    };
    let packets: Vec<Offered> = (0..20u32).map(|n| record(u64::from(n) * 500, 0, &[n % 4, n / 2 % 4])).collect();
    let mut machine = Mp5::new(&pipeline, record_binding(&pipeline), parameters).unwrap();
    let outcome = run(&mut machine, &packets);
    let (registers, completed) = interpret(&pipeline, &packets);
    assert_eq!((outcome.registers, outcome.completed), (registers, completed));
    assert!(outcome.statistics.recirculations > 0 && outcome.statistics.cycles < 10_000, "{:?}", outcome.statistics);
}
