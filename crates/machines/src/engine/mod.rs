//! Execution of stage bodies: a pipeline compiled to dense code over the values that travel with a packet.
//!
//! The interpreter of the crate `ir` walks expression trees, which is appropriate for a definition but slow for a
//! machine. Here every expression becomes a few instructions on the slots of a *frame*, which holds the packet's
//! variables, then the program's constants, then temporaries. Constants are copied into each packet's frame once, so
//! that no instruction has to distinguish kinds of operands.
//!
//! Tables are replicated: all pipelines use the same ones. A packet uses the tables that were current when it arrived,
//! however late a stage looks it up: the number of their version travels in its frame, like the version bit of a
//! consistent update on a chip (Reitblatt et al., "Abstractions for Network Update", SIGCOMM 2012).

use std::ops::Range;
use std::sync::Arc;

use basis::snapshot::{Loader, Saver, Unfit};
use ir::lookup::Found;
use ir::{RegisterId, TableId};
use runtime::ProgramState;

use crate::trace::Access;

mod asked;
mod checksum;
mod compile;
mod instruction;
mod lookup;
mod machine_code;
mod memory;
mod shorten;
#[cfg(test)]
mod tests;

use checksum::Checksum;
pub(crate) use compile::compile;
use compile::{Draft, Operand};
pub use instruction::{Instruction, Leave, Operation};
use lookup::{Lookup, Tables};
use machine_code::Execution;
pub use machine_code::{CompiledStages, StageCode, StageCompiler};
pub(crate) use memory::{Layout, Memory};

/// An index into a frame, or a small number in its place.
pub type Slot = u16;

/// A side effect of an instruction, for observers.
#[derive(Debug)]
pub(crate) enum Seen<'s> {
    /// A register was read or written at an index, and now has this value.
    Register { register: RegisterId, index: usize, access: Access, value: u64 },
    /// The words of a key were looked up in a table.
    LookUp { table: TableId, words: Vec<u64>, found: Found<'s>, tables: &'s ProgramState },
}

/// The compiled code of a pipeline.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    body: Body,
    /// The instructions as the stages have them, for observers, who see every variable.
    whole: Body,
    leaves: Vec<Leave>,
    execution: Execution,
    /// The frame of a packet before its fields are loaded.
    template: Vec<u64>,
    /// The number of variables of a packet.
    variables: usize,
    /// The number of fields, which are the first variables.
    fields: usize,
    /// The slots that get the values of others at the end, in order: in this way each field gets its final value.
    exports: Vec<(Slot, Slot)>,
    layout: Layout,
    /// The details of look-ups and checksums, by the numbers in their instructions.
    lookups: Vec<Lookup>,
    checksums: Vec<Checksum>,
    /// The tables; `None` if there are no look-ups.
    tables: Option<Tables>,
}

/// The instructions of all stages.
#[derive(Clone, Debug)]
struct Body {
    instructions: Vec<Instruction>,
    /// The beginning of each stage's instructions, which end where those of the next stage begin, and the end of all.
    starts: Vec<usize>,
    /// The number of stages before each stage that do anything, and of all that do.
    busy: Vec<usize>,
}

impl Body {
    fn of(stages: &[Vec<Draft>], place: impl Fn(Operand) -> Slot) -> Self {
        let mut body = Self { instructions: Vec::new(), starts: vec![0], busy: vec![0] };
        let mut busy = 0;
        for stage in stages {
            body.instructions.extend(stage.iter().map(|draft| draft.place(&place)));
            body.starts.push(body.instructions.len());
            busy += usize::from(!stage.is_empty());
            body.busy.push(busy);
        }
        body
    }

    /// Returns the numbers that the stages which do anything have among all that do.
    #[inline]
    fn busy_of(&self, stages: Range<usize>) -> Range<usize> {
        self.busy[stages.start]..self.busy[stages.end]
    }

    #[inline]
    fn of_stages(&self, stages: Range<usize>) -> &[Instruction] {
        &self.instructions[self.starts[stages.start]..self.starts[stages.end]]
    }
}

impl Code {
    /// Returns the number of slots of a frame.
    pub(crate) fn frame_length(&self) -> usize {
        self.template.len()
    }

