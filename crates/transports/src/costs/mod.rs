//! What a host costs: cores, PCIe and interrupts between its line and its transport.
//!
//! A packet that comes crosses PCIe into the ring of one core, which learns of it, works on it, and gives it to the
//! transport. A packet that is to leave is worked on by a core and crosses PCIe before the line can take it. It is a
//! state machine that is told the time, as the transport above it.

mod bus;
mod core;
mod pace;
mod parameters;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use basis::Instant;
use node::Counter;
use wire::{Packet, flow_hash};

use self::bus::Bus;
use self::core::{Core, Done};
pub use self::pace::Slow;
pub use self::parameters::{Attention, Parameters, Work};

/// The processor and the network card of one host.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    parameters: Parameters,
    cores: Vec<Core>,
    /// Towards memory, and from it.
    inwards: Bus,
    outwards: Bus,
    /// Packets that the line can take, and from when on.
    leaving: VecDeque<(Instant, Packet)>,
    /// Packets that were made and have not left.
    made: u32,
    /// The most packets that waited for one core.
    most_waiting: usize,
}

impl Costs {
    /// Of a host that has had nothing to do. Panics on parameters out of their ranges.
    pub fn new(parameters: Parameters) -> Self {
        parameters.check();
        Self {
            cores: vec![Core::default(); usize::from(parameters.cores)],
            inwards: Bus::new(parameters.pcie),
            outwards: Bus::new(parameters.pcie),
            leaving: VecDeque::new(),
            made: 0,
            most_waiting: 0,
            parameters,
        }
    }

    /// The line has brought a packet.
    ///
    /// # Errors
    /// The packet again, if the ring of its core is full.
    pub fn arrives(&mut self, now: Instant, packet: Packet) -> Result<(), Packet> {
        let core = self.core_of(&packet);
        let waiting = self.cores[core].waiting();
        if waiting >= self.parameters.receive_ring as usize {
            return Err(packet);
        }
        self.most_waiting = self.most_waiting.max(waiting + 1);
        let at = self.inwards.carry(now, packet.len());
        self.cores[core].arrives(at, packet);
        Ok(())
    }

    /// True if the transport may make another packet.
    pub fn has_room(&self) -> bool {
        self.made < self.parameters.transmit_ring.saturating_mul(self.parameters.cores.into())
    }

    /// The transport has made a packet.
    pub fn made(&mut self, now: Instant, packet: Packet) {
        self.made += 1;
        let core = self.core_of(&packet);
        self.cores[core].leaves(now, packet);
    }

    /// Does what is due: the next packet that is the transport's now; `None` if there is none before something else
    /// happens.
    pub fn advance(&mut self, now: Instant) -> Option<Packet> {
        for core in &mut self.cores {
            while let Some(done) = core.advance(now, &self.parameters) {
                match done {
                    Done::Received(packet) => return Some(packet),
                    Done::Sent(packet) => {
                        let at = self.outwards.carry(now, packet.len());
                        self.leaving.push_back((at, packet));
                    }
                }
            }
        }
        None
    }

    /// A packet that the line can take now.
    pub fn for_line(&mut self, now: Instant) -> Option<Packet> {
        self.leaving.front().filter(|(at, _)| *at <= now)?;
        self.made -= 1;
        self.leaving.pop_front().map(|(_, packet)| packet)
    }

    /// When it has something to do by itself, if its line is free at `free_at`.
    pub fn deadline(&self, free_at: Instant) -> Option<Instant> {
        let cores = self.cores.iter().filter_map(|core| core.deadline(&self.parameters)).min();
        let leaving = self.leaving.front().map(|(at, _)| free_at.max(*at));
        cores.into_iter().chain(leaving).min()
    }

    /// Packets that are in it.
    pub fn held(&self) -> u64 {
        let cores: usize = self.cores.iter().map(Core::held).sum();
        (cores + self.leaving.len()) as u64
    }

    fn core_of(&self, packet: &Packet) -> usize {
        match self.cores.len() {
            1 => 0,
            cores => ((u128::from(flow_hash(packet.head.bytes(), 0)) * cores as u128) >> 64) as usize,
        }
    }

    /// Tells what it has counted; times in picoseconds.
    pub fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        let sum = |of: fn(&Core) -> u64| self.cores.iter().map(of).sum();
        let busy = |core: &Core| core.busy.picoseconds();
        let all = [
            ("cores_busy_ps", sum(busy)),
            ("busiest_core_busy_ps", self.cores.iter().map(busy).max().unwrap_or_default()),
            ("pcie_in_busy_ps", self.inwards.busy.picoseconds()),
            ("pcie_out_busy_ps", self.outwards.busy.picoseconds()),
            ("receive_calls", sum(|core| core.calls)),
            ("receive_ring_most_packets", self.most_waiting as u64),
        ];
        all.into_iter().for_each(|(name, value)| tell(Counter { name, port: None, value }));
    }
}

basis::snapshot!(Costs { values cores, inwards, outwards, leaving, made, most_waiting; });
