//! The stages between two stops, in all pipelines: stages without state, in which nothing can delay a packet.
//!
//! A packet that enters such a stretch comes out a known number of cycles later (section 3.4, Invariant 2: stateless
//! packets are never queued). It is therefore not moved from stage to stage but scheduled for the cycle in which it
//! comes out, and the stages are executed then.

use super::packets::FREE;

/// A stretch of stages without state.
#[derive(Clone, Debug)]
pub(super) struct StatelessStretch {
    /// The number of cycles that a packet takes to pass.
    pub(super) distance: u64,
    /// The packets by the cycle in which they come out (its low-order bits), by lane, and by pipeline.
    cells: Vec<u32>,
    mask: u64,
    /// The number of cells per cycle.
    width: usize,
}

impl StatelessStretch {
    /// Creates an empty stretch that takes `distance` cycles. Up to `lanes` packets of one pipeline can come out in one
    /// cycle.
    pub(super) fn new(distance: u64, pipelines: usize, lanes: usize) -> Self {
        let turns = (distance + 2).next_power_of_two();
        let width = pipelines * lanes;
        Self { distance, cells: vec![FREE; turns as usize * width], mask: turns - 1, width }
    }

    /// Returns the cells of the packets that come out in the cycle `arrival`: those of the first lane by pipeline, then
    /// those of the second lane. A cell without a packet is [`FREE`].
    #[inline]
    pub(super) fn row(&mut self, arrival: u64) -> &mut [u32] {
        let first = (arrival & self.mask) as usize * self.width;
        &mut self.cells[first..first + self.width]
    }

    /// Returns the packet that comes out in a cycle in the first lane of a pipeline, or [`FREE`] if there is none.
    pub(super) fn look(&self, arrival: u64, pipeline: usize) -> u32 {
        self.cells[(arrival & self.mask) as usize * self.width + pipeline]
    }
}

/// Schedules a packet to come out in the cycle of a row.
#[inline]
pub(super) fn put(row: &mut [u32], cell: usize, packet: u32) {
    debug_assert_eq!(row[cell], FREE, "nothing waits in a stage without state");
    row[cell] = packet;
}

basis::snapshot!(StatelessStretch { values cells; });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_come_out_only_in_their_cycle_and_pipeline() {
        let mut stretch = StatelessStretch::new(3, 2, 1);
        for (cycle, pipeline, packet) in [(13, 0, 77), (13, 1, 78), (14, 0, 79)] {
            put(stretch.row(cycle), pipeline, packet);
        }
        let mut take = |cycle: u64, pipeline: usize| std::mem::replace(&mut stretch.row(cycle)[pipeline], FREE);
        assert_eq!([10, 11, 12].map(|cycle| take(cycle, 0)), [FREE; 3]);
        assert_eq!([take(13, 1), take(13, 0)], [78, 77]);
        assert_eq!([take(14, 0), take(14, 1)], [79, FREE]);
        assert!((15..40).all(|cycle| take(cycle, 0) == FREE));
    }
}
