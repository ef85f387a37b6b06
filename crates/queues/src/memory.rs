//! The memory that the ports of a switch share, with dynamic thresholds (Choudhury and Hahne, "Dynamic Queue Length
//! Thresholds for Shared-Memory Packet Switches", 1998).
//!
//! A queue may hold alpha times the memory that is free, so that it takes more when others take less, and some memory
//! always stays free for those that come. n full queues hold alpha * B / (1 + alpha * n) each.

use basis::Instant;
use node::Port;
use wire::Packet;

use crate::BufferPlan;
use crate::flow_control::FlowControl;
use crate::surroundings::Note;

/// Alpha is a multiple of 2^-16: exact for the powers of two that chips offer.
const FRACTION: u32 = 16;

#[derive(Debug)]
pub(crate) struct Memory {
    /// `u64::MAX` if nothing is shared.
    total: u64,
    alpha: u64,
    used: u64,
    packets: u64,
    pub flow_control: Option<Box<FlowControl>>,
}

impl Memory {
    pub fn new(plan: &BufferPlan, flow_control: Option<Box<FlowControl>>) -> Self {
        let alpha = (plan.alpha * f64::from(1 << FRACTION)).round() as u64;
        Self { total: plan.total.unwrap_or(u64::MAX), alpha, used: 0, packets: 0, flow_control }
    }

    /// True if a queue that holds `queued` bytes may hold `bytes` more.
    ///
    /// The paper stops a queue that has reached its threshold; so the last packet may pass it, as in chips, which
    /// do not know a packet's length when its first byte comes. No packet passes the memory that there is.
    #[inline]
    pub fn admits(&self, queued: u64, bytes: u32) -> bool {
        if self.total == u64::MAX {
            return true;
        }
        let free = self.total.saturating_sub(self.used);
        let threshold = (u128::from(free) * u128::from(self.alpha)) >> FRACTION;
        u64::from(bytes) <= free && u128::from(queued) < threshold
    }

    #[inline]
    pub fn hold(&mut self, now: Instant, note: Note, urgent: &mut Vec<(Port, Packet)>) {
        self.used += u64::from(note.bytes);
        self.packets += 1;
        if let Some(flow_control) = &mut self.flow_control {
            flow_control.hold(now, note, urgent);
        }
    }

    #[inline]
    pub fn release(&mut self, note: Note, urgent: &mut Vec<(Port, Packet)>) {
        self.used -= u64::from(note.bytes);
        self.packets -= 1;
        if let Some(flow_control) = &mut self.flow_control {
            flow_control.release(note, urgent);
        }
    }

    /// How many packets are held.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// How many bytes they hold.
    pub fn used(&self) -> u64 {
        self.used
    }
}

basis::snapshot!(Memory { values used, packets; parts flow_control; });
