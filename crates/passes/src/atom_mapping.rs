//! Replaces each codelet by an atom of the machine, configured so that it provably computes the codelet.
//!
//! The machine then runs the atom instead of the program's own statements, so comparing the machine with the
//! interpreter also checks the proof. An atom gives the packet the old and the new values of its registers; whatever
//! other values of the codelet are needed outside of it are recomputed, without state, from the old values.

use std::collections::HashMap;

use atoms::{Attempts, Least, Mapping, Premise, Template, Unmappable};
use ir::{Expression, Program, RegisterId, Statement, TableId, VariableId};

use crate::algebra::{OperandFacts, simplify};
use crate::codelets::{self, ProgramPiece};
use crate::definitions::Definitions;
use crate::fresh_names::FreshNames;
use crate::report::Finding;
use crate::smallest::atom_for;
use crate::target::{ANY_ATOM, Target};
use crate::units::{self, Unit};
use crate::{dead_code, three_address};

/// An update of registers that one atom computes.
#[derive(Clone, Debug)]
pub struct Codelet {
    /// The names of its registers.
    pub registers: Vec<String>,
    /// The update as the program states it, for every packet: straight-line code over the variables of
    /// [`Codelets::program`].
    pub body: Vec<Statement>,
    /// The configuration of the machine's atom that computes the update; `None` if the codelet only reads, if no
    /// configuration was found, or if the machine's atoms are unlimited ([`ANY_ATOM`]).
    pub mapping: Option<Mapping>,
    attempts: Attempts,
}

/// The codelets of a program.
#[derive(Clone, Debug)]
pub struct Codelets {
    /// The program that declares the variables of the codelets, with its code before mapping.
    pub program: Program,
    /// The codelets in topological order: each comes after those whose values it needs.
    pub all: Vec<Codelet>,
}

impl Codelets {
    /// Returns the least atom for each codelet: the first template, in order of power, that computes it. The entry is
    /// `None` for a codelet that only reads, which fits every atom.
    pub fn least(&self) -> Vec<Option<Least>> {
        let definitions = Definitions::of(&self.program);
        let definition = |variable| stateless(&definitions, variable);
        let least = |codelet: &Codelet| {
            let Codelet { body, mut attempts, .. } = codelet.clone();
            writes(&body).then(|| attempts.least(&self.program, &body, &definition))
        };
        self.all.iter().map(least).collect()
    }
}

/// Finds the codelets of a hoisted program.
pub(crate) fn find(program: &Program) -> Codelets {
    let mut program = program.clone();
    let mut names = FreshNames::of(&program);
    let mut all = Vec::new();
    let mut known = codelets::ProgramFacts::of(&program);
    for part in codelets::split(&program) {
        if let ProgramPiece::Codelet(body) = part {
            let registers = codelets::registers(&body);
            let registers = registers.into_iter().map(|id| program.register(id).name.clone()).collect();
            let body = codelets::without_predicate(&mut program, &mut names, &mut known, &body);
            all.push(Codelet { registers, body, mapping: None, attempts: Attempts::default() });
        }
    }
    Codelets { program, all }
}

/// A program cut into units.
pub(crate) struct Mapped {
    pub(crate) units: Vec<Unit>,
    /// The codelets that do not map to the target's atom.
    pub(crate) findings: Vec<Finding>,
    /// The least atom, no weaker than the target's, that computes all updates.
    pub(crate) atom: String,
}

