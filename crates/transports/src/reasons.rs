//! Why hosts discard packets.

node::reasons! { "transports":
    /// It reached a host to which it was not addressed, or that expects nothing of the kind.
    UNEXPECTED = (650, "unexpected at its host");
    /// The ring in which its host keeps packets until a core takes them was full.
    RECEIVE_RING_FULL = (800, "receive ring full");
}
