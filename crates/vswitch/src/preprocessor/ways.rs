//! The flows that are not worked on by the core that their hash gives.

use std::collections::VecDeque;

use basis::{Duration, Instant};
use hashbrown::HashTable;

use crate::session::{FlowHasher, FlowKey};

/// The time for which a flow whose session has ended goes on to the same core: longer than a packet waits for a core.
const AFTERWARDS: Duration = Duration::from_microseconds(1_000_000);

/// The core of each flow whose packets do not come to it by their hash: its session translates them, so that the two directions
/// have different hashes, and the session is where replies come by themselves. What is here changes only by what the cores say, in
/// order with the packets that they have worked on, as the flow index does.
#[derive(Debug)]
pub struct Ways {
    flows: HashTable<Way>,
    /// Flows whose sessions have ended, with the time at which they can be forgotten.
    ended: VecDeque<(Instant, FlowKey)>,
    hasher: FlowHasher,
}

#[derive(Clone, Copy, Debug)]
struct Way {
    key: FlowKey,
    core: u16,
    /// The time from which on it can be forgotten; `None` while its session is there.
    end: Option<Instant>,
}

impl Ways {
    /// No flow yet.
    pub fn new(hasher: FlowHasher) -> Self {
        Self { flows: HashTable::new(), ended: VecDeque::new(), hasher }
    }

    /// Returns the core of a flow, given its hash, if it has one of its own.
    pub fn find(&mut self, now: Instant, key: &FlowKey, hash: u64) -> Option<u16> {
        if self.flows.is_empty() {
            return None;
        }
        self.forget(now);
        let way = self.flows.find_mut(hash, |way| way.key == *key)?;
        if let Some(end) = &mut way.end {
            // This packet may begin a session there.
            *end = now + AFTERWARDS;
        }
        Some(way.core)
    }

    /// Brings a flow to a core from now on.
    pub fn enter(&mut self, key: FlowKey, hash: u64, core: u16) {
        let Self { flows, hasher, .. } = self;
        match flows.find_mut(hash, |way| way.key == key) {
            Some(way) => (way.core, way.end) = (core, None),
            None => {
                flows.insert_unique(hash, Way { key, core, end: None }, |way| hasher.hash(&way.key));
            }
        }
    }

    /// Records that the session of a flow has ended. Packets that are on their way to its core may begin another one there, so
    /// that the flow is forgotten a while later.
    pub fn end(&mut self, now: Instant, key: FlowKey, hash: u64) {
        if let Some(way) = self.flows.find_mut(hash, |way| way.key == key) {
            way.end = Some(now + AFTERWARDS);
            self.ended.push_back((now + AFTERWARDS, key));
        }
    }

    /// Returns the number of flows.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.flows.len()
    }

    fn forget(&mut self, now: Instant) {
        while let Some((_, key)) = self.ended.pop_front_if(|(end, _)| *end <= now) {
            let hash = self.hasher.hash(&key);
            let Ok(entry) = self.flows.find_entry(hash, |way| way.key == key) else { continue };
            match entry.get().end {
                Some(end) if end > now => self.ended.push_back((now + AFTERWARDS, key)),
                Some(_) => drop(entry.remove()),
                // Another session of the flow has begun.
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Instant {
        Instant::ZERO + Duration::from_microseconds(1000 * milliseconds)
    }

    #[test]
    fn a_flow_is_forgotten_when_no_packet_of_it_can_be_on_its_way() {
        let hasher = FlowHasher::new([1, 2]);
        let mut ways = Ways::new(hasher);
        let key = FlowKey::new(7, ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().expect("an address")), 17, [1, 2]);
        let hash = hasher.hash(&key);
        assert_eq!(ways.find(at(0), &key, hash), None);
        ways.enter(key, hash, 3);
        ways.end(at(0), key, hash);
        assert_eq!(ways.find(at(900), &key, hash), Some(3), "a packet of it may be on its way");
        assert_eq!(ways.find(at(1800), &key, hash), Some(3), "and this one may begin a session");
        ways.enter(key, hash, 4);
        assert_eq!(ways.find(at(9000), &key, hash), Some(4), "its session is there");
        ways.end(at(9000), key, hash);
        assert_eq!(ways.find(at(10_001), &key, hash), None);
        assert_eq!(ways.len(), 0);
    }
}
