//! One copy of a packet in the traffic manager, and where it goes.

use super::item::{Item, Side};
use super::switch::Tofino;
use crate::blocks::Executor;

/// Where a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) port: u32,
    /// The replication id.
    pub(super) replica: u32,
    /// Whether it is the first copy of its multicast group.
    pub(super) is_first: bool,
    /// The class of service, if it is not that of the packet.
    pub(super) class_of_service: Option<u8>,
}

impl Target {
    /// Returns a port that a program or a session names.
    pub(super) fn to(port: u32) -> Self {
        Self { port, replica: 0, is_first: false, class_of_service: None }
    }

    /// Returns the item for this copy.
    pub(super) fn item(self, packet: wire::Packet, side: Side) -> Item {
        let class_of_service = self.class_of_service.unwrap_or(side.class_of_service);
        let side = Side { replica: self.replica, is_first_replica: self.is_first, class_of_service, ..side };
        Item { packet, side }
    }
}

impl<E: Executor> Tofino<E> {
    /// Returns the copy for the CPU with a class of service.
    pub(super) fn to_cpu(&self, class_of_service: u8) -> Target {
        Target { class_of_service: Some(class_of_service), ..Target::to(self.settings.cpu_port.into()) }
    }
}
