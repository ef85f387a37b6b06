//! The aggregators of a switch (figure 6).

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use control::{Info, MatchField};
use node::Counter;
use runtime::tables::{MatchKind, Target, TargetWords};
use runtime::{Bits, ProgramState};
use serde::{Deserialize, Serialize};
use wire::{Packet, atp};

use super::Defect;
use crate::aggregator::info::{add_action, add_register, add_table};
use crate::aggregator::{Protocol, Verdict};

/// The table that says at which level the switch serves a job.
const JOBS: &str = "jobs";
/// The table without a key that says when an aggregator is too old.
const AGEING: &str = "ageing";

/// The largest number of aggregators, which an index of 16 bits can name.
pub const MOST_AGGREGATORS: u32 = 1 << 16;

/// The parameters of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtpSwitchParameters {
    /// The number of aggregators, at most [`MOST_AGGREGATORS`]; a switch without any forwards all packets as they are.
    pub aggregators: u32,
    /// A rule to break, for tests.
    pub defect: Option<Defect>,
}

impl Default for AtpSwitchParameters {
    fn default() -> Self {
        Self { aggregators: MOST_AGGREGATORS, defect: None }
    }
}

/// An aggregator. One whose identifier is 0 is free; its values stay as they were, and all else is zero.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// The job and the sequence number of the fragment.
    pub identifier: u32,
    /// One bit for each sender whose values are part of the sum.
    pub bitmap: u32,
    /// The time of the last packet of the fragment, by [`ticks`].
    pub updated: u32,
    /// The number of packets whose values are part of the sum.
    pub counter: u8,
    /// Whether a packet that is part of the sum has met congestion.
    pub ecn: bool,
    pub values: [i32; atp::VALUES],
}

impl Slot {
    const NEVER_USED: Self =
        Self { identifier: 0, bitmap: 0, updated: 0, counter: 0, ecn: false, values: [0; atp::VALUES] };

    pub fn free(&mut self) {
        (self.identifier, self.bitmap, self.updated, self.counter, self.ecn) = (0, 0, 0, 0, false);
    }
}

/// The counters of the switch.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Totals {
    /// Packets for which an aggregator was taken.
    pub allocated: u64,
    /// Packets whose values were added to an aggregator.
    pub added: u64,
    /// Sums that went on complete.
    pub complete: u64,
    /// Sums that went on in part with a packet that was sent again.
    pub partial: u64,
    /// Sums that the second edge switch discarded for a packet that was sent again.
    pub abandoned: u64,
    /// Packets that met an aggregator of another fragment.
    pub collisions: u64,
    /// Packets whose values were part of the sum already.
    pub duplicates: u64,
    /// Aggregators that a parameter packet of their fragment freed.
    pub freed: u64,
    /// Aggregators that were freed for their age.
    pub aged: u64,
}

/// The switch of ATP, by [`super`].
#[derive(Clone, Debug)]
pub struct AtpSwitch {
    pub(super) parameters: AtpSwitchParameters,
    pub(super) slots: Vec<Slot>,
    pub(super) totals: Totals,
    /// The level at which the switch serves each job, from 0 on; from the table `jobs`.
    pub(super) levels: [Option<u8>; 256],
    /// The age in ticks beyond which an aggregator is freed by any parameter packet; from the table `ageing`.
    pub(super) age: u32,
}

impl AtpSwitch {
    /// Creates a switch whose aggregators are all free.
    ///
    /// # Panics
    /// If a parameter is out of range.
    pub fn new(parameters: AtpSwitchParameters) -> Self {
        assert!(parameters.aggregators <= MOST_AGGREGATORS, "an aggregator index has 16 bits");
        let slots = vec![Slot::NEVER_USED; parameters.aggregators as usize];
        Self { parameters, slots, totals: Totals::default(), levels: [None; 256], age: NEVER }
    }

    /// Returns the number of aggregators that are not free.
    pub fn in_use(&self) -> usize {
        self.slots.iter().filter(|slot| slot.identifier != 0).count()
    }
}

/// Returns the time as a switch takes it for ages: in units of 1,024 nanoseconds, modulo 2^32.
pub(super) fn ticks(now: Instant) -> u32 {
    ((now.picoseconds() / 1000) >> 10) as u32
}

/// The age that no aggregator reaches unless nothing happens for 36 minutes.
const NEVER: u32 = i32::MAX as u32;

