//! Why queues discard packets.

node::reasons! { "queues":
    /// The queue of its output port was full.
    QUEUE_FULL = (400, "queue full");
    /// It was trimmed, and the queue for trimmed packets was full.
    TRIMMED_QUEUE_FULL = (410, "queue for trimmed packets full");
    /// The buffer that the ports of a switch share had no room for it.
    SHARED_BUFFER_FULL = (420, "shared buffer full");
    /// Its priority loses nothing, but its port had no headroom left: it came too long after the pause was asked for.
    HEADROOM_FULL = (430, "no headroom left for a lossless priority");
    /// Random early detection chose it, and it could not be marked.
    RANDOM_EARLY_DETECTION = (440, "random early detection");
}
