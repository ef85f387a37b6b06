//! What NDP counts.

use crate::counters::counters;
use crate::receiver_driven::sender_counters;

counters! {
    /// Data packets sent, retransmissions included.
    data_packets_sent,
    /// Data packets sent again.
    retransmissions,
    /// Copies of data packets that were sent on suspected paths, to see whether these are alive. They are not among the
    /// data packets sent.
    probes_sent,
    /// ACKs that have arrived here as data packets did at the other side, and so on for the next.
    acks_sent,
    nacks_sent,
    /// PULLs sent as packets.
    pulls_sent,
    /// Pulls that an ACK or NACK has carried, so that no packet was needed.
    pulls_carried,
    /// Data packets that arrived whole.
    data_packets_received,
    /// Data packets that arrived without their payload.
    trimmed_received,
    /// Packets of ours that a switch has sent back.
    returned_received,
    /// Data packets that arrived, whole or not, of which the payload was here already.
    duplicates_received,
    /// Answers to messages that were finished.
    late_answers_received,
    acks_received,
    nacks_received,
    pulls_received,
    /// Times at which a message had waited too long for an answer.
    timeouts,
    /// Messages of ours that are known to have arrived.
    messages_completed,
    /// Messages of ours that were given up.
    messages_abandoned,
    /// Messages that have arrived here.
    messages_delivered,
    /// Bytes of messages that have arrived here.
    bytes_delivered,
    /// Messages that arrived in part and were abandoned by their sender.
    messages_forgotten,
}

sender_counters!();
