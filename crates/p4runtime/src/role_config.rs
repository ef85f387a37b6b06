//! The configuration of a role (P4Runtime specification 1.4, section 5.2). The specification leaves the scheme open; this
//! is the one that Stratum has published, `stratum.P4RoleConfig` (stratum/public/proto/p4_role_config.proto).

use prost::Name;

use crate::message::google::protobuf::Any;
use crate::message::p4::v1::{PacketIn, PacketMetadata};

/// What a role may do, as a controller says when it claims the role.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4RoleConfig {
    /// The ids of the entities of the program that this role may write and read, and no other role.
    #[prost(uint32, repeated, tag = "1")]
    pub exclusive_p4_ids: Vec<u32>,
    /// The ids of the entities that this role may write and read, and others too.
    #[prost(uint32, repeated, tag = "2")]
    pub shared_p4_ids: Vec<u32>,
    /// The packet-ins that the role receives; `None` for all.
    #[prost(message, optional, tag = "3")]
    pub packet_in_filter: Option<PacketFilter>,
    /// Whether the role receives packet-ins at all.
    #[prost(bool, tag = "4")]
    pub receives_packet_ins: bool,
    /// Whether the role may set the pipeline.
    #[prost(bool, tag = "5")]
    pub can_push_pipeline: bool,
}

/// The packet-ins with this value of this metadata.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PacketFilter {
    /// The id of the metadata.
    #[prost(uint32, tag = "1")]
    pub metadata_id: u32,
    /// The value, as a canonical byte string.
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

impl Name for P4RoleConfig {
    const NAME: &'static str = "P4RoleConfig";
    const PACKAGE: &'static str = "stratum";
}

impl P4RoleConfig {
    /// Reads the configuration of a claim.
    ///
    /// # Errors
    /// Fails with what is wrong if it is of another scheme or malformed.
    pub fn read(config: &Any) -> Result<Self, String> {
        let unknown = || {
            format!(
                "this server knows no configuration of roles such as {}: use stratum.P4RoleConfig, or leave out `role.config`",
                config.type_url
            )
        };
        let read = config.unpack::<Self>().ok_or_else(unknown)?;
        read.map_err(|error| format!("the configuration of the role is malformed: {error}"))
    }

    /// Returns whether the role may write and read the entity with this id.
    pub fn has(&self, id: u32) -> bool {
        self.exclusive_p4_ids.contains(&id) || self.shared_p4_ids.contains(&id)
    }

    /// Returns whether the role receives a packet-in.
    pub fn receives(&self, packet: &PacketIn) -> bool {
        let passes = |filter: &PacketFilter| {
            let is_asked = |own: &PacketMetadata| own.metadata_id == filter.metadata_id && own.value == filter.value;
            packet.metadata.iter().any(is_asked)
        };
        self.receives_packet_ins && self.packet_in_filter.as_ref().is_none_or(passes)
    }
}
