//! Mutation tests: pipelines of P4 programs with deliberate defects of the fitting. Each defect is either refused by
//! the verification of the pipeline or detected by comparison.
//!
//! - A dependency is dropped: an atom runs a stage too early (refused), or the result of a table or a register is used
//!   without waiting for it, so that the old value 0 is used (detected).
//! - Two tables of which one depends on the other swap their stages (refused), or each is looked up in place of the
//!   other (refused if keys or actions are incompatible, otherwise detected).
//! - A register is accessed in two stages (refused).

use std::collections::BTreeMap;

use equivalence::Verdict;
use ir::pipeline::{Atom, Pipeline};
use ir::{Constant, Expression, Statement, TableId, VariableId};

use crate::load::{Loaded, PipelineMachine, Ready, Stages};

/// The results for the mutants of a program.
#[derive(Debug, Default)]
struct Score {
    refused: usize,
    found: usize,
    survivors: Vec<String>,
}

impl Score {
    /// Verifies and compares the mutants of a program.
    fn of(mutants: &[(String, Pipeline)], ready: &Ready) -> Self {
        let mut score = Self::default();
        for (name, mutant) in mutants {
            if mutant.verify().is_err() {
                score.refused += 1;
            } else if ready.compare(PipelineMachine::Banzai, mutant).verdict == Verdict::Equal {
                score.survivors.push(name.clone());
            } else {
                score.found += 1;
            }
        }
        score
    }
}

/// Returns every atom with its position.
fn atoms(pipeline: &Pipeline) -> impl Iterator<Item = (usize, usize, &Atom)> {
    let stages = pipeline.stages.iter().enumerate();
    stages.flat_map(|(stage, it)| it.atoms.iter().enumerate().map(move |(place, atom)| (stage, place, atom)))
}

/// Returns the stage that assigns each variable.
fn origins(pipeline: &Pipeline) -> BTreeMap<VariableId, usize> {
    let assigned = atoms(pipeline).flat_map(|(stage, _, atom)| {
        atom.body.iter().filter_map(move |statement| match statement {
            Statement::Assign { variable, .. } => Some((*variable, stage)),
            _ => None,
        })
    });
    assigned.collect()
}

