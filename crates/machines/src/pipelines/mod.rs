//! The common parts of machines with pipelines: the contract of the pipelines themselves, and the device around them
//! with its control plane.

mod device;
pub mod events;
mod original;
mod tracer;

use std::fmt::Debug;
use std::sync::Arc;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
pub use device::Pipelined;
use ir::RegisterId;
use node::Node;
use passes::flatten::Flattened;
use runtime::{ProgramState, RegisterFile};
pub(crate) use tracer::At;
pub use tracer::Tracer;

use crate::edge::Edge;
use crate::stages::StageCompiler;
use crate::timeline::Timeline;
use crate::{Statistics, Stuck};

/// The pipelines of a machine. They run a flat program, hold its registers, and look packets up in the tables that they
/// are given.
pub trait Pipelines: Node + Snapshot + Debug {
    /// Returns the edge, which converts packets to fields and back.
    fn edge(&self) -> &dyn Edge;

    /// Returns the edge for changing its counters.
    fn edge_mut(&mut self) -> &mut dyn Edge;

    /// Returns the current values of the flat program's registers, as one logical machine would hold them.
    fn registers(&self) -> RegisterFile;

    /// Returns the value of a register at an index, which must be in bounds.
    fn value(&self, register: RegisterId, index: usize) -> u64;

    /// Sets the value of a register at an index, which must be in bounds.
    fn set_value(&mut self, register: RegisterId, index: usize, value: u64);

    /// Replaces the tables for packets that arrive from now on; packets inside continue with the tables of their
    /// arrival. Only the parts of the state that the control plane alone writes are used: tables, profiles and value
    /// sets.
    ///
    /// # Panics
    /// Panics if the tables are not those of the program.
    fn set_tables(&mut self, tables: &Arc<ProgramState>);

    /// Saves the current tables and the earlier versions that packets inside still use.
    ///
    /// # Errors
    /// Fails if a table cannot be saved.
    fn save_tables(&self, into: &mut Saver) -> Result<(), Unfit>;

    /// Restores the tables saved by [`Pipelines::save_tables`]; `like` is a state with tables of the same shape.
    ///
    /// # Errors
    /// Fails if the bytes are not such tables.
    fn restore_tables(&mut self, from: &mut Loader<'_>, like: &ProgramState) -> Result<(), Unfit>;

    /// Returns counters of what the pipelines have done so far.
    fn statistics(&self) -> Statistics;

    /// Returns the packets inside in order of arrival, and what each one waits for; empty if the pipelines cannot tell.
    fn stuck(&self) -> Vec<Stuck> {
        Vec::new()
    }

    /// Returns the place of the tracer, which is `None` unless traces are recorded.
    fn tracer(&mut self) -> &mut Option<Box<Tracer>>;

    /// Compiles the stages to machine code.
    fn compile_stages(&mut self, compiler: &dyn StageCompiler);

    /// Returns true if traces or a timeline are recorded.
    fn is_recorded(&self) -> bool;

    /// Starts recording the contents of all stages in each of the next `cycles` cycles in which any packet is inside.
    fn record_timeline(&mut self, cycles: u64);

    /// Returns the recorded timeline, if one was requested.
    fn timeline(&self) -> Option<&Timeline>;
}

/// Returns the registers that a flat program has when the program it was made from has the state `state`.
pub fn flat_registers(flattened: &Flattened, state: &ProgramState) -> RegisterFile {
    let mut registers = flattened.flat.initial_state().registers;
    original::Original::of(flattened).store_all(state, &mut registers);
    registers
}
