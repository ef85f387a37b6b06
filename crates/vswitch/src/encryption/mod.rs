//! Encryption of the overlay in the last stage (Triton, section 3.1): IPsec ESP in transport mode (RFC 4303) with AES-GCM
//! (RFC 4106), around the UDP datagram of a tunnel.
//!
//! Each VPC has keys of its own: one that this switch sends with, and one of each other switch, or several while keys are changed.
//! A key has one sender. The initialization vector of its packets counts up from a number that whoever reads the keys gives, and
//! which must be greater than all that were used before with the same key: nanoseconds of a clock are.

mod associations;
mod cipher;
mod clashes;
mod esp;
mod hand_over;
mod keys;
mod window;

pub(crate) use associations::{Associations, Opened};
pub use clashes::{Clash, clashes};
pub use keys::{InboundKey, Key, Keys};
pub(crate) use window::Window;

/// The number of bytes of an ESP header with the initialization vector, of the trailer without padding, and of the integrity
/// check value (RFC 4303, section 2; RFC 4106, sections 3 and 6).
const HEADER: usize = 16;
const TRAILER: usize = 2;
const CHECK: usize = 16;
/// The trailer ends at a multiple of so many bytes (RFC 4303, section 2.4).
const ALIGNMENT: usize = 4;

/// Returns the longest datagram that an encrypted packet of so many bytes behind its IP header has room for.
pub(crate) fn longest_datagram(room: u32) -> u32 {
    let encrypted = room.saturating_sub((HEADER + CHECK) as u32);
    (encrypted - encrypted % ALIGNMENT as u32).saturating_sub(TRAILER as u32)
}
