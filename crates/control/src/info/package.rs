//! What a program says of itself, and what it exchanges with a controller in packets.

use super::{Annotation, Identity, Parameter};

/// What something is for (P4Runtime specification 1.4, section 6.1.1), from `@brief` and `@description`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Documentation {
    /// A sentence; empty if nobody wrote one.
    pub brief: String,
    /// More; empty if nobody wrote it.
    pub description: String,
}

/// What a program says of itself in `@pkginfo` (P4Runtime specification 1.4, section 6.2); what it does not say is empty.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Package {
    /// What it is called.
    pub name: String,
    /// Which version it is.
    pub version: String,
    /// What it is for.
    pub documentation: Documentation,
    /// Its other annotations, as they stand in the program.
    pub annotations: Vec<Annotation>,
    /// Who made it.
    pub organization: String,
    /// Whom to ask.
    pub contact: String,
    /// Where to read more.
    pub url: String,
    /// What it needs of a platform, if it says so.
    pub platform: Option<PlatformProperties>,
}

/// What a program needs of a platform, from `@platform_property` (p4info.proto, `PlatformProperties`); 0 is what it
/// leaves to the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PlatformProperties {
    /// How many multicast groups there can be.
    pub multicast_groups: u32,
    /// How many replicas all multicast groups together have at most.
    pub multicast_replicas: u32,
    /// How many replicas one multicast group has at most.
    pub multicast_replicas_of_a_group: u32,
}

/// A header in front of packets between controller and switch (P4Runtime specification 1.4, section 6.4.6), from
/// `@controller_header`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerHeader {
    /// What it is called: `packet_in` on packets to the controller, `packet_out` on packets from it.
    pub identity: Identity,
    /// The name of its type in the program, which its id comes from.
    pub type_name: String,
    /// Its fields in the order of the wire.
    pub fields: Vec<Parameter>,
}

/// How many bits the numbers have that tell a switch to copy packets. Wider ones are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplicationWidths {
    /// Those of ports.
    pub port: u32,
    /// Those that tell the copies of a packet apart.
    pub instance: u32,
    /// Those of multicast groups.
    pub group: u32,
}

impl Default for ReplicationWidths {
    /// Those of P4Runtime.
    fn default() -> Self {
        Self { port: 32, instance: 32, group: 32 }
    }
}
