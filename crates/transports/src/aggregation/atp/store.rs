//! The fragments of which a server knows something.

use basis::Instant;
use serde::{Deserialize, Serialize};

use super::entry::Entry;

/// The latest fragments, as many as workers can be apart.
///
/// No worker is further than a largest window ahead of its oldest fragment without an answer, and a complete fragment was sent
/// by all workers. So nobody needs an answer that is a largest window older than a complete fragment. A server that has
/// forgotten everything begins in the middle: whatever packet comes first, no worker can be two largest windows behind it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Store {
    window: u64,
    /// The oldest fragment that is kept; `None` before the first packet.
    base: Option<u64>,
    /// The oldest fragment that was seen since the server began.
    seen: u64,
    /// Whether the server has forgotten everything once, so that workers may have answers that it has lost.
    has_forgotten: bool,
    /// The fragments by their numbers modulo the length. An entry may be of an older fragment.
    entries: Vec<Entry>,
}

/// The place of a fragment.
pub(super) enum Place<'s> {
    /// It is older than anything that is kept.
    Before,
    Here(&'s mut Entry),
}

impl Store {
    pub fn new(largest_window: u32) -> Self {
        let window = u64::from(largest_window);
        let entries = vec![Entry::default(); 4 * window as usize];
        Self { window, base: None, seen: 0, has_forgotten: false, entries }
    }

    /// Returns the entry of a fragment, which is a new one if nothing is known of it.
    pub fn place(&mut self, now: Instant, fragment: u64) -> Place<'_> {
        let length = self.entries.len() as u64;
        match self.base {
            Some(base) if fragment < base => return Place::Before,
            Some(base) if fragment - base < length => self.seen = self.seen.min(fragment),
            // The first packet, or one that shows that the first was that of a worker who has just begun.
            _ => {
                self.base = Some(fragment.saturating_sub(2 * self.window));
                self.seen = fragment;
            }
        }
        let entry = &mut self.entries[(fragment % length) as usize];
        if entry.fragment != fragment || entry.have.is_empty() && !entry.is_complete() && !entry.is_original {
            entry.begin(now, fragment);
        }
        Place::Here(entry)
    }

    /// Returns what is known of a fragment.
    pub fn get(&mut self, fragment: u64) -> Option<&mut Entry> {
        let length = self.entries.len() as u64;
        let base = self.base?;
        let entry = &mut self.entries[(fragment % length) as usize];
        (fragment >= base && entry.fragment == fragment).then_some(entry)
    }

    /// Notes that a fragment is complete.
    pub fn complete(&mut self, fragment: u64) {
        let base = (fragment + 1).saturating_sub(self.window);
        self.base = self.base.max(Some(base));
        self.seen = self.seen.max(base);
    }

    /// Returns the oldest fragment that is kept, and the oldest that is not complete, among those that one server of several
    /// has.
    pub fn earliest(&self, servers: u64, own: u64) -> Option<(u64, u64)> {
        let base = self.base?;
        let length = self.entries.len() as u64;
        let is_complete = |fragment: u64| {
            let entry = &self.entries[(fragment % length) as usize];
            entry.fragment == fragment && entry.is_complete()
        };
        // A server that has forgotten nothing knows that what it has not seen is not complete.
        let known = if self.has_forgotten { self.seen } else { base };
        let first = known + (own + servers - known % servers) % servers;
        let open = (first..).step_by(servers as usize).find(|&fragment| !is_complete(fragment))?;
        Some((base, open))
    }

    /// Returns the fragments that are not complete although something has come, in order.
    pub fn partial(&self) -> impl Iterator<Item = &Entry> {
        let length = self.entries.len() as u64;
        let base = self.base.unwrap_or_default();
        let all = (base..base + length).map(move |fragment| (fragment, &self.entries[(fragment % length) as usize]));
        all.filter(|(fragment, entry)| entry.fragment == *fragment && (entry.is_partial() || entry.is_original))
            .map(|(_, entry)| entry)
            .filter(|entry| !entry.is_complete())
    }

    /// Forgets everything that is not complete, and what was said about indices.
    pub fn begin_again(&mut self) {
        for entry in &mut self.entries {
            (entry.pending, entry.next_aggregator) = (None, None);
            if !entry.is_complete() {
                entry.begin(Instant::ZERO, entry.fragment);
            }
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self { has_forgotten: true, ..Self::new(self.window as u32) };
    }

    /// Returns true if workers may have answers that the server has lost.
    pub fn has_forgotten(&self) -> bool {
        self.has_forgotten
    }
}
