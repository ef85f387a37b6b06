//! The suite of section 6.5.

use experiments::reproduce::Suite;

use super::{first_test, pings, requests, shipped};

/// The suite of packet trimming.
pub fn suite() -> Suite {
    Suite {
        name: "trimming",
        title: "Packet trimming, reproduced",
        introduction: &[
            "The benefits for end hosts of \u{201c}Implementing packet trimming support in hardware\u{201d} (section \
             6.5), published numbers beside ours. The Tofino's own experiments (sections 6.1 to 6.4) are left out: \
             they need its trimming pipeline.",
            "The paper's network is a testbed of 25 Gb/s links with the stack of Linux (\u{201c}baseline\u{201d}), or \
             with EQDS before switches that trim. Ours is simulated: CUBIC before switches that drop, or EQDS before \
             switches that trim, with packets of 9000 bytes, links of 1 us, and hosts that cost no time.",
        ],
        apart: None,
        methods: vec![Box::new(pings::method()), Box::new(requests::method()), Box::new(first_test::method())],
        plans: shipped::PLANS,
        files: &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_is_read_in_full_and_in_quick() {
        for is_quick in [false, true] {
            let experiments = suite().experiments(is_quick).unwrap_or_else(|failure| panic!("{failure}"));
            let names: Vec<&str> = experiments.iter().map(|experiment| experiment.name.as_str()).collect();
            assert_eq!(names, ["first-test", "figure-13", "figure-14"]);
            assert!(experiments.iter().all(|experiment| !experiment.points().is_empty()), "quick: {is_quick}");
        }
    }
}
