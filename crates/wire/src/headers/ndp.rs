//! The header of NDP (Handley et al., SIGCOMM 2017) as Polyplane puts it on the wire, behind UDP.
//!
//! The paper does not define an encoding; this one is Polyplane's own, and `docs/transports/ndp.md` describes it.

super::header! {
    /// An NDP header.
    Ndp, 22 bytes:
    /// The kind of the packet; see [`crate::ndp::kind`].
    kind, set_kind: u8 = 0;
    /// The flags (low 4 bits; see [`crate::ndp::flag`]) and, in DATA, the priority of the message (high 4 bits).
    flags, set_flags: u8 = 1;
    /// The number of the message among all messages of its sender.
    message, set_message: u32 = 2;
    /// The number of the packet within the message, from 0.
    sequence, set_sequence: u32 = 6;
    /// In ACK, NACK and PULL: how many pulls the receiver has sent for the message, including this one. In DATA: the
    /// number of the oldest message that the sender has neither completed nor abandoned.
    pull, set_pull: u32 = 10;
    /// In ACK and NACK: the path that the data packet took. In DATA the UDP source port encodes the path, and these
    /// bytes are [`Ndp::service`].
    path, set_path: u16 = 14;
    /// In DATA: the service of the receiver that the message is for.
    service, set_service: u16 = 14;
    /// The length in bytes of the data packet's payload, which stays the same when the payload is trimmed.
    payload_length, set_payload_length: u16 = 16;
    /// The number of packets of the message.
    packets, set_packets: u32 = 18;
}

impl<T: AsRef<[u8]>> Ndp<T> {
    /// Returns true if a flag is set.
    #[inline]
    pub fn has(&self, flag: u8) -> bool {
        self.flags() & flag != 0
    }

    /// Returns the priority of the message, 0 to 15; 0 is the least urgent.
    #[inline]
    pub fn priority(&self) -> u8 {
        self.flags() >> 4
    }
}

/// The destination UDP port of NDP packets: "ND" in ASCII.
pub const PORT: u16 = 0x4E44;
/// The kinds of packets.
pub mod kind {
    /// Part of a message, with or without its payload.
    pub const DATA: u8 = 1;
    /// Says that a data packet arrived.
    pub const ACK: u8 = 2;
    /// Says that a data packet arrived without its payload.
    pub const NACK: u8 = 3;
    /// Asks for more packets of a message.
    pub const PULL: u8 = 4;
}

/// The flags of a packet.
pub mod flag {
    /// In DATA: pushed rather than pulled; the receiver may not know the message.
    pub const SYN: u8 = 1;
    /// In DATA: the last packet of the message. In ACK: every packet of the message has arrived.
    pub const LAST: u8 = 2;
    /// In DATA: a retransmission.
    pub const RETRANSMISSION: u8 = 4;
    /// In ACK, NACK and PULL: at least one more PULL for the message will follow. In DATA: the sender asks for one
    /// pull more than this packet earns, because an earlier packet was lost or returned.
    pub const MORE: u8 = 8;
}
