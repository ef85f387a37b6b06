//! What workers and servers count.

/// The counters of a server.
pub(super) mod server {
    crate::counters::counters! {
        /// Gradient packets that were accepted.
        gradients_received,
        /// Gradient packets whose integers were added.
        gradients_added,
        /// Gradient packets whose original values were added.
        originals_added,
        /// Gradient packets with nothing that was not there already.
        duplicates,
        /// Sums that were replaced by one with all that they had and more.
        sums_replaced,
        /// Gradient packets with some values that were there already and some that were not.
        partial_overlaps,
        /// Sums that switches had clamped.
        saturated_sums,
        /// Fragments that became complete.
        complete,
        /// Parameter packets with sums.
        parameters_sent,
        /// Parameter packets that ask for a fragment again, or for its original values.
        requests_sent,
        /// Parameter packets that say where the job is.
        beginnings_sent,
        /// Packets of another setup, or from nobody who takes part.
        strays,
    }
}

/// The counters of a worker.
pub(super) mod worker {
    crate::counters::counters! {
        /// Gradient packets sent.
        gradients_sent,
        /// Gradient packets that were sent again.
        gradients_resent,
        /// Gradient packets with original values.
        originals_sent,
        /// Parameter packets with sums that were not known.
        parameters_received,
        /// Parameter packets with sums that were known.
        duplicates,
        /// Answers to later fragments that showed a loss.
        losses,
        /// Timeouts.
        timeouts,
        /// Parameter packets with congestion marks.
        marks,
        /// Packets that the server has asked for.
        requests_received,
        /// Fragments that were complete before the worker was there.
        missed,
        /// Packets of another setup.
        strays,
    }
}
