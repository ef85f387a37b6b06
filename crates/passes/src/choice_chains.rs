//! Chains of choices that a single stage can make.
//!
//! In a match-action stage a field gets one new value from one instruction, which the actions of the stage's tables and
//! its gateways select (Bosshart et al., "Forwarding Metamorphosis", SIGCOMM 2013, section 2.1: one VLIW instruction
//! per stage). In straight-line code this is a chain of choices, `x.1 = c ? a : x` and `x.2 = d ? b : x.1`. Such a
//! chain is one instruction only if `c` and `d` never hold both; otherwise the second overwrites the first and needs a
//! stage of its own.

use std::cell::RefCell;

use ir::match_action::{Phase, phase};
use ir::pipeline::{Pipeline, StageKind};
use ir::{Expression, Program, Statement, VariableId};

use crate::functions::Function;
use crate::predicates::Predicates;

/// The conditions of the choices of one stage.
pub(crate) struct ChoiceChains {
    predicates: RefCell<Predicates>,
    /// For each variable assigned by a choice: where the chain assigns a new value rather than keeping the one that it
    /// began with. A single choice can be read in two ways, as keeping either of its sides, hence one function for each
    /// reading.
    given: Vec<Option<Vec<Function>>>,
}

impl ChoiceChains {
    /// Creates empty chains for a program in single assignment and three-address code.
    pub(crate) fn of(program: &Program) -> Self {
        Self { predicates: Predicates::of(program).into(), given: vec![None; program.variables.len()] }
    }

    /// Returns where a choice assigns a new value, for [`ChoiceChains::add`]; `None` if it cannot be made in this
    /// stage. `chained` accepts the variables that are assigned by choices of the same stage.
    pub(crate) fn given(&self, value: &Expression, chained: &dyn Fn(VariableId) -> bool) -> Option<Vec<Function>> {
        let mut predicates = self.predicates.borrow_mut();
        let Expression::Select(condition, if_true, if_false) = value else {
            // A Boolean cast to a number assigns 1 where the Boolean holds.
            let [bool] = value.children()[..] else { return None };
            let holds = predicates.operand(bool);
            return Some(vec![holds]);
        };
        let holds = predicates.operand(condition);
        let fails = predicates.functions().not(holds)?;
        let earlier = |side: &Expression| match side {
            Expression::Variable(variable) if chained(*variable) => Some(self.given[variable.index()].clone()?),
            _ => None,
        };
        let (gives, ways) = match (earlier(if_true), earlier(if_false)) {
            (None, None) => return Some(vec![holds, fails]),
            (Some(ways), None) => (fails, ways),
            (None, Some(ways)) => (holds, ways),
            (Some(_), Some(_)) => return None,
        };
        let exclusive: Vec<Function> = ways.into_iter().filter(|&others| predicates.exclude(gives, others)).collect();
        let all: Option<Vec<Function>> =
            exclusive.into_iter().map(|others| predicates.functions().or(gives, others)).collect();
        all.filter(|all| !all.is_empty())
    }

    /// Records where a choice assigns a new value.
    pub(crate) fn add(&mut self, variable: VariableId, given: Vec<Function>) {
        self.given[variable.index()] = Some(given);
    }
}

/// Checks that no choice of a match-action pipeline overwrites another choice of the same stage, which
/// [`Pipeline::verify`] cannot see. Other kinds of pipeline always pass.
///
/// # Errors
///
/// Returns one sentence for each choice that overwrites another.
pub fn verify_choices(pipeline: &Pipeline) -> Result<(), Vec<String>> {
    if pipeline.kind != StageKind::MatchAction {
        return Ok(());
    }
    let atoms = pipeline.stages.iter().flat_map(|stage| &stage.atoms);
    let packet: Vec<Statement> = atoms.flat_map(|atom| atom.body.iter().cloned()).collect();
    let program = Program { packet, ..pipeline.program.clone() };
    let mut chains = ChoiceChains::of(&program);
    let mut errors = Vec::new();
    for (number, stage) in pipeline.stages.iter().enumerate() {
        let mut made = vec![Phase::Before; program.variables.len()];
        for atom in &stage.atoms {
            let Ok(phase) = phase(&program, &atom.body, &|variable| made[variable.index()]) else { continue };
            for statement in &atom.body {
                let Statement::Assign { variable, value } = statement else { continue };
                made[variable.index()] = phase;
                if phase != Phase::Choice {
                    continue;
                }
                match chains.given(value, &|variable| made[variable.index()] == Phase::Choice) {
                    Some(given) => chains.add(*variable, given),
                    None => errors.push(format!(
                        "stage {number}: `{}` overwrites the result of another choice in the same stage",
                        ir::print::statement(&program, statement).to_string().trim()
                    )),
                }
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
