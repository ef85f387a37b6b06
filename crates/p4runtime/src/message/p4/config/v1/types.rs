//! The types of a program in P4Info (P4Runtime specification 1.4, section 8.4).

use std::collections::BTreeMap;

use super::{
    P4EnumTypeSpec, P4ErrorTypeSpec, P4NewTypeSpec, P4SerializableEnumTypeSpec, SourceLocation, StructuredAnnotation,
};

/// The types that entities of a program use, by name.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4TypeInfo {
    /// The structs.
    #[prost(btree_map = "string, message", tag = "1")]
    pub structs: BTreeMap<String, P4StructTypeSpec>,
    /// The headers.
    #[prost(btree_map = "string, message", tag = "2")]
    pub headers: BTreeMap<String, P4HeaderTypeSpec>,
    /// The header unions.
    #[prost(btree_map = "string, message", tag = "3")]
    pub header_unions: BTreeMap<String, P4HeaderUnionTypeSpec>,
    /// The enums without values.
    #[prost(btree_map = "string, message", tag = "4")]
    pub enums: BTreeMap<String, P4EnumTypeSpec>,
    /// The errors.
    #[prost(message, optional, tag = "5")]
    pub error: Option<P4ErrorTypeSpec>,
    /// The enums with values.
    #[prost(btree_map = "string, message", tag = "6")]
    pub serializable_enums: BTreeMap<String, P4SerializableEnumTypeSpec>,
    /// The types that are declared with `type`.
    #[prost(btree_map = "string, message", tag = "7")]
    pub new_types: BTreeMap<String, P4NewTypeSpec>,
}

/// A type.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4DataTypeSpec {
    /// The type by its kind; named types are in `P4TypeInfo`.
    #[prost(oneof = "p4_data_type_spec::TypeSpec", tags = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12")]
    pub type_spec: Option<p4_data_type_spec::TypeSpec>,
}

/// The types inside of [`P4DataTypeSpec`].
pub mod p4_data_type_spec {
    use crate::message::p4::config::v1::{
        P4BitstringLikeTypeSpec, P4BoolType, P4ErrorType, P4HeaderStackTypeSpec, P4HeaderUnionStackTypeSpec,
        P4NamedType, P4TupleTypeSpec,
    };

    /// The type by its kind; named types are in `P4TypeInfo`.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum TypeSpec {
        /// `bit`, `int` or `varbit`.
        #[prost(message, tag = "1")]
        Bitstring(P4BitstringLikeTypeSpec),
        /// `bool`.
        #[prost(message, tag = "2")]
        Bool(P4BoolType),
        /// A tuple.
        #[prost(message, tag = "3")]
        Tuple(P4TupleTypeSpec),
        /// A struct.
        #[prost(message, tag = "4")]
        Struct(P4NamedType),
        /// A header.
        #[prost(message, tag = "5")]
        Header(P4NamedType),
        /// A header union.
        #[prost(message, tag = "6")]
        HeaderUnion(P4NamedType),
        /// A stack of headers.
        #[prost(message, tag = "7")]
        HeaderStack(P4HeaderStackTypeSpec),
        /// A stack of header unions.
        #[prost(message, tag = "8")]
        HeaderUnionStack(P4HeaderUnionStackTypeSpec),
        /// An enum without values.
        #[prost(message, tag = "9")]
        Enum(P4NamedType),
        /// `error`.
        #[prost(message, tag = "10")]
        Error(P4ErrorType),
        /// An enum with values.
        #[prost(message, tag = "11")]
        SerializableEnum(P4NamedType),
        /// A type that is declared with `type`.
        #[prost(message, tag = "12")]
        NewType(P4NamedType),
    }
}

/// The name of a type.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4NamedType {
    /// The name.
    #[prost(string, tag = "1")]
    pub name: String,
}

/// The type `bool`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4BoolType {}

/// The type `error`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4ErrorType {}

/// A type whose values are strings of bits.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4BitstringLikeTypeSpec {
    /// The type by its kind.
    #[prost(oneof = "p4_bitstring_like_type_spec::TypeSpec", tags = "1, 2, 3")]
    pub type_spec: Option<p4_bitstring_like_type_spec::TypeSpec>,
    /// The unstructured annotations, as they are written in the program.
    #[prost(string, repeated, tag = "4")]
    pub annotations: Vec<String>,
    /// Where the unstructured annotations stand, in the same order.
    #[prost(message, repeated, tag = "5")]
    pub annotation_locations: Vec<SourceLocation>,
    /// The structured annotations.
    #[prost(message, repeated, tag = "6")]
    pub structured_annotations: Vec<StructuredAnnotation>,
}

/// The types inside of [`P4BitstringLikeTypeSpec`].
pub mod p4_bitstring_like_type_spec {
    use crate::message::p4::config::v1::{P4BitTypeSpec, P4IntTypeSpec, P4VarbitTypeSpec};

