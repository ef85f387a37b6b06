//! The counters of the chip.

use measure::Counts;
use node::Reason;
use serde::Serialize;

/// The counters of a chip. `received + replicated` equals `transmitted` plus all `discarded` plus the packets in queues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// The number of packets received.
    pub received: u64,
    /// The number of packets made inside: mirrored ones, and copies beyond the first.
    pub replicated: u64,
    /// The number of packets transmitted.
    pub transmitted: u64,
    /// The number of packets whose parser ended with an error, in ingress and in egress.
    pub parser_errors: u64,
    /// The number of resubmissions.
    pub resubmissions: u64,
    /// The number of recirculations.
    pub recirculations: u64,
    /// The number of mirrored packets, which are part of `replicated`.
    pub mirrored: u64,
    /// The number of multicast copies that packets left out.
    pub pruned: u64,
    /// The number of packets that found no room in their queue and were sent to a deflection port.
    pub deflected: u64,
    /// The number of times that a ghost thread ran.
    pub ghost_runs: u64,
    /// The number of those that failed an assertion or did not end.
    pub ghost_failures: u64,
    /// The number of digests that the program sent.
    pub digests: u64,
    /// The number of discarded packets by reason.
    pub discarded: Counts<Reason>,
    /// The number of discarded packets by reason and by the last block that each was in, which is empty if it was in
    /// none.
    #[serde(skip)]
    pub discarded_in: Counts<(Reason, &'static str)>,
}

impl Statistics {
    /// Returns the counters that all machines have.
    pub(super) fn of_any_machine(&self, in_flight: u64) -> crate::Statistics {
        crate::Statistics {
            received: self.received,
            transmitted: self.transmitted,
            discarded: self.discarded.clone(),
            recirculations: self.recirculations,
            in_flight,
            ..crate::Statistics::default()
        }
    }
}
