//! A table with what belongs to its entries.

use std::fmt;

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use crate::meter::MeterError;
use crate::tables::{Entry, EntryHandle, HandleMap, KeyField, MatchTable, TableError, Target, TargetWords};
use crate::{Bits, Color, Count, Meter, MeterRates, MeterUnit};

/// A match table with its default action, and with a counter and a meter for each entry if the program asks for them
/// (v1model: `direct_counter`, `direct_meter`). These come and go with their entries.
#[derive(Clone, Debug)]
pub struct TableState {
    matches: MatchTable,
    default: Target,
    initial_default: Target,
    counters: Option<HandleMap<Count>>,
    /// The meters that are configured.
    meters: Option<(MeterUnit, HandleMap<Meter>)>,
}

/// Why the counter or the meter of an entry cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectError {
    /// The table has no direct counter.
    NoCounters,
    /// The table has no direct meter.
    NoMeters,
    /// There is no such entry.
    NoSuchEntry,
    /// The meter's rates are none.
    Rates(MeterError),
}

impl fmt::Display for DirectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCounters => write!(f, "the table has no direct counter"),
            Self::NoMeters => write!(f, "the table has no direct meter"),
            Self::NoSuchEntry => write!(f, "the table has no such entry"),
            Self::Rates(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DirectError {}

impl TableState {
    /// An empty table: the fields of its key, how many entries it holds at most, and what happens to a packet that no
    /// entry matches.
    pub fn new(fields: Vec<KeyField>, size: Option<u32>, default: Target) -> Self {
        let initial_default = default.clone();
        let mut matches = MatchTable::new(fields, size);
        matches.set_default_words(TargetWords::of(&default));
        Self { matches, default, initial_default, counters: None, meters: None }
    }

    /// The same, still empty, with a counter for each entry.
    pub fn with_counters(mut self) -> Self {
        self.counters = Some(HandleMap::default());
        self
    }

    /// The same, still empty, with a meter for each entry, which is not configured at first.
    pub fn with_meters(mut self, unit: MeterUnit) -> Self {
        self.meters = Some((unit, HandleMap::default()));
        self
    }

    /// The entries, to read. They change only through the table's state, so that nothing of theirs is left behind.
    pub fn matches(&self) -> &MatchTable {
        &self.matches
    }

    /// The entry that wins for a packet: [`MatchTable::lookup`].
    #[inline]
    pub fn lookup(&self, key: &[Bits]) -> Option<EntryHandle> {
        self.matches.lookup(key)
    }

    /// The same for a key in words: [`MatchTable::lookup_words`].
    #[inline]
    pub fn lookup_words(&self, key: &[u64]) -> Option<EntryHandle> {
        self.matches.lookup_words(key)
    }

    /// The entry that wins for a key in words, and what happens to the packet then: [`Self::lookup_words`] and
    /// [`Self::target_words`] in one, which is quicker.
    #[inline]
    pub fn lookup_target(&self, key: &[u64]) -> (Option<EntryHandle>, &TargetWords) {
        self.matches.lookup_target(key)
    }

    /// What happens to a packet that this entry matches, in words; without an entry, to one that none matches. The
    /// same for an entry that is not there.
    #[inline]
    pub fn target_words(&self, entry: Option<EntryHandle>) -> &TargetWords {
        self.matches.target_words(entry)
    }

    /// What happens to a packet that no entry matches.
    #[inline]
    pub fn default_target(&self) -> &Target {
        &self.default
    }

    /// Changes what happens to a packet that no entry matches.
    pub fn set_default(&mut self, target: Target) {
        self.matches.set_default_words(TargetWords::of(&target));
        self.default = target;
    }

    /// Lets happen again what the program says.
    pub fn reset_default(&mut self) {
        self.set_default(self.initial_default.clone());
    }

    /// Adds an entry, with a counter at zero.
    ///
    /// # Errors
    /// Those of [`MatchTable::insert`].
    pub fn insert(&mut self, entry: Entry) -> Result<EntryHandle, TableError> {
        let handle = self.matches.insert(entry)?;
        if let Some(counters) = &mut self.counters {
            counters.insert(handle, Count::default());
        }
        Ok(handle)
    }

    /// Changes what happens to the packets of an entry. Its counter and its meter stay as they are.
    ///
    /// # Errors
    /// Those of [`MatchTable::modify`].
    pub fn modify(&mut self, handle: EntryHandle, target: Target) -> Result<(), TableError> {
        self.matches.modify(handle, target)
    }

    /// Takes an entry out, with its counter and its meter.
    ///
    /// # Errors
    /// Those of [`MatchTable::delete`].
    pub fn delete(&mut self, handle: EntryHandle) -> Result<Entry, TableError> {
        let entry = self.matches.delete(handle)?;
        self.forget(handle);
        Ok(entry)
    }

    /// Takes all entries out that are not constant.
    pub fn clear(&mut self) {
        let all: Vec<EntryHandle> = self.matches.entries().map(|(handle, _)| handle).collect();
        self.matches.clear();
        for handle in all {
            if self.matches.get(handle).is_none() {
                self.forget(handle);
            }
        }
    }

    fn forget(&mut self, handle: EntryHandle) {
        if let Some(counters) = &mut self.counters {
            counters.remove(handle);
        }
        if let Some((_, meters)) = &mut self.meters {
            meters.remove(handle);
        }
    }

    /// What the entries' meters measure, if they have any.
    pub fn meter_unit(&self) -> Option<MeterUnit> {
        self.meters.as_ref().map(|(unit, _)| *unit)
    }

    /// Counts a packet of `bytes` bytes that an entry matched, if the table counts.
    #[inline]
    pub fn count(&mut self, handle: EntryHandle, bytes: u64) {
        if let Some(count) = self.counters.as_mut().and_then(|counters| counters.get_mut(handle)) {
            count.count(bytes);
        }
    }

    /// What an entry has counted. `None` if the table does not count or has no such entry.
    pub fn counter(&self, handle: EntryHandle) -> Option<Count> {
        self.counters.as_ref()?.get(handle).copied()
    }

    /// Sets the counter of an entry.
    ///
    /// # Errors
    /// There is none.
    pub fn set_counter(&mut self, handle: EntryHandle, count: Count) -> Result<(), DirectError> {
        let counters = self.counters.as_mut().ok_or(DirectError::NoCounters)?;
        *counters.get_mut(handle).ok_or(DirectError::NoSuchEntry)? = count;
        Ok(())
    }

    /// Marks a packet of `amount` units ([`MeterUnit::amount`]) that an entry matched. Green if its meter is not
    /// configured, or the table has none.
    #[inline]
    pub fn mark(&mut self, handle: EntryHandle, now: Instant, amount: u64) -> Color {
        let meter = self.meters.as_mut().and_then(|(_, meters)| meters.get_mut(handle));
        meter.map_or(Color::Green, |meter| meter.mark(now, amount, Color::Green))
    }

    /// The rates of an entry's meter. `None` if it is not configured, or there is none.
    pub fn meter(&self, handle: EntryHandle) -> Option<MeterRates> {
        self.meters.as_ref()?.1.get(handle).map(Meter::rates)
    }

    /// Gives the meter of an entry its rates and full buckets; `None` makes every packet green again.
    ///
    /// # Errors
    /// There is none, or the rates are none.
    pub fn set_meter(&mut self, handle: EntryHandle, rates: Option<MeterRates>) -> Result<(), DirectError> {
        let (_, meters) = self.meters.as_mut().ok_or(DirectError::NoMeters)?;
        self.matches.get(handle).ok_or(DirectError::NoSuchEntry)?;
        match rates {
            Some(rates) => _ = meters.insert(handle, Meter::new(rates).map_err(DirectError::Rates)?),
            None => _ = meters.remove(handle),
        }
        Ok(())
    }
}

/// Entries with their handles, counters and meters, and the default target.
impl Snapshot for TableState {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.matches.save(into)?;
        into.put(&self.default)?;
        self.counters.save(into)?;
        self.meters.as_ref().map_or(Ok(()), |(_, meters)| meters.save(into))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.matches.restore(from)?;
        self.set_default(from.take()?);
        self.counters.restore(from)?;
        self.meters.as_mut().map_or(Ok(()), |(_, meters)| meters.restore(from))
    }
}
