//! The counters of NDP.

use crate::counters::counters;
use crate::receiver_driven::sender_counters;

counters! {
    /// The number of data packets sent, including retransmissions.
    data_packets_sent,
    /// The number of data packets retransmitted.
    retransmissions,
    /// The number of copies of data packets sent on suspected paths to find out whether these are alive. They are not
    /// included in the data packets sent.
    probes_sent,
    /// The number of ACKs sent.
    acks_sent,
    /// The number of NACKs sent.
    nacks_sent,
    /// The number of PULL packets sent.
    pulls_sent,
    /// The number of pulls that an ACK or NACK has carried, so that no packet was needed.
    pulls_carried,
    /// The number of data packets received with their payload.
    data_packets_received,
    /// The number of data packets received without their payload.
    trimmed_received,
    /// The number of packets of this host that a switch has returned.
    returned_received,
    /// The number of data packets received, whole or trimmed, whose payload had arrived before.
    duplicates_received,
    /// The number of answers received for messages that were finished.
    late_answers_received,
    /// The number of ACKs received.
    acks_received,
    /// The number of NACKs received.
    nacks_received,
    /// The number of PULL packets received.
    pulls_received,
    /// The number of timeouts of messages.
    timeouts,
    /// The number of messages of this host that are known to have arrived.
    messages_completed,
    /// The number of messages of this host that were abandoned.
    messages_abandoned,
    /// The number of messages that have arrived at this host.
    messages_delivered,
    /// The number of bytes of messages that have arrived at this host.
    bytes_delivered,
    /// The number of messages that arrived in part and were abandoned by their sender.
    messages_forgotten,
}

sender_counters!();
