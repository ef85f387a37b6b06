//! ICMP, for IPv4 and IPv6 (RFC 792, RFC 4443).

super::header! {
    /// The first four bytes, which all ICMP messages share, and the four that each type uses in its own way.
    Icmp, 8 bytes:
    /// The type of the message.
    kind, set_kind: u8 = 0;
    /// The code within that type.
    code, set_code: u8 = 1;
    /// The Internet checksum.
    checksum, set_checksum: u16 = 2;
    /// The identifier of an echo request or reply, which tells its sender's processes apart.
    identifier, set_identifier: u16 = 4;
    /// The sequence number of an echo request or reply.
    sequence, set_sequence: u16 = 6;
}
