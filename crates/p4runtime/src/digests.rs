//! How digests become lists for the primary controller: buffers, and the memory of what a controller was sent and has not
//! acknowledged (P4Runtime specification 1.4, section 9.9).
//!
//! [`DigestDelivery`] knows no clock: whoever calls it says the time, in nanoseconds since any beginning.

use std::collections::{BTreeMap, HashSet, VecDeque};

use control::{DigestNumber, Info};
use runtime::Bits;

use crate::message::p4::v1::digest_entry::Config;

/// The values of a digest, one for each scalar of its type.
pub type DigestValues = Vec<Bits>;

/// The most digests of a list; a list without a limit of its own ends here.
const LONGEST_LIST: usize = 1024;
/// The most digests of a kind that are remembered because no controller has acknowledged them. The oldest lists are
/// forgotten first, so that a controller that never acknowledges may be sent a digest twice.
const MOST_REMEMBERED: usize = 65_536;

/// A list of digests that is to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadyList {
    /// The kind of digest.
    pub digest: DigestNumber,
    /// The number of the list, by which it is acknowledged.
    pub list_id: u64,
    /// The digests, oldest first, all distinct.
    pub digests: Vec<DigestValues>,
}

/// The delivery of all digests of a program.
#[derive(Debug, Default)]
pub struct DigestDelivery {
    kinds: BTreeMap<DigestNumber, Kind>,
    /// The number of lists so far, over all kinds.
    lists: u64,
}

#[derive(Debug)]
struct Kind {
    config: Config,
    buffer: Vec<DigestValues>,
    /// When the first digest came into the empty buffer.
    since: u64,
    /// The lists that were sent and are not acknowledged, oldest first.
    sent: VecDeque<SentList>,
    /// The digests in the buffer and in those lists.
    known: HashSet<DigestValues>,
}

#[derive(Debug)]
struct SentList {
    list_id: u64,
    at: u64,
    digests: Vec<DigestValues>,
}

/// Returns a time of a configuration, which is checked to be no less than 0 before.
fn nanoseconds(time: i64) -> u64 {
    u64::try_from(time).unwrap_or(0)
}

impl DigestDelivery {
    /// Returns how the digests of a kind are delivered; `None` if they are not.
    pub fn config(&self, digest: DigestNumber) -> Option<&Config> {
        self.kinds.get(&digest).map(|kind| &kind.config)
    }

    /// Sets how the digests of a kind are delivered, or that they are not. What waits stays, unless delivery ends.
    pub fn configure(&mut self, digest: DigestNumber, config: Option<Config>) {
        let Some(config) = config else {
            self.kinds.remove(&digest);
            return;
        };
        match self.kinds.get_mut(&digest) {
            Some(kind) => kind.config = config,
            None => {
                let kind = Kind { config, buffer: Vec::new(), since: 0, sent: VecDeque::new(), known: HashSet::new() };
                self.kinds.insert(digest, kind);
            }
        }
    }

    /// Returns the delivery for another program: kinds of the same name are delivered as before, and what waits or was sent
    /// is forgotten.
    pub fn handed_over(&self, from: &Info, to: &Info) -> Self {
        let mut delivery = Self { kinds: BTreeMap::new(), lists: self.lists };
        for (number, kind) in &self.kinds {
            if let Ok(same) = to.digest_named(&from.digest(*number).identity.name) {
                delivery.configure(same, Some(kind.config.clone()));
            }
        }
        delivery
    }

    /// Returns the kinds that are delivered.
    pub fn kinds(&self) -> impl Iterator<Item = DigestNumber> {
        self.kinds.keys().copied()
    }

    /// Takes digests of a kind from the switch, oldest first. Those that wait or were sent already and are not acknowledged
    /// are left out. Returns the lists that are full.
    pub fn learn(&mut self, now: u64, digest: DigestNumber, learned: Vec<DigestValues>) -> Vec<ReadyList> {
        let mut ready = Vec::new();
        let Some(kind) = self.kinds.get_mut(&digest) else { return ready };
        kind.forget(now);
        for values in learned {
            if !kind.known.insert(values.clone()) {
                continue;
            }
            if kind.buffer.is_empty() {
                kind.since = now;
            }
            kind.buffer.push(values);
            if kind.buffer.len() >= kind.longest() {
                self.lists += 1;
                ready.push(kind.list(now, digest, self.lists));
            }
        }
        ready
    }

    /// Returns the lists whose first digest has waited for as long as it may.
    pub fn due(&mut self, now: u64) -> Vec<ReadyList> {
        let mut ready = Vec::new();
        for (digest, kind) in &mut self.kinds {
            kind.forget(now);
            if !kind.buffer.is_empty() && now.saturating_sub(kind.since) >= nanoseconds(kind.config.max_timeout_ns) {
                self.lists += 1;
                ready.push(kind.list(now, *digest, self.lists));
            }
        }
        ready
    }

    /// Returns when the next list is due; `None` if no digest waits.
    pub fn next_due(&self) -> Option<u64> {
        let waiting = self.kinds.values().filter(|kind| !kind.buffer.is_empty());
        waiting.map(|kind| kind.since.saturating_add(nanoseconds(kind.config.max_timeout_ns))).min()
    }

    /// Forgets a list that a controller has acknowledged. A list that is not remembered changes nothing.
    pub fn acknowledge(&mut self, digest: DigestNumber, list_id: u64) {
        let Some(kind) = self.kinds.get_mut(&digest) else { return };
        if let Some(at) = kind.sent.iter().position(|list| list.list_id == list_id)
            && let Some(list) = kind.sent.remove(at)
        {
            list.digests.iter().for_each(|values| _ = kind.known.remove(values));
        }
    }

    /// Forgets what was sent, because another controller is primary now, who has not seen it.
    pub fn forget_sent(&mut self) {
        for kind in self.kinds.values_mut() {
            kind.sent.clear();
            kind.known = kind.buffer.iter().cloned().collect();
        }
    }
}

impl Kind {
    fn longest(&self) -> usize {
        match usize::try_from(self.config.max_list_size) {
            _ if self.config.max_timeout_ns == 0 => 1,
            Ok(0) | Err(_) => LONGEST_LIST,
            Ok(most) => most.min(LONGEST_LIST),
        }
    }

    /// Makes a list of what waits, and remembers it until it is acknowledged.
    fn list(&mut self, now: u64, digest: DigestNumber, list_id: u64) -> ReadyList {
        let digests = std::mem::take(&mut self.buffer);
        if self.config.ack_timeout_ns > 0 {
            self.sent.push_back(SentList { list_id, at: now, digests: digests.clone() });
            while self.known.len() > MOST_REMEMBERED && self.forget_oldest() {}
        } else {
            digests.iter().for_each(|values| _ = self.known.remove(values));
        }
        ReadyList { digest, list_id, digests }
    }

    /// Forgets lists that were sent as long ago as the timeout for acknowledgements.
    fn forget(&mut self, now: u64) {
        let timeout = nanoseconds(self.config.ack_timeout_ns);
        while self.sent.front().is_some_and(|list| now.saturating_sub(list.at) >= timeout) && self.forget_oldest() {}
    }

    fn forget_oldest(&mut self) -> bool {
        let Some(list) = self.sent.pop_front() else { return false };
        list.digests.iter().for_each(|values| _ = self.known.remove(values));
        true
    }
}