fn reads(atom: &Atom) -> Vec<VariableId> {
    let mut found: Vec<VariableId> = Vec::new();
    for statement in &atom.body {
        statement.expressions().iter().for_each(|expression| found.extend(expression.variables()));
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn look_ups(atom: &Atom) -> Option<TableId> {
    atom.body.iter().find_map(|statement| match statement {
        Statement::Assign { value: Expression::Lookup(lookup), .. } => Some(lookup.table),
        _ => None,
    })
}

/// Returns a mutant for each atom that depends on the previous stage, with the atom in that stage.
fn too_early(pipeline: &Pipeline) -> Vec<Pipeline> {
    let origins = origins(pipeline);
    let dependent = atoms(pipeline).filter(|(stage, _, atom)| {
        *stage > 0 && reads(atom).iter().any(|read| origins.get(read) == Some(&(stage - 1)))
    });
    let moved = |(stage, place, _): (usize, usize, &Atom)| {
        let mut mutant = pipeline.clone();
        let atom = mutant.stages[stage].atoms.remove(place);
        // Before all others, so that it does not wait for any of them.
        mutant.stages[stage - 1].atoms.insert(0, atom);
        mutant
    };
    dependent.map(moved).collect()
}

/// Returns a mutant for each value that a table or a register produces, in which its users do not wait for it and use
/// the old value, 0.
fn lost(pipeline: &Pipeline) -> Vec<(String, Pipeline)> {
    let mut mutants = Vec::new();
    for (stage, place, atom) in atoms(pipeline) {
        for (number, statement) in atom.body.iter().enumerate() {
            let Statement::Assign { variable, value: Expression::Lookup(_) | Expression::Read { .. } } = statement
            else {
                continue;
            };
            let mut mutant = pipeline.clone();
            let variable = pipeline.program.variable(*variable);
            if let Statement::Assign { value, .. } = &mut mutant.stages[stage].atoms[place].body[number] {
                *value = Expression::Constant(Constant { ty: variable.ty, value: 0 });
            }
            mutants.push((variable.name.clone(), mutant));
        }
    }
    mutants
}

/// Returns a mutant for each two tables in different stages, in which they swap their stages.
fn swapped_stages(pipeline: &Pipeline) -> Vec<Pipeline> {
    let mut stages: BTreeMap<TableId, usize> = BTreeMap::new();
    atoms(pipeline).for_each(|(stage, _, atom)| {
        if let Some(table) = look_ups(atom) {
            stages.entry(table).or_insert(stage);
        }
    });
    let mut mutants = Vec::new();
    for (&one, &first) in &stages {
        for (&other, &second) in stages.iter().filter(|&(_, &second)| second > first) {
            let mut mutant = pipeline.clone();
            let mut take = |stage: usize, table| {
                let atoms = &mut mutant.stages[stage].atoms;
                let (taken, kept) = atoms.drain(..).partition(|atom| look_ups(atom) == Some(table));
                *atoms = kept;
                taken
            };
            let (early, late): (Vec<Atom>, Vec<Atom>) = (take(first, one), take(second, other));
            mutant.stages[first].atoms.splice(0..0, late);
            mutant.stages[second].atoms.splice(0..0, early);
            mutants.push(mutant);
        }
    }
    mutants
}

/// Returns a mutant for each two tables, in which each is looked up in place of the other.
pub fn swapped_tables(pipeline: &Pipeline) -> Vec<(String, Pipeline)> {
    let mut tables: Vec<TableId> = atoms(pipeline).filter_map(|(_, _, atom)| look_ups(atom)).collect();
    tables.sort_unstable();
    tables.dedup();
    let mut mutants = Vec::new();
    for (place, &one) in tables.iter().enumerate() {
        for &other in &tables[place + 1..] {
            let mut mutant = pipeline.clone();
            for statement in mutant.stages.iter_mut().flat_map(|stage| &mut stage.atoms).flat_map(|atom| &mut atom.body)
            {
                if let Statement::Assign { value: Expression::Lookup(lookup), .. } = statement {
                    lookup.table = match lookup.table {
                        table if table == one => other,
                        table if table == other => one,
                        table => table,
                    };
                }
            }
            let name = |table: TableId| &pipeline.program.tables[table.index()].name;
            mutants.push((format!("{} and {} swapped", name(one), name(other)), mutant));
        }
    }
    mutants
}

/// Returns a mutant for each register, in which its write is a stage later than its read.
fn in_two_stages(pipeline: &Pipeline) -> Vec<Pipeline> {
    let mut mutants = Vec::new();
    for (stage, place, atom) in atoms(pipeline).filter(|(_, _, atom)| atom.is_stateful() && atom.body.len() > 1) {
        let mut mutant = pipeline.clone();
        mutant.stages.insert(stage + 1, ir::pipeline::Stage::default());
        for access in mutant.accesses.iter_mut().filter(|access| access.stage as usize > stage) {
            access.stage += 1;
        }
        let last = mutant.stages[stage].atoms[place].body.pop().expect("several statements");
        mutant.stages[stage + 1].atoms.push(Atom { template: atom.template.clone(), body: vec![last] });
        mutants.push(mutant);
    }
    mutants
}

/// Programs with registers and with tables that depend on each other; each with a packet test that fills its tables,
/// and with the number of packets needed to reach every entry and action.
const PROGRAMS: [(&str, &str, usize); 4] = [
    ("tunnel", "entering.stf", 6000),
    ("load_balancer", "balancing.stf", 1500),
    ("stateful_firewall", "connections.stf", 1500),
    ("packet_counter", "counting.stf", 1500),
];

/// Returns the pipelines for both kinds of stages.
fn pipelines(ready: &Ready) -> [Pipeline; 2] {
    [Stages::Banzai, Stages::MatchAction].map(|stages| ready.pipeline(PipelineMachine::Banzai, stages).unwrap())
}

#[test]
fn refuses_wrong_stage_order_and_split_registers() {
    // Tables that are independent of each other share a stage, so not every program has two that can be swapped.
    let mut swapped = 0;
    for (name, test, _) in PROGRAMS {
        for pipeline in pipelines(&Loaded::ours(name, test).ready(1).unwrap()) {
            swapped += swapped_stages(&pipeline).len();
            for (kind, mutants, fewest) in [
                ("an atom a stage too early", too_early(&pipeline), 10),
                ("two tables in the stages of each other", swapped_stages(&pipeline), 0),
                ("a register in two stages", in_two_stages(&pipeline), 2),
            ] {
                let accepted = mutants.iter().filter(|mutant| mutant.verify().is_ok()).count();
                assert_eq!(accepted, 0, "{name}: {kind}, of {}", mutants.len());
                assert!(mutants.len() >= fewest, "{name}: {kind}");
            }
        }
    }
    assert!(swapped >= 4, "{swapped}");
}

#[test]
fn refuses_or_detects_swapped_tables() {
    for (name, test, packets) in PROGRAMS {
        let ready = Loaded::ours(name, test).ready(packets).unwrap();
        for pipeline in pipelines(&ready) {
            let score = Score::of(&swapped_tables(&pipeline), &ready);
            assert_eq!(score.survivors, Vec::<String>::new(), "{name}: {score:?}");
            assert!(score.refused + score.found > 0);
        }
    }
}

#[test]
fn detects_values_used_too_early() {
    for (name, test, packets) in PROGRAMS {
        let ready = Loaded::ours(name, test).ready(packets).unwrap();
        // In match-action stages, a constant is not a valid match, so most of these mutants are refused there.
        let pipeline = ready.pipeline(PipelineMachine::Banzai, Stages::Banzai).unwrap();
        let score = Score::of(&lost(&pipeline), &ready);
        assert_eq!(score.survivors, Vec::<String>::new(), "{name}: {score:?}");
        assert!(score.found >= 8, "{name}: {score:?}");
    }
}
