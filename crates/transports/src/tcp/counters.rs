//! What TCP counts.

use crate::counters::counters;

counters! {
    /// Segments sent, of every kind.
    segments_sent,
    /// Segments that arrived for us, of every kind.
    segments_received,
    /// Segments with payload sent, retransmissions included.
    data_segments_sent,
    /// Segments sent again, SYN and FIN included.
    retransmissions,
    /// Retransmission timers that came.
    timeouts,
    /// Recoveries that duplicate or selective acknowledgements began.
    fast_retransmits,
    /// Segments sent without new bytes only to acknowledge.
    acks_sent,
    /// Of those, how many the timer for them has sent.
    delayed_acks_sent,
    /// Acknowledgements that arrived and only said again what was known (RFC 5681, section 2).
    duplicate_acks,
    /// Segments that a switch has marked as having met congestion.
    ecn_marks,
    /// Acknowledgements that arrived with ECE.
    ecn_echoes,
    /// Times at which a window was reduced because of ECE.
    ecn_reductions,
    /// Segments with payload that arrived before another.
    out_of_order_received,
    /// Segments with payload that arrived, of which all was here already.
    duplicates_received,
    /// Segments that timestamps showed to be old (RFC 7323, section 5).
    old_segments_received,
    /// RSTs.
    resets_sent,
    resets_received,
    /// Messages that were not begun: their service has no port, or all ports were taken.
    connections_refused,
    /// Connections that were given up after too many timeouts.
    connections_dead,
    /// Messages of ours that are known to have arrived.
    messages_completed,
    /// Messages of ours that were given up.
    messages_abandoned,
    /// Messages that have arrived here.
    messages_delivered,
    /// Bytes of messages that have arrived here.
    bytes_delivered,
}
