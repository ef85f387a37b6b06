//! Entries of tables, and the actions that they run (P4Runtime specification 1.4, section 9.1).

use super::{CounterData, MeterConfig, MeterCounterData};

/// An entry of a table, or its default action.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TableEntry {
    /// The table. In a `Read`, 0 stands for all tables.
    #[prost(uint32, tag = "1")]
    pub table_id: u32,
    /// The key: a match for each field. Fields that take any value are left out.
    #[prost(message, repeated, tag = "2")]
    pub r#match: Vec<FieldMatch>,
    /// What is done with matching packets. In a default entry, none resets it to that of the program.
    #[prost(message, optional, tag = "3")]
    pub action: Option<TableAction>,
    /// The priority, of which the largest wins. It is above 0 if a field is ternary, range or optional, and otherwise
    /// 0.
    #[prost(int32, tag = "4")]
    pub priority: i32,
    /// A value of the controller. Deprecated: [`TableEntry::metadata`] replaces it.
    #[prost(uint64, tag = "5")]
    pub controller_metadata: u64,
    /// The rates of the direct meter. In a `Read`, its presence asks for them.
    #[prost(message, optional, tag = "6")]
    pub meter_config: Option<MeterConfig>,
    /// The values of the direct counter. In a `Read`, their presence asks for them.
    #[prost(message, optional, tag = "7")]
    pub counter_data: Option<CounterData>,
    /// What the direct meter has counted by colour. In a `Read`, its presence asks for it.
    #[prost(message, optional, tag = "12")]
    pub meter_counter_data: Option<MeterCounterData>,
    /// Whether this is the default entry, which has no match and no priority.
    #[prost(bool, tag = "8")]
    pub is_default_action: bool,
    /// The time in nanoseconds without a hit after which the controller is notified; 0 for none.
    #[prost(int64, tag = "9")]
    pub idle_timeout_ns: i64,
    /// The time since the last hit. In a `Read`, its presence asks for it.
    #[prost(message, optional, tag = "10")]
    pub time_since_last_hit: Option<table_entry::IdleTimeout>,
    /// Data of the controller, which a `Read` returns as they were written.
    #[prost(bytes = "vec", tag = "11")]
    pub metadata: Vec<u8>,
    /// Whether the program declares the entry as constant. Only a switch sets it.
    #[prost(bool, tag = "13")]
    pub is_const: bool,
}

/// The types inside of [`TableEntry`].
pub mod table_entry {
    /// The time for which an entry has not been hit.
    #[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
    pub struct IdleTimeout {
        /// The time in nanoseconds.
        #[prost(int64, tag = "1")]
        pub elapsed_ns: i64,
    }
}

/// The match of one field of a key.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct FieldMatch {
    /// The field.
    #[prost(uint32, tag = "1")]
    pub field_id: u32,
    /// The match by the field's kind. Values are byte strings in the shortest form (section 8.3).
    #[prost(oneof = "field_match::FieldMatchType", tags = "2, 3, 4, 6, 7, 100")]
    pub field_match_type: Option<field_match::FieldMatchType>,
}

/// The types inside of [`FieldMatch`].
pub mod field_match {
    use crate::message::google::protobuf::Any;

    /// The match by the field's kind. Values are byte strings in the shortest form (section 8.3).
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum FieldMatchType {
        /// The field has a value.
        #[prost(message, tag = "2")]
        Exact(Exact),
        /// Some bits of the field have a value.
        #[prost(message, tag = "3")]
        Ternary(Ternary),
        /// The first bits of the field have a value.
        #[prost(message, tag = "4")]
        Lpm(Lpm),
        /// The field lies in a range.
        #[prost(message, tag = "6")]
        Range(Range),
        /// The field has a value; a match that takes any value is left out.
        #[prost(message, tag = "7")]
        Optional(Optional),
        /// A match of an architecture's own kind.
        #[prost(message, tag = "100")]
        Other(Any),
    }

    /// A field that has a value.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Exact {
        /// The value.
        #[prost(bytes = "vec", tag = "1")]
        pub value: Vec<u8>,
    }

    /// A field of which some bits have a value.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Ternary {
        /// The value, with no bit outside the mask.
        #[prost(bytes = "vec", tag = "1")]
        pub value: Vec<u8>,
        /// The bits that must agree, which is not 0.
        #[prost(bytes = "vec", tag = "2")]
        pub mask: Vec<u8>,
    }

    /// A field whose first bits have a value.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Lpm {
        /// The value, with no bit outside the prefix.
        #[prost(bytes = "vec", tag = "1")]
        pub value: Vec<u8>,
        /// The number of bits, above 0.
        #[prost(int32, tag = "2")]
        pub prefix_len: i32,
    }

    /// A field that lies in a range.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Range {
        /// The lowest value of the range.
        #[prost(bytes = "vec", tag = "1")]
        pub low: Vec<u8>,
        /// The highest value of the range, not below the lowest.
        #[prost(bytes = "vec", tag = "2")]
        pub high: Vec<u8>,
    }

    /// A field that may be left out and has a value.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Optional {
        /// The value.
        #[prost(bytes = "vec", tag = "1")]
        pub value: Vec<u8>,
    }
}

/// What is done with the packets that match an entry.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TableAction {
    /// The action, directly or through an action profile.
    #[prost(oneof = "table_action::Type", tags = "1, 2, 3, 4")]
    pub r#type: Option<table_action::Type>,
}

/// The types inside of [`TableAction`].
pub mod table_action {
    use crate::message::p4::v1::{Action, ActionProfileActionSet};

    /// The action, directly or through an action profile.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum Type {
        /// An action, in a table without a profile.
        #[prost(message, tag = "1")]
        Action(Action),
        /// The action of a member of the table's profile.
        #[prost(uint32, tag = "2")]
        ActionProfileMemberId(u32),
        /// The action of a member that the selector chooses from a group of the table's profile.
        #[prost(uint32, tag = "3")]
        ActionProfileGroupId(u32),
        /// Actions of which the selector chooses one, without members and groups (section 9.2.5).
        #[prost(message, tag = "4")]
        ActionProfileActionSet(ActionProfileActionSet),
    }
}

/// An action with its arguments.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Action {
    /// The action.
    #[prost(uint32, tag = "1")]
    pub action_id: u32,
    /// An argument for each parameter.
    #[prost(message, repeated, tag = "4")]
    pub params: Vec<action::Param>,
}

/// The types inside of [`Action`].
pub mod action {
    /// An argument of an action.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Param {
        /// The parameter.
        #[prost(uint32, tag = "2")]
        pub param_id: u32,
        /// The value.
        #[prost(bytes = "vec", tag = "3")]
        pub value: Vec<u8>,
    }
}
