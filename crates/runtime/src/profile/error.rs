//! The limits of a profile, and the errors of operations on it.

use std::fmt;

/// The limits of a profile; `None` stands for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProfileLimits {
    /// The maximum number of members.
    pub members: Option<u32>,
    /// The maximum number of groups.
    pub groups: Option<u32>,
    /// The maximum number of members of one group.
    pub group_size: Option<u32>,
}

/// The reason why a profile refuses an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileError {
    /// The profile has the maximum number of members already.
    TooManyMembers {
        /// The maximum number.
        limit: u32,
    },
    /// The profile has the maximum number of groups already.
    TooManyGroups {
        /// The maximum number.
        limit: u32,
    },
    /// A group would have too many members.
    GroupTooLarge {
        /// The maximum number.
        limit: u32,
    },
    /// A member with this id exists already.
    DuplicateMember(u32),
    /// A group with this id exists already.
    DuplicateGroup(u32),
    /// There is no member with this id.
    NoSuchMember(u32),
    /// There is no group with this id.
    NoSuchGroup(u32),
    /// The member is in the group already, or listed twice.
    AlreadyInGroup(u32),
    /// The member is given to a group with weight 0.
    NoWeight(u32),
    /// The member is still in a group.
    MemberInUse {
        /// The first such group.
        group: u32,
    },
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyMembers { limit } => write!(f, "the profile is full: it holds at most {limit} members"),
            Self::TooManyGroups { limit } => write!(f, "the profile is full: it holds at most {limit} groups"),
            Self::GroupTooLarge { limit } => write!(f, "a group holds at most {limit} members"),
            Self::DuplicateMember(id) => write!(f, "there is already a member {id}"),
            Self::DuplicateGroup(id) => write!(f, "there is already a group {id}"),
            Self::NoSuchMember(id) => write!(f, "there is no member {id}"),
            Self::NoSuchGroup(id) => write!(f, "there is no group {id}"),
            Self::AlreadyInGroup(id) => write!(f, "member {id} is already in the group"),
            Self::NoWeight(id) => write!(f, "member {id} has weight 0 in the group; weights are at least 1"),
            Self::MemberInUse { group } => write!(f, "the member is still in group {group}"),
        }
    }
}

impl std::error::Error for ProfileError {}
