//! The reasons for which routers, and links without faults, discard packets.

node::reasons! { "netsim":
    /// No route leads to the packet's destination.
    NO_ROUTE = (500, "no route");
    /// The packet has made as many hops as it may.
    TIME_TO_LIVE_EXCEEDED = (510, "time to live exceeded");
    /// The packet is longer than the link to its next hop carries.
    TOO_LONG = (520, "longer than the line carries");
}