/// Maps each codelet of a hoisted program to the target's atom. Codelets that do not map are reported and left
/// unchanged, so that the later passes can still report whether there are enough stages and atoms.
pub(crate) fn run(program: &mut Program, found: &mut Codelets, target: &Target) -> Mapped {
    let template = Template::from_name(&target.atom);
    let mut findings = Vec::new();
    let mut atoms = vec![target.atom.clone()];
    if template.is_none() && target.atom != ANY_ATOM {
        let names: Vec<&str> = Template::ALL.iter().map(|template| template.name()).collect();
        let message = format!("there is no atom called `{}`", target.atom);
        atoms = vec![ANY_ATOM.to_owned()];
        findings.push(Finding::new(message).note(format!("atoms are {} and {ANY_ATOM}", names.join(", "))));
    }
    let parts = codelets::split(program);
    // The variables that were added when the codelets were found are needed only for the claims of the mappings.
    let definitions = Definitions::of(program);
    let mut names = FreshNames::of(&found.program);
    program.variables.clone_from(&found.program.variables);
    let mut units = Vec::new();
    let mut codelets = found.all.iter_mut();
    let mut applications = HashMap::new();
    for part in parts {
        match part {
            ProgramPiece::Operation(statement) => operation(&mut units, &mut applications, statement),
            ProgramPiece::Codelet(body) => {
                let codelet = codelets.next().expect("found in the same program");
                let Some(template) = template.filter(|_| writes(&body)) else {
                    units.push(Unit { template: Some(target.atom.clone()), body });
                    continue;
                };
                match map(&found.program, codelet, &definitions, template, target) {
                    Ok(mapping) => {
                        units.extend(mapped(program, &mut names, &body, codelet, &mapping));
                        codelet.mapping = Some(mapping);
                    }
                    Err((finding, needed)) => {
                        findings.push(finding);
                        atoms.push(needed);
                        units.push(Unit { template: Some(target.atom.clone()), body });
                    }
                }
            }
        }
    }
    tidy(program, &mut units);
    let atom = atom_for(atoms.iter().map(String::as_str)).expect("the target has one");
    Mapped { units, findings, atom }
}

/// Adds a stateless operation as a unit of its own, except that look-ups in the same table with the same keys share
/// one.
fn operation(
    units: &mut Vec<Unit>,
    applications: &mut HashMap<(TableId, Vec<Expression>), usize>,
    statement: Statement,
) {
    if let Statement::Assign { value: Expression::Lookup(lookup), .. } = &statement {
        let application = (lookup.table, lookup.keys.clone());
        if let Some(&unit) = applications.get(&application) {
            units[unit].body.push(statement);
            return;
        }
        applications.insert(application, units.len());
    }
    units.push(Unit { template: None, body: vec![statement] });
}

fn map(
    program: &Program,
    codelet: &mut Codelet,
    definitions: &Definitions,
    template: Template,
    target: &Target,
) -> Result<Mapping, (Finding, String)> {
    let definition = |variable| stateless(definitions, variable);
    // The machine's atom can do all that a lesser one can, but the configuration of a lesser one is easier to find and
    // to read.
    let lesser = Template::CHAIN.into_iter().take_while(|&lesser| lesser != template);
    let offered: Vec<Template> = if Template::CHAIN.contains(&template) { lesser.collect() } else { Vec::new() };
    let Codelet { body, attempts, .. } = codelet;
    let mut under = |premise| {
        let mut map = |template| attempts.map(program, body, &definition, template, premise);
        offered.iter().find_map(|&lesser| map(lesser).ok()).map_or_else(|| map(template), Ok)
    };
    let mut mapping = under(Premise::None);
    if mapping.is_err() && target.assume_no_overflow {
        mapping = under(Premise::NoOverflow).or(mapping);
    }
    mapping.map_err(|reason| refusal(program, codelet, &definition, template, &reason))
}

/// Returns the finding that says why the machine's atom cannot compute a codelet and which one could, and the name of
/// the latter.
fn refusal(
    program: &Program,
    codelet: &mut Codelet,
    definition: &dyn Fn(VariableId) -> Option<Expression>,
    template: Template,
    reason: &Unmappable,
) -> (Finding, String) {
    let registers = codelet.registers.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let Codelet { body, attempts, .. } = &mut *codelet;
    let least = attempts.least(program, body, definition);
    let message = match &least.exact {
        Ok(mapping) => {
            let needed = mapping.template;
            format!("the update of {registers} needs the atom `{needed}`, the machine offers `{template}`")
        }
        Err(_) => format!("the update of {registers} is computed by no atom; the machine offers `{template}`"),
    };
    let mut finding = Finding::new(message).note(reason.to_string());
    if let Some(lesser) = &least.without_overflow {
        let note =
            format!("`{}` would suffice if no sum of the program overflowed (`--assume-no-overflow`)", lesser.template);
        finding = finding.note(note);
    }
    for statement in &codelet.body {
        finding = finding.note(ir::print::statement(program, statement).to_string().trim().to_owned());
    }
    let needed = least.exact.map_or(ANY_ATOM, |mapping| mapping.template.name());
    (finding, needed.to_owned())
}

/// Returns the expression assigned to a variable if an atom could compute it itself, that is, unless it reads state.
fn stateless(definitions: &Definitions, variable: VariableId) -> Option<Expression> {
    definitions.variable(variable).filter(|value| !matches!(value, Expression::Read { .. })).cloned()
}

