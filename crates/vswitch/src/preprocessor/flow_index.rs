//! The index from hashes to flow ids (Triton, section 4.2).

use crate::configuration::PathOptions;
use crate::session::FlowId;

/// A table from hashes of flows to flow ids, without keys: whoever finds a flow id compares the key of its session. It changes
/// only by what the metadata of packets says on their way out, so that nobody else needs to keep it right.
#[derive(Debug)]
pub struct FlowIndex {
    places: Vec<Option<FlowId>>,
}

/// A change of the index that travels in the metadata of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexUpdate {
    /// The flow of the packet has this flow id.
    Enter(FlowId),
    /// The flow of the packet has no session.
    Remove,
}

impl FlowIndex {
    /// Returns the index of a path, if it has one.
    pub fn of(path: PathOptions) -> Option<Self> {
        (path.flow_index > 0).then(|| Self::new(path.flow_index as usize))
    }

    /// Creates an empty index with so many places, rounded up to a power of two.
    pub fn new(places: usize) -> Self {
        Self { places: vec![None; places.next_power_of_two()] }
    }

    /// Returns the flow id that was entered last for a hash, or for another hash with the same place.
    pub fn find(&self, hash: u64) -> Option<FlowId> {
        self.places[self.place(hash)]
    }

    /// Carries out a change for a hash.
    pub fn update(&mut self, hash: u64, update: IndexUpdate) {
        let place = self.place(hash);
        self.places[place] = match update {
            IndexUpdate::Enter(flow) => Some(flow),
            IndexUpdate::Remove => None,
        };
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.places.fill(None);
    }

    fn place(&self, hash: u64) -> usize {
        hash as usize & (self.places.len() - 1)
    }
}
