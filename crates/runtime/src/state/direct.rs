//! Direct counters and direct meters of a table's entries.

use std::fmt;

use basis::Instant;

use super::TableState;
use crate::meter::MeterError;
use crate::tables::EntryHandle;
use crate::{Color, Count, Meter, MeterRates, MeterUnit};

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
    /// Returns the unit of the direct meters, if the table has any.
    pub fn meter_unit(&self) -> Option<MeterUnit> {
        self.meters.as_ref().map(|(unit, _)| *unit)
    }

    /// Counts packets of `bytes` bytes in all that matched an entry, if the table has direct counters.
    #[inline]
    pub fn count(&mut self, handle: EntryHandle, packets: u64, bytes: u64) {
        if let Some(count) = self.counters.as_mut().and_then(|counters| counters.get_mut(handle)) {
            count.count(packets, bytes);
            *count = count.of_width(self.counter_width);
        }
    }

    /// Returns the counter of an entry; `None` if the table has no direct counters or no such entry.
    pub fn counter(&self, handle: EntryHandle) -> Option<Count> {
        self.counters.as_ref()?.get(handle).copied()
    }

    /// Sets the counter of an entry to the lowest bits of a value that it can hold.
    ///
    /// # Errors
    /// If the table has no direct counters or no such entry.
    pub fn set_counter(&mut self, handle: EntryHandle, count: Count) -> Result<(), DirectError> {
        let counters = self.counters.as_mut().ok_or(DirectError::NoCounters)?;
        *counters.get_mut(handle).ok_or(DirectError::NoSuchEntry)? = count.of_width(self.counter_width);
        Ok(())
    }

    /// Marks a packet of `amount` units ([`MeterUnit::amount`]) that matched an entry, in colour-blind mode. The packet is
    /// green if the meter of the entry is not configured or the table has no direct meters.
    #[inline]
    pub fn mark(&mut self, handle: EntryHandle, now: Instant, amount: u64) -> Color {
        self.mark_colored(handle, now, amount, Color::Green)
    }

    /// Marks a packet that matched an entry and has a colour already. It keeps the colour where [`TableState::mark`] says
    /// green.
    #[inline]
    pub fn mark_colored(&mut self, handle: EntryHandle, now: Instant, amount: u64, arriving: Color) -> Color {
        let meter = self.meters.as_mut().and_then(|(_, meters)| meters.get_mut(handle));
        meter.map_or(arriving, |meter| meter.mark(now, amount, arriving))
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
