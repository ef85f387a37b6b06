//! Enums, errors and new types in P4Info (P4Runtime specification 1.4, section 8.4).

use super::{P4BitTypeSpec, SourceLocation, StructuredAnnotation};

/// An enum without values.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4EnumTypeSpec {
    /// The members.
    #[prost(message, repeated, tag = "1")]
    pub members: Vec<p4_enum_type_spec::Member>,
    /// The unstructured annotations, as they are written in the program.
    #[prost(string, repeated, tag = "2")]
    pub annotations: Vec<String>,
    /// Where the unstructured annotations stand, in the same order.
    #[prost(message, repeated, tag = "4")]
    pub annotation_locations: Vec<SourceLocation>,
    /// The structured annotations.
    #[prost(message, repeated, tag = "3")]
    pub structured_annotations: Vec<StructuredAnnotation>,
}

/// The types inside of [`P4EnumTypeSpec`].
pub mod p4_enum_type_spec {
    use crate::message::p4::config::v1::{SourceLocation, StructuredAnnotation};

    /// A member of an enum.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Member {
        /// The name.
        #[prost(string, tag = "1")]
        pub name: String,
        /// The unstructured annotations, as they are written in the program.
        #[prost(string, repeated, tag = "2")]
        pub annotations: Vec<String>,
        /// Where the unstructured annotations stand, in the same order.
        #[prost(message, repeated, tag = "4")]
        pub annotation_locations: Vec<SourceLocation>,
        /// The structured annotations.
        #[prost(message, repeated, tag = "3")]
        pub structured_annotations: Vec<StructuredAnnotation>,
    }
}

/// An enum whose members have values.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4SerializableEnumTypeSpec {
    /// The type of the values.
    #[prost(message, optional, tag = "1")]
    pub underlying_type: Option<P4BitTypeSpec>,
    /// The members.
    #[prost(message, repeated, tag = "2")]
    pub members: Vec<p4_serializable_enum_type_spec::Member>,
    /// The unstructured annotations, as they are written in the program.
    #[prost(string, repeated, tag = "3")]
    pub annotations: Vec<String>,
    /// Where the unstructured annotations stand, in the same order.
    #[prost(message, repeated, tag = "5")]
    pub annotation_locations: Vec<SourceLocation>,
    /// The structured annotations.
    #[prost(message, repeated, tag = "4")]
    pub structured_annotations: Vec<StructuredAnnotation>,
}

/// The types inside of [`P4SerializableEnumTypeSpec`].
pub mod p4_serializable_enum_type_spec {
    use crate::message::p4::config::v1::{SourceLocation, StructuredAnnotation};

    /// A member of such an enum.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Member {
        /// The name.
        #[prost(string, tag = "1")]
        pub name: String,
        /// The value.
        #[prost(bytes = "vec", tag = "2")]
        pub value: Vec<u8>,
        /// The unstructured annotations, as they are written in the program.
        #[prost(string, repeated, tag = "3")]
        pub annotations: Vec<String>,
        /// Where the unstructured annotations stand, in the same order.
        #[prost(message, repeated, tag = "5")]
        pub annotation_locations: Vec<SourceLocation>,
        /// The structured annotations.
        #[prost(message, repeated, tag = "4")]
        pub structured_annotations: Vec<StructuredAnnotation>,
    }
}

/// The errors of a program.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4ErrorTypeSpec {
    /// The names of the errors.
    #[prost(string, repeated, tag = "1")]
    pub members: Vec<String>,
}

/// How controllers see the values of a translated type (`@p4runtime_translation`).
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4NewTypeTranslation {
    /// The identifier of the translation.
    #[prost(string, tag = "1")]
    pub uri: String,
    /// The controller's type.
    #[prost(oneof = "p4_new_type_translation::SdnType", tags = "2, 3")]
    pub sdn_type: Option<p4_new_type_translation::SdnType>,
}

/// The types inside of [`P4NewTypeTranslation`].
pub mod p4_new_type_translation {
    /// The controller's type.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum SdnType {
        /// Numbers of this many bits.
        #[prost(int32, tag = "2")]
        SdnBitwidth(i32),
        /// Strings.
        #[prost(message, tag = "3")]
        SdnString(SdnString),
    }

    /// The controller's values are strings.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct SdnString {}
}

/// A type that is declared with `type`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4NewTypeSpec {
    /// How controllers see its values.
    #[prost(oneof = "p4_new_type_spec::Representation", tags = "1, 2")]
    pub representation: Option<p4_new_type_spec::Representation>,
    /// The unstructured annotations, as they are written in the program.
    #[prost(string, repeated, tag = "3")]
    pub annotations: Vec<String>,
    /// Where the unstructured annotations stand, in the same order.
    #[prost(message, repeated, tag = "5")]
    pub annotation_locations: Vec<SourceLocation>,
    /// The structured annotations.
    #[prost(message, repeated, tag = "4")]
    pub structured_annotations: Vec<StructuredAnnotation>,
}

/// The types inside of [`P4NewTypeSpec`].
pub mod p4_new_type_spec {
    use crate::message::p4::config::v1::{P4DataTypeSpec, P4NewTypeTranslation};

    /// How controllers see its values.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum Representation {
        /// As those of the type from which it is made.
        #[prost(message, tag = "1")]
        OriginalType(P4DataTypeSpec),
        /// Otherwise, by a translation of the server.
        #[prost(message, tag = "2")]
        TranslatedType(P4NewTypeTranslation),
    }
}
