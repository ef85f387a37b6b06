//! Definitions of flows.

use ir::VariableId;
use node::Offered;
use wire::FiveTuple;

/// The definition of a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Flows {
    /// The packets with the same 5-tuple; packets without one form a flow for each ingress port.
    #[default]
    FiveTuple,
    /// The packets that arrive with the same values of these fields. Packets to which the program does not apply are
    /// classified as by [`Flows::FiveTuple`].
    Fields(Vec<VariableId>),
    /// The packets of one ingress port.
    IngressPort,
}

/// The identity of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Flow {
    FiveTuple(FiveTuple),
    Fields(Box<[u64]>),
    Port(u16),
}

impl Flows {
    /// Returns the flow of a packet, given the values of its fields on arrival if the program applies to it.
    pub(crate) fn of(&self, offered: &Offered, arrived: Option<&[u64]>) -> Flow {
        match (self, arrived) {
            (Self::Fields(fields), Some(arrived)) => {
                Flow::Fields(fields.iter().map(|field| arrived.get(field.index()).copied().unwrap_or(0)).collect())
            }
            (Self::IngressPort, _) => Flow::Port(offered.port.0),
            _ => FiveTuple::of(&offered.packet).map_or(Flow::Port(offered.port.0), Flow::FiveTuple),
        }
    }
}
