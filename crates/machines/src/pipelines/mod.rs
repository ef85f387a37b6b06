//! What machines with pipelines share: the contract of the pipelines themselves, and the device around them, which has the
//! control plane.

mod described;
mod device;
pub mod events;
mod original;
mod tracer;

use std::fmt::Debug;
use std::sync::Arc;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
pub use described::control_plane_of;
pub use device::Pipelined;
use ir::RegisterId;
use node::Node;
use passes::flatten::Flattened;
use runtime::{RegisterFile, State};
pub(crate) use tracer::At;
pub use tracer::Tracer;

use crate::edge::Edge;
use crate::timeline::Timeline;
use crate::{Statistics, Stuck};

/// The pipelines of a machine: they run a flat program, whose registers they hold and whose tables they are given.
pub trait Pipelines: Node + Snapshot + Debug {
    /// Where fields come from and what becomes of them.
    fn edge(&self) -> &dyn Edge;

    /// The same, to change what it has counted.
    fn edge_mut(&mut self) -> &mut dyn Edge;

    /// The values of the flat program's registers now, as one logical machine would show them.
    fn registers(&self) -> RegisterFile;

    /// The value of one of them at an index, which is inside.
    fn value(&self, register: RegisterId, index: usize) -> u64;

    /// Changes the value of a register at an index, which is inside.
    fn set_value(&mut self, register: RegisterId, index: usize, value: u64);

    /// What the control plane has written: packets that arrive from now on find in these tables; those inside go on
    /// with what was there when they came. Of the state only what the control plane alone writes means anything here:
    /// tables, profiles, value sets.
    ///
    /// # Panics
    /// If the tables are not those of the program.
    fn set_tables(&mut self, tables: &Arc<State>);

    /// Writes down the tables that packets find in: those of now, and those that packets inside came with.
    ///
    /// # Errors
    /// What cannot be written down.
    fn save_tables(&self, into: &mut Saver) -> Result<(), Unfit>;

    /// Takes those tables back; `like` is what all of them are alike.
    ///
    /// # Errors
    /// What was read is none of them.
    fn restore_tables(&mut self, from: &mut Loader<'_>, like: &State) -> Result<(), Unfit>;

    /// What they have done so far.
    fn statistics(&self) -> Statistics;

    /// The packets that are inside, in order of arrival, and what each waits for; none if the pipelines do not say.
    fn stuck(&self) -> Vec<Stuck> {
        Vec::new()
    }

    /// Where they keep what writes down the ways of packets; `None` in it if nobody asked.
    fn tracer(&mut self) -> &mut Option<Box<Tracer>>;

    /// True if somebody asked for the ways of packets, or for a timeline.
    fn is_recorded(&self) -> bool;

    /// Records from now on what is where in each of the next `cycles` cycles in which anything is anywhere.
    fn record_timeline(&mut self, cycles: u64);

    /// What was recorded, if anything was to be.
    fn timeline(&self) -> Option<&Timeline>;
}

/// The registers of a flat program, as they must be where the program that it was made of has this state.
pub fn flat_registers(flattened: &Flattened, state: &State) -> RegisterFile {
    let mut registers = flattened.flat.initial_state().registers;
    original::Original::of(flattened).store_all(state, &mut registers);
    registers
}
