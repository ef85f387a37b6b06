//! Where fields come from and what becomes of them: what lies before the first stage of a pipeline and behind the last.

mod binding;
mod bytes;
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
use runtime::{Count, State};
use wire::Packet;

use crate::trace::Recorder;

/// The two ends of a pipeline: from a packet to the fields of a program, and back.
///
/// [`runtime::binding::Binding`] is one, for programs that say nothing of headers: fields by their names.
/// [`ProgramEdge`] is the other: a parser and a deparser. Nothing is kept for a packet between the two but its fields
/// and its bytes.
pub trait Edge: Debug + Send {
    /// Reads the fields of a packet that arrives at `now` on `port` into the first places of `values`, which are all 0, and
    /// tells `recorder`, if there is one, what a parser did. False if the program does not apply to it; then `values` is
    /// not meaningful.
    fn load(
        &mut self,
        packet: &Packet,
        port: u16,
        now: Instant,
        values: &mut [u64],
        recorder: Option<&mut Recorder>,
    ) -> bool;

    /// Writes the final values of the fields back into a packet to which the program applies, tells `recorder`, if there is
    /// one, what a deparser did, and says what becomes of the packet. `tables` are those that it found in, if the program
    /// has any.
    fn store(
        &mut self,
        fields: &[u64],
        packet: &mut Packet,
        tables: Option<&State>,
        recorder: Option<&mut Recorder>,
    ) -> Departure;

    /// The program of the parser and the deparser, with what they see beside packets; `None` if there are none.
    fn blocks(&self) -> Option<(&Program, &State)> {
        None
    }

    /// How many ports there are, from 0, if the program can name no others.
    fn ports(&self) -> Option<u32> {
        None
    }

    /// The control plane has written something: packets that arrive from now on are read as it says.
    fn set_tables(&mut self, tables: &Arc<State>) {
        let _ = tables;
    }

    /// Writes down what it has counted; tables are given to it again.
    ///
    /// # Errors
    /// What cannot be written down.
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        let _ = into;
        Ok(())
    }

    /// Takes back what it had counted.
    ///
    /// # Errors
    /// What was read is no state of such an edge.
    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        let _ = from;
        Ok(())
    }

    /// What the entries of tables have counted, by table that counts.
    fn counted(&self) -> &[EntryCounts] {
        &[]
    }

    /// Changes what an entry of a table has counted, if its table counts.
    fn set_counted(&mut self, table: TableId, entry: EntryHandle, count: Count) {
        let _ = (table, entry, count);
    }
}

impl<E: Edge + 'static> From<E> for Box<dyn Edge> {
    fn from(edge: E) -> Self {
        Box::new(edge)
    }
}
