//! Queues that are enabled before features are taken.
//!
//! QEMU 7.2 enables the queues of a network card before it says which features the guest takes, and says it only then. The crate
//! `vhost` refuses that message without telling what it said, so that it is read while it still waits.

use std::os::unix::net::UnixStream;

use rustix::net::{RecvFlags, recv};

/// The number of the request by which a queue is enabled or disabled (QEMU, docs/interop/vhost-user.rst, "Front-end message types").
const SET_VRING_ENABLE: u32 = 18;
/// The length of that message: number of the request, flags, length of the rest, queue, and 1 or 0.
const LENGTH: usize = 20;

/// Waits for the next message, which stays where it is. Returns a queue, and whether it is enabled, if the message is about that.
pub fn next(waiting: &UnixStream) -> Option<(u32, bool)> {
    let mut bytes = [0; LENGTH];
    // A message that was sent in pieces is not recognized, nor is the end of the connection.
    let (length, _) = recv(waiting, &mut bytes, RecvFlags::PEEK).ok()?;
    let (words, _) = bytes.as_chunks::<4>();
    // The protocol has the order of bytes of the machine.
    let word = |at: usize| u32::from_ne_bytes(words[at]);
    let is_it = length == LENGTH && word(0) == SET_VRING_ENABLE && word(2) == 8 && word(4) <= 1;
    is_it.then(|| (word(3), word(4) == 1))
}
