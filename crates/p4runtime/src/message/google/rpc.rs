//! The status of a call as gRPC transports it.

use crate::message::google::protobuf::Any;

/// The outcome of a call, or of arbitration.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Status {
    /// A [`Code`] as a number.
    #[prost(int32, tag = "1")]
    pub code: i32,
    /// A message for people.
    #[prost(string, tag = "2")]
    pub message: String,
    /// More about the outcome. P4Runtime's `Write` puts one [`Error`](crate::message::p4::v1::Error) for each update
    /// here.
    #[prost(message, repeated, tag = "3")]
    pub details: Vec<Any>,
}

/// The codes of gRPC (google.rpc.Code), which P4Runtime uses in every error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum Code {
    /// No error.
    Ok = 0,
    /// The call was cancelled.
    Cancelled = 1,
    /// An error without a better code; of a batch, that some of its updates failed.
    Unknown = 2,
    /// A request that is wrong whatever the state.
    InvalidArgument = 3,
    /// The time for the call has run out.
    DeadlineExceeded = 4,
    /// An entity that does not exist.
    NotFound = 5,
    /// An entity that exists already.
    AlreadyExists = 6,
    /// A client that may not do this, or an entity that nobody may change.
    PermissionDenied = 7,
    /// No room for more.
    ResourceExhausted = 8,
    /// A state in which the request is refused.
    FailedPrecondition = 9,
    /// An update that was not carried out because of another one.
    Aborted = 10,
    /// A value beyond a range.
    OutOfRange = 11,
    /// A request that the server does not know or support.
    Unimplemented = 12,
    /// A fault of the server.
    Internal = 13,
    /// A server that cannot answer at the moment.
    Unavailable = 14,
    /// Data that are lost.
    DataLoss = 15,
    /// A client that has not said who it is.
    Unauthenticated = 16,
}
