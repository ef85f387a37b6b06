//! A table with its default action, direct counters and direct meters.

use std::fmt;

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use crate::meter::MeterError;
use crate::tables::{EntryHandle, HandleMap, KeyField, MatchTable, TableEntry, TableError, Target, TargetWords};
use crate::{Bits, Color, Count, Meter, MeterRates, MeterUnit};

/// A match table with its default action and, if the program asks for them, a counter and a meter for each entry
/// (v1model: `direct_counter`, `direct_meter`), which are created and deleted with their entries.
#[derive(Clone, Debug)]
pub struct TableState {
    matches: MatchTable,
    default: Target,
    initial_default: Target,
    counters: Option<HandleMap<Count>>,
    /// The unit of the meters, and the meters that are configured.
    meters: Option<(MeterUnit, HandleMap<Meter>)>,
}

/// The reason why the counter or the meter of an entry cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectError {
    /// The table has no direct counter.
    NoCounters,
    /// The table has no direct meter.
    NoMeters,
    /// The table has no such entry.
    NoSuchEntry,
    /// The rates are invalid.
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
    /// Creates an empty table. `fields` are the fields of its key, `size` is the maximum number of entries, and
    /// `default` is the target of a miss.
    pub fn new(fields: Vec<KeyField>, size: Option<u32>, default: Target) -> Self {
        let initial_default = default.clone();
        let mut matches = MatchTable::new(fields, size);
        matches.set_default_words(TargetWords::of(&default));
        Self { matches, default, initial_default, counters: None, meters: None }
    }

    /// Adds a counter for each entry. The table must still be empty.
    pub fn with_counters(mut self) -> Self {
        self.counters = Some(HandleMap::default());
        self
    }

    /// Adds a meter for each entry, which is not configured at first. The table must still be empty.
    pub fn with_meters(mut self, unit: MeterUnit) -> Self {
        self.meters = Some((unit, HandleMap::default()));
        self
    }

    /// Returns the match table, for reading. Its entries change only through [`TableState`], so that their counters and
    /// meters are deleted with them.
    pub fn matches(&self) -> &MatchTable {
        &self.matches
    }

    /// Returns the entry that wins for a key; see [`MatchTable::lookup`].
    #[inline]
    pub fn lookup(&self, key: &[Bits]) -> Option<EntryHandle> {
        self.matches.lookup(key)
    }

    /// Returns the entry that wins for a key in words; see [`MatchTable::lookup_words`].
    #[inline]
    pub fn lookup_words(&self, key: &[u64]) -> Option<EntryHandle> {
        self.matches.lookup_words(key)
    }

    /// Returns the entry that wins for a key in words, and its target or that of a miss. This is faster than
    /// [`Self::lookup_words`] followed by [`Self::target_words`].
    #[inline]
    pub fn lookup_target(&self, key: &[u64]) -> (Option<EntryHandle>, &TargetWords) {
        self.matches.lookup_target(key)
    }

    /// Returns the target of an entry in words, or the target of a miss if `entry` is `None` or does not exist.
    #[inline]
    pub fn target_words(&self, entry: Option<EntryHandle>) -> &TargetWords {
        self.matches.target_words(entry)
    }

    /// Returns the target of a miss.
    #[inline]
    pub fn default_target(&self) -> &Target {
        &self.default
    }

    /// Sets the target of a miss.
    pub fn set_default(&mut self, target: Target) {
        self.matches.set_default_words(TargetWords::of(&target));
        self.default = target;
    }

    /// Restores the target of a miss that the program defines.
    pub fn reset_default(&mut self) {
        self.set_default(self.initial_default.clone());
    }

    /// Adds an entry; its counter starts at zero.
    ///
    /// # Errors
    /// As for [`MatchTable::insert`].
    pub fn insert(&mut self, entry: TableEntry) -> Result<EntryHandle, TableError> {
        let handle = self.matches.insert(entry)?;
        if let Some(counters) = &mut self.counters {
            counters.insert(handle, Count::default());
        }
        Ok(handle)
    }

    /// Changes the target of an entry. Its counter and its meter keep their values.
    ///
    /// # Errors
    /// As for [`MatchTable::modify`].
    pub fn modify(&mut self, handle: EntryHandle, target: Target) -> Result<(), TableError> {
        self.matches.modify(handle, target)
    }

    /// Deletes an entry with its counter and its meter.
    ///
    /// # Errors
    /// As for [`MatchTable::delete`].
    pub fn delete(&mut self, handle: EntryHandle) -> Result<TableEntry, TableError> {
        let entry = self.matches.delete(handle)?;
        self.forget(handle);
        Ok(entry)
    }

    /// Deletes all entries that are not constant.
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

    /// Returns the unit of the direct meters, if the table has any.
    pub fn meter_unit(&self) -> Option<MeterUnit> {
        self.meters.as_ref().map(|(unit, _)| *unit)
    }

    /// Counts packets of `bytes` bytes in all that matched an entry, if the table has direct counters.
    #[inline]
    pub fn count(&mut self, handle: EntryHandle, packets: u64, bytes: u64) {
        if let Some(count) = self.counters.as_mut().and_then(|counters| counters.get_mut(handle)) {
            count.count(packets, bytes);
        }
    }

    /// Returns the counter of an entry; `None` if the table has no direct counters or no such entry.
    pub fn counter(&self, handle: EntryHandle) -> Option<Count> {
        self.counters.as_ref()?.get(handle).copied()
    }

    /// Sets the counter of an entry.
    ///
    /// # Errors
    /// If the table has no direct counters or no such entry.
    pub fn set_counter(&mut self, handle: EntryHandle, count: Count) -> Result<(), DirectError> {
        let counters = self.counters.as_mut().ok_or(DirectError::NoCounters)?;
        *counters.get_mut(handle).ok_or(DirectError::NoSuchEntry)? = count;
        Ok(())
    }

    /// Marks a packet of `amount` units ([`MeterUnit::amount`]) that matched an entry. The packet is green if the meter
    /// of the entry is not configured or the table has no direct meters.
    #[inline]
    pub fn mark(&mut self, handle: EntryHandle, now: Instant, amount: u64) -> Color {
        let meter = self.meters.as_mut().and_then(|(_, meters)| meters.get_mut(handle));
        meter.map_or(Color::Green, |meter| meter.mark(now, amount, Color::Green))
    }

    /// Returns the rates of an entry's meter; `None` if it is not configured or does not exist.
    pub fn meter(&self, handle: EntryHandle) -> Option<MeterRates> {
        self.meters.as_ref()?.1.get(handle).map(Meter::rates)
    }

    /// Returns the tokens in the buckets of an entry's meter; `None` if it is not configured or does not exist.
    pub fn meter_tokens(&self, handle: EntryHandle) -> Option<[u128; 2]> {
        self.meters.as_ref()?.1.get(handle).map(Meter::tokens)
    }

    /// Configures the meter of an entry with rates and full buckets; `None` makes every packet green again.
    ///
    /// # Errors
    /// If the table has no direct meters or no such entry, or the rates are invalid.
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

/// Saves entries with their handles, counters and meters, and the target of a miss.
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
