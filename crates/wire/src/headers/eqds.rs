//! The header of EQDS (Olteanu et al., NSDI 2022) as Polyplane puts it on the wire, behind UDP.
//!
//! These bytes are ours, and `docs/transports/eqds.md` describes them. Which fields there are depends on the kind.

super::header! {
    /// A header of EQDS.
    Eqds, 22 bytes:
    /// What the packet is; see [`crate::eqds::kind`].
    kind, set_kind: u8 = 0;
    /// Flags; see [`crate::eqds::flag`].
    flags, set_flags: u8 = 1;
    /// Which message, as its sender numbers all its messages.
    message, set_message: u32 = 2;
    /// In DATA and NACK: which packet of the message, from 0. In RTS: how many packets wait to be sent again.
    sequence, set_sequence: u32 = 6;
    /// In ACK: all packets before this one are here.
    cumulative, set_cumulative: u32 = 6;
    /// In CREDIT: how many quanta the receiver has granted the message so far, modulo 2^32.
    credit, set_credit: u32 = 10;
    /// In DATA and RTS: how many quanta the sender wants to have been granted, modulo 2^16.
    target, set_target: u16 = 10;
    /// In DATA and RTS: how many numbers before this message the oldest is that the sender has neither completed nor
    /// abandoned; 65,535 if it is so far or farther.
    oldest, set_oldest: u16 = 12;
    /// In ACK: a bit for each of 64 packets, the lowest for the first; 1 if it is here.
    bitmap, set_bitmap: u64 = 10;
    /// In DATA: length in bytes of the payload, also after that was trimmed.
    payload_length, set_payload_length: u16 = 14;
    /// In DATA and RTS: how many packets the message has.
    packets, set_packets: u32 = 16;
    /// In ACK: how far behind [`Eqds::cumulative`] the first packet of [`Eqds::bitmap`] is.
    reference, set_reference: u16 = 18;
    /// In DATA and RTS: for which service of the receiver the message is.
    service, set_service: u16 = 20;
    /// In ACK and NACK: which path the data packet took that is answered.
    path, set_path: u16 = 20;
}

/// The UDP port to which EQDS's packets go: "EQ" in ASCII.
pub const PORT: u16 = 0x4551;

/// What a packet is.
pub mod kind {
    /// Part of a message, with or without its payload.
    pub const DATA: u8 = 1;
    /// Says which packets are here.
    pub const ACK: u8 = 2;
    /// A data packet arrived without its payload.
    pub const NACK: u8 = 3;
    /// Lets a sender send.
    pub const CREDIT: u8 = 4;
    /// Asks for credit, without data.
    pub const RTS: u8 = 5;
}

/// Flags.
pub mod flag {
    /// In DATA: sent without credit from the receiver, who may not know the message.
    pub const SPECULATIVE: u8 = 1;
    /// In DATA: the last packet of the message. In ACK: every packet of the message is here.
    pub const LAST: u8 = 2;
    /// In DATA: sent before.
    pub const RETRANSMISSION: u8 = 4;
    /// In DATA and RTS: there is more to send than what the target asks for.
    pub const MORE: u8 = 8;
    /// In DATA: asks for an ACK at once.
    pub const ASK: u8 = 16;
}
