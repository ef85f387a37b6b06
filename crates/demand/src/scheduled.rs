//! Messages whose times are known from the start.

use basis::Instant;
use node::NotBegun;

use crate::{Application, Wanted, would_begin};

/// Asks for given messages at given times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scheduled {
    /// The messages to come, with the next one at the end.
    to_come: Vec<(Instant, Wanted)>,
}

impl Scheduled {
    pub(crate) fn new(mut messages: Vec<(Instant, Wanted)>) -> Self {
        // The sort is stable, so that after the reversal, of messages at one time, the first is still sent first.
        messages.sort_by_key(|&(at, _)| at);
        messages.reverse();
        Self { to_come: messages }
    }
}

impl Application for Scheduled {
    fn deadline(&self) -> Option<Instant> {
        self.to_come.last().map(|&(at, _)| at)
    }

    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>) {
        while let Some((_, message)) = self.to_come.pop_if(|(at, _)| *at <= now) {
            wanted.push(message);
        }
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.to_come.len() as u64)
    }

    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        for (at, wanted) in self.to_come.iter().rev() {
            let (destination, bytes) = (wanted.destinations.one(), Some(wanted.content.length()));
            tell(NotBegun { count: 1, destination, bytes, why: would_begin(*at) });
        }
    }
}

basis::snapshot!(Scheduled { values to_come; });
