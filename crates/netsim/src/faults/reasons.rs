//! The reasons for which links with faults discard packets.

node::reasons! { "faults":
    /// The link was down.
    LINK_DOWN = (700, "link down");
    /// A rule of the plan lost the packet.
    INJECTED_LOSS = (710, "lost by a rule of the plan");
    /// The packet's check sequence was wrong at the receiving end.
    CHECK_SEQUENCE = (720, "check sequence wrong");
}
