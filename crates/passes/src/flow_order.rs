//! Keeps the packets of a flow in order by a dummy access to state in the last stage.
//!
//! Packets that access no state may overtake packets that wait for it. An access to a register that nobody reads, at an
//! index that is a hash of the flow, makes every packet queue behind the earlier packets of its flow before it departs.

use ir::{Expression, Initial, Program, Register, RegisterId, Statement, Type, VariableId};
use runtime::hash::HashFunction;

use crate::fresh_names::FreshNames;
use crate::report::Finding;
use crate::units::Unit;

/// The name of the dummy register, which is not a valid identifier in any source language.
pub const FLOW_ORDER: &str = "$flow_order";

/// The length of the dummy register. Flows whose hashes collide merely wait for each other.
const PLACES: u32 = 4096;

/// The units that are added to a program.
pub(crate) struct FlowOrder {
    /// The operations that compute the index.
    pub(crate) operations: Vec<Unit>,
    /// The access to the dummy register.
    pub(crate) access: Unit,
}

/// Adds the dummy register to a program and returns the operations that access it at a hash of the named fields; `None`
/// if no fields are named.
pub(crate) fn add(program: &mut Program, fields: &[String], atom: &str) -> Result<Option<FlowOrder>, Vec<Finding>> {
    if fields.is_empty() {
        return Ok(None);
    }
    let mut findings = Vec::new();
    let mut words: Vec<Expression> = Vec::new();
    for name in fields {
        match program.fields().find(|(_, field)| field.name == *name) {
            Some((field, _)) => words.push(Expression::Variable(field)),
            None => {
                let known: Vec<&str> = program.fields().map(|(_, field)| field.name.as_str()).collect();
                let finding =
                    Finding::new(format!("the flow order names the field `{name}`, which the program does not have"));
                findings.push(finding.note(format!("the fields are {}", known.join(", "))));
            }
        }
    }
    if program.register_named(FLOW_ORDER).is_some() {
        findings.push(Finding::new(format!("the program already has a register called `{FLOW_ORDER}`")));
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let mut names = FreshNames::of(program);
    let mut operations = Vec::new();
    let mut words = words.into_iter();
    let mut index = words.next().expect("at least one field");
    let second = words.next().unwrap_or(Expression::number(Type::INT32, 0));
    for word in std::iter::once(second).chain(words) {
        let variable: VariableId = names.local(program, "flow", Type::INT32);
        let value = Expression::Hash(HashFunction::Hash2, vec![index, word]);
        operations.push(Unit { template: None, body: vec![Statement::Assign { variable, value }] });
        index = Expression::Variable(variable);
    }
    program.registers.push(Register {
        name: FLOW_ORDER.to_owned(),
        ty: Type::INT32,
        length: Some(PLACES),
        initial: Initial::Fill(0),
    });
    let register = RegisterId::from(program.registers.len() - 1);
    let value = Expression::number(Type::INT32, 0);
    let write = Statement::Write { register, index: Some(index), value, predicate: None };
    Ok(Some(FlowOrder { operations, access: Unit { template: Some(atom.to_owned()), body: vec![write] } }))
}
