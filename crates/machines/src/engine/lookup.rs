//! Look-ups of the dense code: a table is asked once, and says all that a stage wants to know of its keys.

use std::collections::VecDeque;
use std::sync::Arc;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use ir::{LookupResult, Program, TableId, lookup};
use runtime::State;

use super::{Seen, Slot};

/// All look-ups of one table with the same keys in one stage.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    pub(super) table: TableId,
    /// Where the words of the keys are, as [`ir::Lookup::keys`] has them.
    pub(super) keys: Box<[Slot]>,
    /// What is asked, and where the answers go.
    pub(super) asked: Box<[(LookupResult, Slot)]>,
}

/// The tables that the look-ups of one machine find in.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// Which tables there are, of what keys.
    program: Arc<Program>,
    /// What the control plane wrote: as it is now, last, and as packets still see it that came before.
    versions: VecDeque<Arc<State>>,
    /// The number of the first version.
    first: u64,
    /// Where a packet's frame has the number of the version that it sees.
    version: Slot,
    /// Where a frame has room for the words of a key.
    room: Slot,
}

impl Lookup {
    /// Finds once, and writes all answers.
    pub(super) fn execute(&self, frame: &mut [u64], tables: &Tables) {
        let room = usize::from(tables.room);
        for (place, &key) in (room..).zip(&self.keys) {
            frame[place] = frame[usize::from(key)];
        }
        let words = &frame[room..room + self.keys.len()];
        let found = lookup::find(&tables.program, tables.seen_by(frame), self.table, words);
        for &(result, slot) in &self.asked {
            frame[usize::from(slot)] = found.answer(result).low();
        }
    }
}

impl Lookup {
    /// What the table said of the keys of a frame.
    pub(super) fn saw<'t>(&self, frame: &[u64], tables: &'t Tables) -> Option<Seen<'t>> {
        let words: Vec<u64> = self.keys.iter().map(|&key| frame[usize::from(key)]).collect();
        let state = tables.seen_by(frame);
        let found = lookup::find(&tables.program, state, self.table, &words);
        Some(Seen::LookUp { table: self.table, words, found, tables: state })
    }
}

impl Tables {
    /// The tables as a program has them before anybody writes any.
    pub(super) fn new(program: &Program, version: Slot, room: Slot) -> Self {
        let initial = Arc::new(program.initial_state_without_registers());
        Self { program: Arc::new(program.clone()), versions: VecDeque::from([initial]), first: 0, version, room }
    }

    /// Where a packet's frame has the number of the version that it sees, and what it is for the next packet.
    pub(super) fn version(&self) -> (Slot, u64) {
        (self.version, self.first + self.versions.len() as u64 - 1)
    }

    /// Lets the packets that come from now on find in other tables. `inside` are the frames of those that came before.
    ///
    /// Panics if the tables are those of another program.
    pub(super) fn replace<'f>(&mut self, tables: Arc<State>, inside: impl Iterator<Item = &'f [u64]>) {
        let counts = |state: &State| (state.tables.len(), state.profiles.len());
        assert_eq!(counts(&tables), counts(&self.versions[0]), "the tables are those of the program");
        self.versions.push_back(tables);
        let (slot, latest) = self.version();
        let oldest = inside.map(|frame| frame[usize::from(slot)]).min().unwrap_or(latest);
        self.versions.drain(..(oldest - self.first) as usize);
        self.first = oldest;
    }

    /// Writes down what packets find in.
    pub(super) fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&self.first)?;
        into.put(&self.versions.len())?;
        self.versions.iter().try_for_each(|tables| tables.save(into))
    }

    /// Takes back what packets find in.
    pub(super) fn restore(&mut self, from: &mut Loader<'_>, like: &State) -> Result<(), Unfit> {
        self.first = from.take()?;
        let versions: usize = from.take()?;
        self.versions.clear();
        for _ in 0..versions {
            let mut tables = like.clone();
            tables.restore(from)?;
            self.versions.push_back(Arc::new(tables));
        }
        if versions > 0 { Ok(()) } else { Err(Unfit("the state has no tables for packets that arrive".to_owned())) }
    }

    /// The tables that the packet of a frame finds in.
    pub(super) fn seen_by(&self, frame: &[u64]) -> &State {
        &self.versions[(frame[usize::from(self.version)] - self.first) as usize]
    }
}
