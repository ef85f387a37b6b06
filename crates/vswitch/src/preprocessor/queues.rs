//! The queues that flows are sorted into, and the core that works on each (Triton, sections 4.2 and 8.1).

use crate::session::{FlowHasher, FlowKey};
use crate::translate::translates_ports;

/// The number of queues (Triton, section 8.1).
const QUEUES: usize = 1024;

/// The core that works on each of 1,024 queues. Both directions of a flow, if nothing is translated, are in one queue.
///
/// The core of a queue is the one with the highest mark for it (rendezvous hashing; Thaler and Ravishankar, IEEE/ACM Transactions on
/// Networking 6(1), 1998), so that a core that is given takes its share of queues from the others, and one that is taken leaves its
/// own to them; all other queues stay where they are.
#[derive(Clone, Debug)]
pub struct Queues {
    cores: Box<[u16; QUEUES]>,
    hasher: FlowHasher,
}

impl Queues {
    /// The queues of so many cores, at least 1.
    pub fn new(cores: u16, hasher: FlowHasher) -> Self {
        let mark = |queue: usize, core: u16| basis::mix(basis::mix(queue as u64) ^ u64::from(core) << 32);
        let core = |queue| (0..cores).max_by_key(|core| mark(queue, *core)).unwrap_or(0);
        Self { cores: Box::new(std::array::from_fn(core)), hasher }
    }

    /// Returns the number of the core that works on a flow and on the flow in the other direction.
    ///
    /// A pool cannot choose a port with which replies have the right hash if the protocol is given no other ports: all flows of
    /// such a protocol are in one queue.
    pub fn core(&self, key: &FlowKey) -> u16 {
        let hash = match translates_ports(key.protocol()) {
            true => self.hasher.hash(&key.without_direction()),
            false => basis::mix(key.protocol().into()),
        };
        self.cores[(hash % QUEUES as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Both directions of a flow, and answers to queries, are worked on by one core.
        #[test]
        fn both_directions_have_one_core(
            addresses: [u32; 2], ports: [u16; 2], protocol in prop::sample::select(vec![1u8, 6, 17, 58]), cores in 1..9u16,
        ) {
            let queues = Queues::new(cores, FlowHasher::new([1, 2]));
            let addresses = addresses.map(|address| std::net::Ipv4Addr::from(address).into());
            let ports = if protocol == 1 || protocol == 58 { [ports[0]; 2] } else { ports };
            let key = FlowKey::new(7, addresses, protocol, ports);
            prop_assert!(queues.core(&key) < cores);
            prop_assert_eq!(queues.core(&key), queues.core(&key.reversed()));
        }
    }

    #[test]
    fn another_core_takes_its_share_and_leaves_the_rest() {
        for cores in 1..16 {
            let [few, more] = [cores, cores + 1].map(|cores| Queues::new(cores, FlowHasher::new([1, 2])));
            let moved = few.cores.iter().zip(more.cores.iter()).filter(|(before, after)| before != after);
            assert!(moved.clone().all(|(_, after)| *after == cores), "queues move to the new core alone");
            let share = QUEUES / usize::from(cores + 1);
            assert!((share / 2..share * 2).contains(&moved.count()));
        }
    }
}
