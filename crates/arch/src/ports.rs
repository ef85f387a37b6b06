//! Where packets go, and when they are dropped.

use ir::{Program, VariableId};
use runtime::arithmetic;

use crate::{Architecture, Value};

/// By what a program drops a packet. Ingress and egress say it in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drop {
    /// By sending it to the drop port: the greatest port that the destination can name, or another one that is chosen.
    Port,
    /// By a field that is not 0.
    Flag(&'static str),
}

/// How a program says that a packet is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// The packet is dropped if the destination is this port.
    Port(u64),
    /// The packet is dropped if this variable is not 0.
    Flag(VariableId),
}

/// The ports of a switch as a program can name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// The variable that says where a packet goes.
    pub destination: VariableId,
    /// When it is dropped instead.
    pub dropped: Dropped,
    /// How many ports the program can name both as that of arrival and as the destination.
    pub nameable: u32,
    /// How many ports there are unless somebody wants others: the last one is not among them if it drops packets.
    pub usable: u32,
}

impl Ports {
    /// A destination that does not drop a packet: the number after the drop port.
    pub fn after_drop_port(&self) -> u64 {
        match self.dropped {
            Dropped::Port(port) => port.wrapping_add(1),
            Dropped::Flag(_) => 0,
        }
    }
}

impl Architecture {
    /// The ports of a program, whose drop port may be another one than the greatest.
    ///
    /// # Errors
    /// What the program lacks, or that it cannot name the drop port.
    pub fn ports(&self, program: &Program, drop_port: Option<u64>) -> Result<Ports, String> {
        let field = self.destination;
        let destination = program.intrinsic(field);
        let destination =
            destination.ok_or_else(|| format!("the program has no `{field}`, by which it says where a packet goes"))?;
        let greatest = |id: VariableId| arithmetic::mask(program.variable(id).ty.width().min(64));
        let greatest_destination = greatest(destination);
        let dropped = match self.drop {
            Drop::Port => Dropped::Port(drop_port.unwrap_or(greatest_destination)),
            Drop::Flag(flag) => {
                let variable = program.intrinsic(flag);
                Dropped::Flag(
                    variable.ok_or_else(|| format!("the program has no `{flag}`, by which it drops packets"))?,
                )
            }
        };
        let chosen = drop_port.unwrap_or(0);
        if chosen > greatest_destination {
            return Err(format!("the drop port is {chosen}, and the greatest `{field}` {greatest_destination}"));
        }
        if drop_port.is_some() && matches!(dropped, Dropped::Flag(_)) {
            return Err(format!("the drop port is {chosen}, and {} has none", self.name));
        }
        // A port is a number of 16 bits, and the program must be able to name it both ways.
        let greatest_arrival = self.field(Value::ArrivalPort).and_then(|field| program.intrinsic(field));
        let greatest_arrival = greatest_arrival.map_or(u64::MAX, greatest);
        let nameable = greatest_destination.min(greatest_arrival).min(0xFFFF) as u32 + 1;
        // The drop port has nothing behind it.
        let usable = nameable - u32::from(dropped == Dropped::Port(u64::from(nameable) - 1));
        Ok(Ports { destination, dropped, nameable, usable })
    }
}
