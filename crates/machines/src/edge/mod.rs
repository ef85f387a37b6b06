//! The edges of a pipeline: how packets become fields before the first stage, and how fields become packets after the
//! last.

mod binding;
mod carry;
mod counted;
mod entry_counts;
mod intrinsics;
mod program;

use std::fmt::Debug;
use std::sync::Arc;

use basis::Instant;
use basis::snapshot::{Loader, Saver, Unfit};
pub use entry_counts::EntryCounts;
use ir::{Program, TableId};
pub use program::ProgramEdge;
use runtime::binding::Departure;
use runtime::tables::EntryHandle;
use runtime::{Count, ProgramState};
use wire::Packet;

use crate::trace::Recorder;

/// The two ends of a pipeline, which convert packets to the fields of a program and back.
///
/// [`runtime::binding::Binding`] is an edge for programs without headers, which binds fields by name. [`ProgramEdge`]
/// is an edge that consists of a parser and a deparser. An edge keeps nothing for a packet between the two conversions
/// except its fields and its bytes.
pub trait Edge: Debug + Send {
    /// Reads the fields of a packet that arrives at `now` on `port` into the beginning of `values`, which must be all
    /// 0, and tells `recorder`, if any, what the parser did. Returns false if the program does not apply to the packet;
    /// `values` is then unspecified.
    fn load(
        &mut self,
        packet: &Packet,
        port: u16,
        now: Instant,
        values: &mut [u64],
        recorder: Option<&mut Recorder>,
    ) -> bool;

    /// Writes the final values of the fields back into a packet to which the program applies, tells `recorder`, if any,
    /// what the deparser did, and returns what becomes of the packet. `tables` are the tables that the packet was
    /// looked up in, if the program has any.
    fn store(
        &mut self,
        fields: &[u64],
        packet: &mut Packet,
        tables: Option<&ProgramState>,
        recorder: Option<&mut Recorder>,
    ) -> Departure;

    /// Returns the program of parser and deparser, and the state that they access; `None` if there are none.
    fn blocks(&self) -> Option<(&Program, &ProgramState)> {
        None
    }

    /// Returns the number of ports, numbered from 0, if the program cannot name any others.
    fn ports(&self) -> Option<u32> {
        None
    }

    /// Replaces the tables after the control plane has changed them; packets that arrive later are parsed accordingly.
    fn set_tables(&mut self, tables: &Arc<ProgramState>) {
        let _ = tables;
    }

    /// Saves the counts of table entries. Tables are not saved; they are set again after restoring.
    ///
    /// # Errors
    /// Fails if a count cannot be saved.
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        let _ = into;
        Ok(())
    }

    /// Restores the counts of table entries.
    ///
    /// # Errors
    /// Fails if the bytes are not the state of such an edge.
    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        let _ = from;
        Ok(())
    }

    /// Returns the counts of table entries, one element for each table with a direct counter.
    fn counted(&self) -> &[EntryCounts] {
        &[]
    }

    /// Sets the count of an entry, if its table has a direct counter.
    fn set_counted(&mut self, table: TableId, entry: EntryHandle, count: Count) {
        let _ = (table, entry, count);
    }
}

impl<E: Edge + 'static> From<E> for Box<dyn Edge> {
    fn from(edge: E) -> Self {
        Box::new(edge)
    }
}
