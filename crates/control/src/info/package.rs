//! The description of a program, and the headers of packets that it exchanges with a controller.

use super::{Annotation, Identity, Parameter};

/// The documentation of an entity (P4Runtime specification 1.4, section 6.1.1), from `@brief` and `@description`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Documentation {
    /// A sentence; empty if there is none.
    pub brief: String,
    /// A longer description; empty if there is none.
    pub description: String,
}

/// The description of a program in `@pkginfo` (P4Runtime specification 1.4, section 6.2). Missing entries are empty.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Package {
    /// The name of the program.
    pub name: String,
    /// The version.
    pub version: String,
    /// The documentation.
    pub documentation: Documentation,
    /// The other annotations, as written in the program.
    pub annotations: Vec<Annotation>,
    /// The organization that wrote the program.
    pub organization: String,
    /// The contact for questions.
    pub contact: String,
    /// The address of further information.
    pub url: String,
    /// The requirements on the platform, if there are any.
    pub platform: Option<PlatformProperties>,
}

/// The requirements on a platform, from `@platform_property` (p4info.proto, `PlatformProperties`); 0 leaves a value to
/// the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PlatformProperties {
    /// The number of multicast groups.
    pub multicast_groups: u32,
    /// The maximum number of replicas in all multicast groups together.
    pub multicast_replicas: u32,
    /// The maximum number of replicas in one multicast group.
    pub multicast_replicas_of_a_group: u32,
}

/// A header of packets between controller and switch (P4Runtime specification 1.4, section 6.4.6), from
/// `@controller_header`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerHeader {
    /// The identity of the header. Its name is `packet_in` on packets to the controller, and `packet_out` on packets
    /// from it.
    pub identity: Identity,
    /// The name of the header's type in the program, from which the id is derived.
    pub type_name: String,
    /// The fields that the control plane sees, in the order in which they are transmitted.
    pub fields: Vec<Parameter>,
    /// The place of the first bit of each of these fields in the header. Fields with `@hidden` lie between them.
    pub places: Vec<u32>,
    /// The width of the whole header in bits, with its hidden fields.
    pub width: u32,
}

/// The widths, in bits, of the numbers used for packet replication. Larger numbers are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplicationWidths {
    /// The width of ports.
    pub port: u32,
    /// The width of replica ids, which distinguish the copies of a packet.
    pub instance: u32,
    /// The width of multicast group numbers.
    pub group: u32,
    /// The width of the field by which a program chooses a queue; 0 if the architecture has none.
    pub class_of_service: u32,
}

impl Default for ReplicationWidths {
    /// Returns the widths of P4Runtime.
    fn default() -> Self {
        Self { port: 32, instance: 32, group: 32, class_of_service: 0 }
    }
}