    /// The type by its kind.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum TypeSpec {
        /// `bit<W>`.
        #[prost(message, tag = "1")]
        Bit(P4BitTypeSpec),
        /// `int<W>`.
        #[prost(message, tag = "2")]
        Int(P4IntTypeSpec),
        /// `varbit<W>`.
        #[prost(message, tag = "3")]
        Varbit(P4VarbitTypeSpec),
    }
}

/// The type `bit<W>`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4BitTypeSpec {
    /// The width in bits.
    #[prost(int32, tag = "1")]
    pub bitwidth: i32,
}

/// The type `int<W>`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4IntTypeSpec {
    /// The width in bits.
    #[prost(int32, tag = "1")]
    pub bitwidth: i32,
}

/// The type `varbit<W>`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4VarbitTypeSpec {
    /// The largest width in bits.
    #[prost(int32, tag = "1")]
    pub max_bitwidth: i32,
}

/// A tuple.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4TupleTypeSpec {
    /// The types of the elements.
    #[prost(message, repeated, tag = "1")]
    pub members: Vec<P4DataTypeSpec>,
}

/// A struct.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4StructTypeSpec {
    /// The members.
    #[prost(message, repeated, tag = "1")]
    pub members: Vec<p4_struct_type_spec::Member>,
    /// The unstructured annotations, as they are written in the program.
    #[prost(string, repeated, tag = "2")]
    pub annotations: Vec<String>,
    /// Where the unstructured annotations stand, in the same order.
    #[prost(message, repeated, tag = "3")]
    pub annotation_locations: Vec<SourceLocation>,
    /// The structured annotations.
    #[prost(message, repeated, tag = "4")]
    pub structured_annotations: Vec<StructuredAnnotation>,
}

/// The types inside of [`P4StructTypeSpec`].
pub mod p4_struct_type_spec {
    use crate::message::p4::config::v1::P4DataTypeSpec;

    /// A member of a struct.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Member {
        /// The name.
        #[prost(string, tag = "1")]
        pub name: String,
        /// The type.
        #[prost(message, optional, tag = "2")]
        pub type_spec: Option<P4DataTypeSpec>,
    }
}

/// A header.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4HeaderTypeSpec {
    /// The fields.
    #[prost(message, repeated, tag = "1")]
    pub members: Vec<p4_header_type_spec::Member>,
    /// The unstructured annotations, as they are written in the program.
    #[prost(string, repeated, tag = "2")]
    pub annotations: Vec<String>,
    /// Where the unstructured annotations stand, in the same order.
    #[prost(message, repeated, tag = "3")]
    pub annotation_locations: Vec<SourceLocation>,
    /// The structured annotations.
    #[prost(message, repeated, tag = "4")]
    pub structured_annotations: Vec<StructuredAnnotation>,
}

/// The types inside of [`P4HeaderTypeSpec`].
pub mod p4_header_type_spec {
    use crate::message::p4::config::v1::P4BitstringLikeTypeSpec;

    /// A field of a header.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Member {
        /// The name.
        #[prost(string, tag = "1")]
        pub name: String,
        /// The type.
        #[prost(message, optional, tag = "2")]
        pub type_spec: Option<P4BitstringLikeTypeSpec>,
    }
}

/// A header union.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4HeaderUnionTypeSpec {
    /// The headers.
    #[prost(message, repeated, tag = "1")]
    pub members: Vec<p4_header_union_type_spec::Member>,
    /// The unstructured annotations, as they are written in the program.
    #[prost(string, repeated, tag = "2")]
    pub annotations: Vec<String>,
    /// Where the unstructured annotations stand, in the same order.
    #[prost(message, repeated, tag = "3")]
    pub annotation_locations: Vec<SourceLocation>,
    /// The structured annotations.
    #[prost(message, repeated, tag = "4")]
    pub structured_annotations: Vec<StructuredAnnotation>,
}

/// The types inside of [`P4HeaderUnionTypeSpec`].
pub mod p4_header_union_type_spec {
    use crate::message::p4::config::v1::P4NamedType;

    /// A header of a union.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Member {
        /// The name.
        #[prost(string, tag = "1")]
        pub name: String,
        /// The header's type.
        #[prost(message, optional, tag = "2")]
        pub header: Option<P4NamedType>,
    }
}

/// A stack of headers.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4HeaderStackTypeSpec {
    /// The header's type.
    #[prost(message, optional, tag = "1")]
    pub header: Option<P4NamedType>,
    /// The number of headers.
    #[prost(int32, tag = "2")]
    pub size: i32,
}

/// A stack of header unions.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4HeaderUnionStackTypeSpec {
    /// The union's type.
    #[prost(message, optional, tag = "1")]
    pub header_union: Option<P4NamedType>,
    /// The number of unions.
    #[prost(int32, tag = "2")]
    pub size: i32,
}
