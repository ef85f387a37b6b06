//! The reasons for which live packets are discarded outside of the node.

node::reasons! { "live":
    /// The interface had no room, and as many packets waited for it as may wait.
    INTERFACE_FULL = (800, "interface full");
    /// The interface was down or gone when the packet was to be sent.
    INTERFACE_DOWN = (810, "interface down");
    /// The packet is longer than the interface passes.
    TOO_LONG = (820, "longer than the interface passes");
    /// The frame is shorter than an Ethernet header.
    TOO_SHORT = (830, "shorter than an Ethernet header");
    /// The packet is to be cut into more segments than any host makes of one.
    TOO_MANY_SEGMENTS = (835, "too many segments in one packet");
    /// The packet of a capture file has another link layer than Ethernet.
    NOT_ETHERNET = (840, "not an Ethernet frame");
    /// A guest's descriptors do not describe bytes of its memory.
    BAD_DESCRIPTOR = (850, "descriptor outside of the guest's memory");
}
