//! What requests say of table entries beside their keys and targets.

use runtime::tables::EntryHandle;
use runtime::{Count, MeterRates};

use crate::{ActionCall, ReadEntry, TableNumber};

/// What an entry has beside its key and its target (P4Runtime specification 1.4, section 9.1). The default is an entry
/// that never becomes idle, without metadata, whose counter begins at zero and whose meter is not configured.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct EntryAttributes {
    /// The time in nanoseconds without a hit after which the control plane is notified; 0 for never. Only tables with
    /// [`crate::Table::has_idle_timeout`] have such entries.
    pub idle_timeout: u64,
    /// Bytes that only the control plane understands. They are read back as they were written.
    pub metadata: Vec<u8>,
    /// The value of the direct counter. With `None` it begins at zero when the entry is inserted, and stays when the
    /// entry is modified.
    pub count: Option<Count>,
    /// The rates of the direct meter. With `None` the meter is not configured, so that all packets are green.
    pub meter: Option<MeterRates>,
}

/// What is to be read of entries beside their keys, targets, idle timeouts and metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct EntryDetails {
    /// The values of direct counters.
    pub count: bool,
    /// The rates of direct meters.
    pub meter: bool,
    /// The times since the last hits. It is an error to ask for them if the table does not record them.
    pub time_since_hit: bool,
}

impl EntryDetails {
    /// No further details.
    pub const NONE: Self = Self { count: false, meter: false, time_since_hit: false };
}

/// An action of an action set with its share of the packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedAction {
    /// The action with its arguments.
    pub call: ActionCall,
    /// The weight, at least 1: the action is selected as if it were in the set this many times.
    pub weight: u32,
    /// The port that must be up for the action to be selected; with `None` it always can be.
    pub watch_port: Option<u32>,
}

/// The notification that an entry was not hit for as long as its idle timeout says (P4Runtime specification 1.4, section
/// 16.4). The entry stays. Another notification follows after another idle timeout without a hit, but not before this one
/// has been taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleEntry {
    /// The table.
    pub table: TableNumber,
    /// The pipe that holds the entry, if the table is written by pipe. Other entries are in all pipes, and no pipe has
    /// hit them.
    pub pipe: Option<u32>,
    /// The entry as it is now.
    pub entry: ReadEntry,
    /// The time at which the entry was found idle, by the clock of the device.
    pub at: basis::Instant,
}

impl IdleEntry {
    /// Returns the handle of the entry.
    pub fn handle(&self) -> EntryHandle {
        self.entry.handle
    }
}
