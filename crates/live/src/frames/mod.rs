//! Frames with virtio headers, as packet sockets and TAP interfaces pass them: headers of the packet go into its head,
//! payload into memory that is lent to it, and both go out again without being copied.

mod lengths;
mod receive;
mod refusal;
mod send;

use wire::{Packet, Tail};

pub use receive::Receiver;
pub use refusal::{Refusal, is_down, is_of_one_frame, refusal, waits};
pub use send::Sender;

/// The number of bytes that are received into the head of a packet: all headers that most programs parse, with room
/// behind them in the packet for a few more.
pub const HEAD: usize = 128;
/// The longest tail of a frame: the greatest length of an IP packet behind an Ethernet header with two tags.
pub const LONGEST_TAIL: usize = 65_535 + 22 - HEAD;
/// The length of an Ethernet header, without which there is no frame.
pub const ETHERNET: usize = 14;

/// Bytes for tails whose content does not matter.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// Returns the bytes of a packet's tail, which are zeros if only its length is known; `None` if there are more of those
/// than the longest frame has.
pub fn known_tail(packet: &Packet) -> Option<&[u8]> {
    match &packet.tail {
        Tail::Bytes(bytes) => Some(bytes),
        Tail::Length(length) => ZEROS.get(..*length as usize),
    }
}
