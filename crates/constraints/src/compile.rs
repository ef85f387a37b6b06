//! Checks the types of a constraint and compiles it (language specification, "Accessing the fields of a key" and
//! "Comparisons").
//!
//! Of the two sides of a comparison, a number takes the width of the other side, modulo 2 to the power of the width, and
//! a value stands for the match that is true for this value alone: `key == 5` asks whether the entry matches exactly 5.

use std::ops::Range;

use diagnostics::{did_you_mean, there_are};
use num_bigint::{BigInt, BigUint, Sign};
use runtime::Bits;
use runtime::tables::MatchKind;

use crate::condition::{Condition, Integer, IntegerSource, Pair, Test, Value};
use crate::expression::{Expression, Form, Relation};
use crate::finding::Problems;
use crate::types::{Part, Scope, Type};

/// The only attribute that entries have.
const PRIORITY: &str = "priority";

/// Compiles the constraints of one subject, all of which must hold. `None` if something is wrong, which is reported.
pub(crate) fn compile(all: &[Expression], scope: Scope, problems: &mut Problems) -> Option<Condition> {
    let mut compiler = Compiler { scope, problems };
    // Not a lazy conjunction: all of them are checked, even if the first is wrong.
    let conditions: Vec<Option<Condition>> = all.iter().map(|expression| compiler.boolean(expression)).collect();
    let mut conditions = conditions.into_iter().collect::<Option<Vec<_>>>()?;
    match conditions.len() {
        0 => None,
        1 => conditions.pop(),
        _ => {
            let place = conditions[0].place.start..conditions[conditions.len() - 1].place.end;
            Some(composed(Test::All(conditions.into()), place))
        }
    }
}

struct Compiler<'i, 'p> {
    scope: Scope<'i>,
    problems: &'p mut Problems,
}

/// A checked expression.
enum Checked {
    Boolean(Condition),
    Number(BigInt),
    /// An integer that depends on the entry.
    Integer(Integer),
    Bits(Value, u32),
    Key(usize, MatchKind, u32),
}

impl Checked {
    fn of(&self) -> Type {
        match self {
            Self::Boolean(_) => Type::Boolean,
            Self::Number(_) | Self::Integer(_) => Type::Integer,
            Self::Bits(_, width) => Type::Bits(*width),
            Self::Key(_, kind, width) => Type::Key(*kind, *width),
        }
    }
}

impl Compiler<'_, '_> {
    /// Checks an expression that must be a condition.
    fn boolean(&mut self, expression: &Expression) -> Option<Condition> {
        match self.check(expression)? {
            Checked::Boolean(condition) => Some(condition),
            other => {
                let hint = "compare it, such as with `==`".to_owned();
                let message = format!("a condition is expected here, not a value of type {}", other.of());
                self.problems.error(&expression.place, message, Some(hint));
                None
            }
        }
    }

    fn booleans(&mut self, all: &[Expression]) -> Option<Box<[Condition]>> {
        let all: Vec<Option<Condition>> = all.iter().map(|expression| self.boolean(expression)).collect();
        all.into_iter().collect()
    }

    fn check(&mut self, expression: &Expression) -> Option<Checked> {
        let place = &expression.place;
        let test = match &expression.form {
            Form::Boolean(value) => Test::Known(*value),
            Form::Number(value) => return Some(Checked::Number(value.clone().into())),
            Form::Name(name) => return self.name(name, place),
            Form::Attribute(name) => return self.attribute(name, place),
            Form::Field(key, field) => return self.field(key, field, place),
            Form::Negative(operand) => return self.negative(operand),
            Form::Not(operand) => Test::Not(Box::new(self.boolean(operand)?)),
            Form::And(operands) => Test::All(self.booleans(operands)?),
            Form::Or(operands) => Test::Any(self.booleans(operands)?),
            Form::Implies(sides) => {
                let [left, right] = &**sides;
                let (left, right) = (self.boolean(left), self.boolean(right));
                Test::Implies(Box::new([left?, right?]))
            }
            Form::Comparison(relation, sides) => {
                let [left, right] = &**sides;
                let (first, second) = (self.check(left), self.check(right));
                self.comparison(*relation, (first?, &left.place), (second?, &right.place), place)?
            }
        };
        Some(Checked::Boolean(composed(test, place.clone())))
    }

    fn name(&mut self, name: &str, place: &Range<usize>) -> Option<Checked> {
        match self.scope.find(name) {
            Some((at, Type::Key(kind, width))) => Some(Checked::Key(at, kind, width)),
            Some((at, Type::Bits(width))) => Some(Checked::Bits(Value::Parameter(at), width)),
            Some(_) | None => {
                let hint =
                    did_you_mean(name, self.scope.names()).unwrap_or_else(|| there_are(name, self.scope.names()));
                self.problems.error(place, format!("there is no {} `{name}`", self.scope.noun()), Some(hint));
                None
            }
        }
    }

