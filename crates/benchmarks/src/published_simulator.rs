//! The speed of MP5's published simulator, for comparison. The figures were measured by hand, because the simulator is
//! written in Python 2.7 and not part of this project. `docs/benchmarks.md` says how to measure it again.

use papers::mp5::streams::Pattern;

/// The number of pipelines for which its speed is known (16 stages, 4 of them stateful, 64-byte packets at line rate).
pub const PUBLISHED_PIPELINES: u32 = 4;

/// The speed that we assume for it on a computer like the one that we measure on (two cores at 2.5 GHz), in packets per
/// second. Our goal of being 200 times as fast refers to this figure.
pub const PUBLISHED_RATE: f64 = 7_600.0;

/// Returns the speed that it reached on our computer, in packets per second: the best of eight runs of the whole
/// process while little else ran, with Python 2.7.18, an unchanged `router.py` and the traces of the first stream. Its
/// first runs, when the files had not been read before, reached 7,400 to 9,400.
pub const fn published_best_rate(pattern: Pattern) -> f64 {
    match pattern {
        Pattern::Uniform => 14_900.0,
        Pattern::Skewed => 13_600.0,
    }
}
