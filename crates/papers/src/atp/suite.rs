//! The suite of the paper.

use experiments::reproduce::Suite;

use super::{sharing, shipped};

/// The suite of ATP.
pub fn suite() -> Suite {
    Suite {
        name: "atp",
        title: "ATP, reproduced",
        introduction: &[
            "\u{201c}ATP: In-network Aggregation for Multi-tenant Learning\u{201d}, published statements beside ours: jobs that share the \
             aggregators of one switch (section 5.4.2).",
            "The paper's network is a testbed of 100 Gb/s links around one switch. Ours is simulated: links of 500 ns, \
             hosts that cost no time and are late by up to 1 us, and every sum compared with one formed apart from the \
             network.",
        ],
        apart: None,
        methods: vec![Box::new(sharing::method())],
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
        every_experiment::is_read(&suite(), &["figure-14"]);
    }
}