/// The registers in front of those of the values.
const REGISTERS: [(&str, u32); 5] = [("identifier", 32), ("bitmap", 32), ("counter", 8), ("ecn", 1), ("updated", 32)];

impl Protocol for AtpSwitch {
    fn describe(&self, info: &mut Info) {
        let pass = add_action(info, "pass", &[]);
        let aggregate = add_action(info, "aggregate", &[("level", 3)]);
        let set_age = add_action(info, "set_age", &[("age", 32)]);
        add_table(info, JOBS, [MatchField::new("hdr.atp.job", 8, MatchKind::Exact)], [pass, aggregate], &[]);
        add_table(info, AGEING, [], [set_age], &[Bits::Narrow(NEVER.into())]);
        let size = self.slots.len();
        REGISTERS.iter().for_each(|&(name, width)| add_register(info, name, width, size));
        (0..atp::VALUES).for_each(|value| add_register(info, format!("value_{value}"), 32, size));
    }

    fn set_up(&mut self, info: &Info, state: &ProgramState) {
        let table = |name| &state.tables[info.table_named(name).expect("described").index()];
        for (job, level) in (0..).zip(&mut self.levels) {
            *level = match table(JOBS).lookup_target(&[job]).1 {
                TargetWords::Action(words) if words.action() == 1 => words.words().first().map(|&level| level as u8),
                _ => None,
            };
        }
        if let Target::Action { data, .. } = table(AGEING).default_target() {
            // The parameter has 32 bits.
            self.age = data[0].limbs()[0] as u32;
        }
    }

    fn receive(&mut self, now: Instant, packet: &mut Packet, has_route: bool) -> Verdict {
        if has_route { self.handle(now, packet) } else { Verdict::Forward }
    }

    fn read(&self, register: usize, index: usize) -> u64 {
        let slot = &self.slots[index];
        match register {
            0 => slot.identifier.into(),
            1 => slot.bitmap.into(),
            2 => slot.counter.into(),
            3 => slot.ecn.into(),
            4 => slot.updated.into(),
            // The bits of a negative number.
            _ => (slot.values[register - REGISTERS.len()] as u32).into(),
        }
    }

    fn write(&mut self, register: usize, index: usize, value: u64) {
        let slot = &mut self.slots[index];
        // Values have at most the width of their array.
        match register {
            0 => slot.identifier = value as u32,
            1 => slot.bitmap = value as u32,
            2 => slot.counter = value as u8,
            3 => slot.ecn = value != 0,
            4 => slot.updated = value as u32,
            _ => slot.values[register - REGISTERS.len()] = value as u32 as i32,
        }
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        let Totals { allocated, added, complete, partial, abandoned, collisions, duplicates, freed, aged } =
            self.totals;
        for (name, value) in [
            ("atp_allocated", allocated),
            ("atp_added", added),
            ("atp_complete_sums", complete),
            ("atp_partial_sums", partial),
            ("atp_abandoned_sums", abandoned),
            ("atp_collisions", collisions),
            ("atp_duplicates", duplicates),
            ("atp_freed", freed),
            ("atp_aged", aged),
        ] {
            tell(Counter { name, port: None, value });
        }
    }
}

/// Saves the aggregators that are not free, by their indices.
impl Snapshot for AtpSwitch {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&self.totals)?;
        into.put(&self.in_use())?;
        for (index, slot) in (0u32..).zip(&self.slots).filter(|(_, slot)| slot.identifier != 0) {
            into.put(&(index, slot.identifier, slot.bitmap, slot.updated, slot.counter, slot.ecn))?;
            into.put(&slot.values[..])?;
        }
        Ok(())
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.totals = from.take()?;
        self.slots.fill(Slot::NEVER_USED);
        for _ in 0..from.take::<usize>()? {
            let (index, identifier, bitmap, updated, counter, ecn): (u32, u32, u32, u32, u8, bool) = from.take()?;
            let values: Vec<i32> = from.take()?;
            let values =
                values.try_into().map_err(|_| Unfit("an aggregator has another number of values".to_owned()))?;
            let slot = self.slots.get_mut(index as usize);
            *slot.ok_or_else(|| Unfit("the switch had more aggregators".to_owned()))? =
                Slot { identifier, bitmap, updated, counter, ecn, values };
        }
        Ok(())
    }
}
