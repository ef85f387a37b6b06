//! L-values, which can be assigned to (6.7): variables, fields, elements, bits.

use ir::Expression;

use super::shapes::validity_of;
use super::tree::{HeaderName, LValue, Leaf, Tree};
use super::{Lowering, Writer};
use crate::ast::{self, ExpressionKind, SliceKind};

/// The target of an assignment.
#[derive(Clone, Debug)]
pub(super) struct Destination {
    /// The whole scalar, or the tree of scalars.
    pub l_value: LValue,
    /// The highest and the lowest bit, if only a slice of a scalar is assigned.
    pub slice: Option<(u16, u16)>,
    /// The other headers of the header union that the l-value belongs to. They become invalid if it becomes valid
    /// (8.19).
    pub siblings: Vec<HeaderName>,
    /// The flag that becomes true with the assignment, of a field that is invalid until it is assigned.
    pub validity: Option<Leaf>,
}

impl From<LValue> for Destination {
    fn from(l_value: LValue) -> Self {
        Self { l_value, slice: None, siblings: Vec::new(), validity: None }
    }
}

impl<'a> Lowering<'a> {
    /// Returns the target that an expression names, if it is an l-value. Its indices are computed once, now (6.8).
    pub(super) fn target(&mut self, node: &'a ast::Expression) -> Option<Destination> {
        match &node.kind {
            ExpressionKind::Slice(slice) => {
                let whole = self.target(&slice.value)?;
                let (high, low) = self.slice_bounds(slice)?;
                let below = whole.slice.map_or(0, |(_, low)| low);
                Some(Destination { slice: Some((high + below, low + below)), ..whole })
            }
            ExpressionKind::Member(object, name) => {
                let whole = self.l_value_of(object, true)?;
                self.writer().member_l_value(&whole, name)
            }
            _ => self.l_value_of(node, true).map(Destination::from),
        }
    }

    /// Returns the l-value of an expression that is only read, whose indices need no variables.
    pub(super) fn readable_l_value(&mut self, node: &'a ast::Expression) -> Option<LValue> {
        self.l_value_of(node, false)
    }

    fn l_value_of(&mut self, node: &'a ast::Expression, keep: bool) -> Option<LValue> {
        match &node.kind {
            ExpressionKind::Name(path) => {
                let definition = self.nodes.definition(&path.name)?;
                self.scopes.named_l_value(definition)
            }
            ExpressionKind::Member(object, name) => {
                let whole = self.l_value_of(object, keep)?;
                self.writer().member_l_value(&whole, name).map(|target| target.l_value)
            }
            ExpressionKind::Index(object, index) => {
                let whole = self.l_value_of(object, keep)?;
                self.element_l_value(&whole, index, keep)
            }
            _ => None,
        }
    }

    fn element_l_value(&mut self, whole: &LValue, index: &'a ast::Expression, keep: bool) -> Option<LValue> {
        let known = self.known_index(index);
        match whole {
            Tree::Struct(parts) => parts.get(known?).map(|(_, part)| part.clone()),
            Tree::Stack(stack) => {
                if let Some(known) = known {
                    return stack.elements.get(known).cloned();
                }
                let Some(arrays) = stack.arrays.clone() else {
                    self.found.unsupported(index.span, "an index at run time within what another one chose");
                    return None;
                };
                let mut at = self.scalar(index);
                if keep && !at.is_constant() {
                    let ty = self.output.program.type_of(&at);
                    let variable = self.writer().temporary("$index", ty);
                    self.writer().emit(ir::Statement::Assign { variable, value: at });
                    at = Expression::Variable(variable);
                }
                Some(arrays.at(&at))
            }
            _ => None,
        }
    }

    /// Returns the known bounds of a slice: its highest and its lowest bit.
    pub(super) fn slice_bounds(&mut self, slice: &'a ast::Slice) -> Option<(u16, u16)> {
        let first = self.known_index(&slice.first).and_then(|bound| u16::try_from(bound).ok());
        let second = self.known_index(&slice.second).and_then(|bound| u16::try_from(bound).ok())?;
        match (slice.kind, first) {
            (SliceKind::Bounds, Some(high)) => Some((high, second)),
            (SliceKind::Width, Some(low)) => Some((low + second - 1, low)),
            (_, None) => {
                self.found
                    .unsupported(slice.first.span, "bits whose place is only known at run time cannot be assigned to");
                None
            }
        }
    }
}

impl Writer<'_> {
    fn member_l_value(&mut self, whole: &LValue, name: &ast::Name) -> Option<Destination> {
        match whole {
            Tree::Stack(_) => match &*name.text {
                "next" => self.stack_next(whole).map(Destination::from),
                "last" => self.stack_last(whole).map(Destination::from),
                _ => None,
            },
            Tree::Union(members) => {
                let l_value = whole.part(&name.text)?.clone();
                let others = members.iter().filter(|(other, _)| *other != name.text);
                let siblings = others.filter_map(|(_, member)| match member {
                    Tree::Header(header) => Some(header.name.clone()),
                    _ => None,
                });
                Some(Destination { siblings: siblings.collect(), ..l_value.into() })
            }
            _ => {
                let l_value = whole.part(&name.text)?.clone();
                Some(Destination { validity: validity_in(whole, &name.text), ..l_value.into() })
            }
        }
    }

    /// Sets the flag of a target that is invalid until it is assigned.
    pub(super) fn set_validity(&mut self, target: &Destination, valid: bool) {
        if let Some(flag) = &target.validity {
            self.assign_leaf(flag, Expression::bool(valid));
        }
    }

    /// Gives every scalar of an l-value an undefined value and makes its headers invalid, as for a variable without an
    /// initial value and for an `out` parameter (11.2, 6.8).
    pub(super) fn make_undefined(&mut self, l_value: &LValue) {
        match l_value {
            Tree::Scalar(leaf) => {
                let ty = self.output.leaf_type(leaf);
                self.assign_leaf(leaf, Expression::Undefined(ty));
            }
            Tree::Varbit { value, length } => {
                for leaf in [value, length] {
                    let ty = self.output.leaf_type(leaf);
                    self.assign_leaf(leaf, Expression::number(ty, 0));
                }
            }
            Tree::Struct(parts) | Tree::Union(parts) => {
                parts.iter().for_each(|(_, part)| self.make_undefined(part));
                for (name, _) in parts {
                    if let Some(flag) = validity_in(l_value, name) {
                        self.assign_leaf(&flag, Expression::bool(false));
                    }
                }
            }
            Tree::Header(header) => self.set_valid(&header.name, false),
            Tree::Stack(stack) => {
                let ty = self.output.leaf_type(&stack.next);
                self.assign_leaf(&stack.next, Expression::number(ty, 0));
                stack.elements.iter().for_each(|element| self.make_undefined(element));
            }
            Tree::Text(_) | Tree::Nothing => {}
        }
    }
}

/// Returns the flag of a field of a struct, if the field is invalid until it is assigned.
pub(super) fn validity_in(whole: &LValue, field: &str) -> Option<Leaf> {
    // Few structs have such fields, so that the name of the flag is not made for the others.
    let Tree::Struct(parts) = whole else { return None };
    let (last, _) = parts.last()?;
    last.ends_with(".$valid").then(|| whole.part(&validity_of(field))?.scalar().cloned()).flatten()
}
