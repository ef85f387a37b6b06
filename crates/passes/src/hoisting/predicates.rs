//! Determines the predicates of hoisted accesses: whether a packet accesses each register.

use ir::{Expression, Program, RegisterId, Statement};

use super::{Accesses, Knowledge};
use crate::dependency_graph::{Dependencies, DependencyGraph, access};
use crate::functions::Function;
use crate::report::Finding;

/// Sets the predicates of a program's hoisted accesses, the same for all registers that are updated together. Returns
/// findings for arrays whose index depends on their own update.
pub(super) fn set(program: &mut Program, accesses: &[Accesses], knowledge: &mut Knowledge) -> Result<(), Vec<Finding>> {
    let mut findings = Vec::new();
    let mut graph = DependencyGraph::of(program, Dependencies::WithoutPredicates);
    for component in graph.components() {
        let mut registers: Vec<RegisterId> =
            component.iter().filter_map(|&number| access(&program.packet[number])).map(|(id, ..)| id).collect();
        registers.sort_unstable();
        registers.dedup();
        if registers.is_empty() {
            continue;
        }
        findings.extend(index_inside(program, &graph, &component));
        let happens = registers.iter().flat_map(|register| &accesses[register.index()].all);
        let exact = happens.fold(Function::FALSE, |all, (_, happens)| knowledge.predicates.either(all, *happens));
        if exact == Function::TRUE {
            continue;
        }
        // Values computed from the update cannot decide whether it happens; where they would, it counts as happening.
        let after = graph.reached_from(component.iter().copied());
        let comes_after = |variable| graph.definition(variable).is_some_and(|number| after[number]);
        let unknown: Vec<u32> = knowledge
            .predicates
            .support(exact)
            .into_iter()
            .filter(|&atom| comes_after(knowledge.predicates.atom_variable(atom)))
            .collect();
        let happens = knowledge.predicates.some(exact, &|atom| unknown.contains(&atom));
        let mut made = Vec::new();
        let Knowledge { predicates, names, .. } = knowledge;
        let usable = |holder| !comes_after(holder);
        let predicate = predicates.materialise(happens, program, names, &mut made, &usable);
        for statement in made {
            graph.push(&statement);
            program.packet.push(statement);
        }
        if happens == Function::TRUE {
            continue;
        }
        for &number in &component {
            let added = match &mut program.packet[number] {
                Statement::Assign { value: Expression::Read { predicate: place, .. }, .. } => {
                    *place = Some(Box::new(predicate.clone()));
                    true
                }
                Statement::Write { predicate: place, .. } => {
                    *place = Some(predicate.clone());
                    true
                }
                _ => false,
            };
            if let (true, Expression::Variable(variable)) = (added, &predicate) {
                graph.add(*variable, number);
            }
        }
    }
    if findings.is_empty() { Ok(()) } else { Err(findings) }
}

/// Returns findings for arrays whose index depends on the update that it is needed for.
fn index_inside(program: &Program, graph: &DependencyGraph, component: &[usize]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for &number in component {
        let Some((register, Some(Expression::Variable(index)), _)) = access(&program.packet[number]) else { continue };
        if graph.definition(*index).is_some_and(|definition| component.contains(&definition)) {
            let name = &program.register(register).name;
            let finding = Finding::new(format!("the index of the array `{name}` depends on what its update changes"))
                .note("the array would have to be accessed before its index is known");
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    findings
}
