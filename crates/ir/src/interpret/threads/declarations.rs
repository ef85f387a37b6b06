//! What a program of threads consists of beside its instructions, prepared for its threads.

use std::sync::Arc;

use runtime::memory::{MemoryMap, SharedMemory};
use runtime::records::{RecordLayout, RecordTable};

use crate::threads::{Contents, RecordTableId, intrinsics};
use crate::{Initial, Program, Threads, VariableId};

/// The greatest number of instructions that a thread executes, unless somebody says otherwise. A thread that needs more
/// presumably never ends.
pub const INSTRUCTIONS: u64 = 1 << 20;

/// What a program of threads consists of beside its instructions: its memories, tables and variables, and where its threads
/// begin. Whatever executes its instructions ([`super::Instructions`]) shares it. The program is one that
/// [`crate::verify::program`] accepts; threads of any other program may panic.
#[derive(Clone, Debug)]
pub struct Declarations {
    program: Arc<Program>,
    /// The greatest number of instructions that a thread executes.
    pub limit: u64,
    pub(super) map: MemoryMap,
    /// The segment of each table of records.
    pub(super) records: Vec<RecordSegment>,
    /// The first contents of a thread's local memory.
    pub(super) local_memory: Vec<u8>,
    /// The variables of the intrinsics, in the order of [`intrinsics::ALL`].
    pub(super) intrinsics: [Option<VariableId>; intrinsics::ALL.len()],
}

/// The place of the records of a table in shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordSegment {
    pub layout: RecordLayout,
    pub capacity: u64,
}

impl Declarations {
    /// Prepares a program.
    ///
    /// # Panics
    /// If the program has no threads.
    pub fn new(program: Arc<Program>) -> Self {
        let threads = program.threads.as_ref().expect("a program of threads");
        let records = threads.records.iter().map(|table| RecordSegment {
            layout: RecordLayout {
                first: threads.segments[table.segment.index()].address,
                record_bytes: table.record_bytes.into(),
            },
            capacity: threads.capacity(table),
        });
        let mut local_memory = vec![0; threads.local_memory.bytes as usize];
        let words = local_memory.chunks_exact_mut(8);
        match &threads.local_memory.initial {
            Initial::Fill(fill) => words.for_each(|word| word.copy_from_slice(&fill.to_be_bytes())),
            Initial::List(values) => {
                words.zip(values).for_each(|(word, value)| word.copy_from_slice(&value.to_be_bytes()));
            }
        }
        Self {
            limit: INSTRUCTIONS,
            map: threads.initial_memory_map(),
            records: records.collect(),
            local_memory,
            intrinsics: intrinsics::ALL.map(|name| program.intrinsic(name)),
            program,
        }
    }

    /// Returns the program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Returns the threads of the program.
    #[inline]
    pub fn threads(&self) -> &Threads {
        self.program.threads.as_ref().expect("a program of threads, as `new` demands")
    }

    /// Returns the address of a record.
    pub fn record_address(&self, records: RecordTableId, place: u32) -> u64 {
        self.records[records.index()].layout.address(place)
    }
}

impl Threads {
    /// Returns what segments of shared memory there are.
    pub fn initial_memory_map(&self) -> MemoryMap {
        let mut map = MemoryMap::default();
        for segment in &self.segments {
            let policers = match segment.contents {
                Contents::Policers(meter) => Some(meter.index()),
                Contents::Words(_) => None,
            };
            map.add(segment.address, segment.bytes, policers);
        }
        map
    }

    /// Creates shared memory with its first contents.
    pub fn initial_memory(&self) -> SharedMemory {
        let mut memory = SharedMemory::default();
        for segment in &self.segments {
            match &segment.contents {
                Contents::Policers(meter) => memory.add_policers(segment.address, segment.bytes, meter.index()),
                Contents::Words(Initial::Fill(fill)) => memory.add_words(segment.address, segment.bytes, *fill, &[]),
                Contents::Words(Initial::List(words)) => memory.add_words(segment.address, segment.bytes, 0, words),
            }
        }
        memory
    }

    /// Creates the tables of records, which are empty at first.
    pub fn initial_records(&self) -> Vec<RecordTable> {
        // `verify` allows at most 2^24 records.
        let capacity = |table| u32::try_from(self.capacity(table)).unwrap_or(u32::MAX);
        self.records.iter().map(|table| RecordTable::new(table.key_bytes as usize, capacity(table))).collect()
    }
}
