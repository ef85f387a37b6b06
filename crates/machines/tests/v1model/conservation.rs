//! Whatever a packet requests, packets are conserved, traces contain all of them, and observing changes nothing.

use machines::Device;
use machines::trace::{Pass, Step};
use machines::v1model::V1modelParameters;
use proptest::prelude::*;

use crate::support::{Bench, bench_with};

/// The bits of the first byte select the requests of ingress.
const INGRESS: &str = "  if hdr.h.a[0:0] == 1u1 {
    clone ingress_to_egress, 1u32 keep 0
  }
  if hdr.h.a[1:1] == 1u1 {
    standard_metadata.mcast_grp = 0u8 ++ hdr.h.c
  }
  if hdr.h.a[2:2] == 1u1 {
    resubmit
  }
  if hdr.h.a[3:3] == 1u1 {
    standard_metadata.egress_spec = 511u9
  }
  if hdr.h.a[4:4] == 1u1 {
    truncate 2u32
  }
  assert hdr.h.c != 9u8, \"c is not 9\"";

/// The bits of the second byte select the requests of egress.
const EGRESS: &str = "  if hdr.h.b[0:0] == 1u1 {
    clone egress_to_egress, 2u32 keep 0
  }
  if hdr.h.b[1:1] == 1u1 {
    recirculate keep 0
  }
  if hdr.h.b[2:2] == 1u1 {
    standard_metadata.egress_spec = 511u9
  }
  if hdr.h.b[3:3] == 1u1 {
    set_valid hdr.more
  }
  if hdr.h.b[4:4] == 1u1 {
    set_invalid hdr.h
  }";

/// Forwards by the second byte, before whatever else ingress requests.
const FORWARD: &str = "  standard_metadata.egress_spec = 0u5 ++ hdr.h.b[3:0]\n";

/// An egress that requests nothing and drops no packet, so that nothing is between ingress and it but a gate.
const QUIET: &str = "  hdr.h.c = standard_metadata.egress_port[7:0]
  if standard_metadata.instance_type != 0u32 {
    set_valid hdr.more
    hdr.more.word = standard_metadata.deq_qdepth[15:0]
  }
  if hdr.h.b[4:4] == 1u1 {
    set_invalid hdr.h
  }
  assert hdr.h.b != 37u8, \"b is not 37\"";

fn bench() -> Bench {
    bench_of(INGRESS, EGRESS)
}

fn quiet() -> Bench {
    bench_of(&format!("{FORWARD}{INGRESS}"), QUIET)
}

fn bench_of(ingress: &str, egress: &str) -> Bench {
    let parameters = V1modelParameters { rounds: 3, copies: 40, ports: Some(8), ..V1modelParameters::default() };
    let mut bench = bench_with(ingress, egress, parameters);
    bench.group(1, &[(2, 1), (3, 2)]);
    bench.group(2, &[(7, 1), (8, 2), (2, 3)]);
    bench.group(3, &[]);
    bench.session(1, &[(4, 0)]);
    bench.session(2, &[(5, 0), (6, 1)]);
    bench
}

/// Returns how many packets were transmitted and how many were discarded.
fn ends(pass: &Pass) -> (u64, u64) {
    let of_step = |step: &Step| match step {
        Step::Transmit { .. } => (1, 0),
        Step::Discard { .. } => (0, 1),
        Step::Fork { pass } => ends(pass),
        // A trace with too many packets only counts how the others ended.
        Step::More(more) => {
            let of = |how: &str| more.ends.iter().filter(|(end, _)| end.starts_with(how)).map(|(_, count)| count).sum();
            (of("transmitted"), of("discarded"))
        }
        _ => (0, 0),
    };
    pass.steps.iter().map(of_step).fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1))
}

/// The packet becomes more packets than a trace records individually.
#[test]
fn traces_count_packets_beyond_their_limit() {
    conserved_and_told(bench, vec![(27, 35, 2, 3)]).unwrap();
}

/// Every kind of packet that a gate lets pass or not, each alone.
#[test]
fn packets_that_need_not_wait_are_conserved_and_traced() {
    for a in 0..32 {
        for b in [0, 7, 8, 11, 16, 37] {
            let packets = [0, 1, 2, 4, 9].map(|c| [(a, b, c, 6), (a, b, c, 3), (a, b, c, 2)]);
            conserved_and_told(quiet, packets.concat()).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn packets_are_conserved_and_all_are_traced(
        packets in prop::collection::vec((any::<u8>(), any::<u8>(), 0..12u8, 0..6usize), 1..6),
    ) {
        conserved_and_told(bench, packets.clone())?;
        conserved_and_told(quiet, packets)?;
    }
}

fn conserved_and_told(bench: fn() -> Bench, packets: Vec<(u8, u8, u8, usize)>) -> Result<(), TestCaseError> {
    let (mut plain, mut observed) = (bench(), bench());
    observed.switch.observe().unwrap();
    for (a, b, c, length) in packets {
        // Some packets are too short for their header.
        let bytes: Vec<u8> = [a, b, c, 1, 2, 3].into_iter().take(length).collect();
        // `Bench` checks that packets are conserved.
        prop_assert_eq!(plain.packet(&bytes), observed.packet(&bytes));
    }
    let all = observed.switch.take_traces();
    let told = all.iter().map(|trace| ends(&trace.pass)).fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1));
    let statistics = observed.switch.statistics();
    prop_assert_eq!(told, (statistics.transmitted, statistics.discarded.total()));
    prop_assert_eq!(statistics, plain.switch.statistics());
    Ok(())
}
