//! The fragments of a worker from the oldest one without an answer on.

use std::collections::VecDeque;

use basis::Instant;
use serde::{Deserialize, Serialize};

/// What has become of a fragment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Status {
    #[default]
    Unsent,
    /// Sent, and not answered.
    Sent,
    /// Answered, or complete before the worker was there.
    Done,
}

/// A fragment.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Entry {
    pub status: Status,
    /// When it was sent for the last time.
    pub sent_at: Instant,
    /// How often it was sent.
    pub times: u16,
    /// Whether the server wants its original values.
    pub is_original: bool,
    /// Whether it waits to be sent again.
    pub is_queued: bool,
}

/// The fragments from the oldest one without an answer on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Flight {
    /// The oldest fragment without an answer.
    pub first: u64,
    /// The first fragment that was never sent, or is to be sent anew.
    pub next: u64,
    entries: VecDeque<Entry>,
    /// The number of fragments that were sent and not answered.
    pub in_flight: u32,
}

impl Flight {
    /// Returns a fragment, which is not before [`Flight::first`].
    pub fn entry(&mut self, fragment: u64) -> &mut Entry {
        let at = (fragment - self.first) as usize;
        if at >= self.entries.len() {
            self.entries.resize(at + 1, Entry::default());
        }
        &mut self.entries[at]
    }

    /// Returns what has become of a fragment, which is not before [`Flight::first`].
    pub fn status(&self, fragment: u64) -> Status {
        self.entries.get((fragment - self.first) as usize).map_or(Status::Unsent, |entry| entry.status)
    }

    /// Returns the fragments that were sent and not answered, in order.
    pub fn sent(&self) -> impl Iterator<Item = (u64, &Entry)> {
        (self.first..).zip(&self.entries).filter(|(_, entry)| entry.status == Status::Sent)
    }

    /// Notes that a fragment leaves now.
    pub fn leaves(&mut self, now: Instant, fragment: u64) {
        let entry = self.entry(fragment);
        let is_new = entry.status == Status::Unsent;
        entry.status = Status::Sent;
        entry.sent_at = now;
        entry.times = entry.times.saturating_add(1);
        entry.is_queued = false;
        self.in_flight += u32::from(is_new);
    }

    /// Notes that a fragment is done.
    pub fn done(&mut self, fragment: u64) {
        let entry = self.entry(fragment);
        let was_sent = entry.status == Status::Sent;
        *entry = Entry { status: Status::Done, ..*entry };
        self.in_flight -= u32::from(was_sent);
    }

    /// Goes on to the oldest fragment that is not done.
    pub fn slide(&mut self) {
        while self.entries.front().is_some_and(|entry| entry.status == Status::Done) {
            self.entries.pop_front();
            self.first += 1;
        }
        self.next = self.next.max(self.first);
    }

    /// Goes on to a fragment that is not before the oldest one; all before it are done.
    pub fn skip_to(&mut self, fragment: u64) {
        while self.first < fragment {
            let was_sent = self.entries.pop_front().is_some_and(|entry| entry.status == Status::Sent);
            self.in_flight -= u32::from(was_sent);
            self.first += 1;
        }
        self.next = self.next.max(self.first);
    }

    /// Makes everything that is not done unsent.
    pub fn begin_again(&mut self) {
        for entry in self.entries.iter_mut().filter(|entry| entry.status == Status::Sent) {
            *entry = Entry::default();
        }
        self.next = self.first;
        self.in_flight = 0;
    }
}
