//! The counters of RoCEv2.

use crate::counters::counters;

counters! {
    /// The number of data packets sent, including retransmissions.
    data_packets_sent,
    /// The number of data packets sent that had been sent before.
    retransmissions,
    /// The number of data packets received.
    data_packets_received,
    /// The number of data packets received while an earlier one was missing.
    out_of_order_received,
    /// The number of data packets received more than once.
    duplicates_received,
    /// The number of acknowledgements sent.
    acks_sent,
    /// The number of sequence errors sent.
    naks_sent,
    /// The number of acknowledgements received.
    acks_received,
    /// The number of sequence errors received.
    naks_received,
    /// The number of acknowledgements and sequence errors received that were outdated.
    late_answers_received,
    /// The number of packets received with a congestion mark (CE).
    ecn_marks,
    /// The number of congestion notifications sent.
    notifications_sent,
    /// The number of congestion notifications received.
    notifications_received,
    /// The number of timeouts of queue pairs.
    timeouts,
    /// The number of queue pairs that failed after too many retries.
    queue_pairs_failed,
    /// The number of messages of this host that are known to have arrived.
    messages_completed,
    /// The number of messages of this host that were abandoned.
    messages_abandoned,
    /// The number of messages that have arrived at this host.
    messages_delivered,
    /// The number of bytes of messages that have arrived at this host.
    bytes_delivered,
}
