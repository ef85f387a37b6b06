//! The header of EQDS (Olteanu et al., NSDI 2022) as Polyplane puts it on the wire, behind UDP.
//!
//! This encoding is Polyplane's own, and `docs/transports/eqds.md` describes it. The kind of a packet determines which
//! of the fields it has.

super::header! {
    /// An EQDS header.
    Eqds, 22 bytes:
    /// The kind of the packet; see [`crate::eqds::kind`].
    kind, set_kind: u8 = 0;
    /// Flags; see [`crate::eqds::flag`].
    flags, set_flags: u8 = 1;
    /// The number of the message among all messages of its sender.
    message, set_message: u32 = 2;
    /// In DATA and NACK: the number of the packet within the message, from 0. In RTS: how many packets wait for
    /// retransmission.
    sequence, set_sequence: u32 = 6;
    /// In ACK: all packets before this one have arrived.
    cumulative, set_cumulative: u32 = 6;
    /// In CREDIT: how many quanta the receiver has granted the message so far, modulo 2^32.
    credit, set_credit: u32 = 10;
    /// In DATA and RTS: how many quanta the sender would like to have been granted, modulo 2^16.
    target, set_target: u16 = 10;
    /// In DATA and RTS: the distance from this message's number back to that of the oldest message that the sender has
    /// neither completed nor abandoned; 65,535 for that distance or a longer one.
    oldest, set_oldest: u16 = 12;
    /// In ACK: one bit for each of 64 packets, the lowest for the first; 1 if the packet has arrived.
    bitmap, set_bitmap: u64 = 10;
    /// In DATA: the length of the payload in bytes, which stays the same when the payload is trimmed.
    payload_length, set_payload_length: u16 = 14;
    /// In DATA and RTS: the number of packets of the message.
    packets, set_packets: u32 = 16;
    /// In ACK: the distance from [`Eqds::cumulative`] to the first packet of [`Eqds::bitmap`].
    reference, set_reference: u16 = 18;
    /// In DATA and RTS: the service of the receiver that the message is for.
    service, set_service: u16 = 20;
    /// In ACK and NACK: the path of the data packet that is answered.
    path, set_path: u16 = 20;
}

/// The destination UDP port of EQDS packets: "EQ" in ASCII.
pub const PORT: u16 = 0x4551;

/// The kinds of packets.
pub mod kind {
    /// Part of a message, with or without its payload.
    pub const DATA: u8 = 1;
    /// Says which packets have arrived.
    pub const ACK: u8 = 2;
    /// Says that a data packet arrived without its payload.
    pub const NACK: u8 = 3;
    /// Grants the sender credit to send.
    pub const CREDIT: u8 = 4;
    /// Asks for credit, without data.
    pub const RTS: u8 = 5;
}

/// The flags of a packet.
pub mod flag {
    /// In DATA: sent without credit from the receiver, which may not know the message.
    pub const SPECULATIVE: u8 = 1;
    /// In DATA: the last packet of the message. In ACK: every packet of the message has arrived.
    pub const LAST: u8 = 2;
    /// In DATA: a retransmission.
    pub const RETRANSMISSION: u8 = 4;
    /// In DATA and RTS: there is more to send than the target asks for.
    pub const MORE: u8 = 8;
    /// In DATA: asks for an immediate ACK.
    pub const ASK: u8 = 16;
}
