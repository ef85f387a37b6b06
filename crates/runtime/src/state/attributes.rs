//! Metadata, times of hits and idle timeouts of a table's entries.

use basis::{Duration, Instant};

use super::TableState;
use crate::tables::EntryHandle;

impl TableState {
    /// Returns the metadata of an entry, which are empty if none were given.
    pub fn metadata(&self, handle: EntryHandle) -> &[u8] {
        self.metadata.get(handle).map_or(&[], |metadata| metadata)
    }

    /// Sets the metadata of an entry. Does nothing if there is no such entry.
    pub fn set_metadata(&mut self, handle: EntryHandle, metadata: &[u8]) {
        match metadata.is_empty() || self.matches.get(handle).is_none() {
            true => _ = self.metadata.remove(handle),
            false => _ = self.metadata.insert(handle, metadata.into()),
        }
    }

    /// Returns the metadata of the target of a miss.
    pub fn default_metadata(&self) -> &[u8] {
        &self.default_metadata
    }

    /// Sets the metadata of the target of a miss.
    pub fn set_default_metadata(&mut self, metadata: &[u8]) {
        self.default_metadata = metadata.into();
    }

    /// Returns true if the times of hits are recorded.
    #[inline]
    pub fn has_ages(&self) -> bool {
        self.ages.is_some()
    }

    /// Records a hit of an entry, if the table records the times of hits.
    #[inline]
    pub fn hit(&mut self, handle: EntryHandle, now: Instant) {
        if let Some(ages) = &mut self.ages {
            ages.hit(handle, now);
        }
    }

    /// Begins the age of an entry that has just been inserted at `now`.
    pub fn begin_age(&mut self, handle: EntryHandle, now: Instant) {
        self.hit(handle, now);
    }

    /// Returns the time that has passed since an entry was hit last, or inserted if it never was; `None` if the table does
    /// not record it or has no such entry.
    pub fn time_since_hit(&self, handle: EntryHandle, now: Instant) -> Option<Duration> {
        Some(now.since(self.ages.as_ref()?.last_hit(handle)?))
    }

    /// Returns the idle timeout of an entry in nanoseconds; 0 if it has none.
    pub fn idle_timeout(&self, handle: EntryHandle) -> u64 {
        self.ages.as_ref().map_or(0, |ages| ages.timeout(handle))
    }

    /// Sets the idle timeout of an entry in nanoseconds; 0 for none. The time that has passed since its last hit counts.
    /// Does nothing if the table does not record the times of hits.
    pub fn set_idle_timeout(&mut self, handle: EntryHandle, nanoseconds: u64) {
        if let Some(ages) = &mut self.ages {
            ages.set_timeout(handle, nanoseconds);
        }
    }

    /// Returns the next time at which [`TableState::expire`] has something to do.
    pub fn next_idle(&self) -> Option<Instant> {
        self.ages.as_ref()?.deadline()
    }

    /// Finds the entries that have not been hit for as long as their idle timeouts say.
    pub fn expire(&mut self, now: Instant) {
        if let Some(ages) = &mut self.ages {
            ages.expire(now);
        }
    }

    /// Lets the idle timeout of an entry begin anew at `since`, the time at which it was found idle in all pipes that have
    /// it. Does nothing if it has none.
    pub fn begin_timeout(&mut self, handle: EntryHandle, since: Instant) {
        if let Some(ages) = &mut self.ages {
            ages.begin_timeout(handle, since);
        }
    }

    /// Removes and returns the notifications of idle entries, in order of time, each with the time at which the entry was
    /// found idle. An entry has at most one; another one follows after another timeout without a hit.
    pub fn take_idle(&mut self) -> Vec<(Instant, EntryHandle)> {
        self.ages.as_mut().map(super::ages::Ages::take_idle).unwrap_or_default()
    }
}
