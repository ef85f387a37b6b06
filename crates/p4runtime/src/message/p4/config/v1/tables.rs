//! Tables, actions and action profiles in P4Info (P4Runtime specification 1.4, sections 6.4.1 to 6.4.3).

use super::{Documentation, P4NamedType, Preamble, SourceLocation, StructuredAnnotation};
use crate::message::google::protobuf::Any;

/// A field of a table's key or of a value set.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct MatchField {
    /// The id, which is unique in its table.
    #[prost(uint32, tag = "1")]
    pub id: u32,
    /// The name.
    #[prost(string, tag = "2")]
    pub name: String,
    /// The unstructured annotations, as they are written in the program.
    #[prost(string, repeated, tag = "3")]
    pub annotations: Vec<String>,
    /// Where the unstructured annotations stand, in the same order.
    #[prost(message, repeated, tag = "10")]
    pub annotation_locations: Vec<SourceLocation>,
    /// The width in bits of the controller's values; 0 if they are strings.
    #[prost(int32, tag = "4")]
    pub bitwidth: i32,
    /// The kind of match.
    #[prost(oneof = "match_field::Match", tags = "5, 7")]
    pub r#match: Option<match_field::Match>,
    /// The documentation.
    #[prost(message, optional, tag = "6")]
    pub doc: Option<Documentation>,
    /// The field's type, if it is a new type.
    #[prost(message, optional, tag = "8")]
    pub type_name: Option<P4NamedType>,
    /// The structured annotations.
    #[prost(message, repeated, tag = "9")]
    pub structured_annotations: Vec<StructuredAnnotation>,
}

/// The types inside of [`MatchField`].
pub mod match_field {
    /// The kind of match.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum Match {
        /// A kind that the specification describes.
        #[prost(enumeration = "MatchType", tag = "5")]
        MatchType(i32),
        /// A kind of the architecture's own.
        #[prost(string, tag = "7")]
        OtherMatchType(String),
    }

    /// The kind of match of a field.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum MatchType {
        /// No kind.
        Unspecified = 0,
        /// One value.
        Exact = 2,
        /// A prefix, of which the longest wins.
        Lpm = 3,
        /// A value with a mask.
        Ternary = 4,
        /// A range.
        Range = 5,
        /// One value, or any.
        Optional = 6,
    }
}

/// An action with its arguments, in a program.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TableActionCall {
    /// The action.
    #[prost(uint32, tag = "1")]
    pub action_id: u32,
    /// The arguments.
    #[prost(message, repeated, tag = "4")]
    pub arguments: Vec<table_action_call::Argument>,
}

/// The types inside of [`TableActionCall`].
pub mod table_action_call {
    /// An argument of an action.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Argument {
        /// The parameter.
        #[prost(uint32, tag = "2")]
        pub param_id: u32,
        /// The value.
        #[prost(bytes = "vec", tag = "3")]
        pub value: Vec<u8>,
    }
}

/// A table.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Table {
    /// Id and name.
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    /// The fields of the key.
    #[prost(message, repeated, tag = "2")]
    pub match_fields: Vec<MatchField>,
    /// The actions.
    #[prost(message, repeated, tag = "3")]
    pub action_refs: Vec<ActionRef>,
    /// The default action, if it is constant; otherwise 0.
    #[prost(uint32, tag = "4")]
    pub const_default_action_id: u32,
    /// The default action of the program.
    #[prost(message, optional, tag = "5")]
    pub initial_default_action: Option<TableActionCall>,
    /// The action profile; 0 if there is none.
    #[prost(uint32, tag = "6")]
    pub implementation_id: u32,
    /// The direct counters and meters.
    #[prost(uint32, repeated, tag = "7")]
    pub direct_resource_ids: Vec<u32>,
    /// The number of entries for which there is room.
    #[prost(int64, tag = "8")]
    pub size: i64,
    /// What happens to entries that are not hit.
    #[prost(enumeration = "table::IdleTimeoutBehavior", tag = "9")]
    pub idle_timeout_behavior: i32,
    /// Whether only the program gives the table entries.
    #[prost(bool, tag = "10")]
    pub is_const_table: bool,
    /// Whether the program gives the table entries.
    #[prost(bool, tag = "11")]
    pub has_initial_entries: bool,
    /// Properties of the architecture's own.
    #[prost(message, optional, tag = "100")]
    pub other_properties: Option<Any>,
}

