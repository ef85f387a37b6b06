//! The messages of `StreamChannel`: arbitration, packets, digests and notifications (P4Runtime specification 1.4,
//! section 16).

use super::{P4Data, TableEntry, Uint128};
use crate::message::google::protobuf::Any;
use crate::message::google::rpc::Status;

/// A message from a controller.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct StreamMessageRequest {
    /// The message by its kind.
    #[prost(oneof = "stream_message_request::Update", tags = "1, 2, 3, 4")]
    pub update: Option<stream_message_request::Update>,
}

/// The types inside of [`StreamMessageRequest`].
pub mod stream_message_request {
    use crate::message::google::protobuf::Any;
    use crate::message::p4::v1::{DigestListAck, MasterArbitrationUpdate, PacketOut};

    /// The message by its kind.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum Update {
        /// Asks to be a controller of a device, with an election id.
        #[prost(message, tag = "1")]
        Arbitration(MasterArbitrationUpdate),
        /// A packet that the switch is to handle.
        #[prost(message, tag = "2")]
        Packet(PacketOut),
        /// Acknowledges a list of digests.
        #[prost(message, tag = "3")]
        DigestAck(DigestListAck),
        /// A message of an architecture's own.
        #[prost(message, tag = "4")]
        Other(Any),
    }
}

/// A packet from a controller to the switch.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PacketOut {
    /// The packet, without the header that the metadata stand for.
    #[prost(bytes = "vec", tag = "1")]
    pub payload: Vec<u8>,
    /// The fields of the header `packet_out`.
    #[prost(message, repeated, tag = "2")]
    pub metadata: Vec<PacketMetadata>,
}

/// The acknowledgement of a list of digests.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DigestListAck {
    /// The kind of digest.
    #[prost(uint32, tag = "1")]
    pub digest_id: u32,
    /// The number of the list.
    #[prost(uint64, tag = "2")]
    pub list_id: u64,
}

/// A message to a controller.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct StreamMessageResponse {
    /// The message by its kind.
    #[prost(oneof = "stream_message_response::Update", tags = "1, 2, 3, 4, 5, 6")]
    pub update: Option<stream_message_response::Update>,
}

/// The types inside of [`StreamMessageResponse`].
pub mod stream_message_response {
    use crate::message::google::protobuf::Any;
    use crate::message::p4::v1::{DigestList, IdleTimeoutNotification, MasterArbitrationUpdate, PacketIn, StreamError};

    /// The message by its kind.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum Update {
        /// Who the primary is.
        #[prost(message, tag = "1")]
        Arbitration(MasterArbitrationUpdate),
        /// A packet from the switch.
        #[prost(message, tag = "2")]
        Packet(PacketIn),
        /// A list of digests.
        #[prost(message, tag = "3")]
        Digest(DigestList),
        /// Entries that were not hit for their idle timeout.
        #[prost(message, tag = "4")]
        IdleTimeoutNotification(IdleTimeoutNotification),
        /// A message of an architecture's own.
        #[prost(message, tag = "5")]
        Other(Any),
        /// A message of the controller that could not be carried out.
        #[prost(message, tag = "6")]
        Error(StreamError),
    }
}

/// A packet from the switch to a controller.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PacketIn {
    /// The packet, without the header that the metadata stand for.
    #[prost(bytes = "vec", tag = "1")]
    pub payload: Vec<u8>,
    /// The fields of the header `packet_in`.
    #[prost(message, repeated, tag = "2")]
    pub metadata: Vec<PacketMetadata>,
}

/// A list of digests of one kind.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DigestList {
    /// The kind of digest.
    #[prost(uint32, tag = "1")]
    pub digest_id: u32,
    /// The number of the list, by which it is acknowledged.
    #[prost(uint64, tag = "2")]
    pub list_id: u64,
    /// The digests, oldest first.
    #[prost(message, repeated, tag = "3")]
    pub data: Vec<P4Data>,
    /// The time at which the switch made the list, in nanoseconds since an epoch of its own.
    #[prost(int64, tag = "4")]
    pub timestamp: i64,
}

/// A field of a header between controller and switch.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PacketMetadata {
    /// The field.
    #[prost(uint32, tag = "1")]
    pub metadata_id: u32,
    /// The value.
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

/// A controller's claim to be the primary of a role, and the switch's answer (section 5).
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct MasterArbitrationUpdate {
    /// The device.
    #[prost(uint64, tag = "1")]
    pub device_id: u64,
    /// The role; none for the default role, which sees everything.
    #[prost(message, optional, tag = "2")]
    pub role: Option<Role>,
    /// The election id of the controller, or of the primary in an answer. The largest makes the primary.
    #[prost(message, optional, tag = "3")]
    pub election_id: Option<Uint128>,
    /// In an answer, code 0 tells the primary that it is, and others whether there is one.
    #[prost(message, optional, tag = "4")]
    pub status: Option<Status>,
}

/// A role of controllers, which may write some of the entities (section 5).
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Role {
    /// The number of the role. Deprecated: [`Role::name`] replaces it.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// The name of the role.
    #[prost(string, tag = "3")]
    pub name: String,
    /// What the role may do, in a message that controllers and switch have agreed on.
    #[prost(message, optional, tag = "2")]
    pub config: Option<Any>,
}

/// Entries that were not hit for their idle timeout (section 9.1.8).
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct IdleTimeoutNotification {
    /// The entries, by table, key and priority, with their metadata and timeout.
    #[prost(message, repeated, tag = "1")]
    pub table_entry: Vec<TableEntry>,
    /// The time of the notification, in nanoseconds since an epoch of the switch's own.
    #[prost(int64, tag = "2")]
    pub timestamp: i64,
}

/// The reason why a message of the controller could not be carried out.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct StreamError {
    /// A code of gRPC.
    #[prost(int32, tag = "1")]
    pub canonical_code: i32,
    /// A message for people.
    #[prost(string, tag = "2")]
    pub message: String,
    /// The name of the space of [`StreamError::code`], such as the name of a vendor.
    #[prost(string, tag = "3")]
    pub space: String,
    /// A code of that space.
    #[prost(int32, tag = "4")]
    pub code: i32,
    /// The message concerned.
    #[prost(oneof = "stream_error::Details", tags = "5, 6, 7")]
    pub details: Option<stream_error::Details>,
}

/// The types inside of [`StreamError`].
pub mod stream_error {
    use crate::message::p4::v1::{DigestListAckError, PacketOutError, StreamOtherError};

    /// The message concerned.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum Details {
        /// A packet.
        #[prost(message, tag = "5")]
        PacketOut(PacketOutError),
        /// An acknowledgement of digests.
        #[prost(message, tag = "6")]
        DigestListAck(DigestListAckError),
        /// A message of an architecture's own.
        #[prost(message, tag = "7")]
        Other(StreamOtherError),
    }
}

/// A packet that was not handled.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PacketOutError {
    /// The packet. A server may leave it out.
    #[prost(message, optional, tag = "1")]
    pub packet_out: Option<PacketOut>,
}

/// An acknowledgement that was not expected.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DigestListAckError {
    /// The acknowledgement.
    #[prost(message, optional, tag = "1")]
    pub digest_list_ack: Option<DigestListAck>,
}

/// A message of an architecture's own that was not handled.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct StreamOtherError {
    /// The message.
    #[prost(message, optional, tag = "1")]
    pub other: Option<Any>,
}
