//! Each rule of a switch is there for a reason: without it a sum is wrong, nothing goes on, or something else is worse.

use basis::Duration;
use machines::aggregator::atp::Defect;
use transports::aggregation::atp::{AtpParameters, Index};

use crate::network::Network;
use crate::plan::{Happening, Harm, Job, Plan};

/// What became of a plan: whether all was finished, and whether all sums were right.
fn outcome(plan: &Plan) -> (bool, bool, Network) {
    let mut network = Network::new(plan.clone());
    let is_finished = network.run();
    let is_right = network.check.wrong.is_empty();
    (is_finished, is_right, network)
}

/// Four workers in one rack, whose packets are sometimes repeated or lost.
fn plan(harm: Harm) -> Plan {
    let job = Job { aggregators: 0..512, tensors: vec![20_000], ..Job::new(1, vec![0, 0, 0, 0]) };
    Plan { aggregators: 512, harm, limit: 100_000, ..Plan::new(vec![job]) }
}

fn with(defect: Defect, plan: &Plan) -> Plan {
    Plan { defect: Some(defect), ..plan.clone() }
}

#[test]
fn without_check_of_bitmaps_sums_are_wrong() {
    let plan = plan(Harm { twice: 10, ..Harm::default() });
    let (is_finished, is_right, _) = outcome(&plan);
    assert!(is_finished && is_right);
    let (_, is_right, _) = outcome(&with(Defect::NoBitmapCheck, &plan));
    assert!(!is_right, "a value was added twice");
}

#[test]
fn with_a_fan_in_off_by_one_sums_are_not_formed_in_the_switch() {
    let plan = plan(Harm::default());
    let (_, _, network) = outcome(&plan);
    assert_eq!(
        (network.counter("gradients_received"), network.counter("partial_overlaps")),
        (network.counter("complete"), 0)
    );
    // The server adds the fourth value itself, from one packet more for each fragment.
    let (_, is_right, network) = outcome(&with(Defect::FanInOffByOne, &plan));
    assert!(is_right);
    assert!(network.counter("gradients_received") >= 2 * network.counter("complete"));

    // What the first level takes for complete is added at the second one, where nobody sees whose values are missing.
    let job = Job { aggregators: 0..512, tensors: vec![20_000], ..Job::new(1, vec![1, 1, 1, 2, 2, 2]) };
    let plan = Plan { jobs: vec![job], ..plan };
    let (is_finished, is_right, _) = outcome(&plan);
    assert!(is_finished && is_right);
    let (_, is_right, _) = outcome(&with(Defect::FanInOffByOne, &plan));
    assert!(!is_right, "a sum without a worker's values");
}

#[test]
fn if_resent_packets_are_treated_like_others_nothing_goes_on() {
    let plan = plan(Harm { lost: 5, ..Harm::default() });
    let (is_finished, is_right, _) = outcome(&plan);
    assert!(is_finished && is_right);
    let (is_finished, is_right, network) = outcome(&with(Defect::ResendIgnored, &plan));
    assert!(!is_finished && is_right);
    assert!(network.waiting().iter().any(|why| why.contains("has no answer from its server")), "and says so");
}

#[test]
fn without_merging_of_marks_workers_do_not_see_congestion() {
    let plan = plan(Harm { marked: 5, ..Harm::default() });
    let marks = |plan: &Plan| {
        let (is_finished, is_right, network) = outcome(plan);
        assert!(is_finished && is_right);
        network.counter("marks")
    };
    // Four packets of five links each, and one that goes on over one link and back over one; of those that are added second to
    // last, marks are lost.
    let (all, without) = (marks(&plan), marks(&with(Defect::EcnNotMerged, &plan)));
    assert!(without * 10 < all * 9, "{without} of {all}");
}

#[test]
fn without_ageing_the_aggregators_of_a_job_that_stopped_are_lost_for_others() {
    // A worker of the first job fails for ever: what the others have sent stays in the switch.
    let timeout = Duration::from_microseconds(1_000_000);
    let mut first = Job { aggregators: 0..32, ..Job::new(1, vec![0, 0, 0]) };
    first.parameters = AtpParameters { timeout, ..first.parameters };
    let mut second = Job { aggregators: 0..32, tensors: vec![500_000], ..Job::new(2, vec![0, 0]) };
    // With hashes, the second job would go around the aggregators of the first.
    second.parameters = AtpParameters { index: Index::Linear, ..second.parameters };
    let happenings = vec![(3, Happening::WorkerFails { job: 0, rank: 2 })];
    let plan = Plan { aggregators: 32, age: 100, happenings, limit: 500_000, ..Plan::new(vec![first, second]) };
    let run = |plan: &Plan| {
        let (is_finished, is_right, network) = outcome(plan);
        assert!(!is_finished && is_right, "the first job cannot end");
        assert!(network.check.is_job_done(1), "the second one can");
        (network.in_use(0), network.switch_counter("atp_aged"), network.switch_counter("atp_collisions"))
    };
    let ((in_use, aged, collisions), (in_use_for_ever, never, more)) =
        (run(&plan), run(&with(Defect::NoAgeing, &plan)));
    assert!(aged > 0 && never == 0 && in_use < in_use_for_ever, "{in_use} and {in_use_for_ever}");
    assert!(collisions < more, "{collisions} and {more}");
}
