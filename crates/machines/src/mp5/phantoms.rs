//! The phantom channel: wires of their own, on which a phantom moves one stage a cycle and never queues
//! (MP5 sections 3.2 and 3.4, Invariant 1).
//!
//! As nothing ever holds a phantom up, it need not be moved: who was resolved in which cycle is enough to know
//! whose phantoms are where.

use super::core::Core;
use super::packets::{FREE, Phantom};
use super::queue::{Kind, Push};
use super::reasons;
use super::stop::Stop;

/// Which packets were resolved, by cycle and pipeline.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    /// By cycle (its lower bits) and pipeline.
    cells: Vec<u32>,
    mask: u64,
    pipelines: usize,
}

impl Resolved {
    /// Nobody yet; a packet is remembered for `longest` cycles.
    pub(super) fn new(longest: u64, pipelines: usize) -> Self {
        let turns = (longest + 2).next_power_of_two();
        Self { cells: vec![FREE; turns as usize * pipelines], mask: turns - 1, pipelines }
    }

    #[inline]
    fn cell(&self, cycle: u64, pipeline: usize) -> usize {
        (cycle & self.mask) as usize * self.pipelines + pipeline
    }

    /// Notes the packet that a pipeline resolved in a cycle; [`FREE`] if it resolved none.
    #[inline]
    pub(super) fn note(&mut self, cycle: u64, pipeline: usize, packet: u32) {
        let cell = self.cell(cycle, pipeline);
        self.cells[cell] = packet;
    }

    #[inline]
    fn get(&self, cycle: u64, pipeline: usize) -> u32 {
        self.cells[self.cell(cycle, pipeline)]
    }

    /// Forgets everybody.
    pub(super) fn clear(&mut self) {
        self.cells.fill(FREE);
    }

    /// Forgets a packet that is inside no more.
    pub(super) fn forget(&mut self, cycle: u64, pipeline: usize, packet: u32) {
        let cell = self.cell(cycle, pipeline);
        if self.cells[cell] == packet {
            self.cells[cell] = FREE;
        }
    }
}

impl Core {
    /// Lets the phantoms arrive at a stop in this cycle whose packets were resolved in the pipeline `source`.
    #[inline]
    pub(super) fn receive_phantoms(&mut self, number: usize, stop: &mut Stop, source: usize) {
        // A cycle before the first is a cell that nobody was noted in.
        let packet = self.resolved.get(self.cycle.wrapping_sub(stop.plan.phantom_delay), source);
        if packet != FREE {
            self.queue_phantoms(number, stop, source, packet);
        }
    }

    /// Pushes a packet's phantoms at one stop (section 3.2: into the FIFO of the pipeline that they come from).
    #[inline]
    pub(super) fn queue_phantoms(&mut self, number: usize, stop: &mut Stop, source: usize, packet: u32) {
        for access in stop.plan.accesses.clone() {
            let tag = self.packets.tag(packet, access);
            match tag.phantom {
                Phantom::Travelling => {
                    let place = self.push(stop, usize::from(tag.pipeline), source, packet, Kind::Phantom);
                    // A phantom that finds its FIFO full is dropped; its data packet will notice (section 3.4).
                    self.packets.tag_mut(packet, access).phantom = place.map_or(Phantom::Lost, Phantom::Queued);
                }
                Phantom::Awaited => self.queue_awaited(number, stop, source, packet, access),
                _ => {}
            }
        }
    }

    /// Pushes the data packet that waits for its phantom.
    #[cold]
    fn queue_awaited(&mut self, number: usize, stop: &mut Stop, source: usize, packet: u32, access: usize) {
        let pipeline = self.packets.tag(packet, access).pipeline;
        self.packets.tag_mut(packet, access).phantom = Phantom::None;
        match self.push(stop, usize::from(pipeline), source, packet, Kind::Data) {
            Some(_) => self.note_joined(number, pipeline, packet),
            None => self.discard(stop, packet, reasons::PHANTOM_LOST),
        }
    }

    /// Pushes an entry into the queue of a stop of a pipeline, where it is in order.
    #[inline]
    pub(super) fn push(
        &mut self,
        stop: &mut Stop,
        pipeline: usize,
        source: usize,
        packet: u32,
        kind: Kind,
    ) -> Option<u32> {
        let arrival = self.packets.traveller(packet).order;
        let order = if self.swapped { !arrival } else { arrival };
        self.advanced = true;
        let push = Push { cycle: self.cycle, order, source, packet, kind };
        let Stop { queues, plan, .. } = stop;
        let packets = &mut self.packets;
        queues[pipeline].push(push, |moved, place| {
            for access in plan.accesses.clone() {
                let tag = packets.tag_mut(moved, access);
                if let Phantom::Queued(known) = &mut tag.phantom
                    && usize::from(tag.pipeline) == pipeline
                {
                    *known = place;
                }
            }
        })
    }
}

basis::snapshot!(Resolved { values cells; });
