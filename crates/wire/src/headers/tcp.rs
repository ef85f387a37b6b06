//! TCP (RFC 9293).

super::header! {
    /// A TCP header, with its options if the bytes go on.
    Tcp, 20 bytes:
    /// The source port.
    source_port, set_source_port: u16 = 0;
    /// The destination port.
    destination_port, set_destination_port: u16 = 2;
    /// The number of the first payload byte.
    sequence, set_sequence: u32 = 4;
    /// The number of the byte that is expected next.
    acknowledgement, set_acknowledgement: u32 = 8;
    /// Header length in words of 4 bytes (4 bits), reserved (4 bits), flags (8 bits).
    offset_and_flags, set_offset_and_flags: u16 = 12;
    /// The receive window, before scaling.
    window, set_window: u16 = 14;
    /// The Internet checksum of pseudo header, header and payload.
    checksum, set_checksum: u16 = 16;
    /// Where urgent data end.
    urgent, set_urgent: u16 = 18;
}

impl<T: AsRef<[u8]>> Tcp<T> {
    /// The length in bytes of the header with its options, by its own account.
    pub fn header_length(&self) -> usize {
        usize::from(self.offset_and_flags() >> 12) * 4
    }

    /// CWR, ECE, URG, ACK, PSH, RST, SYN and FIN, from bit 7 to bit 0.
    pub fn flags(&self) -> u8 {
        self.offset_and_flags() as u8
    }
}
