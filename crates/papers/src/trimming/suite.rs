//! The suite of the paper.

use experiments::reproduce::Suite;

use super::{depths, first_test, pings, requests, shipped, switches, validation};

/// The suite of packet trimming.
pub fn suite() -> Suite {
    Suite {
        name: "trimming",
        title: "Packet trimming, reproduced",
        introduction: &[
            "\u{201c}Implementing packet trimming support in hardware\u{201d}, published numbers beside ours: ways to trim \
             in a switch of 64 ports of 100 Gb/s (sections 6.1 to 6.3), of which the ideal one, which trims what finds \
             no room in front of a port, is there; and the benefits for end hosts (section 6.5).",
            "In sections 6.1 to 6.3 hosts run NDP with packets of 1500 bytes, and sender i sends to port i mod 16. All \
             rows are of one configuration unless the paper changes it.",
            "In section 6.5 the paper's network is a testbed of 25 Gb/s links with the stack of Linux (\u{201c}baseline\u{201d}), or \
             with EQDS before switches that trim. Ours is simulated: CUBIC before switches that drop, or EQDS before \
             switches that trim, with packets of 9000 bytes, links of 1 us, and hosts that cost no time.",
        ],
        apart: None,
        methods: vec![
            Box::new(switches::method()),
            Box::new(depths::method()),
            Box::new(validation::method()),
            Box::new(pings::method()),
            Box::new(requests::method()),
            Box::new(first_test::method()),
        ],
        plans: shipped::PLANS,
        files: &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::every_experiment;

    #[test]
    fn every_experiment_is_read_in_full_and_in_quick() {
        every_experiment::is_read(
            &suite(),
            &[
                "section-3",
                "section-3-tofino-2",
                "section-4",
                "figure-5",
                "figure-6",
                "figure-7",
                "figure-8",
                "figure-9",
                "open-questions",
                "variants",
                "section-6.4",
                "figure-11",
                "figure-12",
                "first-test",
                "figure-13",
                "figure-14",
            ],
        );
    }
}
