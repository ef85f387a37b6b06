//! The counters of the switch.

use measure::Counts;
use node::Reason;
use serde::Serialize;

/// The counters of a v1model switch. `received + replicated` equals `transmitted` plus all `discarded` plus the packets
/// in queues. Serialises to a map for scripts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// The number of packets received.
    pub received: u64,
    /// The number of packets made inside: clones, and copies of multicast packets beyond the first.
    pub replicated: u64,
    /// The number of packets transmitted.
    pub transmitted: u64,
    /// The number of discarded packets by reason.
    pub discarded: Counts<Reason>,
    /// The number of discarded packets by reason and by the last block that each was in, which is empty if it was in
    /// none.
    #[serde(skip)]
    pub discarded_in: Counts<(Reason, &'static str)>,
    /// The number of packets whose parser ended with an error; ingress sees the error.
    pub parser_errors: u64,
    /// The number of resubmissions.
    pub resubmissions: u64,
    /// The number of recirculations.
    pub recirculations: u64,
    /// The number of clones, which are part of `replicated`.
    pub clones: u64,
    /// The number of digests that programs sent.
    pub digests: u64,
    /// The number of requests that have no effect in the block that made them: resubmissions outside of ingress,
    /// recirculations outside of egress.
    pub ignored_requests: u64,
    /// The number of times that the program, in one round of a packet, read a tail that is only a length, and thus read
    /// zeros.
    pub tail_reads: u64,
}

impl Statistics {
    /// Returns the counters that all machines have.
    pub(super) fn of_any_machine(&self) -> crate::Statistics {
        crate::Statistics {
            received: self.received,
            transmitted: self.transmitted,
            discarded: self.discarded.clone(),
            recirculations: self.recirculations,
            ..crate::Statistics::default()
        }
    }
}
