//! Observation of a machine's output during a comparison.

use basis::Instant;
use measure::Event;
use node::{Discarded, Transmission};

/// An observer of a machine's output, in order.
pub trait Watcher {
    /// Called when the machine transmits a packet.
    fn transmitted(&mut self, transmission: &Transmission);

    /// Called when the machine discards a packet.
    fn discarded(&mut self, at: Instant, discarded: &Discarded) {
        let _ = (at, discarded);
    }

    /// Called for each event in which the comparison is interested.
    fn event(&mut self, event: &Event) {
        let _ = event;
    }
}
