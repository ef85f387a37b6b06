//! The slots of a switch, and who its workers are.

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use control::{Info, MatchField};
use node::Counter;
use runtime::ProgramState;
use runtime::tables::{FieldMatch, MatchKind, TableEntry, Target};
use serde::{Deserialize, Serialize};
use wire::{Packet, switchml};

use super::SwitchMlDefect;
use crate::aggregator::info::{add_action, add_register, add_table};
use crate::aggregator::{Protocol, Verdict};

/// The table that says who contributes to a job.
const WORKERS: &str = "workers";
/// The most values that a packet has.
pub(super) const MOST_VALUES: usize = 256;

/// The parameters of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchMlParameters {
    /// The number of slots, at most [`switchml::MOST_SLOTS`].
    pub slots: u32,
    /// A rule to break, for tests.
    pub defect: Option<SwitchMlDefect>,
}

impl Default for SwitchMlParameters {
    /// 512 slots, as the paper has.
    fn default() -> Self {
        Self { slots: 512, defect: None }
    }
}

/// One set of a slot. It is empty if its bitmap is 0.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The part of the job's tensors whose sum it has.
    pub part: u32,
    /// One bit for each worker that has contributed.
    pub bitmap: u32,
    /// The number of workers that have contributed.
    pub count: u8,
    pub values: [i32; MOST_VALUES],
}

impl Place {
    const EMPTY: Self = Self { part: 0, bitmap: 0, count: 0, values: [0; MOST_VALUES] };
}

/// A worker as the control plane has entered it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worker {
    /// The addresses of the worker and of the switch, and the job.
    key: (u32, u32, u8),
    /// Its bit.
    pub bitmap: u32,
    /// The number of workers of its job.
    pub workers: u8,
    /// The address of all workers of its job.
    pub group: u32,
}

/// The counters of the switch.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Totals {
    /// Contributions that were added and went no further.
    pub added: u64,
    /// Sums that were complete.
    pub sums: u64,
    /// Sums that were sent again to one worker.
    pub sums_again: u64,
    /// Contributions that were part of a sum that is not complete.
    pub duplicates: u64,
    /// Contributions to parts whose sums all workers have.
    pub late: u64,
}

/// The switch of SwitchML, by [`super`].
#[derive(Clone, Debug)]
pub struct SwitchMlSwitch {
    pub(super) parameters: SwitchMlParameters,
    /// Both sets of the first slot, then of the next.
    pub(super) places: Vec<Place>,
    pub(super) totals: Totals,
    /// The workers by their keys; from the table `workers`.
    workers: Vec<Worker>,
}

impl SwitchMlSwitch {
    /// Creates a switch whose slots are all empty.
    ///
    /// # Panics
    /// If there are more slots than a packet can name.
    pub fn new(parameters: SwitchMlParameters) -> Self {
        assert!(parameters.slots <= switchml::MOST_SLOTS, "the number of a slot has 14 bits");
        let places = vec![Place::EMPTY; 2 * parameters.slots as usize];
        Self { parameters, places, totals: Totals::default(), workers: Vec::new() }
    }

    /// Returns the worker of a job with an address, among those that send to an address of the switch.
    pub(super) fn worker(&self, source: u32, destination: u32, job: u8) -> Option<Worker> {
        let key = (source, destination, job);
        self.workers.binary_search_by_key(&key, |worker| worker.key).ok().map(|at| self.workers[at])
    }
}

impl Worker {
    fn of(entry: &TableEntry) -> Option<Self> {
        // Numbers have at most the width of their field.
        let exact = |field: &FieldMatch| match field {
            FieldMatch::Exact(value) => Some(value.limbs()[0] as u32),
            _ => None,
        };
        let [source, destination, job] = entry.key.as_slice() else { return None };
        let Target::Action { action: 1, data } = &entry.target else { return None };
        let [bitmap, workers, group] = data.as_slice() else { return None };
        Some(Self {
            key: (exact(source)?, exact(destination)?, exact(job)? as u8),
            bitmap: bitmap.limbs()[0] as u32,
            workers: workers.limbs()[0] as u8,
            group: group.limbs()[0] as u32,
        })
    }
}

/// The registers in front of those of the values.
const REGISTERS: [(&str, u32); 3] = [("part", 32), ("bitmap", 32), ("count", 8)];

impl Protocol for SwitchMlSwitch {
    fn describe(&self, info: &mut Info) {
        let pass = add_action(info, "pass", &[]);
        let contribute = add_action(info, "contribute", &[("bitmap", 32), ("workers", 8), ("group", 32)]);
        let fields = [("hdr.ipv4.source", 32), ("hdr.ipv4.destination", 32), ("hdr.switchml.job", 8)];
        let fields = fields.map(|(name, width)| MatchField::new(name, width, MatchKind::Exact));
        add_table(info, WORKERS, fields, [pass, contribute], &[]);
        let size = self.places.len();
        REGISTERS.iter().for_each(|&(name, width)| add_register(info, name, width, size));
        (0..MOST_VALUES).for_each(|value| add_register(info, format!("value_{value}"), 32, size));
    }

    fn set_up(&mut self, info: &Info, state: &ProgramState) {
        let table = state.tables[info.table_named(WORKERS).expect("described").index()].matches();
        self.workers = table.entries().filter_map(|(_, entry)| Worker::of(entry)).collect();
        self.workers.sort_unstable_by_key(|worker| worker.key);
    }

    /// Contributions are addressed to the switch, to which no route has to lead.
    fn receive(&mut self, _now: Instant, packet: &mut Packet, _has_route: bool) -> Verdict {
        self.handle(packet)
    }

    fn read(&self, register: usize, index: usize) -> u64 {
        let place = &self.places[index];
        match register {
            0 => place.part.into(),
            1 => place.bitmap.into(),
            2 => place.count.into(),
            // The bits of a negative number.
            _ => (place.values[register - REGISTERS.len()] as u32).into(),
        }
    }

    fn write(&mut self, register: usize, index: usize, value: u64) {
        let place = &mut self.places[index];
        // Values have at most the width of their array.
        match register {
            0 => place.part = value as u32,
            1 => place.bitmap = value as u32,
            2 => place.count = value as u8,
            _ => place.values[register - REGISTERS.len()] = value as u32 as i32,
        }
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        let Totals { added, sums, sums_again, duplicates, late } = self.totals;
        for (name, value) in [
            ("switchml_added", added),
            ("switchml_sums", sums),
            ("switchml_sums_again", sums_again),
            ("switchml_duplicates", duplicates),
            ("switchml_late", late),
        ] {
            tell(Counter { name, port: None, value });
        }
    }
}

/// Saves the places that are not empty, by their indices.
impl Snapshot for SwitchMlSwitch {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&self.totals)?;
        let used = || (0u32..).zip(&self.places).filter(|(_, place)| place.bitmap != 0);
        into.put(&used().count())?;
        for (index, place) in used() {
            into.put(&(index, place.part, place.bitmap, place.count))?;
            into.put(&place.values[..])?;
        }
        Ok(())
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.totals = from.take()?;
        self.places.fill(Place::EMPTY);
        for _ in 0..from.take::<usize>()? {
            let (index, part, bitmap, count): (u32, u32, u32, u8) = from.take()?;
            let values: Vec<i32> = from.take()?;
            let values = values.try_into().map_err(|_| Unfit("a slot has another number of values".to_owned()))?;
            let place = self.places.get_mut(index as usize);
            *place.ok_or_else(|| Unfit("the switch had more slots".to_owned()))? =
                Place { part, bitmap, count, values };
        }
        Ok(())
    }
}
