//! How fast MP5's published simulator is, to be put beside ours. Figures that were measured by hand: it is Python 2.7
//! and no part of this project. `docs/benchmarks.md` says how to measure it again.

use papers::mp5::streams::Pattern;

/// For how many pipelines its speed is known (16 stages, 4 of them stateful, packets of 64 bytes at line rate).
pub const PUBLISHED_PIPELINES: u32 = 4;

/// Packets a second that it is held to do on a computer of the kind that we measure on (two cores at 2.5 GHz): the figure
/// that our goal, 200 times as fast, is counted from.
pub const PUBLISHED_RATE: f64 = 7_600.0;

/// Packets a second that it did beside ours, the best of eight runs of the whole process while little else ran: Python
/// 2.7.18, `router.py` unchanged, the first stream's traces. Its first runs, of files not read before, did 7,400 to
/// 9,400.
pub const fn published_best_rate(pattern: Pattern) -> f64 {
    match pattern {
        Pattern::Uniform => 14_900.0,
        Pattern::Skewed => 13_600.0,
    }
}
