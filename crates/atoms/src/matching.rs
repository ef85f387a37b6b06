//! The loop of guess and proof: the prover is given a configuration that fits all samples, and an input that refutes it
//! becomes a further sample.

use ir::{Expression, Program, Statement, Type, VariableId};

use crate::attempts::{Trial, Trials};
use crate::codelet::Codelet;
use crate::inputs::Inputs;
use crate::obligation::Obligation;
use crate::prove::{Verdict, prove};
use crate::samples::constants;
use crate::search::{Constants, Nothing, search};
use crate::{Claim, Configuration, Mapping, Premise, RegisterUpdate, Template, Unmappable, Update};

/// The maximum number of guesses that the prover is given for one template.
const MOST_GUESSES: usize = 100;

/// The result for one choice of operands.
enum Outcome {
    Found(Configuration, Box<Claim>),
    Refused,
    StepBound,
}

/// Maps a codelet whose registers the template can hold.
pub(crate) fn match_codelet(
    codelet: &Codelet<'_>,
    inputs: &Inputs,
    template: Template,
    premise: Premise,
    trials: &mut Trials,
) -> Result<Mapping, Unmappable> {
    let (mut examined, mut guesses) = (0, 0);
    let (mut any_determined, mut bounded) = (false, false);
    for choice in choices(inputs.candidates.len(), template.operands()) {
        let operands: Vec<VariableId> = choice.iter().map(|&number| inputs.candidates[number]).collect();
        let Some(trial) = trials.of(codelet, inputs, &operands, premise) else { continue };
        any_determined = true;
        match match_operands(&trial, template, &mut examined, &mut guesses) {
            Outcome::Found(configuration, claim) => {
                let updates = updates(codelet, &configuration, &operands);
                let differs = (premise == Premise::NoOverflow).then(|| refute_without_premise(&claim)).flatten();
                let access = codelet.access.clone();
                return Ok(Mapping {
                    template,
                    configuration,
                    operands,
                    updates,
                    access,
                    premise,
                    claim: *claim,
                    differs,
                    examined,
                });
            }
            Outcome::Refused => {}
            Outcome::StepBound => bounded = true,
        }
    }
    if bounded {
        Err(Unmappable::StepBound { template, examined })
    } else if any_determined {
        Err(Unmappable::NoConfiguration { template, examined })
    } else {
        Err(Unmappable::Operands { needed: trials.needed(codelet, inputs, premise), template })
    }
}

/// Returns all subsets of at most `most` of `count` candidates, smaller ones first, those of equal size in order.
fn choices(count: usize, most: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..most {
        let until = all.len();
        for number in from..until {
            let next = all[number].last().map_or(0, |last| last + 1);
            all.extend(
                (next..count).map(|added| all[number].iter().copied().chain([added]).collect()).collect::<Vec<_>>(),
            );
        }
        from = until;
    }
    all
}

fn match_operands(trial: &Trial, template: Template, examined: &mut u64, guesses: &mut usize) -> Outcome {
    let obligation = &trial.obligation;
    let own = constants(obligation);
    let mut samples = trial.samples.clone();
    let mut unproven = false;
    for wide in [false, true] {
        let constants = Constants::new(&own, wide, obligation.word);
        loop {
            let configuration = match search(template, &samples.columns(obligation), &constants, examined) {
                Ok(configuration) => configuration,
                Err(Nothing::Fits) => break,
                Err(Nothing::StepBound) => return Outcome::StepBound,
            };
            *guesses += 1;
            if *guesses > MOST_GUESSES {
                return Outcome::StepBound;
            }
            let claim = claim(obligation, &configuration);
            match prove(&claim) {
                Verdict::Proven => return Outcome::Found(configuration, Box::new(claim)),
                Verdict::Refuted(values) => samples.refine(obligation, &values),
                Verdict::Unknown => {
                    unproven = true;
                    break;
                }
            }
        }
    }
    if unproven { Outcome::StepBound } else { Outcome::Refused }
}

/// Completes an obligation to the claim that a configuration fulfils it.
fn claim(obligation: &Obligation, configuration: &Configuration) -> Claim {
    let mut claim = obligation.claim.clone();
    let state = |number: u8| Expression::Variable(obligation.states[usize::from(number)]);
    let operand = |number: u8| Expression::Variable(obligation.operands[usize::from(number)]);
    for (number, target) in obligation.targets.iter().enumerate() {
        let value = configuration.expression(obligation.word.ty(), number as u8, &state, &operand);
        claim.equalities.push((target.clone(), value));
    }
    claim
}

/// Returns the new values that a configuration computes, over the program's variables.
fn updates(codelet: &Codelet<'_>, configuration: &Configuration, operands: &[VariableId]) -> Vec<RegisterUpdate> {
    let operand = |number: u8| {
        let id = operands[usize::from(number)];
        match codelet.program.variable(id).ty {
            Type::Bool => Expression::Cast(codelet.ty(), Box::new(Expression::Variable(id))),
            _ => Expression::Variable(id),
        }
    };
    let old = |number: u8| {
        let state = &codelet.states[usize::from(number)];
        match &state.read {
            Some((variable, None)) => Expression::Variable(*variable),
            // Where the codelet does not read, its variable would be 0, but the atom always reads the register.
            _ => Expression::Read {
                register: state.register,
                index: state.index.clone().map(Box::new),
                predicate: codelet.access.clone().map(Box::new),
            },
        }
    };
    let written = codelet.states.iter().enumerate().filter(|(_, state)| state.write.is_some());
    written
        .map(|(number, state)| RegisterUpdate {
            register: state.register,
            index: state.index.clone(),
            old: state.read.as_ref().map(|(variable, _)| *variable),
            value: configuration.expression(codelet.ty(), number as u8, &old, &operand),
        })
        .collect()
}

/// Returns an input for which a claim does not hold if sums may overflow.
fn refute_without_premise(claim: &Claim) -> Option<crate::Counterexample> {
    let mut bare = claim.clone();
    bare.exact.clear();
    match prove(&bare) {
        Verdict::Refuted(mut values) => bare.refuted_by(&mut values),
        Verdict::Proven | Verdict::Unknown => None,
    }
}

/// Returns the mapping of a codelet that only reads, which fits every atom.
fn read_only(codelet: Codelet<'_>, template: Template, premise: Premise) -> Mapping {
    let claim = Obligation::new(&codelet, &Inputs::none(), &[], Premise::None).claim;
    Mapping {
        template,
        configuration: Configuration::Update(vec![Update::Keep; codelet.states.len()]),
        operands: Vec::new(),
        updates: Vec::new(),
        access: codelet.access,
        premise,
        claim,
        differs: None,
        examined: 0,
    }
}

/// Analyses a codelet and maps it.
pub(crate) fn map(
    (program, body): (&Program, &[Statement]),
    definitions: &dyn Fn(VariableId) -> Option<Expression>,
    template: Template,
    premise: Premise,
    trials: &mut Trials,
) -> Result<Mapping, Unmappable> {
    let codelet = Codelet::new(program, body)?;
    codelet.check(template)?;
    if codelet.written() == 0 {
        return Ok(read_only(codelet, template, premise));
    }
    let inputs = Inputs::new(&codelet, definitions);
    match_codelet(&codelet, &inputs, template, premise, trials)
}
