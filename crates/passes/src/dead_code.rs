//! Removes dead code.
//!
//! Live are the values that a packet carries away (the exports, so that an assignment to a field is always live), those
//! written to registers, and those that these are computed from. A read whose value is unused has no effect and is
//! removed, too. Locals that are no longer mentioned lose their declaration, unless they are parameters of actions.

use ir::{Expression, Program, Statement, VariableId, VariableKind};

/// Removes dead statements and unused locals of a program in single assignment.
pub fn run(program: &mut Program) {
    let packet = std::mem::take(&mut program.packet);
    let alive = alive(program, packet.iter());
    let mut alive = alive.into_iter();
    program.packet = packet;
    program.packet.retain(|_| alive.next() == Some(true));
    let mut packet = std::mem::take(&mut program.packet);
    remove_unused_locals(program, &mut packet.iter_mut().collect::<Vec<_>>());
    program.packet = packet;
}

/// Returns, for each of a program's statements, whether it is live. The statements are given in program order.
pub(crate) fn alive<'s>(
    program: &Program,
    statements: impl DoubleEndedIterator<Item = &'s Statement> + ExactSizeIterator,
) -> Vec<bool> {
    let mut needed = vec![false; program.variables.len()];
    let need = |expression: &Expression, needed: &mut Vec<bool>| {
        for variable in expression.variables() {
            needed[variable.index()] = true;
        }
    };
    for export in &program.exports {
        need(&export.value, &mut needed);
    }
    let mut alive = Vec::with_capacity(statements.len());
    for statement in statements.rev() {
        let is_alive = match statement {
            Statement::Assign { variable, .. } => needed[variable.index()],
            _ => true,
        };
        if is_alive {
            statement.expressions().into_iter().for_each(|expression| need(expression, &mut needed));
        }
        alive.push(is_alive);
    }
    alive.reverse();
    alive
}

/// Removes the declarations of locals that neither the statements nor the exports mention, and renumbers the others.
pub(crate) fn remove_unused_locals(program: &mut Program, statements: &mut [&mut Statement]) {
    let mut used: Vec<bool> = program.variables.iter().map(|v| v.kind == VariableKind::Field).collect();
    for statement in statements.iter() {
        if let Statement::Assign { variable, .. } = &**statement {
            used[variable.index()] = true;
        }
        for variable in statement.expressions().into_iter().flat_map(Expression::variables) {
            used[variable.index()] = true;
        }
    }
    for variable in program.exports.iter().flat_map(|export| export.value.variables()) {
        used[variable.index()] = true;
    }
    // Parameters of actions declare the data of table entries, even if no statement mentions them.
    for parameter in program.functions.iter().flat_map(|function| &function.parameters) {
        used[parameter.index()] = true;
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
    for statement in statements {
        if let Statement::Assign { variable, .. } = &mut **statement {
            *variable = numbers[variable.index()];
        }
        statement.expressions_mut().into_iter().for_each(|expression| renumber(expression, &numbers));
    }
    for parameter in program.functions.iter_mut().flat_map(|function| &mut function.parameters) {
        *parameter = numbers[parameter.index()];
    }
    for export in &mut program.exports {
        export.field = numbers[export.field.index()];
        renumber(&mut export.value, &numbers);
    }
}

fn renumber(expression: &mut Expression, numbers: &[VariableId]) {
    expression.rewrite(&mut |inner| {
        if let Expression::Variable(variable) = inner {
            *variable = numbers[variable.index()];
        }
    });
}
