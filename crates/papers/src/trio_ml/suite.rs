//! The suite of the paper.

use experiments::reproduce::Suite;

use super::{latency, recovery, shipped};

/// The suite of Trio-ML.
pub fn suite() -> Suite {
    Suite {
        name: "trio-ml",
        title: "Trio-ML, reproduced",
        introduction: &[
            "\u{201c}Using Trio: Juniper Networks\u{2019} programmable chipset for emerging in-network applications\u{201d}, published numbers \
             beside ours: recovery from a straggler (section 6.2), and the latency of an aggregation (section 6.3).",
            "The paper\u{2019}s network is a router with servers around it. Ours is simulated: links of 100 Gb/s and 500 ns, and for latency our \
             program on the chip of docs/machines/trio.md, cycle by cycle. Every sum is compared with one formed apart from the network.",
        ],
        apart: None,
        methods: vec![Box::new(recovery::method()), Box::new(latency::method())],
        plans: shipped::PLANS,
        files: &[],
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use experiments::sweep::{Row, sweep};

    use super::*;
    use crate::every_experiment;

    /// Runs the points of an experiment that `quick` keeps.
    fn rows(name: &str) -> Vec<Row> {
        let suite = suite();
        let experiments = suite.experiments(true).unwrap_or_else(|failure| panic!("{failure}"));
        let experiment = experiments.iter().find(|experiment| experiment.name == name).expect("an experiment");
        let method = suite.methods.iter().find(|method| method.name() == experiment.method).expect("its method");
        let jobs: Vec<_> = experiment.points().iter().map(|point| method.job(point).expect("a plan")).collect();
        sweep(&jobs, NonZeroUsize::MIN, None, &mut |_| {}).expect("they run")
    }

    #[test]
    fn servers_recover_within_twice_the_timeout() {
        for row in rows("figure-14") {
            let timeout = row.key.integer("timeout_ms").expect("an axis") as f64;
            for measure in ["fastest_ms", "recovery_ms", "slowest_ms"] {
                let time = row.measures.number(measure).expect("a measure");
                assert!((timeout..=2.0 * timeout).contains(&time), "{measure} {time} of {timeout}");
            }
        }
    }

    /// The default program is far faster than the paper's, and one that waits for memory off chip has the published slope.
    #[test]
    fn a_wait_for_memory_has_the_published_slope() {
        let rows = rows("figure-15");
        let latency = |program: &str, gradients| {
            let is = |row: &&Row| {
                row.key.word("program") == Some(program) && row.key.integer("gradients") == Some(gradients)
            };
            let row = rows.iter().find(is).expect("a point");
            println!("{program} {gradients}: {:?} us", row.measures.number("latency_us"));
            row.measures.number("latency_us").expect("a measure")
        };
        let slope = |program| (latency(program, 1024) - latency(program, 64)) * 1e3 / 960.0;
        let (default, waiting) = (slope("default"), slope("waiting"));
        assert!((9.0..13.0).contains(&default), "{default} ns a gradient");
        assert!((165.0..189.0).contains(&waiting), "{waiting} ns a gradient; 177 are published");
    }

    #[test]
    fn every_experiment_is_read_in_full_and_in_quick() {
        every_experiment::is_read(&suite(), &["figure-14", "figure-15"]);
    }
}
