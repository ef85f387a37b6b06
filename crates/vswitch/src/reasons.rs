//! The reasons for which a virtual switch discards packets.

node::reasons! { "vswitch":
    /// The source Ethernet or IP address is not one of the vNIC that sent the packet; or the packet came by a tunnel or from outside,
    /// and its source is of this switch: a guest, a gateway, a load balancer, or an address that no router forwards.
    SPOOFED = (1000, "spoofed source");
    /// The frame is neither IP nor a request that the switch answers, or it is for a group of hosts.
    NOT_UNICAST_IP = (1002, "not unicast IP");
    /// The packet came by a tunnel from an endpoint that no route of its VPC has, or with the number of no VPC.
    UNKNOWN_TUNNEL = (1004, "unknown tunnel");
    /// The packet of a tunnel was cut into fragments on the underlay, which its receiver may discard (RFC 7348, section 4.3).
    FRAGMENTED_TUNNEL = (1064, "tunnel in fragments");
    /// It came from outside all VPCs to an address of a pool, and no session of a guest expects it.
    UNEXPECTED = (1005, "from outside, unexpected");
    /// The VPC has no route to the destination, or one that leads nowhere.
    NO_ROUTE = (1006, "no route in its network");
    /// No rule of the security groups of a vNIC allows it.
    DENIED = (1008, "denied by a security group");
    /// The session could not begin, because there are too many.
    TOO_MANY_SESSIONS = (1010, "too many sessions");
    /// The next hop on the underlay, or the tunnel's other end, has not said which Ethernet address it has.
    UNRESOLVED = (1034, "next hop does not answer");
    /// It came over a path of the underlay with the Ethernet address of somebody else.
    NOT_OURS = (1036, "for another host");
    /// It would begin a session, and more begin already than may for the vNIC.
    OVER_SESSION_RATE = (1032, "above the rate of new sessions");
    /// Every address and port of a pool is taken.
    NO_FREE_PORT = (1011, "no free port for translation");
    /// The time to live was used up (RFC 1812, section 5.3.1).
    TIME_EXCEEDED = (1012, "time to live exceeded");
    /// The segment is of a connection that the switch does not know, and whose client is asked whether it has it.
    ASKED = (1013, "client asked for its connection");
    /// The segment is a RST outside the window of its receiver (RFC 5961, section 3.2).
    OUT_OF_WINDOW = (1014, "reset out of window");
    /// A tunnel has met congestion, and the transport inside cannot be told (RFC 6040, section 4.2).
    CONGESTION = (1015, "congestion in a tunnel");
    /// Its receiver would be whoever has sent it, by the very address that it comes from, and no system takes such a packet.
    TO_SENDER = (1017, "back to its own sender");
    /// The packet is longer than its way carries.
    TOO_LONG = (1016, "longer than the path MTU");
    /// It is a fragment whose first one is not known.
    FRAGMENT = (1018, "fragment without the first");
    /// It exceeds the peak rate of a limiter (RFC 2698).
    OVER_RATE = (1022, "above the rate of a limiter");
    /// Its payload, which waited apart from its headers, was gone when these came back (Triton, section 5.2).
    LATE_HEADERS = (1024, "headers later than their payload waits");
    /// Too much waits for the core that would work on it.
    RING_FULL = (1025, "ring of its core full");
    /// Too much waits for the guest already, which does not read.
    NOT_READ = (1026, "receiver does not read");
    /// Its sender is slowed, because a guest that it sends to does not read, or a core has too much to do for it.
    SLOWED = (1028, "sender slowed");
    /// It is an answer to an ICMP query that nobody has asked.
    UNASKED = (1030, "answer to no query");
    /// It came encrypted from an endpoint, with the index of no key of that.
    UNKNOWN_KEY = (1050, "unknown key of a tunnel");
    /// Its integrity check value is not that of its bytes.
    UNVERIFIED = (1052, "not what was encrypted");
    /// A packet with its sequence number has come already, or so many with later ones that nobody knows (RFC 4303, section 3.4.3).
    REPLAYED = (1054, "replayed");
    /// It came in the clear, and its VPC demands encryption.
    IN_CLEAR = (1056, "not encrypted");
    /// Its VPC is encrypted, and there is no key, or one whose sequence numbers are used up.
    NO_KEY = (1058, "no key to encrypt with");
    /// It came through a reliable tunnel before.
    COPY = (1060, "came before");
    /// The switch at the other end of a reliable tunnel does not answer, or does not know what that is.
    NOT_RELIABLE = (1062, "no reliable tunnel");
    /// Its protocol or message is none that the switch forwards.
    UNSUPPORTED = (1020, "unsupported message");
}
