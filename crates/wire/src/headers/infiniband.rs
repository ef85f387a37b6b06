//! InfiniBand's transport headers, as RoCEv2 has them behind UDP (InfiniBand Architecture Specification, volume 1: base
//! transport header, extended headers; annex A17: RoCEv2).

super::header! {
    /// The base transport header (BTH), which every packet has.
    Bth, 12 bytes:
    /// What the packet is; see [`crate::infiniband::opcode`].
    opcode, set_opcode: u8 = 0;
    /// Solicited event (1 bit), migration (1), padding behind the payload in bytes (2), version, which is 0 (4).
    flags, set_flags: u8 = 1;
    /// The partition key.
    partition, set_partition: u16 = 2;
    /// FECN (1 bit), BECN (1), reserved (6). They may change on the way, so that no check sees them.
    congestion, set_congestion: u8 = 4;
    /// 8 bits of [`Bth::congestion`], then [`Bth::queue_pair`].
    destination, set_destination: u32 = 4;
    /// Whether the sender asks for an acknowledgement (1 bit), reserved (7), then [`Bth::sequence`].
    order, set_order: u32 = 8;
}

super::header! {
    /// The extended header of remote access (RETH): where in the receiver's memory a write goes.
    Reth, 16 bytes:
    /// The virtual address.
    address, set_address: u64 = 0;
    /// The key of the memory.
    key, set_key: u32 = 8;
    /// How many bytes.
    length, set_length: u32 = 12;
}

super::header! {
    /// The extended header of acknowledgements (AETH).
    Aeth, 4 bytes:
    /// What is said, see [`crate::infiniband::syndrome`], and which message of the queue pair was the last that is
    /// complete (24 bits).
    said, set_said: u32 = 0;
}

/// The UDP port to which RoCEv2's packets go (IANA: roce).
pub const PORT: u16 = 4791;
/// How many packet sequence numbers (PSN) and numbers of queue pairs there are: 24 bits.
pub const NUMBERS: u32 = 1 << 24;
/// The partition that everybody is in.
pub const DEFAULT_PARTITION: u16 = 0xFFFF;
/// In [`Bth::congestion`]: a packet met congestion on its way to whom this goes from (BECN).
pub const BACKWARD_CONGESTION: u8 = 0x40;
/// Reserved bytes behind the BTH of a congestion notification (annex A17, section 9.3).
pub const NOTIFICATION_RESERVED: usize = 16;
/// Bytes of the number that a request with immediate data carries (ImmDt).
pub const IMMEDIATE: usize = 4;

/// What packets are: those of reliable connections (high bits 000) that write into memory, and RoCEv2's own.
pub mod opcode {
    /// The first packet of a write, with RETH.
    pub const WRITE_FIRST: u8 = 6;
    /// A packet between.
    pub const WRITE_MIDDLE: u8 = 7;
    /// The last packet.
    pub const WRITE_LAST: u8 = 8;
    /// The last packet, with immediate data.
    pub const WRITE_LAST_IMMEDIATE: u8 = 9;
    /// The only packet of a write, with RETH.
    pub const WRITE_ONLY: u8 = 10;
    /// The only packet, with RETH and immediate data.
    pub const WRITE_ONLY_IMMEDIATE: u8 = 11;
    /// An acknowledgement, with AETH.
    pub const ACKNOWLEDGE: u8 = 17;
    /// A congestion notification packet (CNP; annex A17).
    pub const CONGESTION_NOTIFICATION: u8 = 0x81;
}

/// What an acknowledgement says, in the high 8 bits of [`Aeth::said`].
pub mod syndrome {
    /// Everything up to its sequence number is here; with no limit to what may be sent (credit 31: not counted).
    pub const ACKNOWLEDGED: u8 = 0x1F;
    /// Something before what came is missing, from its sequence number on (NAK, code 0).
    pub const SEQUENCE_ERROR: u8 = 0x60;
}

impl<T: AsRef<[u8]>> Bth<T> {
    /// To which queue pair of the receiver it goes.
    #[inline]
    pub fn queue_pair(&self) -> u32 {
        self.destination() & (NUMBERS - 1)
    }

    /// The packet sequence number.
    #[inline]
    pub fn sequence(&self) -> u32 {
        self.order() & (NUMBERS - 1)
    }

    /// True if the sender asks for an acknowledgement.
    #[inline]
    pub fn asks(&self) -> bool {
        self.order() >> 31 != 0
    }

    /// Bytes behind the payload that make it a multiple of four.
    #[inline]
    pub fn padding(&self) -> u8 {
        self.flags() >> 4 & 3
    }
}

impl<T: AsRef<[u8]>> Aeth<T> {
    /// What is said; see [`crate::infiniband::syndrome`].
    #[inline]
    pub fn syndrome(&self) -> u8 {
        (self.said() >> 24) as u8
    }
}
