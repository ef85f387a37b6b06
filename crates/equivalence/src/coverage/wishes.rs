//! Wishes: the values that a packet would need in order to take another branch.

use ir::evaluate::{self, Environment};
use ir::parser::{Case, Set};
use ir::value::Value;
use ir::{BinaryOperator, Expression, Program, RegisterId, Type, VariableId};
use runtime::Bits;
use runtime::ValueSet;
use runtime::tables::FieldMatch;

/// A set of changes that together lead to another branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) changes: Vec<Change>,
}

/// A value that was found, and the wanted value in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// The variable that holds the value, if it was compared unmodified.
    pub(super) variable: Option<VariableId>,
    pub(super) found: Bits,
    pub(super) wanted: Bits,
    pub(super) width: u32,
}

/// Values that are compared together: the keys of a table or of a `select`.
pub(super) struct Keys<'k> {
    found: &'k [Bits],
    widths: Vec<u32>,
    variables: Vec<Option<VariableId>>,
}

impl<'k> Keys<'k> {
    /// Combines the key expressions with the values that were found for them.
    pub(super) fn new<'e>(
        program: &Program,
        asked: impl IntoIterator<Item = &'e Expression>,
        found: &'k [Bits],
    ) -> Self {
        let described = asked.into_iter().map(|key| (program.type_of(key).width(), variable(key)));
        let (widths, variables) = described.unzip();
        Self { found, widths, variables }
    }

    fn wish(&self, wanted: Vec<Bits>) -> Option<Wish> {
        let each = self.found.iter().zip(wanted).zip(self.widths.iter().zip(&self.variables));
        wish(each.map(|((found, wanted), (&width, &variable))| Change {
            variable,
            found: found.clone(),
            wanted,
            width,
        }))
    }
}

fn variable(expression: &Expression) -> Option<VariableId> {
    match expression {
        Expression::Variable(variable) => Some(*variable),
        Expression::Cast(_, value) => variable(value),
        _ => None,
    }
}

fn wish(changes: impl Iterator<Item = Change>) -> Option<Wish> {
    let changes: Vec<Change> = changes.filter(|change| change.found != change.wanted).collect();
    (!changes.is_empty()).then_some(Wish { changes })
}

/// Returns the changes that match a case of a `select`, or `None` if it compares with a value that is not constant or
/// with an empty value set.
pub(super) fn of_case(case: &Case, keys: &Keys<'_>, value_sets: &[ValueSet]) -> Option<Wish> {
    let mut wanted = Vec::with_capacity(keys.found.len());
    for set in &case.sets {
        let at = wanted.len();
        let (found, &width) = (keys.found.get(at)?, keys.widths.get(at)?);
        match set {
            Set::Any => wanted.push(found.clone()),
            Set::Value(value) => wanted.push(constant(value)?),
            Set::Mask(value, mask) => wanted.push(masked(found, &constant(value)?, &constant(mask)?, width)),
            Set::Range(low, _) => wanted.push(constant(low)?),
            Set::ValueSet(id) => {
                let member = value_sets[id.index()].first()?;
                let values = member.iter().zip(&keys.found[at..]).zip(&keys.widths[at..]);
                wanted.extend(values.map(|((asked, found), &width)| nearest(asked, found, width)));
            }
        }
    }
    if wanted.len() == keys.found.len() { keys.wish(wanted) } else { None }
}

/// Returns the changes that match an entry of a table.
pub(super) fn of_entry(asked: &[FieldMatch], keys: &Keys<'_>) -> Option<Wish> {
    let values = asked.iter().zip(keys.found).zip(&keys.widths);
    keys.wish(values.map(|((asked, found), &width)| nearest(asked, found, width)).collect())
}

/// Returns a matching value that differs little from `found`.
fn nearest(asked: &FieldMatch, found: &Bits, width: u32) -> Bits {
    match asked {
        FieldMatch::Exact(value) => value.clone(),
        FieldMatch::Prefix { value, length } => {
            let rest = width - length;
            let mask = Bits::ones(width).shift_left(&Bits::from_u64(rest.into(), 32), width);
            masked(found, value, &mask, width)
        }
        FieldMatch::Mask { value, mask } => masked(found, value, mask, width),
        FieldMatch::Range { low, .. } => low.clone(),
        FieldMatch::Any => found.clone(),
    }
}

