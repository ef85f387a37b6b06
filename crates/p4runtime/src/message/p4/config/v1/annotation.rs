//! Structured annotations and places in source text, in P4Info (P4Runtime specification 1.4, section 6.1).

/// A name with a value, in an annotation.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct KeyValuePair {
    /// The name.
    #[prost(string, tag = "1")]
    pub key: String,
    /// The value.
    #[prost(message, optional, tag = "2")]
    pub value: Option<Expression>,
}

/// Names with values.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct KeyValuePairList {
    /// The pairs, in order.
    #[prost(message, repeated, tag = "1")]
    pub kv_pairs: Vec<KeyValuePair>,
}

/// A value in an annotation.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Expression {
    /// The value by its type.
    #[prost(oneof = "expression::Value", tags = "1, 2, 3")]
    pub value: Option<expression::Value>,
}

/// The types inside of [`Expression`].
pub mod expression {
    /// The value by its type.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum Value {
        /// A string.
        #[prost(string, tag = "1")]
        StringValue(String),
        /// A number.
        #[prost(int64, tag = "2")]
        Int64Value(i64),
        /// A truth value.
        #[prost(bool, tag = "3")]
        BoolValue(bool),
    }
}

/// Values in an annotation.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ExpressionList {
    /// The values, in order.
    #[prost(message, repeated, tag = "1")]
    pub expressions: Vec<Expression>,
}

/// An annotation in square brackets.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct StructuredAnnotation {
    /// The name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// What stands in the brackets; none if nothing does.
    #[prost(oneof = "structured_annotation::Body", tags = "2, 3")]
    pub body: Option<structured_annotation::Body>,
    /// Where it stands.
    #[prost(message, optional, tag = "4")]
    pub source_location: Option<SourceLocation>,
}

/// The types inside of [`StructuredAnnotation`].
pub mod structured_annotation {
    use crate::message::p4::config::v1::{ExpressionList, KeyValuePairList};

    /// What stands in the brackets; none if nothing does.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum Body {
        /// Values.
        #[prost(message, tag = "2")]
        ExpressionList(ExpressionList),
        /// Names with values.
        #[prost(message, tag = "3")]
        KvPairList(KeyValuePairList),
    }
}

/// A place in source text.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SourceLocation {
    /// The file.
    #[prost(string, tag = "1")]
    pub file: String,
    /// The line, from 1.
    #[prost(int32, tag = "2")]
    pub line: i32,
    /// The column, from 1.
    #[prost(int32, tag = "3")]
    pub column: i32,
}
