//! UDP (RFC 768).

super::header! {
    /// A UDP header.
    Udp, 8 bytes:
    /// The source port.
    source_port, set_source_port: u16 = 0;
    /// The destination port.
    destination_port, set_destination_port: u16 = 2;
    /// The length in bytes of header and payload.
    length, set_length: u16 = 4;
    /// The Internet checksum of pseudo header, header and payload; 0 means none.
    checksum, set_checksum: u16 = 6;
}
