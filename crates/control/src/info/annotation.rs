//! Annotations as the control plane sees them (P4Runtime specification 1.4, section 6.1.1; P4_16 specification 1.2.5,
//! section 18.2).

/// An annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Annotation {
    /// An unstructured annotation, as written in the program: `@defaultonly`, `@format(MAC_ADDRESS)`.
    Text(String),
    /// A structured annotation: `@name[value, value]` or `@name[key = value, key = value]`.
    Structured {
        /// The name of the annotation.
        name: String,
        /// The values with their keys; the keys are empty in a list.
        values: Vec<(String, AnnotationValue)>,
    },
}

/// A value of a structured annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnnotationValue {
    /// A string.
    Text(String),
    /// A number.
    Number(i64),
    /// A `bool`.
    Flag(bool),
}

impl From<String> for Annotation {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Annotation {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
