//! Values of P4 types (P4Runtime specification 1.4, section 8.4.3).

/// A value of any P4 type.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4Data {
    /// The value by its type.
    #[prost(oneof = "p4_data::Data", tags = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12")]
    pub data: Option<p4_data::Data>,
}

/// The types inside of [`P4Data`].
pub mod p4_data {
    use crate::message::p4::v1::{P4Header, P4HeaderStack, P4HeaderUnion, P4HeaderUnionStack, P4StructLike, P4Varbit};

    /// The value by its type.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum Data {
        /// A value of `bit<W>` or `int<W>`, or of a translated type.
        #[prost(bytes = "vec", tag = "1")]
        Bitstring(Vec<u8>),
        /// A value of `varbit<W>`.
        #[prost(message, tag = "2")]
        Varbit(P4Varbit),
        /// A value of `bool`.
        #[prost(bool, tag = "3")]
        Bool(bool),
        /// A tuple.
        #[prost(message, tag = "4")]
        Tuple(P4StructLike),
        /// A struct.
        #[prost(message, tag = "5")]
        Struct(P4StructLike),
        /// A header.
        #[prost(message, tag = "6")]
        Header(P4Header),
        /// A header union.
        #[prost(message, tag = "7")]
        HeaderUnion(P4HeaderUnion),
        /// A stack of headers.
        #[prost(message, tag = "8")]
        HeaderStack(P4HeaderStack),
        /// A stack of header unions.
        #[prost(message, tag = "9")]
        HeaderUnionStack(P4HeaderUnionStack),
        /// The name of a member of an enum.
        #[prost(string, tag = "10")]
        Enum(String),
        /// The name of an error.
        #[prost(string, tag = "11")]
        Error(String),
        /// A value of a serializable enum.
        #[prost(bytes = "vec", tag = "12")]
        EnumValue(Vec<u8>),
    }
}

/// A value of `varbit<W>`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4Varbit {
    /// The value.
    #[prost(bytes = "vec", tag = "1")]
    pub bitstring: Vec<u8>,
    /// The current width in bits.
    #[prost(int32, tag = "2")]
    pub bitwidth: i32,
}

/// The values of a struct or tuple.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4StructLike {
    /// The values, in the order of the type's members.
    #[prost(message, repeated, tag = "1")]
    pub members: Vec<P4Data>,
}

/// A header.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4Header {
    /// Whether the header is valid.
    #[prost(bool, tag = "1")]
    pub is_valid: bool,
    /// The values of the fields in order; none if the header is invalid.
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub bitstrings: Vec<Vec<u8>>,
}

/// A header union.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4HeaderUnion {
    /// The name of the valid header; empty if none is.
    #[prost(string, tag = "1")]
    pub valid_header_name: String,
    /// The valid header.
    #[prost(message, optional, tag = "2")]
    pub valid_header: Option<P4Header>,
}

/// A stack of headers.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4HeaderStack {
    /// The headers, in order.
    #[prost(message, repeated, tag = "1")]
    pub entries: Vec<P4Header>,
}

/// A stack of header unions.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4HeaderUnionStack {
    /// The header unions, in order.
    #[prost(message, repeated, tag = "1")]
    pub entries: Vec<P4HeaderUnion>,
}
