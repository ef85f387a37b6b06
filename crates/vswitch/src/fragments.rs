//! Fragments of datagrams: those behind the first have no ports, and are told apart by what the first one said.

use std::collections::{BTreeMap, VecDeque};

use basis::{Duration, Instant};

use crate::session::FlowKey;

/// The time for which fragments of a datagram are waited for: what reassembly waits for (RFC 8200, section 4.5; Linux waits
/// 30 s).
const TIMEOUT: Duration = Duration::from_microseconds(30_000_000);
/// The most datagrams that are remembered; the oldest is forgotten first.
const MOST: usize = 16_384;

/// The datagrams whose first fragment has passed.
#[derive(Debug, Default)]
pub struct Fragments {
    /// The key with ports of each datagram, by the key without and the identification.
    keys: BTreeMap<(FlowKey, u32), FlowKey>,
    /// The datagrams in the order of their first fragments, each with its end.
    order: VecDeque<(Instant, (FlowKey, u32))>,
}

impl Fragments {
    /// Remembers a datagram by its first fragment. Returns false if another first fragment of it had other ports, which would
    /// let the following ones pass in its name.
    pub fn first(&mut self, now: Instant, key: FlowKey, identification: u32) -> bool {
        self.forget(now);
        let datagram = (key.without_ports(), identification);
        if let Some(known) = self.keys.get(&datagram) {
            return *known == key;
        }
        if self.order.len() >= MOST
            && let Some((_, oldest)) = self.order.pop_front()
        {
            self.keys.remove(&oldest);
        }
        self.keys.insert(datagram, key);
        self.order.push_back((now + TIMEOUT, datagram));
        true
    }

    /// Returns the key of a datagram of which a fragment other than the first has come.
    pub fn key(&mut self, now: Instant, without_ports: FlowKey, identification: u32) -> Option<FlowKey> {
        self.forget(now);
        self.keys.get(&(without_ports, identification)).copied()
    }

    fn forget(&mut self, now: Instant) {
        while let Some((_, datagram)) = self.order.pop_front_if(|(end, _)| *end <= now) {
            self.keys.remove(&datagram);
        }
    }
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
        let mut fragments = Fragments::default();
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
        let mut fragments = Fragments::default();
        for identification in 0..=MOST as u32 {
            assert!(fragments.first(Instant::ZERO, key(1), identification));
        }
        assert_eq!(fragments.key(Instant::ZERO, key(1).without_ports(), 0), None);
        assert!(fragments.key(Instant::ZERO, key(1).without_ports(), 1).is_some());
        assert_eq!(fragments.keys.len(), MOST);
    }
}
