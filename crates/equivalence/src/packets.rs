//! The meaning of packet programs: the switch that they were written for, and beside it the flat program, which says
//! what a machine sees of them.

use std::sync::Arc;

use ir::interpret::PacketInterpreter;
use machines::edge::ProgramEdge;
use machines::v1model::Switch;
use machines::{Edge, Unsuitable};
use passes::flatten::{CounterPart, Flattened, RegisterPart};

use crate::original::{Held, Original};
use crate::reference::Reference;

impl<'p> Reference<'p> {
    /// What packets become on `switch`, which runs the program that `flattened` was made of and whose control plane
    /// has written what it wants to. Registers and counters of the switch are as the program begins.
    ///
    /// Fate, bytes, registers and counters are those of the switch; fields are those of the flat program, with the
    /// same tables.
    ///
    /// # Errors
    /// Why what was flattened has no edges.
    pub fn of_packets(flattened: &'p Flattened, switch: Switch<PacketInterpreter>) -> Result<Self, Unsuitable> {
        let mut edge = ProgramEdge::new(flattened)?;
        let tables = Arc::new(switch.state().clone());
        edge.set_tables(&tables);
        let counting = flattened.direct_counters.iter().map(|direct| (direct.table, direct.counter)).collect();
        let original = Original::new(switch, held(flattened), counting);
        let mut reference = Self::of(&flattened.flat, Box::new(edge), Some(original));
        reference.set_tables(&tables);
        Ok(reference)
    }
}

/// What each register of the flat program stands for.
fn held(flattened: &Flattened) -> Vec<Held> {
    let mut held = vec![Held::Nothing; flattened.flat.registers.len()];
    for &RegisterPart { original, register, low, width } in &flattened.registers {
        held[register.index()] = Held::Register { original, low, width };
    }
    for &CounterPart { counter, packets, bytes } in &flattened.counters {
        for (register, kind) in [(packets, Held::Packets(counter)), (bytes, Held::Bytes(counter))] {
            if let Some(register) = register {
                held[register.index()] = kind;
            }
        }
    }
    held
}
