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

/// Returns the name of the flag that says whether a field, which is invalid until it is assigned, is valid.
pub fn validity_of(field: &str) -> String {
    format!("{field}.$valid")
}

impl Architecture {
    /// Returns the names of the fields of a type of the intrinsic metadata that are invalid until they are assigned: selectors,
    /// and fields that direct mirrors.
    pub fn invalid_in(&self, of: &str) -> impl Iterator<Item = &'static str> {
        let mirrors = self.traffic.into_iter().flat_map(|traffic| traffic.mirrors).flatten();
        let directing = mirrors.flat_map(|mirrors| mirrors.all());
        let fields = self.selectors.iter().map(|selector| selector.field).chain(directing);
        fields.filter_map(move |field| {
            let (group, field) = field.split_once('.').unwrap_or(("", field));
            self.is_of(group, of).then_some(field)
        })
    }

    /// Returns why programs must not assign a field of a type of the intrinsic metadata, if they must not.
    pub fn refused_field(&self, of: &str, field: &str) -> Option<&'static str> {
        let refused = self
            .refused_fields
            .iter()
            .find(|(own, _)| own.split_once('.').is_some_and(|(group, own)| own == field && self.is_of(group, of)));
        refused.map(|(_, reason)| *reason)
    }

    /// Returns true if a group of intrinsic metadata has a type.
    fn is_of(&self, group: &str, of: &str) -> bool {
        self.groups().any(|own| own.name == group && own.of == of)
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
