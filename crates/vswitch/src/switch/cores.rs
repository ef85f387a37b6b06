//! Cores are given and taken while sessions are there.

use std::sync::{Arc, Mutex, PoisonError};

use basis::Instant;
use measure::Interest;
use node::Outbox;

use super::apply::Walk;
use super::core::Core;
use super::made::Made;
use super::{Gone, VirtualSwitch, lock};
use crate::congestion::Rings;
use crate::preprocessor::Queues;
use crate::session::FlowId;

/// The greatest number of cores.
pub const MOST_CORES: u16 = 64;

/// What a core has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreView {
    /// The number of its sessions.
    pub sessions: u64,
    /// The number of packets that it was given.
    pub packets: u64,
    /// The number of packets that the policy tables have decided.
    pub slow_path_packets: u64,
    /// The number of packets that wait for it in its ring.
    pub waiting: u64,
}

impl VirtualSwitch {
    /// Returns the cores. Whoever runs one on another thread holds it for a few packets at a time, for the switch itself looks at it.
    pub fn cores(&self) -> &[Arc<Mutex<Core>>] {
        &self.cores
    }

    /// Returns what each core has.
    pub fn core_views(&self) -> impl Iterator<Item = CoreView> {
        (0..).zip(&self.cores).map(|(number, core)| {
            let core = lock(core);
            CoreView {
                sessions: core.sessions.len() as u64,
                packets: core.packets,
                slow_path_packets: core.matches.by_policy,
                waiting: self.waiting(number) as u64,
            }
        })
    }

    /// Goes on with another number of cores, from 1 to [`MOST_CORES`]; others count as the nearest. Sessions whose flows go to another
    /// core from now on move there with their whole state. Packets that wait for cores are to be worked on before, and whoever
    /// has cores on threads is to give them back.
    ///
    /// # Panics
    /// If somebody else still has a core that is taken.
    pub fn set_cores(&mut self, now: Instant, cores: u16) {
        let cores = cores.clamp(1, MOST_CORES);
        if usize::from(cores) == self.cores.len() {
            return;
        }
        let queues = (cores > 1).then(|| Arc::new(Queues::new(cores, self.edge.hasher)));
        for number in self.cores.len() as u16..cores {
            let core = lock(&self.cores[0]).another(number, cores);
            self.cores.push(Arc::new(Mutex::new(core)));
        }
        self.edge.sort_anew(queues.clone());
        self.cores.iter().for_each(|core| lock(core).queues.clone_from(&queues));
        for (number, core) in self.cores.iter().enumerate() {
            let mut core = lock(core);
            for slot in 0..core.sessions.slots() {
                let Some((flow, home)) = core.home_of(slot).filter(|(_, home)| *home != number) else { continue };
                if let Some(session) = core.give(flow) {
                    lock(&self.cores[home]).take(now, session);
                }
            }
        }
        for core in self.cores.drain(usize::from(cores)..) {
            let core = Arc::into_inner(core).expect("cores that are taken are given back before");
            self.gone.add(&core.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
        if let [core] = &self.cores[..] {
            lock(core).be_alone();
        }
        let policy = Arc::clone(self.policy());
        // Nothing is sent.
        let mut out = Outbox::new(Interest::default());
        for core in &self.cores {
            lock(core).tell_ways(&mut |made| self.edge.finish(now, &policy, made, &mut out));
        }
        self.edge.rings = Rings::new(cores);
        self.recorded = (0, 0);
        self.walk = self.walk.map(|_| Walk::FIRST);
    }
}

impl Core {
    /// Returns the first direction of the session in a slot, if there is one, and the number of the core that replies come to by
    /// their hash.
    fn home_of(&self, slot: u32) -> Option<(FlowId, usize)> {
        let flow = self.sessions.in_slot(slot)?;
        let [_, reply] = self.sessions.get(flow)?.keys;
        Some((flow, self.queues.as_ref().map_or(0, |queues| queues.core(&reply).into())))
    }

    /// Tells the ways of all sessions.
    fn tell_ways(&self, made: &mut impl FnMut(Made)) {
        self.sessions.iter().for_each(|(_, session)| self.tell_way(&session.keys, true, made));
    }
}

impl Gone {
    /// Adds the counts of a core that is gone.
    fn add(&mut self, core: &Core) {
        self.matches = self.matches.and(&core.matches);
        self.generated += core.generated;
        self.replicated += core.replicated;
        self.ended_by_apply += core.ended_by_apply;
    }
}
