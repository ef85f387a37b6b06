//! Reasons for which aggregators discard packets.

node::reasons! { "aggregator":
    /// The values of the packet were added to those of others, and the sum goes on with a later packet.
    AGGREGATED = (380, "aggregated", by_program);
    /// The values of the packet were part of the sum already.
    DUPLICATE = (382, "aggregated before", by_program);
    /// The packet is of a part of a tensor whose sum all workers have, and its slot has a later part.
    LATE = (384, "late at the aggregator");
    /// The aggregator does not have the slot that the packet names.
    NO_SLOT = (386, "no such slot of the aggregator");
    /// No route of the aggregator leads to the destination of the packet, and no multicast group of it makes copies.
    NO_ROUTE = (390, "no route of the aggregator");
    /// The packet has passed more routers than its sender allowed (RFC 1812, section 5.3.1).
    TIME_TO_LIVE_EXCEEDED = (392, "time to live exceeded at the aggregator");
}
