//! Gives every assignment a variable of its own (static single assignment).
//!
//! Once each name stands for one value, equal names mean equal values: two accesses of an array can be recognised to be
//! at the same index, and atoms can run in any order that their inputs allow. The fields of a packet keep the values
//! with which it arrived; the program's exports say which variables hold their final values.
//!
//! The program is straight-line code, so no phi functions are needed.

use ir::{Constant, Export, Expression, Program, Statement, VariableId, VariableKind};

use crate::fresh_names::FreshNames;

/// Converts a straight-line program to single assignment.
pub fn run(program: &mut Program) {
    let mut packet = std::mem::take(&mut program.packet);
    let mut names = FreshNames::of(program);
    let keeps_name = assigned_once_before_use(program, &packet);
    let mut current: Vec<Expression> = (0..program.variables.len())
        .map(|number| {
            let variable = &program.variables[number];
            match variable.kind {
                VariableKind::Field => Expression::Variable(VariableId::from(number)),
                // A local is 0 before it is assigned.
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

/// Marks the locals that can keep their names: those that are assigned once and not read before.
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
