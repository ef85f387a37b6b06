//! Finds the smallest part of a constraint that explains why an entry violates it.

use crate::condition::{Condition, Integer, IntegerSource, Pair, Test, Value};
use crate::evaluate::Given;

/// A part of a constraint whose answer alone makes the whole fail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cause<'c> {
    pub condition: &'c Condition,
    /// The answer that this part has and must not have.
    pub answer: bool,
}

/// Returns the smallest part that makes a condition have the answer that it has. Of parts of one size, it is the first.
pub(crate) fn explain<'c>(condition: &'c Condition, given: &Given) -> Cause<'c> {
    explain_answer(condition, given.holds(condition), given)
}

fn explain_answer<'c>(condition: &'c Condition, answer: bool, given: &Given) -> Cause<'c> {
    let those_with = |all: &'c [Condition], wanted: bool| {
        let causes = all.iter().filter(|own| given.holds(own) == wanted);
        causes.map(|own| explain_answer(own, wanted, given)).min_by_key(|cause| cause.condition.size)
    };
    let smallest = match (&condition.test, answer) {
        (Test::Not(operand), _) => Some(explain_answer(operand, !answer, given)),
        (Test::All(all), false) => those_with(all, false),
        (Test::Any(all), true) => those_with(all, true),
        // An implication holds by its left side or by its right side.
        (Test::Implies(sides), true) => {
            let [left, right] = &**sides;
            let by_left = (!given.holds(left)).then(|| explain_answer(left, false, given));
            let by_right = given.holds(right).then(|| explain_answer(right, true, given));
            by_left.into_iter().chain(by_right).min_by_key(|cause| cause.condition.size)
        }
        _ => None,
    };
    smallest.unwrap_or(Cause { condition, answer })
}

/// Something of an entry that a condition speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mentioned {
    Key(usize),
    Parameter(usize),
    Priority,
}

/// Returns what a condition speaks of, in the order of keys or parameters, each once.
pub(crate) fn mentioned(condition: &Condition) -> Vec<Mentioned> {
    let mut all = Vec::new();
    collect(condition, &mut all);
    all.sort();
    all.dedup();
    all
}

fn collect(condition: &Condition, all: &mut Vec<Mentioned>) {
    match &condition.test {
        Test::Known(_) => {}
        Test::Not(operand) => collect(operand, all),
        Test::All(operands) | Test::Any(operands) => operands.iter().for_each(|own| collect(own, all)),
        Test::Implies(sides) | Test::Same { of: sides, .. } => sides.iter().for_each(|own| collect(own, all)),
        Test::Compare(_, pair) => collect_pair(pair, all),
        Test::AllEqual { pairs, .. } => pairs.iter().for_each(|pair| collect_pair(pair, all)),
    }
}

fn collect_pair(pair: &Pair, all: &mut Vec<Mentioned>) {
    let integer = |own: &Integer| match own.source {
        IntegerSource::Number(_) => None,
        IntegerSource::Priority => Some(Mentioned::Priority),
        IntegerSource::PrefixLength(key) => Some(Mentioned::Key(key)),
    };
    let value = |own: &Value| match own {
        Value::Number(_) => None,
        Value::Integer(own) => integer(own),
        Value::Key(key, _) => Some(Mentioned::Key(*key)),
        Value::Parameter(parameter) => Some(Mentioned::Parameter(*parameter)),
    };
    match pair {
        Pair::Integers(left, right) => all.extend([integer(left), integer(right)].into_iter().flatten()),
        Pair::Bits(left, right, _) => all.extend([value(left), value(right)].into_iter().flatten()),
    }
}
