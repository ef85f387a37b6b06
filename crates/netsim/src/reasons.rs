//! Why routers and lines without faults discard packets.

node::reasons! { "netsim":
    /// No route leads to its destination.
    NO_ROUTE = (500, "no route");
    /// It had made as many hops as it may.
    TIME_TO_LIVE_EXCEEDED = (510, "time to live exceeded");
    /// It is longer than the line to its next hop carries.
    TOO_LONG = (520, "longer than the line carries");
}
