//! ICMP, for IPv4 and IPv6 (RFC 792, RFC 4443).

super::header! {
    /// The part that all ICMP messages share, and the four bytes that each kind uses in its own way.
    Icmp, 8 bytes:
    /// Which kind of message.
    kind, set_kind: u8 = 0;
    /// Which case of that kind.
    code, set_code: u8 = 1;
    /// The Internet checksum.
    checksum, set_checksum: u16 = 2;
    /// Of an echo: who asks.
    identifier, set_identifier: u16 = 4;
    /// Of an echo: which of its questions.
    sequence, set_sequence: u16 = 6;
}