/// The types inside of [`Table`].
pub mod table {
    /// What happens to entries that are not hit.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum IdleTimeoutBehavior {
        /// Nothing; the table takes no idle timeouts.
        NoTimeout = 0,
        /// The controller is notified.
        NotifyControl = 1,
    }
}

/// An action of a table.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ActionRef {
    /// The action.
    #[prost(uint32, tag = "1")]
    pub id: u32,
    /// Where the action may be used.
    #[prost(enumeration = "action_ref::Scope", tag = "3")]
    pub scope: i32,
    /// The unstructured annotations, as they are written in the program.
    #[prost(string, repeated, tag = "2")]
    pub annotations: Vec<String>,
    /// Where the unstructured annotations stand, in the same order.
    #[prost(message, repeated, tag = "5")]
    pub annotation_locations: Vec<SourceLocation>,
    /// The structured annotations.
    #[prost(message, repeated, tag = "4")]
    pub structured_annotations: Vec<StructuredAnnotation>,
}

/// The types inside of [`ActionRef`].
pub mod action_ref {
    /// Where an action of a table may be used.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum Scope {
        /// In entries and as the default action.
        TableAndDefault = 0,
        /// Only in entries.
        TableOnly = 1,
        /// Only as the default action.
        DefaultOnly = 2,
        /// Only as the action of a group.
        GroupAction = 3,
    }
}

/// An action.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Action {
    /// Id and name.
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    /// The parameters that entries give.
    #[prost(message, repeated, tag = "2")]
    pub params: Vec<action::Param>,
}

/// The types inside of [`Action`].
pub mod action {
    use crate::message::p4::config::v1::{Documentation, P4NamedType, SourceLocation, StructuredAnnotation};

    /// A parameter of an action.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Param {
        /// The id, which is unique in its action.
        #[prost(uint32, tag = "1")]
        pub id: u32,
        /// The name.
        #[prost(string, tag = "2")]
        pub name: String,
        /// The unstructured annotations, as they are written in the program.
        #[prost(string, repeated, tag = "3")]
        pub annotations: Vec<String>,
        /// Where the unstructured annotations stand, in the same order.
        #[prost(message, repeated, tag = "8")]
        pub annotation_locations: Vec<SourceLocation>,
        /// The width in bits of the controller's values; 0 if they are strings.
        #[prost(int32, tag = "4")]
        pub bitwidth: i32,
        /// The documentation.
        #[prost(message, optional, tag = "5")]
        pub doc: Option<Documentation>,
        /// The parameter's type, if it is a new type.
        #[prost(message, optional, tag = "6")]
        pub type_name: Option<P4NamedType>,
        /// The structured annotations.
        #[prost(message, repeated, tag = "7")]
        pub structured_annotations: Vec<StructuredAnnotation>,
    }
}

/// An action profile.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ActionProfile {
    /// Id and name.
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    /// The tables that use it.
    #[prost(uint32, repeated, tag = "2")]
    pub table_ids: Vec<u32>,
    /// Whether a selector chooses from groups of members.
    #[prost(bool, tag = "3")]
    pub with_selector: bool,
    /// The number of members, or the size of all groups together.
    #[prost(int64, tag = "4")]
    pub size: i64,
    /// The largest size of a group; 0 if it is not limited.
    #[prost(int32, tag = "5")]
    pub max_group_size: i32,
    /// What the sizes of a selector mean.
    #[prost(oneof = "action_profile::SelectorSizeSemantics", tags = "6, 7")]
    pub selector_size_semantics: Option<action_profile::SelectorSizeSemantics>,
    /// Whether all members must have the weight 1.
    #[prost(bool, tag = "8")]
    pub weights_disallowed: bool,
}

/// The types inside of [`ActionProfile`].
pub mod action_profile {
    /// What the sizes of a selector mean.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum SelectorSizeSemantics {
        /// Sums of the members' weights.
        #[prost(message, tag = "6")]
        SumOfWeights(SumOfWeights),
        /// Numbers of members.
        #[prost(message, tag = "7")]
        SumOfMembers(SumOfMembers),
    }

    /// The sizes of a selector are sums of the members' weights.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct SumOfWeights {}

    /// The sizes of a selector are numbers of members.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct SumOfMembers {
        /// The largest weight of a member; 0 if it is not limited.
        #[prost(int32, tag = "1")]
        pub max_member_weight: i32,
    }
}
