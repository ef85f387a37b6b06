//! Assignments (12.1).

use std::collections::HashSet;

use ir::{ArrayId, Expression, Statement, VariableId};

use super::l_values::Target;
use super::tree::{LValue, Leaf, Tree, Value};
use super::{Output, Writer};

impl Writer<'_> {
    /// Assigns a value that was computed before.
    pub(super) fn assign(&mut self, target: &Target, value: Value) {
        if let Some((high, low)) = target.slice {
            if let (Tree::Scalar(leaf), Tree::Scalar(value)) = (&target.place, value) {
                self.assign_bits(leaf, high, low, value);
            }
            return;
        }
        self.assign_place(&target.place, value);
        self.end_others(target);
    }

    /// Makes a header valid or invalid. The other headers of a header union become invalid (8.19).
    pub(super) fn set_target_valid(&mut self, target: &Target, valid: bool) {
        if let Tree::Header(header) = &target.place {
            self.set_valid(&header.name, valid);
            self.end_others(target);
        }
    }

    fn end_others(&mut self, target: &Target) {
        target.siblings.iter().for_each(|header| self.set_valid(header, false));
    }

    /// Assigns a value to all scalars of a place.
    pub(super) fn assign_place(&mut self, place: &LValue, value: Value) {
        let mut pairs = Vec::new();
        pair(place, value, &mut pairs);
        // The whole value is computed before any part of the place changes, as in `pair = { pair.second, pair.first }`.
        let mut written: HashSet<Written> = HashSet::new();
        let mut is_read = false;
        for (leaf, value) in &pairs {
            if leaf.read() == *value {
                continue;
            }
            value.walk(&mut |part| {
                is_read |= match part {
                    Expression::Variable(variable) => self.output.was_written(&written, *variable),
                    Expression::Element { array, .. } => {
                        written.contains(&Written::Array(*array))
                            || self.output.program.arrays[array.index()]
                                .elements
                                .iter()
                                .any(|one| self.output.was_written(&written, *one))
                    }
                    _ => false,
                };
            });
            written.insert(match leaf {
                Leaf::Variable(variable) => Written::Variable(*variable),
                Leaf::Element(array, _) => Written::Array(*array),
            });
        }
        if is_read {
            for (_, value) in &mut pairs {
                if !value.is_constant() {
                    let variable = self.temporary("$kept", self.output.program.type_of(value));
                    let kept = std::mem::replace(value, Expression::Variable(variable));
                    self.emit(Statement::Assign { variable, value: kept });
                }
            }
        }
        for (leaf, value) in pairs {
            if leaf.read() != value {
                self.assign_leaf(&leaf, value);
            }
        }
    }

    pub(super) fn assign_leaf(&mut self, leaf: &Leaf, value: Expression) {
        let value = self.output.cast(value, self.output.leaf_type(leaf));
        self.emit(match leaf {
            Leaf::Variable(variable) => Statement::Assign { variable: *variable, value },
            Leaf::Element(array, index) => Statement::AssignElement { array: *array, index: index.clone(), value },
        });
    }

    /// Assigns some bits of a number and keeps the others (8.6).
    fn assign_bits(&mut self, leaf: &Leaf, high: u16, low: u16, value: Expression) {
        let (ty, old) = (self.output.leaf_type(leaf), leaf.read());
        let width = ty.width() as u16;
        let slice = |high, low| Expression::Slice { value: Box::new(old.clone()), high, low };
        let mut new = self.output.cast(value, ir::Type::Bits(high - low + 1));
        if high + 1 < width {
            new = Expression::Concatenate(Box::new(slice(width - 1, high + 1)), Box::new(new));
        }
        if low > 0 {
            new = Expression::Concatenate(Box::new(new), Box::new(slice(low - 1, 0)));
        }
        self.assign_leaf(leaf, new);
    }
}

impl Output {
    fn was_written(&self, written: &HashSet<Written>, variable: VariableId) -> bool {
        written.contains(&Written::Variable(variable))
            || written.iter().any(|one| match one {
                Written::Array(array) => self.program.arrays[array.index()].elements.contains(&variable),
                Written::Variable(_) => false,
            })
    }
}

/// Returns whether a header, or any header of a header union, is valid.
pub(super) fn validity(value: &Value) -> Expression {
    match value {
        Tree::Header(header) => header.valid.clone(),
        Tree::Union(members) => {
            members.iter().map(|(_, member)| validity(member)).fold(Expression::bool(false), super::operators::either)
        }
        _ => Expression::bool(false),
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Written {
    Variable(VariableId),
    Array(ArrayId),
}

/// Pairs each scalar of a place with the value that is assigned to it.
fn pair(place: &LValue, value: Value, pairs: &mut Vec<(Leaf, Expression)>) {
    match (place, value) {
        (Tree::Scalar(leaf), Tree::Scalar(value)) => pairs.push((leaf.clone(), value)),
        (Tree::Varbit { value: leaf, length: length_leaf }, Tree::Varbit { value, length }) => {
            pairs.extend([(leaf.clone(), value), (length_leaf.clone(), length)])
        }
        (Tree::Struct(places), Tree::Struct(values)) | (Tree::Union(places), Tree::Union(values)) => {
            for ((_, place), (_, value)) in places.iter().zip(values) {
                pair(place, value, pairs);
            }
        }
        (Tree::Header(place), Tree::Header(value)) => {
            pairs.push((place.valid.clone(), value.valid));
            for ((_, place), (_, value)) in place.fields.iter().zip(value.fields) {
                pair(place, value, pairs);
            }
        }
        (Tree::Stack(place), Tree::Stack(value)) => {
            pairs.push((place.next.clone(), value.next));
            for (place, value) in place.elements.iter().zip(value.elements) {
                pair(place, value, pairs);
            }
        }
        _ => {}
    }
}
