//! The transport headers of InfiniBand, which RoCEv2 carries behind UDP (InfiniBand Architecture Specification, volume
//! 1: base transport header, extended headers; annex A17: RoCEv2).

super::header! {
    /// The base transport header (BTH), which every packet has.
    Bth, 12 bytes:
    /// The kind of the packet; see [`crate::infiniband::opcode`].
    opcode, set_opcode: u8 = 0;
    /// The solicited event bit, the migration bit, the padding behind the payload in bytes (2 bits) and the version,
    /// which is 0 (4 bits).
    flags, set_flags: u8 = 1;
    /// The partition key.
    partition, set_partition: u16 = 2;
    /// FECN (1 bit), BECN (1 bit), reserved (6 bits). Switches may change them, so the invariant CRC does not cover
    /// them.
    congestion, set_congestion: u8 = 4;
    /// [`Bth::congestion`] (8 bits) and [`Bth::queue_pair`] (24 bits).
    destination, set_destination: u32 = 4;
    /// The acknowledgement request (1 bit), reserved (7 bits), and [`Bth::sequence`] (24 bits).
    order, set_order: u32 = 8;
}

super::header! {
    /// The RDMA extended transport header (RETH), which says where in the receiver's memory a write goes.
    Reth, 16 bytes:
    /// The virtual address.
    address, set_address: u64 = 0;
    /// The key of the memory region.
    key, set_key: u32 = 8;
    /// The number of bytes to write.
    length, set_length: u32 = 12;
}

super::header! {
    /// The ACK extended transport header (AETH).
    Aeth, 4 bytes:
    /// The syndrome (8 bits), see [`crate::infiniband::syndrome`], and the number of the last completed message of the
    /// queue pair (24 bits).
    said, set_said: u32 = 0;
}

/// The destination UDP port of RoCEv2 packets (IANA: roce).
pub const PORT: u16 = 4791;
/// The number of packet sequence numbers (PSN) and of queue pair numbers: both have 24 bits.
pub const NUMBERS: u32 = 1 << 24;
/// The default partition, which every node is in.
pub const DEFAULT_PARTITION: u16 = 0xFFFF;
/// In [`Bth::congestion`]: a packet met congestion on its way to the sender of this one (BECN).
pub const BACKWARD_CONGESTION: u8 = 0x40;
/// The number of reserved bytes behind the BTH of a congestion notification (annex A17, section 9.3).
pub const NOTIFICATION_RESERVED: usize = 16;
/// The length in bytes of the immediate data of a request (ImmDt).
pub const IMMEDIATE: usize = 4;

/// The opcodes of packets: those of reliable connections (high bits 000) that write into memory, and RoCEv2's own.
pub mod opcode {
    /// The first packet of a write, with RETH.
    pub const WRITE_FIRST: u8 = 6;
    /// A packet between the first and the last of a write.
    pub const WRITE_MIDDLE: u8 = 7;
    /// The last packet of a write.
    pub const WRITE_LAST: u8 = 8;
    /// The last packet of a write, with immediate data.
    pub const WRITE_LAST_IMMEDIATE: u8 = 9;
    /// The only packet of a write, with RETH.
    pub const WRITE_ONLY: u8 = 10;
    /// The only packet of a write, with RETH and immediate data.
    pub const WRITE_ONLY_IMMEDIATE: u8 = 11;
    /// An acknowledgement, with AETH.
    pub const ACKNOWLEDGE: u8 = 17;
    /// A congestion notification packet (CNP; annex A17).
    pub const CONGESTION_NOTIFICATION: u8 = 0x81;
}

/// The meaning of an acknowledgement, in the high 8 bits of [`Aeth::said`].
pub mod syndrome {
    /// Everything up to the sequence number has arrived, and there is no limit on further packets (credit 31: not
    /// counted).
    pub const ACKNOWLEDGED: u8 = 0x1F;
    /// A packet before the one that arrived is missing; the sequence number is that of the missing one (NAK, code 0).
    pub const SEQUENCE_ERROR: u8 = 0x60;
}

impl<T: AsRef<[u8]>> Bth<T> {
    /// Returns the number of the receiver's queue pair that the packet is for.
    #[inline]
    pub fn queue_pair(&self) -> u32 {
        self.destination() & (NUMBERS - 1)
    }

    /// Returns the packet sequence number.
    #[inline]
    pub fn sequence(&self) -> u32 {
        self.order() & (NUMBERS - 1)
    }

    /// Returns true if the sender asks for an acknowledgement.
    #[inline]
    pub fn asks(&self) -> bool {
        self.order() >> 31 != 0
    }

    /// Returns the number of padding bytes behind the payload, which make its length a multiple of four.
    #[inline]
    pub fn padding(&self) -> u8 {
        self.flags() >> 4 & 3
    }
}

impl<T: AsRef<[u8]>> Aeth<T> {
    /// Returns the syndrome; see [`crate::infiniband::syndrome`].
    #[inline]
    pub fn syndrome(&self) -> u8 {
        (self.said() >> 24) as u8
    }
}