/// Returns changes of all keys, so that the entry that matched is likely to be missed.
pub(super) fn of_miss(keys: &Keys<'_>) -> Option<Wish> {
    let wanted = keys.found.iter().zip(&keys.widths).map(|(found, &width)| found.complement(width));
    keys.wish(wanted.collect())
}

/// A comparison inside a condition, with its outcome.
pub(super) struct Compared {
    pub(super) holds: bool,
    operator: BinaryOperator,
    ty: Type,
    left: Side,
    right: Side,
}

/// An operand of a comparison.
struct Side {
    value: Bits,
    variable: Option<VariableId>,
    is_checksum: bool,
}

impl Side {
    fn of(expression: &Expression, value: Bits) -> Self {
        let is_checksum = matches!(expression, Expression::Checksum(_));
        Self { value, variable: variable(expression), is_checksum }
    }
}

impl Compared {
    /// Returns the change that corrects a checksum: if one operand is a computed checksum and the other a variable with
    /// a different value.
    pub(super) fn repair(&self) -> Option<Change> {
        let (sum, field) = match (self.left.is_checksum, self.right.is_checksum) {
            (true, false) => (&self.left, &self.right),
            (false, true) => (&self.right, &self.left),
            _ => return None,
        };
        let differs = field.variable.is_some() && field.value != sum.value;
        differs.then(|| Change {
            variable: field.variable,
            found: field.value.clone(),
            wanted: sum.value.clone(),
            width: self.ty.width(),
        })
    }
}

/// Returns the comparisons inside a condition that can be evaluated from variables alone, in textual order. The number
/// of comparisons is the same each time for a given condition.
pub(super) fn comparisons(program: &Program, condition: &Expression, values: &[Bits]) -> Vec<Compared> {
    let mut found = Vec::new();
    condition.walk(&mut |inner| {
        if let Expression::Binary(operator, left, right) = inner
            && operator.is_comparison()
            && [left, right].into_iter().all(|side| is_known(side))
        {
            let (ty, left_value) = evaluate::value(program, left, &mut Values(values));
            let (_, right_value) = evaluate::value(program, right, &mut Values(values));
            let holds = Bits::binary(*operator, ty, &left_value, &right_value).is_true();
            let (left, right) = (Side::of(left, left_value), Side::of(right, right_value));
            found.push(Compared { holds, operator: *operator, ty, left, right });
        }
    });
    found
}

/// Returns changes that can invert the outcome of a comparison.
pub(super) fn of_comparison(compared: &Compared) -> Vec<Wish> {
    let Compared { operator, ty, left, right, .. } = compared;
    let width = ty.width();
    let one = Bits::from_u64(1, width);
    let mut wishes = Vec::new();
    for (side, other) in [(left, &right.value), (right, &left.value)] {
        let mut near = vec![other.clone(), other.add(&one, width), other.subtract(&one, width)];
        if matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual) {
            near.truncate(2);
        }
        let change = |wanted| Change { variable: side.variable, found: side.value.clone(), wanted, width };
        wishes.extend(near.into_iter().filter_map(|wanted| wish([change(wanted)].into_iter())));
    }
    wishes
}

/// Returns `value` where the mask is 1, and `found` elsewhere.
fn masked(found: &Bits, value: &Bits, mask: &Bits, width: u32) -> Bits {
    value.and(mask).or(&found.and(&mask.complement(width)))
}

fn constant(value: &Expression) -> Option<Bits> {
    match value {
        Expression::Constant(constant) => Some(Bits::from_u64(constant.value, constant.ty.width())),
        Expression::Wide(_, bits) => Some(bits.clone()),
        _ => None,
    }
}

/// Returns whether an expression can be evaluated from variables alone.
fn is_known(expression: &Expression) -> bool {
    let mut known = true;
    expression.walk(&mut |inner| {
        known &= match inner {
            Expression::Read { .. } | Expression::Lookup(_) => false,
            Expression::Checksum(checksum) => !checksum.with_payload,
            _ => true,
        };
    });
    known
}

/// The values of all variables.
struct Values<'v>(&'v [Bits]);

impl Environment for Values<'_> {
    type Value = Bits;

    fn variable(&mut self, id: VariableId) -> Bits {
        self.0[id.index()].clone()
    }

    fn read(&mut self, _: RegisterId, _: usize) -> Bits {
        unreachable!("the expression reads no register")
    }
}
