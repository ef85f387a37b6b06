//! Verification of errors, parsers and value sets.

use super::ids;
use super::item::{Findings, Item};
use super::statements::Checker;
use crate::parser::{Case, Next, Parser, Set, StateId, Transition};
use crate::{CORE_ERRORS, Expression, ParserId, Program, Type, ValueSetId, typing};

pub(super) fn parsers(program: &Program, findings: &mut Findings) {
    let begins = program.errors.iter().map(String::as_str).take(CORE_ERRORS.len()).eq(CORE_ERRORS);
    if !(begins || program.errors.is_empty() && program.parsers.is_empty()) {
        findings.push(
            Item::Errors,
            format!("the errors of a program with parsers must begin with {}", CORE_ERRORS.join(", ")),
        );
    }
    for (number, set) in program.value_sets.iter().enumerate() {
        let item = Item::ValueSet(ValueSetId::from(number));
        if set.fields.is_empty() {
            findings.push(item, "a value set must have at least one field");
        }
        for field in set.fields.iter().filter(|field| !(1..=65_535).contains(&field.width)) {
            findings.push(item, format!("a field cannot be {} bits wide", field.width));
        }
    }
    for (number, parser) in program.parsers.iter().enumerate() {
        let id = ParserId::from(number);
        if parser.states.is_empty() {
            findings.push(Item::Parser(id), "a parser must have at least one state");
        }
        for (place, state) in parser.states.iter().enumerate() {
            transition(program, parser, (id, StateId::from(place)), &state.transition, findings);
        }
    }
}

fn transition(
    program: &Program,
    parser: &Parser,
    (id, state): (ParserId, StateId),
    transition: &Transition,
    findings: &mut Findings,
) {
    let goes = |next: Next| match next {
        Next::State(next) if next.index() >= parser.states.len() => {
            Err(format!("state {} does not exist", next.index()))
        }
        _ => Ok(()),
    };
    match transition {
        Transition::To(next) => findings.check(Item::State(id, state), goes(*next)),
        Transition::Select { keys, cases } => {
            if keys.is_empty() {
                findings.push(Item::State(id, state), "a selection must have at least one key");
            }
            for (number, case) in cases.iter().enumerate() {
                let item = Item::Case(id, state, number);
                findings.check(item, goes(case.next));
                findings.check(item, check_case(program, keys.len(), case));
            }
        }
    }
}

/// Requires the sets of a case to take as many keys as there are.
fn check_case(program: &Program, keys: usize, case: &Case) -> Result<(), String> {
    let mut taken = 0;
    for set in &case.sets {
        taken += match set {
            Set::ValueSet(id) => ids::value_set(program, *id)?.fields.len(),
            _ => 1,
        };
    }
    if taken == keys { Ok(()) } else { Err(format!("{taken} sets for {keys} keys")) }
}

/// Checks the types of keys and of the values that they are compared with.
pub(super) fn selection(checker: &mut Checker<'_>, transition: &Transition) {
    let Transition::Select { keys, cases } = transition else { return };
    let keys: Vec<Option<Type>> = keys.iter().map(|key| checker.expression(key)).collect();
    for case in cases {
        let mut keys = keys.iter();
        for set in &case.sets {
            check_set(checker, &mut keys, set);
        }
    }
}

fn check_set<'k>(checker: &mut Checker<'_>, keys: &mut impl Iterator<Item = &'k Option<Type>>, set: &Set) {
    // A mismatch between the numbers of sets and keys is reported separately.
    let mut compare = |checker: &mut Checker<'_>, values: &[&Expression], ordered: bool| {
        let key = keys.next().copied().flatten();
        for value in values {
            let found = checker.expression(value);
            if let Some((key, found)) = key.zip(found) {
                checker.check(typing::compared(key, found, ordered));
            }
        }
    };
    match set {
        Set::Value(value) => compare(checker, &[value], false),
        Set::Mask(value, mask) => compare(checker, &[value, mask], true),
        Set::Range(low, high) => compare(checker, &[low, high], true),
        Set::Any => compare(checker, &[], false),
        Set::ValueSet(id) => {
            let Some(set) = checker.check(ids::value_set(checker.program, *id)) else { return };
            for field in &set.fields {
                if let Some(key) = keys.next().copied().flatten() {
                    checker.check(typing::member(&set.name, *field, key));
                }
            }
        }
    }
}