    /// Returns the number of stages.
    pub(crate) fn depth(&self) -> usize {
        self.body.starts.len() - 1
    }

    /// Initialises a frame for a new packet.
    #[inline]
    pub(crate) fn clear(&self, frame: &mut [u64]) {
        frame.copy_from_slice(&self.template);
    }

    /// Returns the part of a frame that holds the program's variables.
    #[inline]
    pub(crate) fn variables<'f>(&self, frame: &'f mut [u64]) -> &'f mut [u64] {
        &mut frame[..self.variables]
    }

    /// Returns the layout of the registers in memory.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Replaces the tables for new packets. `inside` are the frames of all packets that already have one; these
    /// continue to use the tables of their arrival.
    ///
    /// # Panics
    /// Panics if the tables are those of another program.
    pub(crate) fn set_tables<'f>(&mut self, tables: &Arc<ProgramState>, inside: impl Iterator<Item = &'f [u64]>) {
        let Some(known) = &mut self.tables else { return };
        known.replace(Arc::clone(tables), inside);
        let (slot, version) = known.version();
        self.template[usize::from(slot)] = version;
    }

    /// Saves all versions of the tables that are in use.
    pub(crate) fn save_tables(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.tables.as_ref().map_or(Ok(()), |tables| tables.save(into))
    }

    /// Restores the tables; `like` is a state with tables of the same shape.
    pub(crate) fn restore_tables(&mut self, from: &mut Loader<'_>, like: &ProgramState) -> Result<(), Unfit> {
        let Some(known) = &mut self.tables else { return Ok(()) };
        known.restore(from, like)?;
        let (slot, version) = known.version();
        self.template[usize::from(slot)] = version;
        Ok(())
    }

    /// Returns the tables that the packet of a frame uses, or `None` if there are no look-ups.
    #[inline]
    pub(crate) fn tables_of(&self, frame: &[u64]) -> Option<&ProgramState> {
        self.tables.as_ref().map(|tables| tables.seen_by(frame))
    }

    /// Returns true if there is anything to execute in some stages.
    #[inline]
    pub(crate) fn computes(&self, stages: Range<usize>) -> bool {
        !self.body.busy_of(stages).is_empty()
    }

    /// Executes instructions one by one.
    #[inline(never)]
    fn run(&self, body: &[Instruction], frame: &mut [u64], memory: &mut Memory) {
        let mut place = 0;
        let mut rest = body.iter();
        while let Some(instruction) = rest.next() {
            let left = instruction.execute(frame, memory, self, &mut place);
            if left > 0 {
                rest.nth(left - 1);
            }
        }
    }

    /// Executes one stage on one packet as [`Code::execute`] does, sets all of its variables, and reports its accesses and
    /// look-ups to `saw`.
    #[cold]
    pub(crate) fn execute_observed(
        &self,
        stage: usize,
        frame: &mut [u64],
        memory: &mut Memory,
        saw: &mut dyn FnMut(Seen<'_>),
    ) {
        let mut place = 0;
        for instruction in self.whole.of_stages(stage..stage + 1) {
            instruction.execute(frame, memory, self, &mut place);
            if let Some(seen) = instruction.saw(frame, memory, self) {
                saw(seen);
            }
        }
    }

    /// Executes a look-up. It is kept out of line because few programs have look-ups and the others should stay small.
    #[inline(never)]
    fn look_up(&self, number: usize, frame: &mut [u64]) {
        if let Some(tables) = &self.tables {
            self.lookups[number].execute(frame, tables);
        }
    }

    /// Computes a checksum.
    #[inline(never)]
    fn checksum(&self, number: usize, frame: &[u64]) -> u64 {
        self.checksums[number].of(frame)
    }

    /// Writes the final values of the fields to their slots, in place of those that the packet arrived with.
    #[inline]
    pub(crate) fn finish(&self, frame: &mut [u64]) {
        for &(to, from) in &self.exports {
            frame[usize::from(to)] = frame[usize::from(from)];
        }
    }

    /// Returns the part of a frame that holds the fields.
    #[inline]
    pub(crate) fn fields<'f>(&self, frame: &'f [u64]) -> &'f [u64] {
        &frame[..self.fields]
    }
}
