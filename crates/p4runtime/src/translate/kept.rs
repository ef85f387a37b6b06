//! What the server keeps of an entry beside what the program knows, in the bytes that the switch keeps with it.
//!
//! Nearly always that is the controller's metadata alone, which then are these bytes. Otherwise they begin with a mark.

use prost::Message;

use crate::message::p4::v1::replica::PortKind;
use crate::message::p4::v1::{ActionProfileActionSet, Replica};

const MARK: &[u8] = b"\xff\x00P4Runtime\x00";

/// What is kept of an entry.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Kept {
    /// The controller's metadata.
    #[prost(bytes = "vec", tag = "1")]
    pub(super) metadata: Vec<u8>,
    /// The deprecated number of the controller, which must be read back as well.
    #[prost(uint64, tag = "2")]
    pub(super) controller_metadata: u64,
    /// How the controller has said that the actions of a set are to be chosen, where the default would mean the same.
    #[prost(int32, tag = "3")]
    pub(super) action_selection_mode: i32,
    /// What the controller has said that the size of a set means, where the default would mean the same.
    #[prost(int32, tag = "4")]
    pub(super) size_semantics: i32,
    /// Whether the controller has written the ports of all replicas in the deprecated form, and so expects them.
    #[prost(bool, tag = "5")]
    pub(super) has_deprecated_ports: bool,
}

impl Kept {
    /// Returns what is to be kept of a table entry.
    pub(super) fn new(metadata: &[u8], controller_metadata: u64, set: Option<&ActionProfileActionSet>) -> Self {
        Self {
            metadata: metadata.to_vec(),
            controller_metadata,
            action_selection_mode: set.map_or(0, |set| set.action_selection_mode),
            size_semantics: set.map_or(0, |set| set.size_semantics),
            has_deprecated_ports: false,
        }
    }

    /// Returns what is to be kept of replicas.
    pub(super) fn of_replicas(metadata: &[u8], replicas: &[Replica]) -> Self {
        let is_deprecated = |replica: &Replica| matches!(replica.port_kind, Some(PortKind::EgressPort(_)));
        let has_deprecated_ports = !replicas.is_empty() && replicas.iter().all(is_deprecated);
        Self { metadata: metadata.to_vec(), has_deprecated_ports, ..Self::default() }
    }

    /// Returns bytes for an entry whose actions stay as they are: how they are chosen is said by the bytes that the entry has.
    pub(super) fn with_set_of(self, entry: Vec<u8>) -> Self {
        let Self { action_selection_mode, size_semantics, .. } = Self::from_bytes(entry);
        Self { action_selection_mode, size_semantics, ..self }
    }

    /// Returns the bytes for the switch.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        let is_plain = Self { metadata: self.metadata.clone(), ..Self::default() } == self;
        if is_plain && !self.metadata.starts_with(MARK) {
            return self.metadata;
        }
        [MARK, &self.encode_to_vec()].concat()
    }

    /// Reads the bytes of the switch. Others than a P4Runtime server may have written them, so that none are wrong.
    pub(super) fn from_bytes(bytes: Vec<u8>) -> Self {
        match bytes.strip_prefix(MARK).map(Self::decode) {
            Some(Ok(kept)) => kept,
            _ => Self { metadata: bytes, ..Self::default() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_kept_is_read_back() {
        let set = ActionProfileActionSet { action_selection_mode: 1, size_semantics: 2, ..Default::default() };
        for metadata in [&b""[..], b"plain", MARK, b"\xff\x00P4Runtime\x00\x08"] {
            for (number, set) in [(0, None), (7, None), (u64::MAX, Some(&set))] {
                let kept = Kept::new(metadata, number, set);
                assert_eq!(Kept::from_bytes(kept.clone().into_bytes()), kept);
            }
        }
        assert_eq!(Kept::new(b"plain", 0, None).into_bytes(), b"plain");
    }
}
