//! What EQDS counts.

use crate::counters::counters;
use crate::receiver_driven::sender_counters;

counters! {
    /// Data packets sent, retransmissions included.
    data_packets_sent,
    /// Data packets sent without credit from the receiver.
    speculative_sent,
    /// Data packets sent again.
    retransmissions,
    /// Copies of data packets that were sent on suspected paths, to see whether these are alive. They are not among the
    /// data packets sent.
    probes_sent,
    /// RTS sent: credit asked for without data.
    requests_sent,
    acks_sent,
    nacks_sent,
    /// CREDIT packets sent.
    credits_sent,
    /// Of those, to messages whose sender has asked for nothing more: what nobody else had use for.
    credits_to_idle,
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
    requests_received,
    acks_received,
    nacks_received,
    credits_received,
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
