//! Fragments of datagrams: those behind the first have no ports, and are told apart by what the first one said.

use std::collections::VecDeque;

use basis::{Duration, Instant};
use hashbrown::HashTable;

use crate::session::{FlowHasher, FlowKey};

/// The time for which fragments of a datagram are waited for: what reassembly waits for (RFC 8200, section 4.5; Linux waits
/// 30 s).
const TIMEOUT: Duration = Duration::from_microseconds(30_000_000);
/// The most datagrams that are remembered; the oldest is forgotten first.
const MOST: usize = 16_384;

/// The datagrams whose first fragment has passed.
#[derive(Debug)]
pub struct Fragments {
    datagrams: HashTable<Datagram>,
    /// The datagrams in the order of their first fragments, each with its end and its hash.
    order: VecDeque<(Instant, u64, Datagram)>,
    hasher: FlowHasher,
}

/// A datagram: the key of its first fragment, and the identification that all its fragments have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Datagram {
    key: FlowKey,
    identification: u32,
}

impl Fragments {
    /// Creates a memory without datagrams, with the hash of flows.
    pub fn new(hasher: FlowHasher) -> Self {
        Self { datagrams: HashTable::new(), order: VecDeque::new(), hasher }
    }

    fn find(&self, hash: u64, without_ports: &FlowKey, identification: u32) -> Option<FlowKey> {
        let is_it = |datagram: &Datagram| {
            datagram.identification == identification && datagram.key.without_ports() == *without_ports
        };
        self.datagrams.find(hash, is_it).map(|datagram| datagram.key)
    }

    /// Remembers a datagram by its first fragment. Returns false if another first fragment of it had other ports, which would
    /// let the following ones pass in its name.
    pub fn first(&mut self, now: Instant, key: FlowKey, identification: u32) -> bool {
        self.forget(now);
        let without_ports = key.without_ports();
        let hash = hash_of(&self.hasher, &without_ports, identification);
        if let Some(known) = self.find(hash, &without_ports, identification) {
            return known == key;
        }
        if self.order.len() >= MOST
            && let Some((_, hash, oldest)) = self.order.pop_front()
        {
            self.remove(hash, &oldest);
        }
        let datagram = Datagram { key, identification };
        let Self { datagrams, hasher, .. } = self;
        datagrams.insert_unique(hash, datagram, |Datagram { key, identification }| {
            hash_of(hasher, &key.without_ports(), *identification)
        });
        self.order.push_back((now + TIMEOUT, hash, datagram));
        true
    }

    /// Returns the key of a datagram of which a fragment other than the first has come.
    pub fn key(&mut self, now: Instant, without_ports: FlowKey, identification: u32) -> Option<FlowKey> {
        self.forget(now);
        let hash = hash_of(&self.hasher, &without_ports, identification);
        self.find(hash, &without_ports, identification)
    }

    fn forget(&mut self, now: Instant) {
        while let Some((_, hash, datagram)) = self.order.pop_front_if(|(end, ..)| *end <= now) {
            self.remove(hash, &datagram);
        }
    }

    fn remove(&mut self, hash: u64, datagram: &Datagram) {
        if let Ok(entry) = self.datagrams.find_entry(hash, |other| other == datagram) {
            entry.remove();
        }
    }
}

/// Returns the hash of a datagram by its key without ports and its identification.
fn hash_of(hasher: &FlowHasher, without_ports: &FlowKey, identification: u32) -> u64 {
    basis::mix(hasher.hash(without_ports) ^ u64::from(identification))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(port: u16) -> FlowKey {
        let addresses = ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().expect("an address"));
        FlowKey::new(1, addresses, 17, [port, 53])
    }

    #[test]
    fn fragments_have_the_ports_of_the_first() {
        let mut fragments = Fragments::new(FlowHasher::new([1, 2]));
        assert_eq!(fragments.key(Instant::ZERO, key(1).without_ports(), 7), None);
        assert!(fragments.first(Instant::ZERO, key(1), 7));
        assert!(fragments.first(Instant::ZERO, key(1), 7), "a copy");
        assert!(!fragments.first(Instant::ZERO, key(2), 7));
        assert_eq!(fragments.key(Instant::ZERO, key(1).without_ports(), 7), Some(key(1)));
        assert_eq!(fragments.key(Instant::ZERO, key(1).without_ports(), 8), None);
        assert_eq!(fragments.key(Instant::ZERO + TIMEOUT, key(1).without_ports(), 7), None);
    }

    #[test]
    fn the_oldest_datagram_is_forgotten_first() {
        let mut fragments = Fragments::new(FlowHasher::new([1, 2]));
        for identification in 0..=MOST as u32 {
            assert!(fragments.first(Instant::ZERO, key(1), identification));
        }
        assert_eq!(fragments.key(Instant::ZERO, key(1).without_ports(), 0), None);
        assert!(fragments.key(Instant::ZERO, key(1).without_ports(), 1).is_some());
        assert_eq!(fragments.datagrams.len(), MOST);
    }
}
