//! Why lines with faults discard packets.

node::reasons! { "faults":
    /// Its link was down.
    LINK_DOWN = (700, "link down");
    /// A rule of the plan lost it.
    INJECTED_LOSS = (710, "lost by a rule of the plan");
    /// Its check sequence was wrong where it came in.
    CHECK_SEQUENCE = (720, "check sequence wrong");
}
