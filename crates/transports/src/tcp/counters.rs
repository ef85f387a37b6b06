//! The counters of TCP.

use crate::counters::counters;

counters! {
    /// The number of segments sent, of every kind.
    segments_sent,
    /// The number of segments received, of every kind.
    segments_received,
    /// The number of segments with payload sent, including retransmissions.
    data_segments_sent,
    /// The number of segments retransmitted, including SYN and FIN.
    retransmissions,
    /// The number of retransmission timeouts.
    timeouts,
    /// The number of recoveries that duplicate or selective acknowledgements have started.
    fast_retransmits,
    /// The number of pure acknowledgements sent.
    acks_sent,
    /// The number of pure acknowledgements sent by the delayed acknowledgement timer.
    delayed_acks_sent,
    /// The number of duplicate acknowledgements received (RFC 5681, section 2).
    duplicate_acks,
    /// The number of segments received with a congestion mark (CE).
    ecn_marks,
    /// The number of acknowledgements received with ECE.
    ecn_echoes,
    /// The number of window reductions because of ECE.
    ecn_reductions,
    /// The number of segments with payload received out of order.
    out_of_order_received,
    /// The number of segments received whose entire payload had arrived before.
    duplicates_received,
    /// The number of segments received that their timestamps show to be old (RFC 7323, section 5).
    old_segments_received,
    /// The number of RSTs sent.
    resets_sent,
    /// The number of RSTs received.
    resets_received,
    /// The number of messages that were not begun because their service has no port or all ports were in use.
    connections_refused,
    /// The number of connections that were aborted after too many timeouts.
    connections_dead,
    /// The number of messages of this host that are known to have arrived.
    messages_completed,
    /// The number of messages of this host that were abandoned.
    messages_abandoned,
    /// The number of messages that have arrived at this host.
    messages_delivered,
    /// The number of bytes of messages that have arrived at this host.
    bytes_delivered,
}
