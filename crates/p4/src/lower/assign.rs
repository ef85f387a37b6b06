//! Assignments (12.1).

use std::collections::HashSet;

use ir::{ArrayId, Expression, Statement, VariableId};

use super::l_values::Destination;
use super::tree::{LValue, Leaf, Tree, Value};
use super::{Output, Writer};

impl Writer<'_> {
    /// Assigns a value that was computed before.
    pub(super) fn assign(&mut self, target: &Destination, value: Value) {
        self.set_validity(target, true);
        if let Some((high, low)) = target.slice {
            if let (Tree::Scalar(leaf), Tree::Scalar(value)) = (&target.l_value, value) {
                self.assign_bits(leaf, high, low, value);
            }
            return;
        }
        self.assign_l_value(&target.l_value, value);
        self.end_others(target);
    }

    /// Makes a header valid or invalid. The other headers of a header union become invalid (8.19).
    pub(super) fn set_target_valid(&mut self, target: &Destination, valid: bool) {
        if let Tree::Header(header) = &target.l_value {
            self.set_valid(&header.name, valid);
            self.end_others(target);
        }
    }

    /// Makes a header valid with the values that its fields have, which may have been assigned before.
    pub(super) fn make_target_valid(&mut self, target: &Destination) {
        if let Tree::Header(header) = &target.l_value {
            self.assign_leaf(&header.valid, Expression::bool(true));
            self.end_others(target);
        }
    }

    fn end_others(&mut self, target: &Destination) {
        target.siblings.iter().for_each(|header| self.set_valid(header, false));
    }

    /// Assigns a value to all scalars of an l-value.
    pub(super) fn assign_l_value(&mut self, l_value: &LValue, value: Value) {
        let mut pairs = Vec::new();
        pair(l_value, value, &mut pairs);
        // The whole value is computed before the target changes, as in `pair = { pair.second, pair.first }`.
        let mut written: HashSet<AssignedStorage> = HashSet::new();
        let mut is_read = false;
        for (leaf, value) in &pairs {
            if leaf.read() == *value {
                continue;
            }
            value.walk(&mut |part| {
                is_read |= match part {
                    Expression::Variable(variable) => self.output.was_written(&written, *variable),
                    Expression::Element { array, .. } => {
                        written.contains(&AssignedStorage::Array(*array))
                            || self.output.program.arrays[array.index()]
                                .elements
                                .iter()
                                .any(|one| self.output.was_written(&written, *one))
                    }
                    _ => false,
                };
            });
            written.insert(match leaf {
                Leaf::Variable(variable) => AssignedStorage::Variable(*variable),
                Leaf::Element(array, _) => AssignedStorage::Array(*array),
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
    fn was_written(&self, written: &HashSet<AssignedStorage>, variable: VariableId) -> bool {
        written.contains(&AssignedStorage::Variable(variable))
            || written.iter().any(|one| match one {
                AssignedStorage::Array(array) => self.program.arrays[array.index()].elements.contains(&variable),
                AssignedStorage::Variable(_) => false,
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
enum AssignedStorage {
    Variable(VariableId),
    Array(ArrayId),
}

/// Pairs each scalar of an l-value with the value that is assigned to it.
fn pair(l_value: &LValue, value: Value, pairs: &mut Vec<(Leaf, Expression)>) {
    match (l_value, value) {
        (Tree::Scalar(leaf), Tree::Scalar(value)) => pairs.push((leaf.clone(), value)),
        (Tree::Varbit { value: leaf, length: length_leaf }, Tree::Varbit { value, length }) => {
            pairs.extend([(leaf.clone(), value), (length_leaf.clone(), length)])
        }
        (Tree::Struct(l_values), Tree::Struct(values)) | (Tree::Union(l_values), Tree::Union(values)) => {
            for ((_, l_value), (_, value)) in l_values.iter().zip(values) {
                pair(l_value, value, pairs);
            }
        }
        (Tree::Header(l_value), Tree::Header(value)) => {
            pairs.push((l_value.valid.clone(), value.valid));
            for ((_, l_value), (_, value)) in l_value.fields.iter().zip(value.fields) {
                pair(l_value, value, pairs);
            }
        }
        (Tree::Stack(l_value), Tree::Stack(value)) => {
            pairs.push((l_value.next.clone(), value.next));
            for (l_value, value) in l_value.elements.iter().zip(value.elements) {
                pair(l_value, value, pairs);
            }
        }
        _ => {}
    }
}
