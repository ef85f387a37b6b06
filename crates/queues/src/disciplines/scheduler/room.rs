//! The memory of one queue: what it has reserved, and what it may take of its pool.

use node::Reason;

use crate::cells::{fixed, part_of};
use crate::memory::Memory;
use crate::{PacketColor, RoomPlan, reasons};

/// The limits of a queue in integers. Cells up to `reserved` are its own; those beyond come from the pool.
#[derive(Debug)]
pub(super) struct Room {
    pool: u8,
    reserved: u64,
    /// The static part of the limit; `u64::MAX` for none.
    limit: u64,
    /// A multiple of 2^-16.
    alpha: Option<u64>,
    /// The fractions of the limit for yellow and red packets in multiples of 2^-16.
    yellow: u64,
    red: u64,
}

impl Room {
    pub fn new(plan: &RoomPlan) -> Self {
        let alpha = plan.alpha.map(fixed);
        let limit = plan.limit.unwrap_or(if alpha.is_some() { 0 } else { u64::MAX });
        let [yellow, red] = [plan.yellow, plan.red].map(|fraction| fixed(fraction.clamp(0.0, 1.0)));
        Self { pool: plan.pool, reserved: plan.reserved, limit, alpha, yellow, red }
    }

    /// Returns `Ok` if a queue that holds `held` cells may hold `more`, and otherwise the reason why not.
    pub fn admits(&self, held: u64, more: u64, color: PacketColor, memory: &Memory) -> Result<(), Reason> {
        let borrowed = self.borrowed(held);
        let borrows = self.borrowed(held.saturating_add(more)) - borrowed;
        if borrows == 0 {
            return Ok(());
        }
        let free = memory.free(self.pool);
        if borrows > free {
            return Err(reasons::SHARED_BUFFER_FULL);
        }
        // A static limit holds for the packet as a whole; a dynamic threshold stops a queue that has reached it, as in
        // the paper (see `memory.rs`).
        let (limit, reached) = match self.alpha {
            None => (self.limit, borrowed.saturating_add(borrows)),
            Some(alpha) => (self.limit.saturating_add(part_of(free, alpha)), borrowed.saturating_add(1)),
        };
        if reached > limit {
            return Err(if self.alpha.is_none() { reasons::QUEUE_FULL } else { reasons::THRESHOLD_REACHED });
        }
        let of_color = match color {
            PacketColor::Green => limit,
            PacketColor::Yellow => part_of(limit, self.yellow),
            PacketColor::Red => part_of(limit, self.red),
        };
        if reached > of_color { Err(reasons::COLOR_LIMIT_REACHED) } else { Ok(()) }
    }

    /// Returns the cells that a queue which holds `held` may hold at most at present, if its packets are green.
    pub fn limit(&self, held: u64, memory: &Memory) -> u64 {
        let free = memory.free(self.pool);
        let borrowed = match self.alpha {
            None => self.limit.min(self.borrowed(held).saturating_add(free)),
            Some(alpha) => self.limit.saturating_add(part_of(free, alpha)),
        };
        self.reserved.saturating_add(borrowed)
    }

    /// Takes the cells of a packet for a queue that held `held`.
    pub fn hold(&self, held: u64, more: u64, memory: &mut Memory) {
        memory.hold_cells(self.pool, self.borrowed(held.saturating_add(more)) - self.borrowed(held));
    }

    /// Gives back the cells of a packet of a queue that holds `left` without them.
    pub fn release(&self, left: u64, less: u64, memory: &mut Memory) {
        memory.release_cells(self.pool, self.borrowed(left.saturating_add(less)) - self.borrowed(left));
    }

    /// Returns how many of these cells of a queue are not reserved.
    fn borrowed(&self, held: u64) -> u64 {
        held.saturating_sub(self.reserved)
    }
}
