//! Reasons for which v1model discards packets.

node::reasons! { "v1model":
    /// The program sent the packet to a multicast group that the control plane has not set up.
    UNKNOWN_MULTICAST_GROUP = (300, "unknown multicast group");
    /// The program sent the packet to a multicast group that makes no copies.
    EMPTY_MULTICAST_GROUP = (310, "multicast group without copies");
    /// The packet is a clone for a session that the control plane has not set up.
    UNKNOWN_CLONE_SESSION = (320, "unknown clone session");
    /// The packet was to be resubmitted more often than the machine allows.
    RESUBMIT_LIMIT = (330, "resubmitted too often");
    /// The packet is a clone of a clone, and so on, more often than the machine allows.
    CLONE_LIMIT = (340, "cloned too often");
    /// One packet became more copies than the machine allows.
    COPY_LIMIT = (350, "too many copies");
    /// The condition of an `assert` or `assume` in the program did not hold.
    ASSERTION_FAILED = (360, "assertion failed");
    /// The program took more steps than any program that terminates.
    UNFINISHED = (370, "the program did not end");
}
