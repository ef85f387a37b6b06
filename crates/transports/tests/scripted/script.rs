//! An application that does what it was told.

use basis::Instant;
use demand::{Application, Wanted};

/// Wants messages at given times, and nothing else. The next one is last.
pub struct Script(Vec<(Instant, Wanted)>);

impl Script {
    /// Those of one time are wanted in their order.
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
