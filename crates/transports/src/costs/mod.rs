//! The costs of a host: cores, PCIe and interrupts between its link and its transport.
//!
//! An arriving packet crosses PCIe into the ring of one core, which is notified of it, processes it, and gives it to
//! the transport. A departing packet is processed by a core and crosses PCIe before the link can take it. Like the
//! transport above it, the model is a state machine that is told the time.

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
pub use self::parameters::{Attention, CostParameters, Work};

/// The processor and the network card of one host.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    parameters: CostParameters,
    cores: Vec<Core>,
    /// The two directions of PCIe, to memory and from it.
    inwards: Bus,
    outwards: Bus,
    /// The packets that the link can take, each with the time from which it can.
    leaving: VecDeque<(Instant, Packet)>,
    /// The number of packets that the transport has made and that have not left.
    made: u32,
    /// The maximum number of packets that have waited for one core.
    most_waiting: usize,
}

impl Costs {
    /// Creates the costs of an idle host.
    ///
    /// # Panics
    /// If a parameter is out of range.
    pub fn new(parameters: CostParameters) -> Self {
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

    /// Takes a packet that has arrived from the link.
    ///
    /// # Errors
    /// The packet, if the ring of its core is full.
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

    /// Returns true if the transport may make another packet.
    pub fn has_room(&self) -> bool {
        self.made < self.parameters.transmit_ring.saturating_mul(self.parameters.cores.into())
    }

    /// Takes a packet that the transport has made.
    pub fn made(&mut self, now: Instant, packet: Packet) {
        self.made += 1;
        let core = self.core_of(&packet);
        self.cores[core].leaves(now, packet);
    }

    /// Does the work that is due, and returns the next packet for the transport; `None` if there is none until
    /// something else happens.
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

    /// Returns the next packet if the link can take it now.
    pub fn for_link(&mut self, now: Instant) -> Option<Packet> {
        self.leaving.front().filter(|(at, _)| *at <= now)?;
        self.made -= 1;
        self.leaving.pop_front().map(|(_, packet)| packet)
    }

    /// Returns the time of the next work, if the link is free at `free_at`.
    pub fn deadline(&self, free_at: Instant) -> Option<Instant> {
        let cores = self.cores.iter().filter_map(|core| core.deadline(&self.parameters)).min();
        let leaving = self.leaving.front().map(|(at, _)| free_at.max(*at));
        cores.into_iter().chain(leaving).min()
    }

    /// Returns the number of packets inside.
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

    /// Reports all counters; times are in picoseconds.
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
