//! Queues that are enabled before features are taken.
//!
//! QEMU 7.2 enables the queues of a network card before it says which features the guest takes, and says it only then; later versions
//! wait for an answer besides. The crate `vhost` refuses that message without an answer and without telling what it said, so that it is
//! read while it still waits, and answered here.

use std::io::Write;
use std::os::unix::net::UnixStream;

use rustix::net::{RecvFlags, recv};

/// The number of the request by which a queue is enabled or disabled (QEMU, docs/interop/vhost-user.rst, "Front-end message types").
const SET_VRING_ENABLE: u32 = 18;
/// The flags of a message (QEMU, docs/interop/vhost-user.rst, "Header").
mod flags {
    /// The version of the protocol.
    pub const VERSION: u32 = 1;
    /// The message is an answer.
    pub const ANSWER: u32 = 1 << 2;
    /// The sender waits for an answer.
    pub const WANTS_ANSWER: u32 = 1 << 3;
}

/// The length of the message and of its answer: number of the request, flags, length of the rest, and eight bytes.
const LENGTH: usize = 20;

/// A message that enables or disables a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The number of the queue.
    pub queue: u32,
    /// Whether it is enabled.
    pub is_enabled: bool,
    /// Whether the front end waits for an answer.
    pub wants_answer: bool,
}

/// Waits for the next message, which stays where it is. Returns it if it enables or disables a queue.
pub fn next(waiting: &UnixStream) -> Option<Message> {
    let mut bytes = [0; LENGTH];
    // A message that was sent in pieces is not recognized, nor is the end of the connection.
    let (length, _) = recv(waiting, &mut bytes, RecvFlags::PEEK).ok()?;
    let (words, _) = bytes.as_chunks::<4>();
    // The protocol has the order of bytes of the machine.
    let [request, set, rest, queue, state] = std::array::from_fn(|at| u32::from_ne_bytes(words[at]));
    let is_it = length == LENGTH && request == SET_VRING_ENABLE && rest == 8 && state <= 1;
    is_it.then_some(Message { queue, is_enabled: state == 1, wants_answer: set & flags::WANTS_ANSWER != 0 })
}

/// Answers a message whether it has succeeded.
pub fn answer(mut front_end: &UnixStream, has_succeeded: bool) {
    let words = [SET_VRING_ENABLE, flags::VERSION | flags::ANSWER, 8];
    let outcome = u64::from(!has_succeeded);
    let bytes = [words.map(u32::to_ne_bytes).as_flattened(), &outcome.to_ne_bytes()].concat();
    // Whether the front end has gone, the next message tells.
    let _ = front_end.write_all(&bytes);
}
