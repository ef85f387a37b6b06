//! Fields by whose values a deparser selects what leaves the block beside the packet.

use crate::{Architecture, Block, Object, Parameter};

/// A field by whose value a deparser selects one of the objects of a kind, such as one of the mirrors.
///
/// The field is invalid when a gress begins. A deparser that compares it for equality finds it different from every value
/// until the program has assigned it, also from 0, which is its value where controls read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The field of the intrinsic metadata.
    pub field: &'static str,
    /// The kind of the objects.
    pub object: Object,
}

impl Architecture {
    /// Returns the names of the selectors that are fields of a type of the intrinsic metadata.
    pub fn selectors_in(&self, of: &str) -> impl Iterator<Item = &'static str> {
        self.selectors.iter().filter_map(move |selector| {
            let (group, field) = selector.field.split_once('.').unwrap_or(("", selector.field));
            self.groups().any(|own| own.name == group && own.of == of).then_some(field)
        })
    }

    /// Returns the field by which a block selects one of the objects of a kind, if it has one.
    pub fn selector(&self, block: &Block, object: Object) -> Option<&'static str> {
        let of_block = |selector: &&Selector| {
            let group = selector.field.split_once('.').map_or("", |(group, _)| group);
            selector.object == object && block.groups().any(|own| own.name == group)
        };
        self.selectors.iter().find(of_block).map(|selector| selector.field)
    }

    /// Returns the groups of intrinsic metadata, each as often as a block has it.
    fn groups(&self) -> impl Iterator<Item = crate::Group> {
        self.blocks.iter().flat_map(Block::groups)
    }
}

impl Block {
    /// Returns the groups of intrinsic metadata for which the block has parameters.
    fn groups(&self) -> impl Iterator<Item = crate::Group> + use<> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Intrinsics(group) | Parameter::Optional(group) => Some(*group),
            _ => None,
        })
    }
}
