//! The state that every outgoing message has, whatever permits its packets to be sent.

use basis::Instant;
use demand::Message;
use node::SenderState;
use serde::{Deserialize, Serialize};

use crate::paths::Paths;
use crate::timeouts::Patience;
use crate::window::Window;

/// An outgoing message: its packets, their state, and the time of the last activity.
#[derive(Debug, Serialize, Deserialize)]
pub struct Course {
    pub message: Message,
    pub packets: u32,
    /// The payload of the last packet in bytes; all others are full.
    pub last_payload: u16,
    pub paths: Paths,
    pub window: Window,
    /// The number of timeouts since something was last received about the message.
    pub timeouts: u8,
    pub last_activity: Instant,
    pub patience: Patience,
}

impl Course {
    /// Creates the state of a message of which nothing was sent, to be sent in packets with `payload` bytes of payload.
    pub fn new(now: Instant, message: Message, payload: u16) -> Self {
        let payload = u64::from(payload);
        let bytes = message.bytes().max(1);
        let packets = u32::try_from(bytes.div_ceil(payload)).unwrap_or(u32::MAX);
        Self {
            message,
            packets,
            last_payload: (bytes - u64::from(packets - 1) * payload) as u16,
            paths: Paths::default(),
            window: Window::new(packets),
            timeouts: 0,
            last_activity: now,
            patience: Patience::default(),
        }
    }

    /// Returns true if every packet is known to have arrived.
    pub fn is_complete(&self) -> bool {
        self.window.unacknowledged() == 0
    }

    /// Returns true if any packet waits to be sent, with or without credit.
    pub fn has_unsent(&self) -> bool {
        self.window.waiting() > 0 || self.window.has_new()
    }

    /// Returns what the sender knows of the message. It has no congestion window and no rate of its own: its receiver says
    /// how much it may send.
    pub fn state(&self) -> SenderState {
        let (message, acknowledged) = (self.message.number, self.acknowledged_bytes());
        SenderState { message, acknowledged, round_trip: self.patience.round_trip(), ..SenderState::default() }
    }

    /// Returns the number of bytes in packets that are known to have arrived.
    fn acknowledged_bytes(&self) -> u64 {
        let (bytes, missing) = (self.message.bytes(), u64::from(self.window.unacknowledged()));
        if missing == 0 || self.packets == 1 {
            return if missing == 0 { bytes } else { 0 };
        }
        let full = (bytes - u64::from(self.last_payload)) / u64::from(self.packets - 1);
        if self.window.is_acknowledged(self.packets - 1) {
            bytes - missing * full
        } else {
            (u64::from(self.packets) - missing) * full
        }
    }

    /// Describes what the message waits for, with the time of the next timeout, if there is one.
    pub fn explain(&self, what: &str, deadline: Option<Instant>) -> String {
        let mut text = format!(
            "waits for {what}: {} of {} packets acknowledged, {} in flight, {} to be retransmitted",
            self.packets - self.window.unacknowledged(),
            self.packets,
            self.window.in_flight(),
            self.window.waiting()
        );
        if let Some(deadline) = deadline {
            text += &format!(", next timeout at {deadline}");
        }
        if self.timeouts > 0 {
            text += &format!(", {} timeouts without an answer", self.timeouts);
        }
        text
    }
}
