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
    /// The packets by the cycle in which they come out (its low-order bits), by pipeline, and by lane.
    cells: Vec<u32>,
    mask: u64,
    /// The number of cells per cycle.
    width: usize,
    lanes: usize,
}

impl StatelessStretch {
    /// Creates an empty stretch that takes `distance` cycles. Up to `lanes` packets of one pipeline can come out in one
    /// cycle.
    pub(super) fn new(distance: u64, pipelines: usize, lanes: usize) -> Self {
        let turns = (distance + 2).next_power_of_two();
        let width = pipelines * lanes;
        Self { distance, cells: vec![FREE; turns as usize * width], mask: turns - 1, width, lanes }
    }

    #[inline]
    fn cell(&self, arrival: u64, pipeline: usize, lane: usize) -> usize {
        (arrival & self.mask) as usize * self.width + pipeline * self.lanes + lane
    }

    /// Schedules a packet to come out in the cycle `arrival`.
    #[inline]
    pub(super) fn put(&mut self, arrival: u64, pipeline: usize, lane: usize, packet: u32) {
        let cell = self.cell(arrival, pipeline, lane);
        debug_assert_eq!(self.cells[cell], FREE, "nothing waits in a stage without state");
        self.cells[cell] = packet;
    }

    /// Removes and returns the packet that comes out in a cycle, or [`FREE`] if there is none.
    #[inline]
    pub(super) fn take(&mut self, arrival: u64, pipeline: usize, lane: usize) -> u32 {
        let cell = self.cell(arrival, pipeline, lane);
        std::mem::replace(&mut self.cells[cell], FREE)
    }

    /// Returns the packet that comes out in a cycle, or [`FREE`] if there is none.
    pub(super) fn look(&self, arrival: u64, pipeline: usize) -> u32 {
        self.cells[self.cell(arrival, pipeline, 0)]
    }
}

basis::snapshot!(StatelessStretch { values cells; });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_come_out_only_in_their_cycle_and_pipeline() {
        let mut stretch = StatelessStretch::new(3, 2, 1);
        stretch.put(13, 0, 0, 77);
        stretch.put(13, 1, 0, 78);
        stretch.put(14, 0, 0, 79);
        assert_eq!((10..13).map(|cycle| stretch.take(cycle, 0, 0)).collect::<Vec<_>>(), [FREE; 3]);
        assert_eq!([stretch.take(13, 1, 0), stretch.take(13, 0, 0)], [78, 77]);
        assert_eq!([stretch.take(14, 0, 0), stretch.take(14, 1, 0)], [79, FREE]);
        assert!((15..40).all(|cycle| stretch.take(cycle, 0, 0) == FREE));
    }
}
