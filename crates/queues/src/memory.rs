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
use crate::cells::{Cells, FRACTION, fixed};
use crate::flow_control::FlowControl;
use crate::surroundings::Note;

#[derive(Debug)]
pub(crate) struct Memory {
    /// The size of the shared memory in bytes; `u64::MAX` if nothing is shared.
    total: u64,
    alpha: u64,
    used: u64,
    packets: u64,
    pub flow_control: Option<Box<FlowControl>>,
    /// The memory of schedulers, if it is divided into cells.
    pub cells: Option<Box<Cells>>,
    /// The queues whose depths have changed, oldest change first, each once; `None` if nobody wants to know.
    pub changes: Option<Vec<(Port, u8)>>,
}

impl Memory {
    pub fn new(plan: &BufferPlan, flow_control: Option<Box<FlowControl>>, cells: Option<Box<Cells>>) -> Self {
        let total = plan.total.unwrap_or(u64::MAX);
        Self { total, alpha: fixed(plan.alpha), used: 0, packets: 0, flow_control, cells, changes: None }
    }

    /// Returns true if nothing limits what all queues hold together.
    pub fn is_unlimited(&self) -> bool {
        self.total == u64::MAX && self.cells.is_none()
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

    /// Returns the cells that a packet of `bytes` bytes on the wire takes, `framing` of which are not stored. Without
    /// cells, memory is counted in bytes on the wire.
    #[inline]
    pub fn cells_of(&self, bytes: u32, framing: u32) -> u64 {
        match &self.cells {
            Some(cells) => cells.of(bytes.saturating_sub(framing)),
            None => bytes.into(),
        }
    }

    /// Returns what is free of a pool; without cells, what is free of the memory that all ports share.
    #[inline]
    pub fn free(&self, pool: u8) -> u64 {
        match &self.cells {
            Some(cells) => cells.free(pool),
            None if self.total == u64::MAX => u64::MAX,
            None => self.total.saturating_sub(self.used),
        }
    }

    /// Takes cells from a pool. Without cells, [`Memory::hold`] accounts for everything.
    #[inline]
    pub fn hold_cells(&mut self, pool: u8, count: u64) {
        if let Some(cells) = &mut self.cells {
            cells.hold(pool, count);
        }
    }

    /// Gives cells back to a pool.
    #[inline]
    pub fn release_cells(&mut self, pool: u8, count: u64) {
        if let Some(cells) = &mut self.cells {
            cells.release(pool, count);
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

basis::snapshot!(Memory { values used, packets, changes; parts flow_control, cells; });
