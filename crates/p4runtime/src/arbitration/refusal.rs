//! Claims and writes that are refused, and why.

use std::fmt;

/// The reason why a claim is refused, which ends the stream of the controller (section 5.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimRefused {
    /// The first claim is for a device that is not here: `NOT_FOUND`.
    UnknownDevice {
        /// The device of the claim.
        asked: u64,
        /// The device that is here.
        own: u64,
    },
    /// Another controller of the role has the election id: `INVALID_ARGUMENT`.
    ElectionIdInUse {
        /// The election id of the claim.
        asked: u128,
    },
    /// The role has as many controllers as it may have: `RESOURCE_EXHAUSTED`.
    TooManyStreams {
        /// The most controllers of a role.
        most: usize,
    },
    /// The device has as many roles as it may have: `RESOURCE_EXHAUSTED`.
    TooManyRoles {
        /// The most roles.
        most: usize,
    },
    /// A further claim is for another device: `FAILED_PRECONDITION`.
    OtherDevice {
        /// The device of the claim.
        asked: u64,
        /// The device of the stream.
        own: u64,
    },
    /// A further claim is for another role: `FAILED_PRECONDITION`.
    OtherRole {
        /// The role of the claim.
        asked: String,
        /// The role of the stream.
        own: String,
    },
}

/// The reason why a write is refused as a whole (section 12).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteRefused {
    /// There is no such device: `NOT_FOUND`.
    UnknownDevice {
        /// The device of the request.
        asked: u64,
        /// The device that is here.
        own: u64,
    },
    /// There is no such role: `NOT_FOUND`.
    UnknownRole {
        /// The role of the request.
        asked: String,
    },
    /// The role has no primary: `PERMISSION_DENIED`.
    NoPrimary,
    /// The election id is not that of the primary: `PERMISSION_DENIED`.
    NotPrimary {
        /// The election id of the request.
        asked: Option<u128>,
        /// The election id of the primary.
        primary: u128,
    },
    /// Writes of an earlier primary are still being carried out: `PERMISSION_DENIED`.
    NotYet,
}

impl fmt::Display for ClaimRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownDevice { asked, own } => unknown_device(f, *asked, *own),
            Self::ElectionIdInUse { asked } => {
                write!(f, "election id {asked} is used by another controller of the role")
            }
            Self::TooManyStreams { most } => write!(f, "the role has {most} controllers, which is the most"),
            Self::TooManyRoles { most } => write!(f, "the device has {most} roles, which is the most"),
            Self::OtherDevice { asked, own } => {
                write!(f, "this stream is for device {own}; open another stream for device {asked}")
            }
            Self::OtherRole { asked, own } => {
                write!(f, "this stream is for role `{own}`; close it and open another one for role `{asked}`")
            }
        }
    }
}

impl fmt::Display for WriteRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownDevice { asked, own } => unknown_device(f, *asked, *own),
            Self::UnknownRole { asked } => write!(f, "there is no role `{asked}`"),
            Self::NoPrimary => write!(f, "the role has no primary controller: claim it on a stream first"),
            Self::NotPrimary { asked: None, primary } => {
                write!(f, "the request has no election id, and that of the primary is {primary}")
            }
            Self::NotPrimary { asked: Some(asked), primary } => {
                write!(f, "election id {asked} is not that of the primary, which is {primary}")
            }
            Self::NotYet => write!(f, "writes of an earlier primary are still being carried out"),
        }
    }
}

fn unknown_device(f: &mut fmt::Formatter<'_>, asked: u64, own: u64) -> fmt::Result {
    write!(f, "there is no device {asked}: this is device {own}")
}

impl std::error::Error for ClaimRefused {}
impl std::error::Error for WriteRefused {}
