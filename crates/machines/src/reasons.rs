//! Reasons for which several kinds of machine discard packets.

node::reasons! { "machines":
    /// The packet was to be recirculated more often than the machine allows.
    RECIRCULATION_LIMIT = (130, "recirculated too often");
}
