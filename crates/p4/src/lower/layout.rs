//! The layout of scalars, headers and stacks in l-values.

use ir::{ArrayId, HeaderField, HeaderId, StackId};

use super::tree::{HeaderName, LValue, Leaf, Tree};

/// The type of lengths and indices: P4_16 has `bit<32>` for both (8.18, 13.8.2).
pub(super) const LENGTH: ir::Type = ir::Type::Bits(32);
/// The type of errors and of members of enumerations without an underlying type, for which P4_16 defines no width
/// (7.1.2, 7.2.1).
pub(super) const ORDINAL: ir::Type = ir::Type::Bits(32);

/// Collects the fields of a header in wire order, with structs flattened (7.2.2).
pub(super) fn header_fields(field: &LValue, all: &mut Vec<HeaderField>) {
    match field {
        Tree::Scalar(Leaf::Variable(variable)) => all.push(HeaderField { variable: *variable, length: None }),
        Tree::Varbit { value: Leaf::Variable(variable), length: Leaf::Variable(length) } => {
            all.push(HeaderField { variable: *variable, length: Some(*length) });
        }
        Tree::Struct(parts) => parts.iter().for_each(|(_, part)| header_fields(part, all)),
        Tree::Stack(stack) => stack.elements.iter().for_each(|part| header_fields(part, all)),
        _ => {}
    }
}

/// Returns the headers in an l-value without stacks, in order.
pub(super) fn headers(l_value: &LValue) -> Vec<HeaderId> {
    match l_value {
        Tree::Header(header) => match header.name {
            HeaderName::Fixed(header) => vec![header],
            _ => vec![],
        },
        Tree::Struct(parts) | Tree::Union(parts) => parts.iter().flat_map(|(_, part)| headers(part)).collect(),
        _ => vec![],
    }
}

/// Names the headers of the elements of a stack after the stack that they belong to.
pub(super) fn name_stacks(tree: &mut Tree<ArrayId>, name: &mut impl FnMut(HeaderId) -> StackId) {
    match tree {
        Tree::Header(header) => {
            if let HeaderName::Fixed(first) = header.name {
                header.name = HeaderName::Elements(name(first));
            }
        }
        Tree::Struct(parts) | Tree::Union(parts) => parts.iter_mut().for_each(|(_, part)| name_stacks(part, name)),
        _ => {}
    }
}
