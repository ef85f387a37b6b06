//! Packet memory in cells, divided into pools that queues share.

use serde::{Deserialize, Serialize};

use crate::{CellPlan, DisciplinePlan, PoolStatus, PortPlan};

/// The number of fraction bits of alpha and of the limits of colours. Multiples of 2^-16 represent the powers of two
/// that chips offer exactly.
pub(crate) const FRACTION: u32 = 16;

/// Returns a fraction as a multiple of 2^-16, rounded.
pub(crate) fn fixed(fraction: f64) -> u64 {
    (fraction * f64::from(1 << FRACTION)).round() as u64
}

/// Returns the part of an amount, rounded down. `part` is a multiple of 2^-16.
#[inline]
pub(crate) fn part_of(amount: u64, part: u64) -> u64 {
    u64::try_from((u128::from(amount) * u128::from(part)) >> FRACTION).unwrap_or(u64::MAX)
}

/// The cells of a switch.
#[derive(Debug)]
pub(crate) struct Cells {
    /// The bytes of a cell.
    size: u32,
    pools: Vec<Pool>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Pool {
    /// The cells that are shared: those that no queue has reserved.
    shared: u64,
    /// The shared cells that are used.
    used: u64,
    /// The most shared cells that were used at once.
    high_water: u64,
}

impl Cells {
    /// Returns empty cells. What the queues of `ports` reserve is not shared.
    pub fn new(plan: &CellPlan, ports: &[PortPlan]) -> Self {
        let pool = |&cells: &u64| Pool { shared: cells, ..Pool::default() };
        let mut pools: Vec<Pool> = plan.pools.iter().map(pool).collect();
        for port in ports {
            let DisciplinePlan::Scheduler(scheduler) = &port.discipline else { continue };
            for room in scheduler.queues.iter().map(|queue| &queue.room) {
                if let Some(pool) = pools.get_mut(usize::from(room.pool)) {
                    pool.shared = pool.shared.saturating_sub(room.reserved);
                }
            }
        }
        Self { size: plan.size.max(1), pools }
    }

    /// Returns the number of cells that a packet of `bytes` bytes takes; at least one.
    #[inline]
    pub fn of(&self, bytes: u32) -> u64 {
        u64::from(bytes.div_ceil(self.size).max(1))
    }

    /// Returns the shared cells of a pool that are free; none if there is no such pool.
    #[inline]
    pub fn free(&self, pool: u8) -> u64 {
        self.pools.get(usize::from(pool)).map_or(0, |pool| pool.shared.saturating_sub(pool.used))
    }

    #[inline]
    pub fn hold(&mut self, pool: u8, cells: u64) {
        if let Some(pool) = self.pools.get_mut(usize::from(pool)) {
            pool.used += cells;
            pool.high_water = pool.high_water.max(pool.used);
        }
    }

    #[inline]
    pub fn release(&mut self, pool: u8, cells: u64) {
        if let Some(pool) = self.pools.get_mut(usize::from(pool)) {
            pool.used = pool.used.saturating_sub(cells);
        }
    }

    pub fn status(&self, pool: u8) -> Option<PoolStatus> {
        let &Pool { shared, used, high_water } = self.pools.get(usize::from(pool))?;
        Some(PoolStatus { shared, used, high_water })
    }
}

basis::snapshot!(Cells { parts pools; });
basis::snapshot!(Pool { values used, high_water; });
