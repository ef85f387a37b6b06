//! Decides conditions for an entry or the arguments of an action. Nothing is allocated.

use std::cmp::Ordering;

use runtime::Bits;
use runtime::tables::FieldMatch;

use crate::condition::{Condition, Integer, IntegerSource, Pair, Test, Value};
use crate::types::Part;

/// What a condition is decided for: an entry without arguments, or the arguments of an action.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'g> {
    /// The match for each key of the table, each of the form that its kind demands.
    pub key: &'g [FieldMatch],
    /// The priority; 0 if the entry has none.
    pub priority: u32,
    /// The arguments of the action, in the order of its parameters.
    pub data: &'g [Bits],
}

impl Given<'_> {
    /// Decides a condition.
    pub fn holds(&self, condition: &Condition) -> bool {
        match &condition.test {
            Test::Known(answer) => *answer,
            Test::Not(operand) => !self.holds(operand),
            Test::All(all) => all.iter().all(|own| self.holds(own)),
            Test::Any(all) => all.iter().any(|own| self.holds(own)),
            Test::Implies(sides) => !self.holds(&sides[0]) || self.holds(&sides[1]),
            Test::Same { of, is_negated } => (self.holds(&of[0]) == self.holds(&of[1])) != *is_negated,
            Test::Compare(relation, pair) => relation.holds(self.order(pair)),
            Test::AllEqual { pairs, is_negated } => pairs.iter().all(|pair| self.order(pair).is_eq()) != *is_negated,
        }
    }

    fn order(&self, pair: &Pair) -> Ordering {
        match pair {
            Pair::Integers(left, right) => self.integer(*left).cmp(&self.integer(*right)),
            Pair::Bits(left, right, width) => {
                let (left, right) = (self.value(left), self.value(right));
                let limbs = (0..width.div_ceil(64)).rev();
                let mut orders = limbs.map(|at| left.limb(at, *width).cmp(&right.limb(at, *width)));
                orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            }
        }
    }

    fn integer(&self, integer: Integer) -> i64 {
        let value = match integer.source {
            IntegerSource::Number(number) => number,
            IntegerSource::Priority => i64::from(self.priority),
            IntegerSource::PrefixLength(at) => match self.key[at] {
                FieldMatch::Prefix { length, .. } => i64::from(length),
                // No prefix at all has the length 0.
                _ => 0,
            },
        };
        if integer.is_negative { -value } else { value }
    }

    fn value<'v>(&'v self, value: &'v Value) -> View<'v> {
        match value {
            Value::Number(bits) => View::Limbs(bits.limbs()),
            Value::Integer(integer) => View::Signed(self.integer(*integer)),
            Value::Parameter(at) => View::Limbs(self.data[*at].limbs()),
            Value::Key(at, part) => match (&self.key[*at], part) {
                (FieldMatch::Exact(value), Part::Value) => View::Limbs(value.limbs()),
                (FieldMatch::Prefix { value, .. } | FieldMatch::Mask { value, .. }, Part::Value) => {
                    View::Limbs(value.limbs())
                }
                (FieldMatch::Mask { mask, .. }, Part::Mask) => View::Limbs(mask.limbs()),
                // An optional key that matches one value has a mask of ones.
                (FieldMatch::Exact(_), Part::Mask) => View::Signed(-1),
                (FieldMatch::Range { low, .. }, Part::Low) => View::Limbs(low.limbs()),
                (FieldMatch::Range { high, .. }, Part::High) => View::Limbs(high.limbs()),
                // A key that matches anything: an empty mask, no prefix, or the range of all values (P4Runtime
                // specification 1.4, section 9.1.1).
                (FieldMatch::Any, Part::High) => View::Signed(-1),
                _ => View::Signed(0),
            },
        }
    }
}

/// A value of bits that is read limb by limb.
enum View<'v> {
    /// The limbs, the least significant one first; missing ones are zero.
    Limbs(&'v [u64]),
    /// A signed number, continued by its sign.
    Signed(i64),
}

impl View<'_> {
    /// Returns a limb of the value in a type of `width` bits.
    fn limb(&self, at: u32, width: u32) -> u64 {
        let limb = match self {
            Self::Limbs(limbs) => limbs.get(at as usize).copied().unwrap_or(0),
            Self::Signed(value) if at == 0 => *value as u64,
            Self::Signed(value) => (*value >> 63) as u64,
        };
        let bits = width - at * 64;
        if bits < 64 { limb & ((1 << bits) - 1) } else { limb }
    }
}
