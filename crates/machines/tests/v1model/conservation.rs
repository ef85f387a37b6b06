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

fn bench() -> Bench {
    let parameters = V1modelParameters { rounds: 3, copies: 40, ports: Some(8), ..V1modelParameters::default() };
    let mut bench = bench_with(INGRESS, EGRESS, parameters);
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
    conserved_and_told(vec![(27, 35, 2, 3)]).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn packets_are_conserved_and_all_are_traced(
        packets in prop::collection::vec((any::<u8>(), any::<u8>(), 0..12u8, 0..6usize), 1..6),
    ) {
        conserved_and_told(packets)?;
    }
}

fn conserved_and_told(packets: Vec<(u8, u8, u8, usize)>) -> Result<(), TestCaseError> {
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
