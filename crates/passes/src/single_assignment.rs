//! Gives every assignment a variable of its own (static single assignment).
//!
//! Once a name stands for one value, equality of names is equality of values: that two accesses of an array are at
//! the same index can be seen, and atoms can work in any order that their inputs allow. A packet's fields keep the
//! values with which the packet came; where their last values are is written down in the program's exports.
//!
//! The program is straight-line, so that no join of branches needs a phi function.

use ir::{Constant, Export, Expression, Program, Statement, VariableId, VariableKind};

use crate::names::Names;

/// Brings a straight-line program into single assignment.
pub fn run(program: &mut Program) {
    let mut packet = std::mem::take(&mut program.packet);
    let mut names = Names::of(program);
    let keeps_name = assigned_once_before_use(program, &packet);
    let mut current: Vec<Expression> = (0..program.variables.len())
        .map(|number| {
            let variable = &program.variables[number];
            match variable.kind {
                VariableKind::Field => Expression::Variable(VariableId::from(number)),
                // Before it is assigned, a local is 0.
                VariableKind::Local => Expression::Constant(Constant { ty: variable.ty, value: 0 }),
            }
        })
        .collect();
    for statement in &mut packet {
        for expression in statement.expressions_mut() {
            rename(expression, &current);
        }
        if let Statement::Assign { variable, .. } = statement {
            let old = *variable;
            if !keeps_name[old.index()] {
                let described = program.variable(old);
                let (hint, ty) = (described.name.clone(), described.ty);
                *variable = names.local(program, &hint, ty);
            }
            current[old.index()] = Expression::Variable(*variable);
        }
    }
    let fields: Vec<VariableId> = program.fields().map(|(field, _)| field).collect();
    let exports = fields.into_iter().filter_map(|field| {
        let mut value = program.export_of(field);
        rename(&mut value, &current);
        (value != Expression::Variable(field)).then_some(Export { field, value })
    });
    program.exports = exports.collect();
    program.packet = packet;
}

fn rename(expression: &mut Expression, current: &[Expression]) {
    expression.rewrite(&mut |inner| {
        if let Expression::Variable(variable) = inner {
            *inner = current[variable.index()].clone();
        }
    });
}

/// Locals that need no other name: assigned once, and not read before.
fn assigned_once_before_use(program: &Program, packet: &[Statement]) -> Vec<bool> {
    let mut keeps: Vec<bool> = program.variables.iter().map(|v| v.kind == VariableKind::Local).collect();
    let mut assigned = vec![false; program.variables.len()];
    for statement in packet {
        for variable in statement.expressions().into_iter().flat_map(Expression::variables) {
            keeps[variable.index()] &= assigned[variable.index()];
        }
        if let Statement::Assign { variable, .. } = statement {
            keeps[variable.index()] &= !assigned[variable.index()];
            assigned[variable.index()] = true;
        }
    }
    keeps
}
