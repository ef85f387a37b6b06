//! The meaning of packet programs: the switch that they were written for, and beside it the flat program, which says
//! what a machine sees of them.

use ir::interpret::PacketInterpreter;
use machines::edge::ProgramEdge;
use machines::pipelines::flat_registers;
use machines::v1model::Switch;
use machines::{Device, Unsuitable};
use passes::flatten::Flattened;
use runtime::State;

use crate::original::Original;
use crate::reference::Reference;

impl<'p> Reference<'p> {
    /// What packets become on `switch`, which runs the program that `flattened` was made of and whose control plane
    /// has written what it wants to.
    ///
    /// Fate, bytes, registers and counters are those of the switch; fields are those of the flat program, with the
    /// same tables.
    ///
    /// # Errors
    /// Why what was flattened has no edges.
    pub fn of_packets(flattened: &'p Flattened, switch: Switch<PacketInterpreter>) -> Result<Self, Unsuitable> {
        let edge = Box::new(ProgramEdge::new(flattened)?);
        let state = switch.state();
        let begun = State { registers: flat_registers(flattened, &state), ..state.into_owned() };
        Ok(Self::of_both(&flattened.flat, edge, Original::new(switch), begun))
    }
}
