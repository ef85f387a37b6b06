//! The virtual switch as networks and drivers see it.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use node::{Account, Counter, Station};

use super::{VirtualSwitch, lock};

impl Station for VirtualSwitch {
    fn account(&self) -> Account {
        let [mut generated, mut replicated] = [self.edge.generated, self.edge.replicated];
        (generated, replicated) = (generated + self.gone.generated, replicated + self.gone.replicated);
        for core in &self.cores {
            let core = lock(core);
            (generated, replicated) = (generated + core.generated, replicated + core.replicated);
        }
        let (consumed, paths) = (self.edge.consumed, &self.edge.paths);
        let held = paths.neighbours.held() + self.edge.in_vain.len() as u64;
        Account { generated, replicated, consumed, held }
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        let (matches, Account { generated, replicated, consumed, .. }) = (self.matches(), self.account());
        let reliable = self.edge.reliable.counts();
        let counters = [
            ("sessions", self.sessions_count()),
            ("slow_path_packets", matches.by_policy),
            ("packets_matched_by_hash", matches.by_hash),
            ("packets_matched_by_flow_id", matches.by_flow_id),
            ("packets_matched_by_vector", matches.by_vector),
            ("stale_flow_ids", matches.stale),
            ("packets_sent_again_through_tunnels", reliable.retransmitted),
            ("packets_given_up_in_tunnels", reliable.given_up),
            ("packets_generated", generated),
            ("packets_replicated", replicated),
            ("packets_consumed", consumed),
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