    fn attribute(&mut self, name: &str, place: &Range<usize>) -> Option<Checked> {
        match self.scope {
            Scope::Keys(_) if name == PRIORITY => {
                Some(Checked::Integer(Integer { source: IntegerSource::Priority, is_negative: false }))
            }
            Scope::Keys(_) => {
                let message = format!("entries have no attribute `{name}`");
                self.problems.error(place, message, Some(format!("there is only `::{PRIORITY}`")));
                None
            }
            Scope::Parameters(_) => {
                let hint = "a constraint of the table can speak of the entry";
                let message = format!("actions have no attribute `{name}`");
                self.problems.error(place, message, Some(hint.to_owned()));
                None
            }
        }
    }

    fn field(&mut self, key: &Expression, field: &str, place: &Range<usize>) -> Option<Checked> {
        let key = self.check(key)?;
        let Checked::Key(at, kind, width) = key else {
            let message = format!("a value of type {} has no field `{field}`", key.of());
            self.problems.error(place, message, Some("only keys of tables have fields".to_owned()));
            return None;
        };
        match Part::of(kind).iter().find(|part| part.name() == field) {
            Some(Part::PrefixLength) => {
                Some(Checked::Integer(Integer { source: IntegerSource::PrefixLength(at), is_negative: false }))
            }
            Some(&part) => Some(Checked::Bits(Value::Key(at, part), width)),
            None => {
                let hint = there_are(field, Part::of(kind).iter().map(|part| part.name()));
                self.problems.error(place, format!("a key of kind {kind} has no field `{field}`"), Some(hint));
                None
            }
        }
    }

    fn negative(&mut self, operand: &Expression) -> Option<Checked> {
        match self.check(operand)? {
            Checked::Number(value) => Some(Checked::Number(-value)),
            Checked::Integer(own) => Some(Checked::Integer(Integer { is_negative: !own.is_negative, ..own })),
            other => {
                let message = format!("`-` takes a value of type int, not {}", other.of());
                self.problems.error(&operand.place, message, None);
                None
            }
        }
    }

    fn comparison(
        &mut self,
        relation: Relation,
        (left, left_place): (Checked, &Range<usize>),
        (right, right_place): (Checked, &Range<usize>),
        place: &Range<usize>,
    ) -> Option<Test> {
        use Checked::{Bits, Boolean, Integer, Key, Number};
        let (left_type, right_type) = (left.of(), right.of());
        let is_ordered = match (&left, &right) {
            (Key(_, kind, _), _) | (_, Key(_, kind, _)) => *kind == MatchKind::Exact,
            (Boolean(_), _) => false,
            _ => true,
        };
        let mut bits = |value, width, place| self.as_bits(value, width, place);
        let test = match (left, right) {
            (Boolean(left), Boolean(right)) => {
                Test::Same { of: Box::new([left, right]), is_negated: relation == Relation::NotEqual }
            }
            (Number(left), Number(right)) => Test::Known(relation.holds(left.cmp(&right))),
            (left @ (Number(_) | Integer(_)), right @ (Number(_) | Integer(_))) => {
                Test::Compare(relation, Pair::Integers(as_integer(&left), as_integer(&right)))
            }
            (Key(left, kind, width), Key(right, other, other_width)) if kind == other && width == other_width => {
                let same = |part: &Part| match part {
                    Part::PrefixLength => Pair::Integers(prefix_length(left), prefix_length(right)),
                    _ => Pair::Bits(Value::Key(left, *part), Value::Key(right, *part), width),
                };
                equality(relation, Part::of(kind).iter().map(same))
            }
            (Key(at, kind, width), value) if fits(&value, width) => {
                let value = bits(value, width, right_place);
                equality_with(relation, at, kind, width, value, false)
            }
            (value, Key(at, kind, width)) if fits(&value, width) => {
                let value = bits(value, width, left_place);
                equality_with(relation, at, kind, width, value, true)
            }
            (Bits(left, width), value) if fits(&value, width) => {
                Test::Compare(relation, Pair::Bits(left, bits(value, width, right_place), width))
            }
            (value, Bits(right, width)) if fits(&value, width) => {
                Test::Compare(relation, Pair::Bits(bits(value, width, left_place), right, width))
            }
            _ => {
                let message = format!("values of the types {left_type} and {right_type} cannot be compared");
                self.problems.error(place, message, comparison_hint(left_type, right_type));
                return None;
            }
        };
        if !is_ordered && !relation.is_equality() {
            let of = if matches!(left_type, Type::Key(..)) { left_type } else { right_type };
            let hint = match of {
                Type::Key(kind, _) => Some(there_are("", Part::of(kind).iter().map(|part| part.name()))),
                _ => None,
            };
            let hint = hint.map(|fields| format!("compare one of its fields: {fields}"));
            self.problems.error(place, format!("values of the type {of} have no order"), hint);
            return None;
        }
        Some(test)
    }

