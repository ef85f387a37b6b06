//! The reasons for which queues discard packets.

node::reasons! { "queues":
    /// The queue of the output port was full.
    QUEUE_FULL = (400, "queue full");
    /// The queue had reached the dynamic threshold up to which it may share memory.
    THRESHOLD_REACHED = (402, "dynamic threshold of the queue reached");
    /// The queue had reached the part of its limit that packets of this colour may use.
    COLOR_LIMIT_REACHED = (404, "limit for packets of this color reached");
    /// The queue accepts no packets at present.
    QUEUE_CLOSED = (406, "queue closed");
    /// The packet names a queue that its port does not have.
    NO_SUCH_QUEUE = (408, "no such queue");
    /// The packet was trimmed, and the queue for trimmed packets was full.
    TRIMMED_QUEUE_FULL = (410, "queue for trimmed packets full");
    /// The buffer that the ports of a switch share had no room for the packet.
    SHARED_BUFFER_FULL = (420, "shared buffer full");
    /// The packet's priority is lossless, but its ingress port had no headroom left: it arrived too long after the
    /// pause was asked for.
    HEADROOM_FULL = (430, "no headroom left for a lossless priority");
    /// Random early detection chose the packet, and it could not be marked.
    RANDOM_EARLY_DETECTION = (440, "random early detection");
}
