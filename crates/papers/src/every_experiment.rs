//! The check of a suite that each paper's tests make.

use experiments::reproduce::Suite;

/// Checks that the suite's experiments are the expected ones, in full and in quick, and that each has points.
///
/// # Panics
/// If one cannot be read, is missing, or has no points.
pub fn is_read(suite: &Suite, expected: &[&str]) {
    for is_quick in [false, true] {
        let experiments = suite.experiments(is_quick).unwrap_or_else(|failure| panic!("{failure}"));
        let names: Vec<&str> = experiments.iter().map(|experiment| experiment.name.as_str()).collect();
        assert_eq!(names, expected);
        assert!(experiments.iter().all(|experiment| !experiment.points().is_empty()), "quick: {is_quick}");
    }
}
