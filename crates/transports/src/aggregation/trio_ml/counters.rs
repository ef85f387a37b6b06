//! The counters of a worker.

use crate::counters::counters;

counters! {
    /// The number of blocks sent for the first time.
    blocks_sent,
    /// The number of blocks sent again, because their result did not come in time or others take part now.
    retransmissions,
    /// The number of results that were reported.
    results,
    /// The number of results that were sums over some of the workers only.
    degraded_results,
    /// The number of results of blocks that had one before.
    repeated_results,
    /// The number of results of blocks that this worker has not begun.
    early_results,
    /// The number of blocks whose results this worker has missed, because the network keeps them no longer.
    missed_blocks,
    /// The number of messages about stragglers.
    straggler_messages,
}
