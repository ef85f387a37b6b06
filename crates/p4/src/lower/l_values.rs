//! Places, which can be assigned to (6.7): variables, fields, elements, bits.

use ir::Expression;

use super::tree::{HeaderName, LValue, Tree};
use super::{Lowering, Writer};
use crate::ast::{self, ExpressionKind, SliceKind};

/// The target of an assignment.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// The whole scalar, or the tree of scalars.
    pub place: LValue,
    /// The highest and the lowest bit, if only a slice of a scalar is assigned.
    pub slice: Option<(u16, u16)>,
    /// The other headers of the header union that the place belongs to. They become invalid if it becomes valid (8.19).
    pub siblings: Vec<HeaderName>,
}

impl From<LValue> for Target {
    fn from(place: LValue) -> Self {
        Self { place, slice: None, siblings: Vec::new() }
    }
}

impl<'a> Lowering<'a> {
    /// Returns the place of an expression, if it has one. Its indices are computed once, now (6.8).
    pub(super) fn place(&mut self, node: &'a ast::Expression) -> Option<Target> {
        match &node.kind {
            ExpressionKind::Slice(slice) => {
                let whole = self.place(&slice.value)?;
                let (high, low) = self.slice_bounds(slice)?;
                let below = whole.slice.map_or(0, |(_, low)| low);
                Some(Target { slice: Some((high + below, low + below)), ..whole })
            }
            ExpressionKind::Member(object, name) => {
                let whole = self.place_of(object, true)?;
                self.writer().member_place(&whole, name)
            }
            _ => self.place_of(node, true).map(Target::from),
        }
    }

    /// Returns the place of an expression that is only read, whose indices need no variables.
    pub(super) fn readable_place(&mut self, node: &'a ast::Expression) -> Option<LValue> {
        self.place_of(node, false)
    }

    fn place_of(&mut self, node: &'a ast::Expression, keep: bool) -> Option<LValue> {
        match &node.kind {
            ExpressionKind::Name(path) => {
                let definition = self.nodes.definition(&path.name)?;
                self.scopes.named_place(definition)
            }
            ExpressionKind::Member(object, name) => {
                let whole = self.place_of(object, keep)?;
                self.writer().member_place(&whole, name).map(|target| target.place)
            }
            ExpressionKind::Index(object, index) => {
                let whole = self.place_of(object, keep)?;
                self.element_place(&whole, index, keep)
            }
            _ => None,
        }
    }

    fn element_place(&mut self, whole: &LValue, index: &'a ast::Expression, keep: bool) -> Option<LValue> {
        let known = self.known_place(index);
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
        let first = self.known_place(&slice.first).and_then(|bound| u16::try_from(bound).ok());
        let second = self.known_place(&slice.second).and_then(|bound| u16::try_from(bound).ok())?;
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
    fn member_place(&mut self, whole: &LValue, name: &ast::Name) -> Option<Target> {
        match whole {
            Tree::Stack(_) => match &*name.text {
                "next" => self.stack_next(whole).map(Target::from),
                "last" => self.stack_last(whole).map(Target::from),
                _ => None,
            },
            Tree::Union(members) => {
                let place = whole.part(&name.text)?.clone();
                let others = members.iter().filter(|(other, _)| *other != name.text);
                let siblings = others.filter_map(|(_, member)| match member {
                    Tree::Header(header) => Some(header.name.clone()),
                    _ => None,
                });
                Some(Target { place, slice: None, siblings: siblings.collect() })
            }
            _ => whole.part(&name.text).cloned().map(Target::from),
        }
    }

    /// Gives every scalar of a place an undefined value and makes its headers invalid, as for a variable without an
    /// initial value and for an `out` parameter (11.2, 6.8).
    pub(super) fn make_undefined(&mut self, place: &LValue) {
        match place {
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
