//! What RoCEv2 counts.

use crate::counters::counters;

counters! {
    /// Packets with parts of messages sent, retransmissions included.
    data_packets_sent,
    /// Of those, how many were sent before.
    retransmissions,
    /// Packets with parts of messages that arrived.
    data_packets_received,
    /// Of those, how many came before another that was missing.
    out_of_order_received,
    /// Of those, how many were here already.
    duplicates_received,
    acks_sent,
    /// Sequence errors told.
    naks_sent,
    acks_received,
    naks_received,
    /// Acknowledgements, sequence errors and notifications that said nothing any more.
    late_answers_received,
    /// Packets that a switch has marked as having met congestion.
    ecn_marks,
    /// Congestion notifications.
    notifications_sent,
    notifications_received,
    /// Times at which a queue pair had waited too long for an acknowledgement.
    timeouts,
    /// Queue pairs that have failed after too many retries.
    queue_pairs_failed,
    /// Messages of ours that are known to have arrived.
    messages_completed,
    /// Messages of ours that were given up.
    messages_abandoned,
    /// Messages that have arrived here.
    messages_delivered,
    /// Bytes of messages that have arrived here.
    bytes_delivered,
}
