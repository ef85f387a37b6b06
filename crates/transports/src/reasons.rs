//! The reasons for which hosts discard packets.

node::reasons! { "transports":
    /// The packet reached a host to which it is not addressed, or which does not expect a packet of its kind.
    UNEXPECTED = (650, "unexpected at its host");
    /// The ring in which the host keeps packets until a core processes them was full.
    RECEIVE_RING_FULL = (800, "receive ring full");
}
