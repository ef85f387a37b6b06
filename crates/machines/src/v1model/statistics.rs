//! What the switch has done so far.

use measure::Counts;
use node::Reason;
use serde::Serialize;

/// What a v1model switch has done so far. `received + replicated` is `transmitted` and all `discarded` together, and what
/// waits in queues. Serialises to what scripts read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// Packets that came in.
    pub received: u64,
    /// Packets that were made inside: clones, and copies of a multicast packet beyond the first.
    pub replicated: u64,
    /// Packets that went out.
    pub transmitted: u64,
    /// Packets that did not go out, by reason.
    pub discarded: Counts<Reason>,
    /// The same by the block, too, that each was in last; empty for one that came to none.
    #[serde(skip)]
    pub discarded_in: Counts<(Reason, &'static str)>,
    /// Packets whose parser ended with an error; ingress sees which.
    pub parser_errors: u64,
    /// Packets that began again with ingress as they had arrived.
    pub resubmissions: u64,
    /// Packets that began again as the deparser had written them.
    pub recirculations: u64,
    /// Clones among the packets made.
    pub clones: u64,
    /// Digests that programs sent.
    pub digests: u64,
    /// Requests that mean nothing where they were made: a resubmission outside of ingress, a recirculation outside of
    /// egress.
    pub ignored_requests: u64,
    /// Rounds of packets in which the program read a tail that is only a length: it read zeros.
    pub tail_reads: u64,
}

impl Statistics {
    /// The same for those who know any machine.
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
