//! Packets of a burst that are matched together.

use basis::Instant;
use node::Outbox;

use super::VirtualSwitch;
use super::arrive::Parsed;
use crate::metadata::Subject;
use crate::policy::Policy;
use crate::preprocessor::Vectors;

/// The packets of a burst, and the vector that is worked on.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    vectors: Vectors<Parsed>,
    vector: Vec<Parsed>,
}

impl VirtualSwitch {
    /// Sorts a packet into the vectors of its burst. Fragments and ICMP errors are not sorted in, and pass behind what came
    /// before them: they are found by more than a key.
    pub(super) fn gather(&mut self, now: Instant, policy: &Policy, parsed: Parsed, out: &mut Outbox) {
        match parsed.metadata.subject {
            Subject::Flow { first_of: None, .. } => {
                self.waiting.vectors.push(parsed.metadata.hash, parsed);
            }
            _ => {
                self.forward_vectors(now, policy, out);
                self.forward(now, policy, parsed, out);
            }
        }
    }

    /// Forwards all packets that wait, vector by vector.
    pub(super) fn forward_vectors(&mut self, now: Instant, policy: &Policy, out: &mut Outbox) {
        let mut vector = std::mem::take(&mut self.waiting.vector);
        while self.waiting.vectors.take(&mut vector) {
            let size = vector.len();
            if let Some(first) = vector.first_mut() {
                // A vector is short.
                first.metadata.vector = size as u8;
            }
            let mut matched = None;
            for parsed in vector.drain(..) {
                matched = self.forward_behind(now, policy, matched, parsed, out);
            }
        }
        self.waiting.vector = vector;
    }
}
