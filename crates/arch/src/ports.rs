//! Destinations of packets, and how packets are dropped.

use ir::{Program, VariableId};
use runtime::arithmetic;

use crate::{Architecture, IntrinsicValue};

/// The mechanism by which programs of an architecture drop a packet, in ingress and in egress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drop {
    /// A packet is dropped by sending it to the drop port: the greatest port that the destination can name, unless
    /// another one is chosen.
    Port,
    /// A packet is dropped by setting this field to a value other than 0.
    Flag(&'static str),
}

/// The condition under which a packet of a program is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// The packet is dropped if the destination is this port.
    Port(u64),
    /// The packet is dropped if this variable is not 0.
    Flag(VariableId),
}

/// The ports of a switch, as far as a program can name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// The variable that holds the destination port.
    pub destination: VariableId,
    /// The condition under which the packet is dropped.
    pub dropped: Dropped,
    /// The number of ports that the program can name both as arrival port and as destination.
    pub nameable: u32,
    /// The number of ports of the switch, unless the user asks for another number. The drop port is not counted if it
    /// is the last nameable one.
    pub usable: u32,
}

impl Ports {
    /// Returns a destination that does not drop the packet: the number after the drop port.
    pub fn after_drop_port(&self) -> u64 {
        match self.dropped {
            Dropped::Port(port) => port.wrapping_add(1),
            Dropped::Flag(_) => 0,
        }
    }
}

impl Architecture {
    /// Returns the ports of a program. `drop_port` overrides the greatest port as the drop port.
    ///
    /// # Errors
    /// If the program lacks a field that it needs, or cannot name the drop port.
    pub fn ports(&self, program: &Program, drop_port: Option<u64>) -> Result<Ports, String> {
        let field = self.destination;
        let destination = program.intrinsic(field);
        let destination = destination
            .ok_or_else(|| format!("the program has no field `{field}`, which names the destination of a packet"))?;
        let greatest = |id: VariableId| arithmetic::mask(program.variable(id).ty.width().min(64));
        let greatest_destination = greatest(destination);
        let dropped = match self.drop {
            Drop::Port => Dropped::Port(drop_port.unwrap_or(greatest_destination)),
            Drop::Flag(flag) => {
                let variable = program.intrinsic(flag);
                Dropped::Flag(
                    variable.ok_or_else(|| format!("the program has no field `{flag}`, which drops packets"))?,
                )
            }
        };
        let chosen = drop_port.unwrap_or(0);
        if chosen > greatest_destination {
            return Err(format!(
                "the drop port {chosen} is out of range: the greatest `{field}` is {greatest_destination}"
            ));
        }
        if drop_port.is_some() && matches!(dropped, Dropped::Flag(_)) {
            return Err(format!("the drop port {chosen} has no effect: {} has no drop port", self.name));
        }
        // A port number has 16 bits, and the program must be able to name it as arrival port and as destination.
        let greatest_arrival = self.field(IntrinsicValue::ArrivalPort).and_then(|field| program.intrinsic(field));
        let greatest_arrival = greatest_arrival.map_or(u64::MAX, greatest);
        let nameable = greatest_destination.min(greatest_arrival).min(0xFFFF) as u32 + 1;
        // Nothing is attached to the drop port.
        let usable = nameable - u32::from(dropped == Dropped::Port(u64::from(nameable) - 1));
        Ok(Ports { destination, dropped, nameable, usable })
    }
}