fn writes(body: &[Statement]) -> bool {
    body.iter().any(|statement| matches!(statement, Statement::Write { .. }))
}

/// Returns the unit of the atom that computes the codelet, and the units of the operations that remain beside it.
fn mapped(
    program: &mut Program,
    names: &mut FreshNames,
    body: &[Statement],
    codelet: &Codelet,
    mapping: &Mapping,
) -> Vec<Unit> {
    let mut atom = Vec::new();
    let mut beside = Vec::new();
    let mut renamed: Vec<VariableId> = Vec::new();
    let predicate = body.iter().find_map(crate::dependency_graph::access).and_then(|(_, _, p)| p.cloned());
    let mut olds: Vec<(RegisterId, VariableId)> = Vec::new();
    for statement in body {
        if let Statement::Assign { variable, value: Expression::Read { register, .. } } = statement {
            olds.push((*register, *variable));
            atom.push(statement.clone());
        }
    }
    // Read the old values of registers that the atom reads but the codelet itself does not.
    for update in &mapping.updates {
        if let Some(old) = update.old
            && !olds.contains(&(update.register, old))
        {
            let predicate = predicate.clone().map(Box::new);
            let index = update.index.clone().map(Box::new);
            let value = Expression::Read { register: update.register, index, predicate };
            atom.push(Statement::Assign { variable: old, value });
        }
    }
    let mut writes = Vec::new();
    for update in &mapping.updates {
        let mut value = update.value.clone();
        predicate_reads(&mut value, predicate.as_ref());
        // The constants of a configuration result in operations on constants, such as `0 == 0`.
        value.rewrite(&mut |inner| *inner = simplify(&OperandFacts { program, definitions: &[] }, inner.clone()));
        let value = three_address::one_operation(program, names, &mut atom, value);
        let new = match written(&codelet.body, update.register) {
            // The atom provides the new value, so it need not be computed beside it.
            Some(Expression::Variable(variable)) if assigned_in(body, variable) && !renamed.contains(&variable) => {
                renamed.push(variable);
                variable
            }
            _ => {
                let register = program.register(update.register);
                let (hint, ty) = (format!("{}.new", register.name), register.ty);
                names.local(program, &hint, ty)
            }
        };
        atom.push(Statement::Assign { variable: new, value });
        writes.push(Statement::Write {
            register: update.register,
            index: update.index.clone(),
            value: Expression::Variable(new),
            predicate: predicate.clone(),
        });
    }
    atom.extend(writes);
    for statement in body {
        match statement {
            Statement::Assign { value: Expression::Read { .. }, .. } | Statement::Write { .. } => {}
            Statement::Assign { variable, .. } if renamed.contains(variable) => {}
            other => beside.push(Unit { template: None, body: vec![other.clone()] }),
        }
    }
    let mut units = vec![Unit { template: Some(mapping.template.name().to_owned()), body: atom }];
    units.extend(beside);
    units
}

fn predicate_reads(value: &mut Expression, predicate: Option<&Expression>) {
    value.rewrite(&mut |inner| {
        if let Expression::Read { predicate: place, .. } = inner {
            *place = predicate.cloned().map(Box::new);
        }
    });
}

fn written(body: &[Statement], of: RegisterId) -> Option<Expression> {
    body.iter().find_map(|statement| match statement {
        Statement::Write { register, value, .. } if *register == of => Some(value.clone()),
        _ => None,
    })
}

/// Returns true if the codelet computes the variable itself instead of reading it from a register.
fn assigned_in(body: &[Statement], variable: VariableId) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Assign { variable: assigned, value } => {
            *assigned == variable && !matches!(value, Expression::Read { .. })
        }
        _ => false,
    })
}

/// Removes statements and variables that are no longer needed, and sorts the units topologically.
fn tidy(program: &mut Program, units: &mut Vec<Unit>) {
    units::put_in_order(program, units);
    let statements: Vec<&Statement> = units.iter().flat_map(|unit| &unit.body).collect();
    let mut alive = dead_code::alive(program, statements.into_iter()).into_iter();
    for unit in units.iter_mut() {
        unit.body.retain(|_| alive.next() == Some(true));
    }
    units.retain(|unit| !unit.body.is_empty());
    let mut statements: Vec<&mut Statement> = units.iter_mut().flat_map(|unit| &mut unit.body).collect();
    dead_code::remove_unused_locals(program, &mut statements);
}
