//! What threads reach by transactions: the crossbar, and behind it the banks of shared memory with their read-modify-write
//! engines, the hash block, the filters, the packet buffer, and the services of the chip (sections 2.3 and 3.1).
//!
//! The memory system says when and in which order transactions take effect. It holds no contents and changes none: the
//! chip does that, in the order in which [`MemorySystem::issue`] and [`MemorySystem::advance`] hand out times. Engines serve
//! requests in the order in which they come and take a known time for each, so a request has all its times as soon as its
//! engine's queue has a place for it. Until then it waits at the port of its PPE, and later requests of the PPE wait behind
//! it: back-pressure through the crossbar (section 2.3), the only thing by which the crossbar limits anything. An engine
//! whose bank fetches as many lines as it can takes up no request for another line, so its queue fills.
//!
//! Two requests that touch the same ([`ir::interpret::threads::Touched`]) go to the same engine, and those of one thread
//! leave its port in order, so they take effect in order.

mod cache;
mod engine;
mod parameters;
mod port;
mod route;
mod statistics;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use ir::Threads;
use ir::interpret::threads::{Request, Ticket};
use serde::{Deserialize, Serialize};

pub use self::parameters::{BlockParameters, MemoryParameters};
pub use self::statistics::{Block, CacheStatistics, EngineName, EngineStatistics, MemoryStatistics, PortStatistics};
use cache::Cache;
use engine::Engine;
use port::{Held, Port};
use route::{Route, Routes};

/// Who asks for a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requester {
    /// The place of the thread in the chip.
    pub thread: u32,
    /// The number of its PPE.
    pub ppe: u32,
    /// The number of the transaction in its thread.
    pub ticket: Ticket,
}

/// The times of a transaction, in cycles: `left <= effect < reply`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// The cycle in which the request leaves the port of its PPE. The thread of an asynchronous one can go on then.
    pub left: u64,
    /// The cycle in which the engine takes it up, which is the time of the effect.
    pub effect: u64,
    /// The cycle in which the reply is back at the PPE.
    pub reply: u64,
}

/// The memory system of a chip.
#[derive(Clone, Debug)]
pub struct MemorySystem {
    routes: Routes,
    crossbar: u64,
    /// The cycles from the end of an engine's work to the arrival of the reply at the PPE, by engine.
    returns: Vec<u64>,
    engines: Vec<Engine>,
    cache: Cache,
    ports: Vec<Port>,
    /// When ports go on that hold requests, at most one entry a port.
    agenda: BinaryHeap<Reverse<(u64, u32)>>,
}

impl MemorySystem {
    /// Creates the memory system of a chip with so many PPEs that runs a program.
    ///
    /// # Panics
    /// It may panic if there are [`MemoryParameters::findings`].
    pub fn new(parameters: &MemoryParameters, threads: &Threads, ppes: u32) -> Self {
        let routes = Routes::new(parameters, threads);
        let crossbar = parameters.cycles(parameters.crossbar);
        let returns = routes.names().map(|name| {
            let block = |block: BlockParameters| (block.latency, block.cycles);
            let (latency, service) = match name.block {
                Block::Bank => (parameters.on_chip, parameters.word_cycles),
                Block::Hash => block(parameters.hash),
                Block::Filter => block(parameters.filters),
                Block::PacketBuffer => block(parameters.packet_buffer),
                Block::Service => block(parameters.services),
            };
            parameters.cycles(latency).saturating_sub(crossbar + u64::from(service)).max(crossbar)
        });
        let returns: Vec<u64> = returns.collect();
        let is_off_chip = threads.segments.iter().any(|segment| segment.kind == ir::threads::MemoryKind::OffChip);
        Self {
            crossbar,
            engines: vec![Engine::new(parameters.queue); returns.len()],
            returns,
            cache: Cache::new(parameters, is_off_chip),
            ports: vec![Port::default(); ppes as usize],
            agenda: BinaryHeap::with_capacity(ppes as usize),
            routes,
        }
    }

    /// Takes the request of a thread in a cycle, not before that of an earlier call, and after [`MemorySystem::advance`] to
    /// that cycle. Returns its times; `None` if the request waits at the port of its PPE, until `advance` returns it.
    ///
    /// # Panics
    /// If there is no such PPE, or the request is not of the program.
    #[inline]
    pub fn issue(&mut self, cycle: u64, from: Requester, request: &Request) -> Option<Times> {
        let route = self.routes.route(from, request);
        let port = &self.ports[from.ppe as usize];
        let mut held = Held { from, route, asked: cycle, times: None };
        if !port.held.is_empty() {
            self.ports[from.ppe as usize].hold(held);
            return None;
        }
        if port.free > cycle {
            // The port passes one request a cycle. What other ports pass until then comes to the engine before this one.
            self.agenda.push(Reverse((port.free, from.ppe)));
            self.ports[from.ppe as usize].hold(held);
            return None;
        }
        let times = self.serve(cycle, route, cycle);
        let port = &mut self.ports[from.ppe as usize];
        if times.left == cycle {
            port.free = cycle + 1;
            return Some(times);
        }
        held.times = Some(times);
        port.hold(held);
        self.agenda.push(Reverse((times.left, from.ppe)));
        None
    }

