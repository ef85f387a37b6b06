//! Today's switch, on the paper's own example of what it gets wrong.

use machines::recirculating::{self, Recirculating, Sharding};
use node::{Offered, Reason};

use crate::support::{Outcome, overtaking, pipeline, record, record_binding, run};

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
    run(&mut Recirculating::new(&pipeline, record_binding(&pipeline), parameters).unwrap(), packets)
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
    assert!(outcome.discarded.iter().all(|&(_, reason)| reason == Reason::RecirculationLimit));
    assert_eq!(outcome.discarded.len(), 6);
    // Each is on its way for 5 cycles, so a queue of 2 lets two of six through.
    let outcome = run_on(recirculating::Parameters { queue: Some(2), ..parameters() }, &packets);
    assert!(outcome.discarded.iter().all(|&(_, reason)| reason == Reason::RecirculationQueueFull));
    assert_eq!(outcome.sent.len(), 3, "{:?}", outcome.discarded);
}
