//! The virtual switch as networks and drivers see it.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use node::{Account, Counter, Station};

use super::VirtualSwitch;

impl Station for VirtualSwitch {
    fn account(&self) -> Account {
        let Self { generated, replicated, consumed, .. } = *self;
        let held = self.paths.neighbours.held() + self.in_vain.len() as u64;
        Account { generated, replicated, consumed, held }
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        let counters = [
            ("sessions", self.sessions.len() as u64),
            ("slow_path_packets", self.matches.by_policy),
            ("packets_matched_by_hash", self.matches.by_hash),
            ("packets_matched_by_flow_id", self.matches.by_flow_id),
            ("packets_matched_by_vector", self.matches.by_vector),
            ("stale_flow_ids", self.matches.stale),
            ("packets_sent_again_through_tunnels", self.reliable.counts().retransmitted),
            ("packets_given_up_in_tunnels", self.reliable.counts().given_up),
            ("packets_generated", self.generated),
            ("packets_replicated", self.replicated),
            ("packets_consumed", self.consumed),
        ];
        counters.into_iter().for_each(|(name, value)| tell(Counter { name, port: None, value }));
    }
}

impl Snapshot for VirtualSwitch {
    fn save(&self, _into: &mut Saver) -> Result<(), Unfit> {
        Err(Unfit("the sessions of a virtual switch cannot be written down yet".to_owned()))
    }

    fn restore(&mut self, _from: &mut Loader<'_>) -> Result<(), Unfit> {
        Err(Unfit("a virtual switch was never written down".to_owned()))
    }
}
