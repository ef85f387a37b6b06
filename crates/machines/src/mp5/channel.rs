//! The phantom channel: wires of their own, on which a phantom moves one stage a cycle and never queues
//! (MP5 sections 3.2 and 3.4, Invariant 1).
//!
//! Phantoms leave the last resolution stage and go to one stage each. As nothing ever holds one up, the wires to
//! a stage are a delay line: what is sent in a cycle is there a fixed number of cycles later.

const NOBODY: u32 = u32::MAX;

/// The wires from the last resolution stage to one stateful stage.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// How many cycles a phantom travels: how many stages lie between.
    delay: u64,
    /// Packets whose phantoms are on the way, by cycle of arrival (its lower bits), source pipeline, and access.
    cells: Vec<u32>,
    mask: u64,
    pipelines: usize,
    accesses: usize,
}

impl Line {
    /// Empty wires that are `delay` stages long, for packets from `pipelines` that may make `accesses` each.
    pub(super) fn new(delay: u64, pipelines: usize, accesses: usize) -> Self {
        let turns = (delay + 1).next_power_of_two();
        let cells = vec![NOBODY; turns as usize * pipelines * accesses];
        Self { delay, cells, mask: turns - 1, pipelines, accesses }
    }

    #[inline]
    fn cell(&self, arrival: u64, source: usize, access: usize) -> usize {
        ((arrival & self.mask) as usize * self.pipelines + source) * self.accesses + access
    }

    /// Sends the phantom of `packet` for the stage's `access`, counted from 0, out of the pipeline `source`.
    #[inline]
    pub(super) fn send(&mut self, cycle: u64, source: usize, access: usize, packet: u32) {
        let cell = self.cell(cycle + self.delay, source, access);
        debug_assert_eq!(self.cells[cell], NOBODY, "a phantom never waits");
        self.cells[cell] = packet;
    }

    /// The packet whose phantom arrives in this cycle, taken off the wires.
    #[inline]
    pub(super) fn receive(&mut self, cycle: u64, source: usize, access: usize) -> Option<u32> {
        let cell = self.cell(cycle, source, access);
        let packet = std::mem::replace(&mut self.cells[cell], NOBODY);
        (packet != NOBODY).then_some(packet)
    }

    /// Takes a phantom that was sent in cycle `sent` off the wires, because its packet was dropped.
    pub(super) fn cancel(&mut self, sent: u64, source: usize, access: usize) {
        let cell = self.cell(sent + self.delay, source, access);
        self.cells[cell] = NOBODY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phantom_arrives_after_as_many_cycles_as_stages_and_only_then() {
        let mut line = Line::new(3, 2, 1);
        line.send(10, 0, 0, 77);
        line.send(10, 1, 0, 78);
        line.send(11, 0, 0, 79);
        assert_eq!((11..13).map(|cycle| line.receive(cycle, 0, 0)).collect::<Vec<_>>(), [None, None]);
        assert_eq!([line.receive(13, 1, 0), line.receive(13, 0, 0)], [Some(78), Some(77)]);
        assert_eq!([line.receive(14, 0, 0), line.receive(14, 1, 0)], [Some(79), None]);
        assert!((15..40).all(|cycle| line.receive(cycle, 0, 0).is_none()));
    }

    #[test]
    fn a_cancelled_phantom_never_arrives() {
        let mut line = Line::new(2, 1, 2);
        line.send(5, 0, 1, 9);
        line.cancel(5, 0, 1);
        assert!((6..20).all(|cycle| line.receive(cycle, 0, 1).is_none()));
    }
}
