//! Someone who sees what a machine puts out while it is held against the interpreter.

use basis::Instant;
use measure::Event;
use node::{Discarded, Transmission};

/// Sees what a machine puts out, in order.
pub trait Watcher {
    /// A packet is sent.
    fn transmitted(&mut self, transmission: &Transmission);

    /// A packet is discarded.
    fn discarded(&mut self, at: Instant, discarded: &Discarded) {
        let _ = (at, discarded);
    }

    /// Something happened that the comparison asked for.
    fn event(&mut self, event: &Event) {
        let _ = event;
    }
}
