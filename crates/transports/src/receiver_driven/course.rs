//! What every message on its way out has, whatever lets its packets go.

use basis::Instant;
use demand::Message;
use serde::{Deserialize, Serialize};

use crate::paths::Paths;
use crate::timeouts::Patience;
use crate::window::Window;

/// A message on its way out: its packets, what is known of them, and since when nothing was heard.
#[derive(Debug, Serialize, Deserialize)]
pub struct Course {
    pub message: Message,
    pub packets: u32,
    /// Bytes of payload of the last packet; all others are full.
    pub last_payload: u16,
    pub paths: Paths,
    pub window: Window,
    /// Timeouts since something was heard.
    pub timeouts: u8,
    pub last_activity: Instant,
    pub patience: Patience,
}

impl Course {
    /// A message of which nothing was sent, in packets with so many bytes of payload.
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

    /// True if every packet is known to have arrived.
    pub fn is_complete(&self) -> bool {
        self.window.unacknowledged() == 0
    }

    /// True if anything waits to be sent, with or without credit.
    pub fn has_unsent(&self) -> bool {
        self.window.waiting() > 0 || self.window.has_new()
    }

    /// For what it waits, in words, with the time at which it stops waiting, if there is one.
    pub fn explain(&self, what: &str, deadline: Option<Instant>) -> String {
        let mut text = format!(
            "waits for {what}: {} of {} packets acknowledged, {} in flight, {} to be sent again",
            self.packets - self.window.unacknowledged(),
            self.packets,
            self.window.in_flight(),
            self.window.waiting()
        );
        if let Some(deadline) = deadline {
            text += &format!(", next timeout at {deadline}");
        }
        if self.timeouts > 0 {
            text += &format!(", {} timeouts with nothing heard", self.timeouts);
        }
        text
    }
}
