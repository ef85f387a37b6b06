//! The header of NDP (Handley et al., SIGCOMM 2017) as Polyplane puts it on the wire, behind UDP.
//!
//! The paper gives no bytes; these are ours, and `docs/transports/ndp.md` describes them.

super::header! {
    /// A header of NDP.
    Ndp, 22 bytes:
    /// What the packet is; see [`crate::ndp::kind`].
    kind, set_kind: u8 = 0;
    /// Flags (low 4 bits; see [`crate::ndp::flag`]) and, in data, the message's priority (high 4 bits).
    flags, set_flags: u8 = 1;
    /// Which message, as its sender numbers all its messages.
    message, set_message: u32 = 2;
    /// Which packet of the message, from 0.
    sequence, set_sequence: u32 = 6;
    /// In ACK, NACK and PULL: how many pulls the receiver has sent for the message, this one included. In DATA: the
    /// number of the oldest message that the sender has neither completed nor abandoned.
    pull, set_pull: u32 = 10;
    /// In ACK and NACK: which path the data packet took. In DATA the UDP source port says it, and these bytes are
    /// [`Ndp::service`].
    path, set_path: u16 = 14;
    /// In DATA: for which service of the receiver the message is.
    service, set_service: u16 = 14;
    /// Length in bytes of the data packet's payload, also after that was trimmed.
    payload_length, set_payload_length: u16 = 16;
    /// How many packets the message has.
    packets, set_packets: u32 = 18;
}

impl<T: AsRef<[u8]>> Ndp<T> {
    /// True if a flag is set.
    #[inline]
    pub fn has(&self, flag: u8) -> bool {
        self.flags() & flag != 0
    }

    /// How urgent the message is, 0 to 15; 0 is the least.
    #[inline]
    pub fn priority(&self) -> u8 {
        self.flags() >> 4
    }
}

/// The UDP port to which NDP's packets go: "ND" in ASCII.
pub const PORT: u16 = 0x4E44;
/// What a packet is.
pub mod kind {
    /// Part of a message, with or without its payload.
    pub const DATA: u8 = 1;
    /// A data packet arrived.
    pub const ACK: u8 = 2;
    /// A data packet arrived without its payload.
    pub const NACK: u8 = 3;
    /// The receiver asks for more of a message.
    pub const PULL: u8 = 4;
}

/// Flags.
pub mod flag {
    /// In DATA: pushed, not pulled; the receiver may not know the message.
    pub const SYN: u8 = 1;
    /// In DATA: the last packet of the message. In ACK: every packet of the message is here.
    pub const LAST: u8 = 2;
    /// In DATA: sent before.
    pub const RETRANSMISSION: u8 = 4;
    /// In ACK, NACK and PULL: at least one more PULL for the message will follow. In DATA: the sender asks for one pull
    /// more than this packet earns, for a packet before it was lost or sent back.
    pub const MORE: u8 = 8;
}
