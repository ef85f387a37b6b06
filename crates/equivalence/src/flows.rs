//! What makes packets one flow.

use ir::VariableId;
use node::Offered;
use wire::FiveTuple;

/// Which packets belong to one flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Flows {
    /// Those of one 5-tuple; those that have none, of one ingress port.
    #[default]
    FiveTuple,
    /// Those that arrive with the same values of these fields; those that the program does not apply to, as
    /// [`Flows::FiveTuple`] says.
    Fields(Vec<VariableId>),
    /// Those of one ingress port.
    IngressPort,
}

/// One flow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Flow {
    FiveTuple(FiveTuple),
    Fields(Box<[u64]>),
    Port(u16),
}

impl Flows {
    /// The flow of a packet that arrives with these values of its fields, if the program applies to it.
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
