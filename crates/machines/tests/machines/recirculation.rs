//! The recirculating switch, on the paper's own example of its shortcomings.

use machines::mp5::reasons;
use machines::mp5::{self, Departure, Mp5, Recirculation, Rules, Steering};
use machines::recirculating::{self, Sharding};
use node::Offered;

use crate::support::{Outcome, interpret, overtaking, pipeline, record, record_binding, run};

/// Section 2.3.1, Example 2: every packet takes a sequence number.
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

fn run_on(parameters: recirculating::RecirculatingParameters, packets: &[Offered]) -> Outcome {
    let pipeline = pipeline(SEQUENCER);
    run(&mut recirculating::build(&pipeline, record_binding(&pipeline), parameters).unwrap(), packets)
}

fn parameters() -> recirculating::RecirculatingParameters {
    recirculating::RecirculatingParameters {
        pipelines: 2,
        ports: 2,
        sharding: Sharding::AllInOne,
        latency: 4,
        ..recirculating::RecirculatingParameters::default()
    }
}

#[test]
fn example_2_recirculated_packet_is_numbered_last() {
    let packets = [record(0, 0, &[0]), record(1000, 1, &[0]), record(2000, 0, &[0])];
    let outcome = run_on(parameters(), &packets);
    let numbers: Vec<u64> = outcome.completed.values().map(|fields| fields[0]).collect();
    assert_eq!(numbers, [1, 3, 2]);
    assert_eq!((outcome.statistics.recirculations, overtaking(&outcome.accesses)), (1, 1));
    // The packet is in stage 0 at 1 ns, leaves stage 2 at 4 ns, is back at 8 ns, and leaves again at 11 ns.
    assert_eq!(outcome.sent, [(3000, 0, 0), (5000, 0, 2), (11000, 1, 1)]);
}

#[test]
fn recirculated_packet_delays_fresh_ones() {
    let mut packets = vec![record(0, 1, &[0])];
    // The packet is back in cycle 7, when another packet would enter, which is one cycle late from then on.
    packets.extend((0..10).map(|cycle| record(cycle * 1000, 0, &[0])));
    packets.sort_by_key(|offered| (offered.at, offered.port));
    let outcome = run_on(parameters(), &packets);
    let of = |packet: u64| outcome.sent.iter().find(|&&(_, _, sent)| sent == packet).unwrap().0;
    // Packet 0 is the first one on port 0, packet 1 the one on port 1, packets 2 to 10 the others on port 0.
    assert_eq!(of(1), 10_000);
    assert_eq!((of(7), of(8), of(9)), (9_000, 11_000, 12_000));
}

#[test]
fn recirculation_limits_discard_packets() {
    let packets: Vec<Offered> = (0..6).map(|cycle| record(cycle * 1000, 1, &[0])).collect();
    let outcome = run_on(recirculating::RecirculatingParameters { limit: Some(0), ..parameters() }, &packets);
    assert!(outcome.discarded.iter().all(|&(_, reason)| reason == machines::reasons::RECIRCULATION_LIMIT));
    assert_eq!(outcome.discarded.len(), 6);
    // Each recirculation takes 5 cycles, so a queue of 2 lets two of six packets through.
    let outcome = run_on(recirculating::RecirculatingParameters { queue: Some(2), ..parameters() }, &packets);
    assert!(outcome.discarded.iter().all(|&(_, reason)| reason == reasons::RECIRCULATION_QUEUE_FULL));
    assert_eq!(outcome.sent.len(), 3, "{:?}", outcome.discarded);
}

/// Two arrays in adjacent stages; each packet is counted in both.
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

/// With `delayed-at-exit`, two packets can leave a stage in one cycle if only one of them needs room in the next. A
/// packet that must recirculate to another pipeline does need room, although it accesses state in that stage.
#[test]
fn recirculating_packets_need_room_in_next_stage() {
    let pipeline = pipeline(ADJACENT);
    let packets: Vec<Offered> =
        (0..200u32).map(|n| record(u64::from(n) * 500, 0, &[n * 7 % 4, n * 5 / 3 % 4])).collect();
    for rules in [Rules::paper().with(Departure::DelayedAtExit), Rules::artifact()] {
        let parameters = mp5::Mp5Parameters {
            pipelines: 2,
            ports: 2,
            rules,
            steering: Steering::Recirculation(Recirculation::default()),
            ..mp5::Mp5Parameters::default()
        };
        let mut machine = Mp5::new(&pipeline, record_binding(&pipeline), parameters).unwrap();
        let outcome = run(&mut machine, &packets);
        assert!(outcome.statistics.recirculations > 20, "{rules}");
        assert_eq!(outcome.registers.array(0).iter().sum::<u64>(), 200, "{rules}: each packet counts once");
        assert_eq!(outcome.registers.array(1).iter().sum::<u64>(), 200, "{rules}: each packet counts once");
    }
}

/// A queue that waits for a packet with a long recirculation latency costs no cycles until the packet is back.
#[test]
fn waiting_for_long_recirculation_skips_cycles() {
    let pipeline = pipeline(ADJACENT);
    let parameters = mp5::Mp5Parameters {
        pipelines: 2,
        steering: Steering::Recirculation(Recirculation { latency: 1_000_000, ..Recirculation::default() }),
        ..mp5::Mp5Parameters::default()
    };
    let packets: Vec<Offered> = (0..20u32).map(|n| record(u64::from(n) * 500, 0, &[n % 4, n / 2 % 4])).collect();
    let mut machine = Mp5::new(&pipeline, record_binding(&pipeline), parameters).unwrap();
    let outcome = run(&mut machine, &packets);
    let (registers, completed) = interpret(&pipeline, &packets);
    assert_eq!((outcome.registers, outcome.completed), (registers, completed));
    assert!(outcome.statistics.recirculations > 0 && outcome.statistics.cycles < 10_000, "{:?}", outcome.statistics);
}
