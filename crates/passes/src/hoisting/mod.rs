//! Merges all reads of a register into one at the beginning, and all its writes into one at the end.
//!
//! A stage reads a register once, changes the value, and writes it once, before the next packet arrives (Sivaraman et
//! al., "Packet Transactions", SIGCOMM 2016, section 4.1: read and write flanks). In between, variables hold the value.
//! All accesses of an array by one packet must therefore be at the same index, or under predicates that exclude each
//! other, so that the index can be chosen beforehand.
//!
//! The read and the write carry one predicate: whether the packet accesses the register at all, which is the
//! disjunction over all its reads and writes. Machines may order packets by it, so it is exact wherever possible;
//! only parts that depend on the register's own value, or on a value computed from that, count as true.
//!
//! Where the program writes nothing, the value written is the one that was read. The written value is thus correct with
//! and without the predicate, and an atom that knows no predicate may be found for it.

mod indices;
mod old_values;
mod predicates;

use ir::{Constant, Expression, Program, RegisterId, Statement, VariableId};

use crate::choices::Choices;
use crate::definitions::Definitions;
use crate::demand::{Demand, WriteDemand};
use crate::dependency_graph::{Dependencies, DependencyGraph};
use crate::fresh_names::FreshNames;
use crate::functions::Function;
use crate::predicates::Predicates;
use crate::report::Finding;

/// Hoists the reads and writes of state of a program in single assignment and three-address code.
///
/// # Errors
///
/// Returns findings if a packet may access an array at two indices, or if an index depends on the update that it is
/// needed for.
pub fn run(program: &mut Program) -> Result<(), Vec<Finding>> {
    let mut knowledge = Knowledge {
        definitions: Definitions::of(program),
        choices: Choices::of(program),
        predicates: Predicates::of(program),
        names: FreshNames::of(program),
    };
    let demand = Demand::of(program, &mut knowledge.predicates, WriteDemand::WhenPredicated);
    let accesses = collect(program, &mut knowledge);
    let mut chosen = Vec::new();
    let indices = indices::choose(program, &accesses, &mut knowledge, &mut chosen)?;
    let hoisted = registers(program, &accesses, indices, &mut knowledge);
    hoist(program, &hoisted, &demand, &mut knowledge);
    program.packet.extend(chosen);
    predicates::set(program, &accesses, &mut knowledge)?;
    put_in_order(program);
    Ok(())
}

/// The known facts about the program before hoisting.
struct Knowledge {
    definitions: Definitions,
    choices: Choices,
    predicates: Predicates,
    names: FreshNames,
}

/// The accesses of one register.
#[derive(Default)]
struct Accesses {
    /// The index and the predicate of each access, in program order.
    all: Vec<(Option<Expression>, Function)>,
    written: bool,
    /// The variable that stands for the value before the packet's first write, if there is one already.
    old: Option<VariableId>,
}

/// A register that is accessed.
struct Hoisted {
    register: RegisterId,
    index: Option<Expression>,
    /// The variable that holds the value before the packet's first write.
    old: VariableId,
    written: bool,
}

fn collect(program: &mut Program, knowledge: &mut Knowledge) -> Vec<Accesses> {
    let mut accesses: Vec<Accesses> = program.registers.iter().map(|_| Accesses::default()).collect();
    let mut old_values = old_values::OldValues::of(program);
    let packet = std::mem::take(&mut program.packet);
    for statement in &packet {
        if let Some((register, index, predicate)) = crate::dependency_graph::access(statement) {
            let happens = knowledge.predicates.predicate(predicate);
            // The index may be a choice by the condition under which the access happens.
            let index =
                index.map(|index| knowledge.choices.operand_where(&mut knowledge.predicates, happens, index.clone()));
            let index = index.map(|index| old_values.index(program, knowledge, happens, index));
            let accesses = &mut accesses[register.index()];
            accesses.all.push((index, happens));
            accesses.written |= matches!(statement, Statement::Write { .. });
        }
    }
    program.packet = packet;
    for (accesses, old) in accesses.iter_mut().zip(old_values.made()) {
        accesses.old = old;
    }
    accesses
}

fn registers(
    program: &mut Program,
    accesses: &[Accesses],
    indices: Vec<Option<Expression>>,
    knowledge: &mut Knowledge,
) -> Vec<Option<Hoisted>> {
    let mut hoisted = Vec::with_capacity(accesses.len());
    for (number, (accesses, index)) in accesses.iter().zip(indices).enumerate() {
        hoisted.push((!accesses.all.is_empty()).then(|| {
            let register = RegisterId::from(number);
            let hint = format!("{}.old", program.register(register).name);
            let ty = program.register(register).ty;
            let old = accesses.old.unwrap_or_else(|| knowledge.names.local(program, &hint, ty));
            Hoisted { register, index, old, written: accesses.written }
        }));
    }
    hoisted
}

/// Replaces the program's own accesses by variables, between a read at the beginning and a write at the end. The
/// predicates of these two are set later.
fn hoist(program: &mut Program, hoisted: &[Option<Hoisted>], demand: &Demand, knowledge: &mut Knowledge) {
    let packet = std::mem::take(&mut program.packet);
    let mut current: Vec<Option<Expression>> =
        hoisted.iter().map(|hoisted| hoisted.as_ref().map(|hoisted| Expression::Variable(hoisted.old))).collect();
    let reads = hoisted.iter().flatten().map(|hoisted| Statement::Assign {
        variable: hoisted.old,
        value: Expression::read(hoisted.register, hoisted.index.clone()),
    });
    let mut statements: Vec<Statement> = reads.collect();
    for statement in packet {
        match statement {
            Statement::Assign { variable, value: Expression::Read { register, predicate, .. } } => {
                let value = current[register.index()].clone().expect("an accessed register");
                let matters = demand.variable(variable);
                let value = match predicate {
                    Some(predicate)
                        if !knowledge.predicates.implies(matters, knowledge.predicates.operand(&predicate)) =>
                    {
                        // A read that does not happen gives 0.
                        let zero = Constant { ty: program.register(register).ty, value: 0 };
                        Expression::select(*predicate, value, Expression::Constant(zero))
                    }
                    _ => value,
                };
                statements.push(Statement::Assign { variable, value });
            }
            Statement::Write { register, value, predicate, .. } => {
                let before = current[register.index()].take().expect("an accessed register");
                current[register.index()] = Some(match predicate {
                    Some(predicate) => {
                        let hint = format!("{}.new", program.register(register).name);
                        let ty = program.register(register).ty;
                        let variable = knowledge.names.local(program, &hint, ty);
                        let value = Expression::select(predicate, value, before);
                        statements.push(Statement::Assign { variable, value });
                        Expression::Variable(variable)
                    }
                    None => value,
                });
            }
            other => statements.push(other),
        }
    }
    for hoisted in hoisted.iter().flatten().filter(|hoisted| hoisted.written) {
        let value = current[hoisted.register.index()].clone().expect("an accessed register");
        let (register, index) = (hoisted.register, hoisted.index.clone());
        statements.push(Statement::Write { register, index, value, predicate: None });
    }
    program.packet = statements;
}

/// Sorts the statements topologically, and keeps those of each codelet together.
fn put_in_order(program: &mut Program) {
    let components = DependencyGraph::of(program, Dependencies::All).components();
    let mut statements: Vec<Option<Statement>> = std::mem::take(&mut program.packet).into_iter().map(Some).collect();
    let order = components.into_iter().flatten();
    program.packet = order.map(|number| statements[number].take().expect("each once")).collect();
}
