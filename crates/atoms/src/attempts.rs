//! The memory of attempts to map one codelet, so that nothing is tried twice: after a refusal other atoms than the
//! machine's are tried, and the samples of a codelet are the same for every template.

use std::collections::BTreeMap;
use std::sync::Arc;

use ir::{BinaryOperator, Expression, Program, Statement, VariableId};

use crate::codelet::Codelet;
use crate::inputs::Inputs;
use crate::obligation::Obligation;
use crate::samples::Samples;
use crate::{Least, Mapping, Premise, Template, Unmappable, matching};

/// The initial number of samples, enough to refute nearly every wrong candidate.
const SAMPLES: usize = 320;
/// The number of samples used to check whether a choice of operands determines the codelet.
const FIRST_SAMPLES: usize = 96;

/// The results of all attempts to map a codelet, so that none is repeated. A single attempt can take half a second.
///
/// All calls on one value must be for the same codelet.
#[derive(Clone, Debug, Default)]
pub struct Attempts {
    results: Vec<((Template, Premise), Result<Mapping, Unmappable>)>,
    trials: Trials,
}

impl Attempts {
    /// Does what [`crate::map`] does, and remembers the result.
    ///
    /// # Errors
    ///
    /// Returns an [`Unmappable`] that says why the codelet does not map to the template.
    pub fn map(
        &mut self,
        program: &Program,
        body: &[Statement],
        definitions: &dyn Fn(VariableId) -> Option<Expression>,
        template: Template,
        premise: Premise,
    ) -> Result<Mapping, Unmappable> {
        if let Some(known) = self.known(template, premise) {
            return known.clone();
        }
        // If the premise says nothing about the codelet, an attempt that failed without it fails with it, too.
        if premise == Premise::NoOverflow
            && let Some(Err(reason)) = self.known(template, Premise::None)
            && !has_sums(program, body, definitions)
        {
            return Err(reason.clone());
        }
        let result = matching::map((program, body), definitions, template, premise, &mut self.trials);
        self.results.push(((template, premise), result.clone()));
        result
    }

    /// Does what [`crate::least`] does, and remembers the results.
    pub fn least(
        &mut self,
        program: &Program,
        body: &[Statement],
        definitions: &dyn Fn(VariableId) -> Option<Expression>,
    ) -> Least {
        let order = order(body);
        let mut exact = Err(Unmappable::Malformed("nothing was tried".to_owned()));
        let mut lesser = order.len();
        for (number, &template) in order.iter().enumerate() {
            exact = self.map(program, body, definitions, template, Premise::None);
            if exact.is_ok() {
                lesser = number;
                break;
            }
        }
        let mut under_premise =
            |&template: &Template| self.map(program, body, definitions, template, Premise::NoOverflow).ok();
        Least { exact, without_overflow: order[..lesser].iter().find_map(&mut under_premise) }
    }

    fn known(&self, template: Template, premise: Premise) -> Option<&Result<Mapping, Unmappable>> {
        self.results.iter().find(|(attempt, _)| *attempt == (template, premise)).map(|(_, result)| result)
    }
}

/// Returns the templates to try for a codelet, in order.
fn order(body: &[Statement]) -> Vec<Template> {
    let mut multiplies = false;
    for expression in body.iter().flat_map(Statement::expressions) {
        expression.walk(&mut |inner| {
            multiplies |= matches!(inner, Expression::Binary(BinaryOperator::Multiply, ..));
        });
    }
    let mut order = Template::CHAIN.to_vec();
    if multiplies {
        order.insert(2, Template::MultiplyAccumulate);
    }
    order
}

/// Returns true if the premise of no overflow concerns a codelet, that is, if there are sums in it or in the
/// definitions that an atom may absorb.
fn has_sums(program: &Program, body: &[Statement], definitions: &dyn Fn(VariableId) -> Option<Expression>) -> bool {
    let Ok(codelet) = Codelet::new(program, body) else { return false };
    let inputs = Inputs::new(&codelet, definitions);
    // An operand hides its definition; without operands all sums are visible.
    !Obligation::new(&codelet, &inputs, &[], Premise::NoOverflow).claim.exact.is_empty()
}

/// The obligations and samples of a codelet, shared by the clones of the codelet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trials {
    /// The trial for each choice of operands; `None` if these do not determine the codelet.
    of_operands: BTreeMap<(Vec<VariableId>, Premise), Option<Arc<Trial>>>,
    /// The names of the inputs that the codelet cannot do without.
    needed: BTreeMap<Premise, Vec<String>>,
}

/// A codelet in terms of one choice of operands.
#[derive(Debug)]
pub(crate) struct Trial {
    /// The obligation to be matched.
    pub obligation: Obligation,
    /// The initial samples.
    pub samples: Samples,
}

impl Trials {
    /// Returns the codelet in terms of a choice of operands, if it uses all of them and they determine it.
    pub(crate) fn of(
        &mut self,
        codelet: &Codelet<'_>,
        inputs: &Inputs,
        operands: &[VariableId],
        premise: Premise,
    ) -> Option<Arc<Trial>> {
        let trial = || {
            let obligation = Obligation::new(codelet, inputs, operands, premise);
            let fits = obligation.uses_all_operands && is_determined(&obligation);
            fits.then(|| Arc::new(Trial { samples: Samples::new(&obligation, SAMPLES), obligation }))
        };
        self.of_operands.entry((operands.to_vec(), premise)).or_insert_with(trial).clone()
    }

    /// Returns the names of the inputs that a codelet cannot do without.
    pub(crate) fn needed(&mut self, codelet: &Codelet<'_>, inputs: &Inputs, premise: Premise) -> Vec<String> {
        self.needed.entry(premise).or_insert_with(|| needed(codelet, inputs, premise)).clone()
    }
}

fn is_determined(obligation: &Obligation) -> bool {
    Samples::new(obligation, FIRST_SAMPLES).determined(obligation)
}

fn needed(codelet: &Codelet<'_>, inputs: &Inputs, premise: Premise) -> Vec<String> {
    let mut left: Vec<VariableId> = inputs.candidates[..inputs.direct].to_vec();
    for input in left.clone() {
        let without: Vec<VariableId> = left.iter().copied().filter(|&other| other != input).collect();
        if is_determined(&Obligation::new(codelet, inputs, &without, premise)) {
            left = without;
        }
    }
    left.sort();
    left.into_iter().map(|id| codelet.program.variable(id).name.clone()).collect()
}