    /// Returns a value that [`fits`] as bits of a width. A number is cut (modulo 2 to the power of the width), and warned
    /// of if it then is another one: such a comparison can hardly be meant.
    fn as_bits(&mut self, value: Checked, width: u32, place: &Range<usize>) -> Value {
        match value {
            Checked::Bits(value, _) => value,
            Checked::Integer(integer) => Value::Integer(integer),
            Checked::Number(number) => {
                let modulus = BigInt::from(1) << width;
                let least = -(&modulus >> 1u32);
                let cut: BigUint = ((&number % &modulus + &modulus) % &modulus).magnitude().clone();
                // -1 is all ones, of a width of 1 too.
                if number >= modulus || (number < least && number != BigInt::from(-1)) {
                    let message = format!("{number} does not fit bit<{width}>, and is taken as {cut}");
                    self.problems.warning(place, message, None);
                }
                Value::Number(Bits::from_limbs(&cut.to_u64_digits(), width))
            }
            Checked::Boolean(_) | Checked::Key(..) => unreachable!("only numbers and bits fit a width"),
        }
    }
}

/// Returns whether a value can be converted to bits of a width.
fn fits(value: &Checked, width: u32) -> bool {
    match value {
        Checked::Number(_) | Checked::Integer(_) => true,
        Checked::Bits(_, own) => *own == width,
        Checked::Boolean(_) | Checked::Key(..) => false,
    }
}

/// Returns a number or an integer in the form for comparisons of integers.
fn as_integer(value: &Checked) -> Integer {
    match value {
        Checked::Integer(own) => *own,
        Checked::Number(number) => {
            let end = if number.sign() == Sign::Minus { i64::MIN } else { i64::MAX };
            let source = IntegerSource::Number(i64::try_from(number).unwrap_or(end));
            Integer { source, is_negative: false }
        }
        _ => unreachable!("only integers are asked for"),
    }
}

fn prefix_length(key: usize) -> Integer {
    Integer { source: IntegerSource::PrefixLength(key), is_negative: false }
}

/// Returns the test whether all pairs are equal, or its negation.
fn equality(relation: Relation, pairs: impl Iterator<Item = Pair>) -> Test {
    let mut pairs: Vec<Pair> = pairs.collect();
    match pairs.len() {
        1 => Test::Compare(relation, pairs.remove(0)),
        _ => Test::AllEqual { pairs: pairs.into(), is_negated: relation == Relation::NotEqual },
    }
}

/// Returns the comparison of a key with the match of one value. `is_swapped` says that the key is the right side.
fn equality_with(relation: Relation, key: usize, kind: MatchKind, width: u32, value: Value, is_swapped: bool) -> Test {
    let pair = |part: &Part| match part {
        Part::Value | Part::Low | Part::High if is_swapped => Pair::Bits(value.clone(), Value::Key(key, *part), width),
        Part::Value | Part::Low | Part::High => Pair::Bits(Value::Key(key, *part), value.clone(), width),
        Part::Mask => Pair::Bits(Value::Key(key, *part), Value::Number(Bits::ones(width)), width),
        Part::PrefixLength => {
            let all = Integer { source: IntegerSource::Number(i64::from(width)), is_negative: false };
            Pair::Integers(prefix_length(key), all)
        }
    };
    equality(relation, Part::of(kind).iter().map(pair))
}

fn comparison_hint(left: Type, right: Type) -> Option<String> {
    match (left, right) {
        (Type::Key(..), Type::Key(..)) => Some("compare fields of the keys, such as `::value`".to_owned()),
        (Type::Boolean, _) | (_, Type::Boolean) => Some("a condition is compared with another one".to_owned()),
        _ => None,
    }
}

/// Returns a condition with its size.
fn composed(test: Test, place: Range<usize>) -> Condition {
    let of = |all: &[Condition]| all.iter().map(|own| own.size).sum::<usize>() + all.len() - 1;
    let size = match &test {
        Test::Known(_) => 1,
        Test::Not(operand) => operand.size + 1,
        Test::All(all) | Test::Any(all) => of(all),
        Test::Implies(sides) | Test::Same { of: sides, .. } => of(&**sides),
        Test::Compare(..) | Test::AllEqual { .. } => 3,
    };
    Condition { test, place, size }
}
