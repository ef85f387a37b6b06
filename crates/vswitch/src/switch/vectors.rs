//! Packets of a burst that are matched together.

use basis::Instant;

use super::arrive::Parsed;
use super::core::Core;
use super::made::Made;
use crate::metadata::Subject;
use crate::policy::Policy;
use crate::preprocessor::Vectors;

/// The packets of a burst that are sorted into vectors.
pub(super) type Waiting = Vectors<Parsed>;

impl Core {
    /// Sorts a packet into the vectors of its burst. Fragments and ICMP errors are not sorted in, and pass behind what came
    /// before them: they are found by more than a key.
    pub(super) fn gather(&mut self, now: Instant, policy: &Policy, mut parsed: Parsed, made: &mut impl FnMut(Made)) {
        match parsed.metadata.subject {
            Subject::Flow { first_of: None, .. } => {
                self.waiting.push(parsed.metadata.hash, parsed);
            }
            _ => {
                self.forward_vectors(now, policy, made);
                self.forward(now, policy, &mut parsed, made);
            }
        }
    }

    /// Forwards all packets that wait, vector by vector.
    pub(super) fn forward_vectors(&mut self, now: Instant, policy: &Policy, made: &mut impl FnMut(Made)) {
        if self.waiting.is_empty() {
            return;
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        loop {
            let mut matched = None;
            let mut is_first = true;
            let visit = |size: usize, parsed: &mut Parsed| {
                if std::mem::take(&mut is_first) {
                    // A vector is short.
                    parsed.metadata.vector = size as u8;
                }
                matched = self.forward_behind(now, policy, matched, parsed, made);
            };
            if !waiting.visit_next(visit) {
                break;
            }
        }
        self.waiting = waiting;
    }
}
