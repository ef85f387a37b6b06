//! Removes what nobody needs.
//!
//! Needed is what a packet carries away (the exports: an assignment to a packet field is always needed), what is
//! written to registers, and what these are computed from. A read that nobody uses changes nothing and goes too.
//! Locals that are left without a mention lose their declaration.

use ir::{Expression, Program, Statement, VariableId, VariableKind};

/// Removes dead statements and unused locals of a program in single assignment.
pub fn run(program: &mut Program) {
    let mut needed = vec![false; program.variables.len()];
    let mut need = |expression: &Expression, needed: &mut Vec<bool>| {
        for variable in expression.variables() {
            needed[variable.index()] = true;
        }
    };
    for export in &program.exports {
        need(&export.value, &mut needed);
    }
    let mut kept = Vec::with_capacity(program.packet.len());
    for statement in std::mem::take(&mut program.packet).into_iter().rev() {
        let alive = match &statement {
            Statement::Assign { variable, .. } => needed[variable.index()],
            _ => true,
        };
        if alive {
            for expression in statement.expressions() {
                need(expression, &mut needed);
            }
            kept.push(statement);
        }
    }
    kept.reverse();
    program.packet = kept;
    remove_unused_locals(program);
}

fn remove_unused_locals(program: &mut Program) {
    let mut used: Vec<bool> = program.variables.iter().map(|v| v.kind == VariableKind::Field).collect();
    for statement in &program.packet {
        if let Statement::Assign { variable, .. } = statement {
            used[variable.index()] = true;
        }
        for variable in statement.expressions().into_iter().flat_map(Expression::variables) {
            used[variable.index()] = true;
        }
    }
    for variable in program.exports.iter().flat_map(|export| export.value.variables()) {
        used[variable.index()] = true;
    }
    if used.iter().all(|&used| used) {
        return;
    }
    let mut next = 0;
    let numbers: Vec<VariableId> = used
        .iter()
        .map(|&used| {
            let number = VariableId(next);
            next += u32::from(used);
            number
        })
        .collect();
    let mut used = used.into_iter();
    program.variables.retain(|_| used.next() == Some(true));
    for statement in &mut program.packet {
        renumber(statement, &numbers);
    }
    for export in &mut program.exports {
        export.field = numbers[export.field.index()];
        renumber_expression(&mut export.value, &numbers);
    }
}

/// Gives the variables of a straight-line statement new numbers.
fn renumber(statement: &mut Statement, numbers: &[VariableId]) {
    if let Statement::Assign { variable, .. } = statement {
        *variable = numbers[variable.index()];
    }
    for expression in statement.expressions_mut() {
        renumber_expression(expression, numbers);
    }
}

fn renumber_expression(expression: &mut Expression, numbers: &[VariableId]) {
    expression.rewrite(&mut |inner| {
        if let Expression::Variable(variable) = inner {
            *variable = numbers[variable.index()];
        }
    });
}
