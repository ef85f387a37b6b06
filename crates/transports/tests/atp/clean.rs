//! Networks in which nothing is lost.

use transports::aggregation::FixedPoint;
use transports::aggregation::atp::{Arithmetic, AtpParameters};

use crate::network::Network;
use crate::plan::{Happening, Job, Plan};

fn run(plan: Plan) -> Network {
    let mut network = Network::new(plan);
    assert!(network.run(), "unfinished at {}: {:#?}", network.now, network.waiting());
    assert_eq!(network.check.wrong, [""; 0]);
    network
}

#[test]
fn one_rack_sends_one_packet_a_fragment_to_the_server() {
    let network =
        run(Plan { aggregators: 4096, ..Plan::new(vec![Job { aggregators: 0..4096, ..Job::new(1, vec![0; 4]) }]) });
    assert_eq!(network.counter("gradients_added"), network.counter("complete"));
    assert_eq!((network.counter("gradients_resent"), network.switch_counter("atp_collisions")), (0, 0));
}

#[test]
fn two_levels_send_one_packet_a_fragment_to_the_server() {
    let job = Job { aggregators: 0..4096, ..Job::new(1, vec![0, 1, 1, 2, 2, 2]) };
    let network = run(Plan { aggregators: 4096, ..Plan::new(vec![job]) });
    assert_eq!(network.counter("gradients_added"), network.counter("complete"));
    assert_eq!(network.counter("gradients_resent"), 0);
}

#[test]
fn rack_only_sends_one_packet_a_rack() {
    let job = Job { aggregators: 0..4096, has_second_level: false, ..Job::new(1, vec![0, 0, 1, 1, 2, 2]) };
    let network = run(Plan { aggregators: 4096, ..Plan::new(vec![job]) });
    assert_eq!(network.counter("gradients_added"), 3 * network.counter("complete"));
}

#[test]
fn floats_come_out_with_the_precision_of_the_scale() {
    let parameters =
        AtpParameters { arithmetic: Arithmetic::Floats(FixedPoint::ATP), ..Job::new(1, vec![]).parameters };
    for proactive in [false, true] {
        let parameters = AtpParameters { proactive, ..parameters };
        let network = run(Plan::new(vec![Job { parameters, ..Job::new(1, vec![0, 1, 1, 2]) }]));
        assert_eq!(network.counter("originals_sent"), 0);
        let arithmetic = Arithmetic::Floats(FixedPoint { scale: 1e9 });
        let large =
            Job { parameters: AtpParameters { arithmetic, ..parameters }, bits: 32, ..Job::new(1, vec![0; 30]) };
        let network = run(Plan::new(vec![large]));
        assert!(network.counter("originals_sent") > 0, "the sums of such values overflow");
    }
}

#[test]
fn a_worker_that_fails_for_ever_is_named() {
    let happenings = vec![(5, Happening::WorkerFails { job: 0, rank: 2 })];
    let job = Job { aggregators: 0..4096, tensors: vec![200_000], ..Job::new(1, vec![1, 1, 2, 2]) };
    let plan = Plan { aggregators: 4096, happenings, limit: 100_000, ..Plan::new(vec![job]) };
    let mut network = Network::new(plan);
    assert!(!network.run());
    assert_eq!(network.check.wrong, [""; 0]);
    let waiting = network.waiting();
    assert!(waiting.iter().any(|why| why.ends_with("the values of workers 2 have not arrived")), "{waiting:#?}");
    assert!(waiting.iter().any(|why| why.contains("has no answer from its server")));
}
