//! Determines the single index of each array.

use ir::{Expression, Program, RegisterId, Statement};

use super::{Accesses, Knowledge};
use crate::functions::Function;
use crate::report::Finding;

/// Returns the index at which each register is accessed (`None` for scalars), and appends statements that compute it.
pub(super) fn choose(
    program: &mut Program,
    accesses: &[Accesses],
    knowledge: &mut Knowledge,
    statements: &mut Vec<Statement>,
) -> Result<Vec<Option<Expression>>, Vec<Finding>> {
    let mut findings = Vec::new();
    let mut indices = Vec::with_capacity(accesses.len());
    for (number, accesses) in accesses.iter().enumerate() {
        let places = places(accesses, knowledge);
        let register = RegisterId::from(number);
        let clash = clash(program, &places, knowledge);
        if let Some((first, second)) = clash {
            findings.push(refusal(program, register, &first, &second, knowledge));
            indices.push(None);
            continue;
        }
        indices.push(merged(program, register, places, knowledge, statements));
    }
    if findings.is_empty() { Ok(indices) } else { Err(findings) }
}

/// Returns the distinct indices of an array, each with the predicate under which it is accessed.
fn places(accesses: &Accesses, knowledge: &mut Knowledge) -> Vec<(Expression, Function)> {
    let mut places: Vec<(Expression, Function)> = Vec::new();
    for (index, happens) in &accesses.all {
        let Some(index) = index else { continue };
        match places.iter_mut().find(|(place, _)| place == index) {
            Some((_, known)) => *known = knowledge.predicates.either(*known, *happens),
            None => places.push((index.clone(), *happens)),
        }
    }
    places
}

/// Returns two indices that the same packet may access, if there are any.
fn clash(
    program: &Program,
    places: &[(Expression, Function)],
    knowledge: &mut Knowledge,
) -> Option<(Expression, Expression)> {
    for (number, (first, first_happens)) in places.iter().enumerate() {
        for (second, second_happens) in &places[number + 1..] {
            let same_type = program.type_of(first) == program.type_of(second);
            if !same_type || !knowledge.predicates.exclude(*first_happens, *second_happens) {
                return Some((first.clone(), second.clone()));
            }
        }
    }
    None
}

fn refusal(
    program: &Program,
    register: RegisterId,
    first: &Expression,
    second: &Expression,
    knowledge: &Knowledge,
) -> Finding {
    let name = &program.register(register).name;
    let [first, second] = [first, second].map(|index| knowledge.definitions.describe(program, index));
    Finding::new(format!("the array `{name}` is accessed at two indices that are neither equal nor exclusive"))
        .note(format!("one is `{first}`"))
        .note(format!("the other is `{second}`"))
        .note("a stage reads and writes an array at only one index for each packet")
}

/// Merges indices whose predicates exclude each other into a single index.
fn merged(
    program: &mut Program,
    register: RegisterId,
    places: Vec<(Expression, Function)>,
    knowledge: &mut Knowledge,
    statements: &mut Vec<Statement>,
) -> Option<Expression> {
    let mut places = places.into_iter().rev();
    let (mut index, _) = places.next()?;
    for (place, happens) in places {
        let Knowledge { predicates, names, .. } = knowledge;
        let condition = predicates.materialise(happens, program, names, statements, &|_| true);
        let ty = program.type_of(&index);
        let variable = names.local(program, &format!("{}.index", program.register(register).name), ty);
        let value = Expression::select(condition, place, index);
        statements.push(Statement::Assign { variable, value });
        index = Expression::Variable(variable);
    }
    Some(index)
}
