//! Runs the bodies of stages: a pipeline compiled to dense code over the values that travel with a packet.
//!
//! The interpreter of crate `ir` walks trees, which is right for a definition and slow for a machine that does
//! nothing else. Here every expression has become a few instructions on the slots of a *frame*: the packet's
//! variables first, then the program's constants, then room for intermediate values. Constants are copied into
//! each packet's frame once, so that no instruction asks where an operand lies.
//!
//! Tables are replicated: every pipeline finds in the same ones. A packet finds in those that were there when it
//! arrived, however late a stage looks: the number of their version travels in its frame, as the version bit of a
//! consistent update does on a chip (Reitblatt et al., "Abstractions for Network Update", SIGCOMM 2012).

use std::ops::Range;
use std::sync::Arc;

use basis::snapshot::{Loader, Saver, Unfit};
use ir::lookup::Found;
use ir::{RegisterId, TableId};
use runtime::State;

use crate::trace::Access;

mod asked;
mod checksum;
mod compile;
mod instruction;
mod lookup;
mod memory;
#[cfg(test)]
mod tests;

use checksum::Checksum;
pub(crate) use compile::compile;
use instruction::Instruction;
use lookup::{Lookup, Tables};
pub(crate) use memory::{Layout, Memory};

/// A place in a frame.
pub(crate) type Slot = u16;

/// What an instruction did beside computing a value.
#[derive(Debug)]
pub(crate) enum Seen<'s> {
    /// It read or wrote a register at an index, which now has this value.
    Register { register: RegisterId, index: usize, access: Access, value: u64 },
    /// It looked the words of a key up in a table.
    LookUp { table: TableId, words: Vec<u64>, found: Found<'s>, tables: &'s State },
}

/// The code of a pipeline.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    instructions: Vec<Instruction>,
    /// Where each stage's instructions end; they begin where the previous stage's end.
    ends: Vec<usize>,
    /// The frame of a packet before its fields are loaded.
    template: Vec<u64>,
    /// How many variables a packet has.
    variables: usize,
    /// The final value of each field, in the order of the program.
    finals: Vec<Slot>,
    layout: Layout,
    /// By number: what instructions say that need more than their slots.
    lookups: Vec<Lookup>,
    checksums: Vec<Checksum>,
    /// `None` if nothing is looked up.
    tables: Option<Tables>,
}

impl Code {
    /// How many slots a frame has.
    pub(crate) fn frame_length(&self) -> usize {
        self.template.len()
    }

    /// How many stages there are.
    pub(crate) fn depth(&self) -> usize {
        self.ends.len()
    }

    /// Makes a frame that of a new packet.
    #[inline]
    pub(crate) fn clear(&self, frame: &mut [u64]) {
        frame.copy_from_slice(&self.template);
    }

    /// The part of a frame that holds the program's variables.
    #[inline]
    pub(crate) fn variables<'f>(&self, frame: &'f mut [u64]) -> &'f mut [u64] {
        &mut frame[..self.variables]
    }

    /// How the registers lie in a memory.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Lets new packets find in other tables. `inside` are the frames of all packets that have one already: they go on
    /// with what they found when they came.
    ///
    /// Panics if the tables are those of another program.
    pub(crate) fn set_tables<'f>(&mut self, tables: &Arc<State>, inside: impl Iterator<Item = &'f [u64]>) {
        let Some(known) = &mut self.tables else { return };
        known.replace(Arc::clone(tables), inside);
        let (slot, version) = known.version();
        self.template[usize::from(slot)] = version;
    }

    /// Writes the tables down that packets find in.
    pub(crate) fn save_tables(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.tables.as_ref().map_or(Ok(()), |tables| tables.save(into))
    }

    /// Takes tables back; `like` is what all of them are alike.
    pub(crate) fn restore_tables(&mut self, from: &mut Loader<'_>, like: &State) -> Result<(), Unfit> {
        let Some(known) = &mut self.tables else { return Ok(()) };
        known.restore(from, like)?;
        let (slot, version) = known.version();
        self.template[usize::from(slot)] = version;
        Ok(())
    }

    /// The tables that the packet of a frame finds in; `None` if nothing is looked up.
    #[inline]
    pub(crate) fn tables_of(&self, frame: &[u64]) -> Option<&State> {
        self.tables.as_ref().map(|tables| tables.seen_by(frame))
    }

    /// Does the work of some stages, in order, on one packet.
    #[inline]
    pub(crate) fn execute(&self, stages: Range<usize>, frame: &mut [u64], memory: &mut Memory) {
        let end = |stage: usize| if stage == 0 { 0 } else { self.ends[stage - 1] };
        for instruction in &self.instructions[end(stages.start)..end(stages.end)] {
            instruction.execute(frame, memory, self);
        }
    }

    /// Does the work of one stage on one packet as [`Code::execute`] does, and tells what it accessed and looked up.
    #[cold]
    pub(crate) fn execute_observed(
        &self,
        stage: usize,
        frame: &mut [u64],
        memory: &mut Memory,
        saw: &mut dyn FnMut(Seen<'_>),
    ) {
        let end = |stage: usize| if stage == 0 { 0 } else { self.ends[stage - 1] };
        for instruction in &self.instructions[end(stage)..end(stage + 1)] {
            instruction.execute(frame, memory, self);
            if let Some(seen) = instruction.saw(frame, memory, self) {
                saw(seen);
            }
        }
    }

    /// Runs an instruction that few programs have: apart, so that the others stay small.
    #[inline(never)]
    fn look_up(&self, number: usize, frame: &mut [u64]) {
        if let Some(tables) = &self.tables {
            self.lookups[number].execute(frame, tables);
        }
    }

    /// The value of a checksum.
    #[inline(never)]
    fn checksum(&self, number: usize, frame: &[u64]) -> u64 {
        self.checksums[number].of(frame)
    }

    /// Writes the final values of the fields into `fields`. All are read before any could be overwritten, for a
    /// field's final value may be what another field came in with.
    pub(crate) fn finish(&self, frame: &[u64], fields: &mut Vec<u64>) {
        fields.clear();
        fields.extend(self.finals.iter().map(|&slot| frame[usize::from(slot)]));
    }
}
