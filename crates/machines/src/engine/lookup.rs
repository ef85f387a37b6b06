//! Look-ups of the dense code: one look-up produces everything that a stage needs from the same keys.

use std::collections::VecDeque;
use std::sync::Arc;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use ir::{LookupResult, Program, TableId, lookup};
use runtime::ProgramState;

use super::{Seen, Slot};

/// All look-ups of one stage in one table with the same keys.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    pub(super) table: TableId,
    /// The slots of the words of the keys, in the form of [`ir::Lookup::keys`].
    pub(super) keys: Box<[Slot]>,
    /// The results that are needed, and the slots they go to.
    pub(super) asked: Box<[(LookupResult, Slot)]>,
}

/// The tables that the look-ups of one machine use.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// The program, which declares the tables and their keys.
    program: Arc<Program>,
    /// The versions of the tables that packets inside may still use, oldest first; the last one is current.
    versions: VecDeque<Arc<ProgramState>>,
    /// The number of the oldest version.
    first: u64,
    /// The slot in a packet's frame that holds the number of its version.
    version: Slot,
    /// The first of the slots that hold the words of a key during a look-up.
    room: Slot,
}

impl Lookup {
    /// Performs the look-up and writes all results.
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
    /// Repeats the look-up for the keys of a frame, for observers.
    pub(super) fn saw<'t>(&self, frame: &[u64], tables: &'t Tables) -> Option<Seen<'t>> {
        let words: Vec<u64> = self.keys.iter().map(|&key| frame[usize::from(key)]).collect();
        let state = tables.seen_by(frame);
        let found = lookup::find(&tables.program, state, self.table, &words);
        Some(Seen::LookUp { table: self.table, words, found, tables: state })
    }
}

impl Tables {
    /// Creates the tables with the program's initial entries.
    pub(super) fn new(program: &Program, version: Slot, room: Slot) -> Self {
        let initial = Arc::new(program.initial_state_without_registers());
        Self { program: Arc::new(program.clone()), versions: VecDeque::from([initial]), first: 0, version, room }
    }

    /// Returns the slot that holds the version number of a packet, and the number for the next packet.
    pub(super) fn version(&self) -> (Slot, u64) {
        (self.version, self.first + self.versions.len() as u64 - 1)
    }

    /// Replaces the tables for packets that arrive from now on. `inside` are the frames of the packets that arrived
    /// before.
    ///
    /// # Panics
    /// Panics if the tables are those of another program.
    pub(super) fn replace<'f>(&mut self, tables: Arc<ProgramState>, inside: impl Iterator<Item = &'f [u64]>) {
        let counts = |state: &ProgramState| (state.tables.len(), state.profiles.len());
        assert_eq!(counts(&tables), counts(&self.versions[0]), "the tables are those of the program");
        self.versions.push_back(tables);
        let (slot, latest) = self.version();
        let oldest = inside.map(|frame| frame[usize::from(slot)]).min().unwrap_or(latest);
        self.versions.drain(..(oldest - self.first) as usize);
        self.first = oldest;
    }

    /// Saves all versions of the tables that are in use.
    pub(super) fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&self.first)?;
        into.put(&self.versions.len())?;
        self.versions.iter().try_for_each(|tables| tables.save(into))
    }

    /// Restores all versions of the tables; `like` is a state with tables of the same shape.
    pub(super) fn restore(&mut self, from: &mut Loader<'_>, like: &ProgramState) -> Result<(), Unfit> {
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

    /// Returns the tables that the packet of a frame uses.
    pub(super) fn seen_by(&self, frame: &[u64]) -> &ProgramState {
        &self.versions[(frame[usize::from(self.version)] - self.first) as usize]
    }
}
