//! Why machines of several kinds discard packets.

node::reasons! { "machines":
    /// It would have been recirculated more often than the machine allows.
    RECIRCULATION_LIMIT = (130, "recirculated too often");
}
