//! The memory that the ports of a switch share, with dynamic thresholds (Choudhury and Hahne, "Dynamic Queue Length
//! Thresholds for Shared-Memory Packet Switches", 1998).
//!
//! A queue may hold alpha times the memory that is still free. It can therefore take more when others take less, and
//! some memory always stays free for queues that become active: n full queues hold alpha * B / (1 + alpha * n) bytes
//! each.

use basis::Instant;
use node::Port;
use wire::Packet;

use crate::BufferPlan;
use crate::flow_control::FlowControl;
use crate::surroundings::Note;

/// The number of fraction bits of alpha. Multiples of 2^-16 represent the powers of two that chips offer exactly.
const FRACTION: u32 = 16;

#[derive(Debug)]
pub(crate) struct Memory {
    /// The size of the shared memory in bytes; `u64::MAX` if nothing is shared.
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

    /// Returns true if a queue that holds `queued` bytes may hold `bytes` more.
    ///
    /// The paper stops a queue once it has reached its threshold, so the last packet may exceed it, as in chips, which
    /// do not know the length of a packet when its first byte arrives. No packet may exceed the memory as a whole.
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

    /// Returns how many packets are held.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Returns how many bytes the packets hold.
    pub fn used(&self) -> u64 {
        self.used
    }
}

basis::snapshot!(Memory { values used, packets; parts flow_control; });
