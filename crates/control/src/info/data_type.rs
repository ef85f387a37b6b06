//! The types of data in registers and digests (P4Runtime specification 1.4, section 8.4).

/// A data type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataType {
    /// `bit<W>`.
    Bits(u32),
    /// `int<W>`.
    Signed(u32),
    /// `varbit<W>`, with its maximum width.
    Varying(u32),
    /// `bool`.
    Boolean,
    /// `error`, whose value is the index of an error in the program, as a number of this many bits.
    Error(u32),
    /// An enum, whose value is a number.
    Enumeration {
        /// The name of the type.
        name: String,
        /// The members in order, with their values where they have any.
        members: Vec<(String, Option<u64>)>,
        /// The width of the values, in bits.
        width: u32,
    },
    /// A tuple.
    Tuple(Vec<DataType>),
    /// A struct.
    Structure {
        /// The name of the type.
        name: String,
        /// The fields.
        members: Vec<Member>,
    },
    /// A header.
    Header {
        /// The name of the type.
        name: String,
        /// The fields.
        members: Vec<Member>,
    },
    /// A new type, declared with `type`.
    New {
        /// The name of the type, as in [`super::Info::new_types`].
        name: String,
        /// The type from which it is derived.
        original: Box<DataType>,
    },
}

/// A new type, declared with `type` (P4_16 specification 1.2.5, section 7.2.8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewType {
    /// The name of the type.
    pub name: String,
    /// The representation of its values in controllers.
    pub representation: Representation,
    /// The annotations that are visible to the control plane, without `@p4runtime_translation`.
    pub annotations: Vec<super::Annotation>,
}

/// The representation of the values of a type in controllers (P4Runtime specification 1.4, section 8.4.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Representation {
    /// The representation of the original type.
    Original(DataType),
    /// A different representation, which a P4Runtime server has to translate (`@p4runtime_translation`).
    Translated {
        /// The URI that identifies the translation.
        uri: String,
        /// The type that controllers use.
        controller: ControllerType,
    },
}

/// The type that controllers use for the values of a translated type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControllerType {
    /// A number of this many bits.
    Bits(u32),
    /// A string.
    Text,
}

/// A field of a struct or header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name of the type.
    pub name: String,
    /// The type of the field.
    pub data_type: DataType,
}

/// A leaf: a scalar inside a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The path to the leaf, such as `key.port`, or `1.port` inside a tuple; empty if the type itself is a scalar.
    pub path: String,
    /// The width of the leaf, in bits.
    pub width: u32,
}

impl DataType {
    /// Returns the type from which a new type is ultimately derived, or the type itself if it is not a new type.
    pub fn original(&self) -> &Self {
        match self {
            Self::New { original, .. } => original.original(),
            other => other,
        }
    }

    /// Returns the leaves of the type, in order. The leaves of a header are those of its fields; its validity is not
    /// included.
    pub fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        self.collect_leaves("", &mut leaves);
        leaves
    }

    fn collect_leaves(&self, path: &str, leaves: &mut Vec<Leaf>) {
        let inside = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        match self {
            Self::Bits(width) | Self::Signed(width) | Self::Varying(width) | Self::Error(width) => {
                leaves.push(Leaf { path: path.to_owned(), width: *width });
            }
            Self::Enumeration { width, .. } => leaves.push(Leaf { path: path.to_owned(), width: *width }),
            Self::New { original, .. } => original.collect_leaves(path, leaves),
            Self::Boolean => leaves.push(Leaf { path: path.to_owned(), width: 1 }),
            Self::Tuple(elements) => {
                for (at, element) in elements.iter().enumerate() {
                    element.collect_leaves(&inside(&at.to_string()), leaves);
                }
            }
            Self::Structure { members, .. } | Self::Header { members, .. } => {
                for member in members {
                    member.data_type.collect_leaves(&inside(&member.name), leaves);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_leaves_in_order_with_their_paths() {
        let member = |name: &str, data_type| Member { name: name.to_owned(), data_type };
        let inner = DataType::Structure {
            name: "inner_t".to_owned(),
            members: vec![member("port", DataType::Bits(9)), member("known", DataType::Boolean)],
        };
        let outer = DataType::Tuple(vec![DataType::Signed(4), inner]);
        let leaves: Vec<_> = outer.leaves().into_iter().map(|leaf| (leaf.path, leaf.width)).collect();
        let expected = [("0", 4), ("1.port", 9), ("1.known", 1)].map(|(path, width)| (path.to_owned(), width));
        assert_eq!(leaves, expected);
        assert_eq!(DataType::Bits(7).leaves(), [Leaf { path: String::new(), width: 7 }]);
    }
}
