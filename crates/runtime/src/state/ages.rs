//! The ages of a table's entries: when each was hit last, and which have been idle for as long as the control plane
//! wanted to know (P4Runtime specification 1.4, sections 9.1.8 and 16.4).

use std::collections::BTreeSet;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use basis::{Duration, Instant};
use serde::{Deserialize, Serialize};

use crate::tables::{EntryHandle, HandleMap};

/// The precision of idle timeouts: each ends at a multiple of this, so that many entries end together and a short timeout
/// does not keep a switch busy. P4Runtime leaves the precision to the target.
const TICK: Duration = Duration::from_microseconds(1_000);

/// The ages of a table's entries. Packets only write the time of a hit; nothing but [`Ages::expire`] looks at timeouts,
/// and it looks only at those that may have ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Ages {
    /// The time at which each entry was hit last, or inserted if it never was.
    hits: HandleMap<Instant>,
    timeouts: HandleMap<Timeout>,
    /// The times at which timeouts may end, with their entries.
    due: BTreeSet<(Instant, EntryHandle)>,
    /// The entries that were found idle and that nobody has taken yet, with the time at which they were found.
    idle: BTreeSet<(Instant, EntryHandle)>,
}

/// The idle timeout of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Timeout {
    /// The timeout in nanoseconds, not 0.
    nanoseconds: u64,
    /// The time before which hits do not matter: that of the insertion, or of the last time the entry was found idle.
    since: Instant,
    phase: Phase,
}

/// What an idle timeout waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// It may end at this time.
    Due(Instant),
    /// The entry was found idle at this time, and nobody has taken that yet.
    Idle(Instant),
    /// It ends after the end of time.
    Never,
}

/// The age of an entry, for putting it back.
#[derive(Clone, Debug)]
pub(super) struct Age {
    hit: Instant,
    timeout: Option<Timeout>,
}

impl Ages {
    /// Records a hit of an entry.
    #[inline]
    pub(super) fn hit(&mut self, handle: EntryHandle, now: Instant) {
        if let Some(hit) = self.hits.get_mut(handle) {
            *hit = now;
        }
    }

    /// Begins the age of a new entry.
    pub(super) fn begin(&mut self, handle: EntryHandle, now: Instant) {
        self.hits.insert(handle, now);
    }

    /// Returns the time at which an entry was hit last, or inserted if it never was.
    pub(super) fn last_hit(&self, handle: EntryHandle) -> Option<Instant> {
        self.hits.get(handle).copied()
    }

    /// Sets the idle timeout of an entry in nanoseconds; 0 for none. The time that has passed since its last hit counts.
    pub(super) fn set_timeout(&mut self, handle: EntryHandle, nanoseconds: u64) {
        let since = self.timeouts.get(handle).map(|timeout| timeout.since).or(self.last_hit(handle));
        self.unlist(handle);
        self.timeouts.remove(handle);
        if let (Some(since), 1..) = (since, nanoseconds) {
            self.list(handle, Timeout { nanoseconds, since, phase: Phase::Never });
        }
    }

    /// Returns the idle timeout of an entry in nanoseconds; 0 if it has none.
    pub(super) fn timeout(&self, handle: EntryHandle) -> u64 {
        self.timeouts.get(handle).map_or(0, |timeout| timeout.nanoseconds)
    }

    /// Forgets an entry.
    pub(super) fn forget(&mut self, handle: EntryHandle) {
        self.unlist(handle);
        self.timeouts.remove(handle);
        self.hits.remove(handle);
    }

    /// Returns the time at which [`Ages::expire`] has something to do.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Finds the entries whose idle timeouts have ended. An entry that was hit in the meantime waits on.
    pub(super) fn expire(&mut self, now: Instant) {
        while let Some((_, handle)) = self.due.first().copied().filter(|(at, _)| *at <= now) {
            self.due.pop_first();
            let Some(timeout) = self.timeouts.get(handle).copied() else { continue };
            match self.end(handle, timeout) {
                Some(end) if end <= now => {
                    self.idle.insert((now, handle));
                    self.timeouts.insert(handle, Timeout { phase: Phase::Idle(now), ..timeout });
                }
                _ => self.list(handle, timeout),
            }
        }
    }

    /// Removes and returns the entries that were found idle, in order of time, each with the time at which it was found.
    /// An entry is found again after another timeout without a hit.
    pub(super) fn take_idle(&mut self) -> Vec<(Instant, EntryHandle)> {
        let taken = std::mem::take(&mut self.idle);
        for &(at, handle) in &taken {
            if let Some(timeout) = self.timeouts.get(handle).copied() {
                self.list(handle, Timeout { since: at, ..timeout });
            }
        }
        taken.into_iter().collect()
    }

    /// Lets the idle timeout of an entry begin anew at a time at which another pipe found the same entry idle.
    pub(super) fn begin_timeout(&mut self, handle: EntryHandle, since: Instant) {
        if let Some(timeout) = self.timeouts.get(handle).copied() {
            self.unlist(handle);
            self.list(handle, Timeout { since, ..timeout });
        }
    }

    /// Returns the age of an entry.
    pub(super) fn keep(&self, handle: EntryHandle) -> Option<Age> {
        Some(Age { hit: self.last_hit(handle)?, timeout: self.timeouts.get(handle).copied() })
    }

    /// Gives an entry the age that it had.
    pub(super) fn restore(&mut self, handle: EntryHandle, age: Age) {
        self.forget(handle);
        self.hits.insert(handle, age.hit);
        if let Some(timeout) = age.timeout {
            self.relist(handle, timeout);
        }
    }

    /// Returns the time at which a timeout ends if the entry is not hit any more; `None` if that is after the end of time.
    fn end(&self, handle: EntryHandle, timeout: Timeout) -> Option<Instant> {
        let last = self.hits.get(handle).map_or(timeout.since, |hit| timeout.since.max(*hit));
        let end = last.picoseconds().checked_add(timeout.nanoseconds.checked_mul(1_000)?)?;
        end.checked_next_multiple_of(TICK.picoseconds()).map(Instant::from_picoseconds)
    }

    /// Lets a timeout run until its end.
    fn list(&mut self, handle: EntryHandle, timeout: Timeout) {
        let phase = self.end(handle, timeout).map_or(Phase::Never, Phase::Due);
        self.relist(handle, Timeout { phase, ..timeout });
    }

    /// Stores a timeout, and its entry where its phase says.
    fn relist(&mut self, handle: EntryHandle, timeout: Timeout) {
        self.timeouts.insert(handle, timeout);
        match timeout.phase {
            Phase::Due(at) => _ = self.due.insert((at, handle)),
            Phase::Idle(at) => _ = self.idle.insert((at, handle)),
            Phase::Never => {}
        }
    }

    fn unlist(&mut self, handle: EntryHandle) {
        match self.timeouts.get(handle).map(|timeout| timeout.phase) {
            Some(Phase::Due(at)) => _ = self.due.remove(&(at, handle)),
            Some(Phase::Idle(at)) => _ = self.idle.remove(&(at, handle)),
            Some(Phase::Never) | None => {}
        }
    }
}

/// Saves hits and timeouts; the order of timeouts follows from them.
impl Snapshot for Ages {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.hits.save(into)?;
        self.timeouts.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        *self = Self::default();
        self.hits.restore(from)?;
        let mut timeouts: HandleMap<Timeout> = HandleMap::default();
        timeouts.restore(from)?;
        timeouts.iter().for_each(|(handle, timeout)| self.relist(handle, *timeout));
        Ok(())
    }
}
