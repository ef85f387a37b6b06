//! The configuration of the forwarding pipeline (P4Runtime specification 1.4, sections 14 and 15).

use super::Uint128;
use crate::message::p4::config::v1::P4Info;

/// A request to load a program.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SetForwardingPipelineConfigRequest {
    /// The device.
    #[prost(uint64, tag = "1")]
    pub device_id: u64,
    /// The number of the role. Deprecated: [`SetForwardingPipelineConfigRequest::role`] replaces it.
    #[prost(uint64, tag = "2")]
    pub role_id: u64,
    /// The name of the role; empty for the default role.
    #[prost(string, tag = "6")]
    pub role: String,
    /// The election id of the controller, which must be that of the role's primary.
    #[prost(message, optional, tag = "3")]
    pub election_id: Option<Uint128>,
    /// What is to be done with the configuration.
    #[prost(enumeration = "set_forwarding_pipeline_config_request::Action", tag = "4")]
    pub action: i32,
    /// The configuration; none for [`COMMIT`](set_forwarding_pipeline_config_request::Action::Commit).
    #[prost(message, optional, tag = "5")]
    pub config: Option<ForwardingPipelineConfig>,
}

/// The types inside of [`SetForwardingPipelineConfigRequest`].
pub mod set_forwarding_pipeline_config_request {
    /// What is to be done with a configuration.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum Action {
        /// Nothing; a request with this action is invalid.
        Unspecified = 0,
        /// Only verify that the target can have it.
        Verify = 1,
        /// Verify it and keep it for a later commit, while packets go on as they do.
        VerifyAndSave = 2,
        /// Verify and load it. The forwarding state is cleared.
        VerifyAndCommit = 3,
        /// Load the configuration that was saved. The forwarding state is cleared.
        Commit = 4,
        /// Verify and load it, and keep the forwarding state.
        ReconcileAndCommit = 5,
    }
}

/// The response after the configuration has been accepted.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SetForwardingPipelineConfigResponse {}

/// A program: how controllers see it, and how the device runs it.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ForwardingPipelineConfig {
    /// The entities of the program.
    #[prost(message, optional, tag = "1")]
    pub p4info: Option<P4Info>,
    /// The program for the device, in a form of the device's own.
    #[prost(bytes = "vec", tag = "2")]
    pub p4_device_config: Vec<u8>,
    /// A value of the controller, which tells configurations apart.
    #[prost(message, optional, tag = "3")]
    pub cookie: Option<forwarding_pipeline_config::Cookie>,
}

/// The types inside of [`ForwardingPipelineConfig`].
pub mod forwarding_pipeline_config {
    /// A value of the controller that tells configurations apart.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Cookie {
        /// The value.
        #[prost(uint64, tag = "1")]
        pub cookie: u64,
    }
}

/// A request for the configuration that the device has.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct GetForwardingPipelineConfigRequest {
    /// The device.
    #[prost(uint64, tag = "1")]
    pub device_id: u64,
    /// The parts that are wanted.
    #[prost(enumeration = "get_forwarding_pipeline_config_request::ResponseType", tag = "2")]
    pub response_type: i32,
}

/// The types inside of [`GetForwardingPipelineConfigRequest`].
pub mod get_forwarding_pipeline_config_request {
    /// The parts of a configuration.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum ResponseType {
        /// All parts.
        All = 0,
        /// Only the cookie.
        CookieOnly = 1,
        /// P4Info and cookie.
        P4infoAndCookie = 2,
        /// The device's form of the program and the cookie.
        DeviceConfigAndCookie = 3,
    }
}

/// The configuration that the device has.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct GetForwardingPipelineConfigResponse {
    /// The configuration.
    #[prost(message, optional, tag = "1")]
    pub config: Option<ForwardingPipelineConfig>,
}
