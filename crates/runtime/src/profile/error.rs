//! How much a profile holds, and why it refuses what it is asked for.

use std::fmt;

/// How much a profile holds; `None` is any number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProfileLimits {
    /// Members.
    pub members: Option<u32>,
    /// Groups.
    pub groups: Option<u32>,
    /// Members of one group.
    pub group_size: Option<u32>,
}

/// Why a profile refuses what it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileError {
    /// The profile has as many members as it may.
    TooManyMembers {
        /// How many that are.
        limit: u32,
    },
    /// The profile has as many groups as it may.
    TooManyGroups {
        /// How many that are.
        limit: u32,
    },
    /// A group would have more members than it may.
    GroupTooLarge {
        /// How many it may have.
        limit: u32,
    },
    /// There is a member of this id.
    DuplicateMember(u32),
    /// There is a group of this id.
    DuplicateGroup(u32),
    /// There is no member of this id.
    NoSuchMember(u32),
    /// There is no group of this id.
    NoSuchGroup(u32),
    /// The member is in a group already, or named twice for it.
    AlreadyInGroup(u32),
    /// The member is not in the group.
    NotInGroup(u32),
    /// The member is still in a group.
    MemberInUse {
        /// The first such group.
        group: u32,
    },
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyMembers { limit } => write!(f, "the profile is full: it holds {limit} members"),
            Self::TooManyGroups { limit } => write!(f, "the profile is full: it holds {limit} groups"),
            Self::GroupTooLarge { limit } => write!(f, "a group holds {limit} members"),
            Self::DuplicateMember(id) => write!(f, "there is a member {id} already"),
            Self::DuplicateGroup(id) => write!(f, "there is a group {id} already"),
            Self::NoSuchMember(id) => write!(f, "there is no member {id}"),
            Self::NoSuchGroup(id) => write!(f, "there is no group {id}"),
            Self::AlreadyInGroup(id) => write!(f, "member {id} is in the group already"),
            Self::NotInGroup(id) => write!(f, "member {id} is not in the group"),
            Self::MemberInUse { group } => write!(f, "the member is in group {group}"),
        }
    }
}

impl std::error::Error for ProfileError {}
