//! Action profiles: members, groups, and the sets of actions that take the place of both (P4Runtime specification 1.4,
//! section 9.2).

use super::Action;

/// Actions of which a selector chooses one for each packet, given with the entry that uses them (section 9.2.5).
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ActionProfileActionSet {
    /// An action of the group itself, which runs before the chosen one.
    #[prost(message, optional, tag = "5")]
    pub group_action: Option<Action>,
    /// The actions.
    #[prost(message, repeated, tag = "1")]
    pub action_profile_actions: Vec<ActionProfileAction>,
    /// How one of the actions is chosen.
    #[prost(enumeration = "action_profile_action_set::ActionSelectionMode", tag = "2")]
    pub action_selection_mode: i32,
    /// What the size of the set means.
    #[prost(enumeration = "action_profile_action_set::SizeSemantics", tag = "3")]
    pub size_semantics: i32,
}

/// The types inside of [`ActionProfileActionSet`].
pub mod action_profile_action_set {
    /// How one action of a set is chosen.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum ActionSelectionMode {
        /// As the selector of the program does.
        DefaultModeDeterminedByActionSelector = 0,
        /// By a hash of the selector's fields.
        Hash = 1,
        /// At random.
        Random = 2,
    }

    /// What counts against the size of a selector.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum SizeSemantics {
        /// What the selector of the program says.
        DefaultSizeDeterminedByActionSelector = 0,
        /// The sum of the weights.
        SumOfWeights = 1,
        /// The number of members.
        SumOfMembers = 2,
    }
}

/// An action of a set.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ActionProfileAction {
    /// The action.
    #[prost(message, optional, tag = "1")]
    pub action: Option<Action>,
    /// How often the action is chosen in relation to the others, above 0.
    #[prost(int32, tag = "2")]
    pub weight: i32,
    /// The port whose state decides whether the action may be chosen.
    #[prost(oneof = "action_profile_action::WatchKind", tags = "3, 4")]
    pub watch_kind: Option<action_profile_action::WatchKind>,
}

/// The types inside of [`ActionProfileAction`].
pub mod action_profile_action {
    /// The port whose state decides whether the action may be chosen.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum WatchKind {
        /// The number of the port. Deprecated: `watch_port` replaces it.
        #[prost(int32, tag = "3")]
        Watch(i32),
        /// The port.
        #[prost(bytes = "vec", tag = "4")]
        WatchPort(Vec<u8>),
    }
}

/// A member of an action profile.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ActionProfileMember {
    /// The profile. In a `Read`, 0 stands for all profiles.
    #[prost(uint32, tag = "1")]
    pub action_profile_id: u32,
    /// The number of the member. In a `Read`, 0 stands for all members of the profile.
    #[prost(uint32, tag = "2")]
    pub member_id: u32,
    /// The action of the member.
    #[prost(message, optional, tag = "3")]
    pub action: Option<Action>,
}

/// A group of members of an action profile, of which a selector chooses one for each packet.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ActionProfileGroup {
    /// The profile. In a `Read`, 0 stands for all profiles.
    #[prost(uint32, tag = "1")]
    pub action_profile_id: u32,
    /// The number of the group. In a `Read`, 0 stands for all groups of the profile.
    #[prost(uint32, tag = "2")]
    pub group_id: u32,
    /// The members.
    #[prost(message, repeated, tag = "3")]
    pub members: Vec<action_profile_group::Member>,
    /// The largest size that the group will have; 0 if the controller does not say. It may not change.
    #[prost(int32, tag = "4")]
    pub max_size: i32,
}

/// The types inside of [`ActionProfileGroup`].
pub mod action_profile_group {
    /// The use of a member in a group.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Member {
        /// The number of the member.
        #[prost(uint32, tag = "1")]
        pub member_id: u32,
        /// How often the member is chosen in relation to the others, above 0.
        #[prost(int32, tag = "2")]
        pub weight: i32,
        /// The port whose state decides whether the member may be chosen.
        #[prost(oneof = "WatchKind", tags = "3, 4")]
        pub watch_kind: Option<WatchKind>,
    }

    /// The port whose state decides whether the member may be chosen.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum WatchKind {
        /// The number of the port. Deprecated: `watch_port` replaces it.
        #[prost(int32, tag = "3")]
        Watch(i32),
        /// The port.
        #[prost(bytes = "vec", tag = "4")]
        WatchPort(Vec<u8>),
    }
}
