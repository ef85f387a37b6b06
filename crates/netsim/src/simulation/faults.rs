//! The fault rules of links, as the engine applies them.

use std::collections::BTreeMap;

use basis::Instant;
use node::Port;
use wire::Packet;

use super::shard::Shard;
use super::simulated_link::SimulatedLink;
use super::witness::Witness;
use super::{LinkId, Simulation};
use crate::faults::reasons;
use crate::faults::{Fate, LinkFaults, Rule};
use crate::topology::{Cable, Topology};

impl Simulation {
    /// Replaces all fault rules by `rules` from now on. All random draws are a function of `seed`.
    ///
    /// # Panics
    ///
    /// Panics if `topology` is not the one that the simulation was made of.
    pub fn set_faults(&mut self, topology: &Topology, rules: &[Rule], seed: u64) {
        for [(from, port), (to, _)] in topology.cables.iter().flat_map(Cable::directions) {
            let LinkId(link) = self.link(from, Port(port)).expect("a port with a cable has a link");
            let faults = LinkFaults::new(rules, topology, (from, port), to, seed);
            for (shard, _) in &mut self.shards {
                let special = &mut shard.links[link as usize].special;
                *special = *special & !SimulatedLink::FAULTY | if faults.is_some() { SimulatedLink::FAULTY } else { 0 };
            }
            let (shard, _) = &mut self.shards[usize::from(self.partition.shards[from])];
            match faults {
                Some(faults) => shard.faults.insert(link, faults),
                None => shard.faults.remove(&link),
            };
        }
    }

    /// Returns the rules of each link that has some, in the order of links.
    pub fn faults(&self) -> BTreeMap<LinkId, &LinkFaults> {
        self.each().flat_map(|shard| &shard.faults).map(|(&link, faults)| (LinkId(link), faults)).collect()
    }
}

impl Shard {
    /// Puts a packet on a link with fault rules; see [`Shard::put_on_line`]. A lost packet is reported when it is put
    /// on the link: at the station that sent it or, if it is damaged, at the station that would have received it.
    #[cold]
    pub fn put_on_faulty_link<W: Witness>(
        &mut self,
        station: usize,
        number: u32,
        (start, arrival): (Instant, Instant),
        packet: Packet,
        witness: &mut W,
    ) {
        let mut fates = std::mem::take(&mut self.fates);
        if let Some(faults) = self.faults.get_mut(&number) {
            faults.pass(start, arrival, packet, &mut fates);
        }
        let SimulatedLink { station: other, special, .. } = self.links[number as usize];
        for fate in fates.drain(..) {
            match fate {
                Fate::Arrives { at, packet } => {
                    if special & SimulatedLink::TAPPED != 0 {
                        witness.coming(at, LinkId(number), &packet);
                    }
                    self.depart(number, at, packet);
                }
                Fate::Lost { reason, packet } => witness.discarded(self.now, station, packet, reason),
                Fate::Damaged { packet } => {
                    witness.discarded(self.now, other as usize, packet, reasons::CHECK_SEQUENCE);
                }
            }
        }
        self.fates = fates;
    }
}
