//! References of packet programs: the switch for which they were written, and the flat program, which determines the
//! fields that a machine reports.

use std::sync::Arc;

use ir::Program;
use machines::edge::ProgramEdge;
use machines::pipelines::flat_registers;
use machines::{Device, Unsuitable};
use passes::flatten::Flattened;
use runtime::ProgramState;

use crate::original::Original;
use crate::reference::Reference;

impl<'p> Reference<'p> {
    /// Creates the reference of a packet program. `switch` runs the program from which `flattened` was derived, and its
    /// control plane must already have made all initial requests.
    ///
    /// The switch determines fates, bytes, registers and counters; the flat program, with the same tables, determines
    /// the fields.
    ///
    /// # Errors
    /// Returns the reason if the flattened program is not suitable for an edge.
    pub fn of_packets(
        flattened: &'p Flattened,
        program: &Arc<Program>,
        switch: Box<dyn Device>,
    ) -> Result<Self, Unsuitable> {
        let edge = Box::new(ProgramEdge::new(flattened)?);
        let state = switch.state();
        let begun = ProgramState { registers: flat_registers(flattened, &state), ..state.into_owned() };
        Ok(Self::of_both(&flattened.flat, edge, Original::new(Arc::clone(program), switch), begun))
    }
}