    /// Returns the cycle in which the next request goes on that waits at a port; `None` if none waits.
    pub fn next(&self) -> Option<u64> {
        self.agenda.peek().map(|Reverse((cycle, _))| *cycle)
    }

    /// Lets requests that wait at ports go on until a cycle, and appends those that have entered their engines, in order.
    pub fn advance(&mut self, cycle: u64, entered: &mut Vec<(Requester, Times)>) {
        while let Some(&Reverse((due, ppe))) = self.agenda.peek()
            && due <= cycle
        {
            self.agenda.pop();
            let port = &mut self.ports[ppe as usize];
            if port.held.front().is_some_and(|first| first.times.is_some()) {
                entered.extend(port.release());
            }
            let (first, free) = (port.held.front().copied(), port.free);
            match first {
                None => (),
                // The port passes one request a cycle.
                Some(_) if free > due => self.agenda.push(Reverse((free, ppe))),
                Some(Held { route, asked, .. }) => {
                    let times = self.serve(due, route, asked);
                    if let Some(first) = self.ports[ppe as usize].held.front_mut() {
                        first.times = Some(times);
                    }
                    self.agenda.push(Reverse((times.left, ppe)));
                }
            }
        }
    }

    /// Enqueues a request that is ready to leave its port in a cycle, and returns its times.
    #[inline]
    fn serve(&mut self, departs: u64, route: Route, asked: u64) -> Times {
        let possible = route.off_chip.map_or(0, |line| self.cache.possible(line));
        let engine = &mut self.engines[route.engine as usize];
        let (enters, effect) = engine.enqueue(departs + self.crossbar, route.service, possible);
        let ready = match route.off_chip {
            Some(line) => self.cache.access(line, route.is_change, effect),
            None => effect,
        };
        let reply = ready + route.service + self.returns[route.engine as usize];
        engine.replied(reply - asked);
        Times { left: enters - self.crossbar, effect, reply }
    }

    /// Returns the counters of the memory off chip by name; `None` if the program has none.
    pub(super) fn off_chip(&self) -> Option<[(&'static str, u64); 3]> {
        let CacheStatistics { hits, pending, misses, .. } = self.cache.statistics();
        let stalled = self.engines.iter().map(Engine::stalled).sum();
        let counters =
            [("cache_hits", hits + pending), ("cache_misses", misses), ("cycles_stalled_by_misses", stalled)];
        self.cache.has_room().then_some(counters)
    }

    /// Returns what has been counted until a cycle.
    pub fn statistics(&self, cycle: u64) -> MemoryStatistics {
        let engines = self.engines.iter().zip(self.routes.names());
        MemoryStatistics {
            engines: engines.map(|(engine, name)| engine.statistics(name, cycle)).collect(),
            cache: self.cache.statistics(),
            ports: self.ports.iter().map(|port| port.statistics).collect(),
        }
    }
}

impl Snapshot for MemorySystem {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&(&self.engines, &self.ports))?;
        let agenda: Vec<(u64, u32)> = self.agenda.clone().into_sorted_vec().into_iter().map(|entry| entry.0).collect();
        into.put(&agenda)?;
        self.cache.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        let (engines, ports): (Vec<Engine>, Vec<Port>) = from.take()?;
        let agenda: Vec<(u64, u32)> = from.take()?;
        let is_ours = |route: &Route| {
            (route.engine as usize) < self.engines.len() && (route.off_chip.is_none() || self.cache.has_room())
        };
        let suits = engines.len() == self.engines.len()
            && engines.iter().zip(&self.engines).all(|(saved, own)| saved.suits(own))
            && ports.len() == self.ports.len()
            && ports.iter().flat_map(|port| &port.held).all(|held| is_ours(&held.route))
            && agenda.iter().all(|(_, ppe)| (*ppe as usize) < self.ports.len());
        if !suits {
            return Err(Unfit("the saved memory system does not suit the chip".to_owned()));
        }
        (self.engines, self.ports) = (engines, ports);
        self.agenda = agenda.into_iter().map(Reverse).collect();
        self.cache.restore(from)
    }
}

#[cfg(test)]
mod tests;
