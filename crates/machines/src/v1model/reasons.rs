//! Why v1model discards packets.

node::reasons! { "v1model":
    /// The program sent it to a multicast group that the control plane has not set up.
    UNKNOWN_MULTICAST_GROUP = (300, "unknown multicast group");
    /// The program sent it to a multicast group that makes no copies.
    EMPTY_MULTICAST_GROUP = (310, "multicast group without copies");
    /// It is the clone that the program asked for, of a session that the control plane has not set up.
    UNKNOWN_CLONE_SESSION = (320, "unknown clone session");
    /// It would have been resubmitted more often than the machine allows.
    RESUBMIT_LIMIT = (330, "resubmitted too often");
    /// It is a clone of a clone, and so on, more often than the machine allows.
    CLONE_LIMIT = (340, "cloned too often");
    /// One packet became more copies than the machine allows.
    COPY_LIMIT = (350, "too many copies");
    /// Something that an `assert` or `assume` of the program takes to be true was not.
    ASSERTION_FAILED = (360, "assertion failed");
    /// The program took more steps than any that comes to its end.
    UNFINISHED = (370, "the program did not end");
}
