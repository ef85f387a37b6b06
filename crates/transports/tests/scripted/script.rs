//! An application that follows a script.

use basis::Instant;
use demand::{Application, Wanted};

/// An application that asks for messages at given times. The next message is at the end.
pub struct Script(Vec<(Instant, Wanted)>);

impl Script {
    /// Creates the application. Messages of the same time are sent in their order.
    pub fn new(mut wanted: Vec<(Instant, Wanted)>) -> Self {
        wanted.sort_by_key(|&(at, _)| at);
        wanted.reverse();
        Self(wanted)
    }
}

impl Application for Script {
    fn deadline(&self) -> Option<Instant> {
        self.0.last().map(|(at, _)| *at)
    }

    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>) {
        while let Some((_, want)) = self.0.pop_if(|(at, _)| *at <= now) {
            wanted.push(want);
        }
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }
}

basis::snapshot!(Script {});
