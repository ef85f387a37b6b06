//! The phantom channel: separate wires, on which a phantom moves one stage per cycle and never queues (MP5 sections 3.2
//! and 3.4, Invariant 1).
//!
//! Since nothing ever delays a phantom, phantoms need not be moved: which packet was resolved in which cycle determines
//! where its phantoms are.

use super::core::Core;
use super::packets::{FREE, Phantom};
use super::queue::{Push, QueueEntryKind};
use super::reasons;
use super::stop::Stop;

/// The packets that were resolved in recent cycles.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    /// The packets by cycle (its low-order bits) and pipeline.
    cells: Vec<u32>,
    mask: u64,
    pipelines: usize,
}

impl Resolved {
    /// Creates an empty record; packets are remembered for `longest` cycles.
    pub(super) fn new(longest: u64, pipelines: usize) -> Self {
        let turns = (longest + 2).next_power_of_two();
        Self { cells: vec![FREE; turns as usize * pipelines], mask: turns - 1, pipelines }
    }

    /// Returns the first cell of the packets that were resolved in a cycle.
    #[inline]
    fn row(&self, cycle: u64) -> usize {
        (cycle & self.mask) as usize * self.pipelines
    }

    #[inline]
    fn cell(&self, cycle: u64, pipeline: usize) -> usize {
        self.row(cycle) + pipeline
    }

    /// Begins a cycle, in which no packet has been resolved yet.
    #[inline]
    pub(super) fn begin(&mut self, cycle: u64) {
        let row = self.row(cycle);
        self.cells[row..row + self.pipelines].fill(FREE);
    }

    /// Returns the packets that were resolved in a cycle, by pipeline; [`FREE`] where there is none.
    #[inline]
    pub(super) fn of(&self, cycle: u64) -> &[u32] {
        &self.cells[self.row(cycle)..][..self.pipelines]
    }

    /// Records the packet that a pipeline resolved in a cycle, or [`FREE`] if it resolved none.
    #[inline]
    pub(super) fn note(&mut self, cycle: u64, pipeline: usize, packet: u32) {
        let cell = self.cell(cycle, pipeline);
        self.cells[cell] = packet;
    }

    /// Removes all packets.
    pub(super) fn clear(&mut self) {
        self.cells.fill(FREE);
    }

    /// Removes a packet that is no longer inside.
    pub(super) fn forget(&mut self, cycle: u64, pipeline: usize, packet: u32) {
        let cell = self.cell(cycle, pipeline);
        if self.cells[cell] == packet {
            self.cells[cell] = FREE;
        }
    }
}

impl Core {
    /// Receives the phantoms that arrive at a stop in this cycle and whose packets were resolved in the pipelines
    /// `sources`.
    #[inline]
    pub(super) fn receive_phantoms(&mut self, number: usize, stop: &mut Stop, sources: impl Iterator<Item = usize>) {
        // A cycle before the first one wraps around to cells without packets.
        let row = self.resolved.row(self.cycle.wrapping_sub(stop.plan.phantom_delay));
        for source in sources {
            let packet = self.resolved.cells[row + source];
            if packet != FREE {
                self.queue_phantoms(number, stop, source, packet);
            }
        }
    }

    /// Queues a packet's phantoms at one stop, in the FIFO of the pipeline that they come from (section 3.2).
    #[inline(always)]
    pub(super) fn queue_phantoms(&mut self, number: usize, stop: &mut Stop, source: usize, packet: u32) {
        for access in stop.plan.accesses.clone() {
            let tag = self.packets.tag_mut(packet, access);
            match tag.phantom {
                Phantom::Travelling => {
                    let pipeline = usize::from(tag.pipeline);
                    let position = self.push(stop, pipeline, source, packet, QueueEntryKind::Phantom);
                    // A phantom whose FIFO is full is dropped; its data packet will find out (section 3.4).
                    self.packets.tag_mut(packet, access).phantom = position.map_or(Phantom::Lost, Phantom::Queued);
                }
                Phantom::Awaited => self.queue_awaited(number, stop, source, packet, access),
                _ => {}
            }
        }
    }

    /// Queues a data packet that was waiting for its phantom, in the phantom's place.
    #[cold]
    fn queue_awaited(&mut self, number: usize, stop: &mut Stop, source: usize, packet: u32, access: usize) {
        let pipeline = self.packets.tag(packet, access).pipeline;
        self.packets.tag_mut(packet, access).phantom = Phantom::None;
        match self.push(stop, usize::from(pipeline), source, packet, QueueEntryKind::Data) {
            Some(_) => self.note_joined(number, pipeline, packet),
            None => self.discard(stop, packet, reasons::PHANTOM_LOST),
        }
    }

    /// Pushes an entry into the queue of a stop in a pipeline, in the order of arrival. Returns its position, or `None`
    /// if the FIFO is full.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        stop: &mut Stop,
        pipeline: usize,
        source: usize,
        packet: u32,
        kind: QueueEntryKind,
    ) -> Option<u32> {
        let arrival = self.packets.traveller(packet).order;
        let order = if self.swapped { !arrival } else { arrival };
        self.advanced = true;
        let push = Push { cycle: self.cycle, order, source, packet, kind };
        let Stop { stages, plan, .. } = stop;
        let packets = &mut self.packets;
        stages[pipeline].queue.push(push, |moved, position| {
            for access in plan.accesses.clone() {
                let tag = packets.tag_mut(moved, access);
                if let Phantom::Queued(known) = &mut tag.phantom
                    && usize::from(tag.pipeline) == pipeline
                {
                    *known = position;
                }
            }
        })
    }
}

basis::snapshot!(Resolved { values cells; });
