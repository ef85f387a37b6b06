//! The types of what registers and digests hold (P4Runtime specification 1.4, section 8.4).

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataType {
    /// `bit<W>`.
    Bits(u32),
    /// `int<W>`.
    Signed(u32),
    /// `varbit<W>`, with its greatest width.
    Varying(u32),
    /// `bool`.
    Boolean,
    /// `error`, whose value is its number among the errors of the program, in so many bits.
    Error(u32),
    /// An enum, whose value is a number of so many bits.
    Enumeration {
        /// Its name.
        name: String,
        /// Its members in order, with the values of those that have one.
        members: Vec<(String, Option<u64>)>,
        /// The bits that hold it.
        width: u32,
    },
    /// A tuple.
    Tuple(Vec<DataType>),
    /// A struct.
    Structure {
        /// Its name.
        name: String,
        /// Its fields.
        members: Vec<Member>,
    },
    /// A header.
    Header {
        /// Its name.
        name: String,
        /// Its fields.
        members: Vec<Member>,
    },
    /// A type of its own, made with `type`.
    New {
        /// Its name among [`super::Info::new_types`].
        name: String,
        /// What it is made of.
        original: Box<DataType>,
    },
}

/// A type of its own (P4_16 specification 1.2.5, section 7.2.8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewType {
    /// Its name.
    pub name: String,
    /// How controllers write its values.
    pub representation: Representation,
    /// The annotations that the control plane may see, without `@p4runtime_translation`.
    pub annotations: Vec<super::Annotation>,
}

/// How controllers write the values of a type (P4Runtime specification 1.4, section 8.4.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Representation {
    /// As those of the type that it is made of.
    Original(DataType),
    /// As other values, which whoever speaks P4Runtime has to translate (`@p4runtime_translation`).
    Translated {
        /// Names the translation.
        uri: String,
        /// What a controller writes.
        controller: ControllerType,
    },
}

/// What a controller writes for a translated type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControllerType {
    /// A number of so many bits.
    Bits(u32),
    /// A text.
    Text,
}

/// A field of a struct or header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
}

/// A scalar inside a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// How it is reached, such as `key.port` or `1.port` inside a tuple; empty if the type itself is a scalar.
    pub path: String,
    /// Its width in bits.
    pub width: u32,
}

impl DataType {
    /// What a type of its own is made of in the end; any other type is itself.
    pub fn original(&self) -> &Self {
        match self {
            Self::New { original, .. } => original.original(),
            other => other,
        }
    }

    /// The scalars inside, in order. Of a header only the fields are.
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
    fn leaves_are_the_scalars_in_order_with_their_paths() {
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
