//! What a user gave for a machine with pipelines becomes its plan.

use diagnostics::{Diagnostic, Diagnostics, Sources};
use machines::mp5::{Recirculation, Sharding};
use passes::{MatchAction, Target};

use super::{PipelineParameters, Pipelines};
use crate::kinds::option::Given;
use crate::machine::MachinePlan;
use crate::placement::Placement;
use crate::program::LoadedProgram;
use diagnostics::Failure;

/// A plan that options have changed so far.
pub(super) struct Draft<'d> {
    pub(super) plan: MachinePlan,
    /// How an MP5 recirculates, if it does.
    pub(super) recirculation: Recirculation,
    pub(super) placement: Option<Result<Placement, Failure>>,
    program: &'d LoadedProgram,
    /// Whether something was said of tables and memories of stages.
    sets_match_action: bool,
}

impl Draft<'_> {
    /// What stages that match and act have, to change it.
    pub(super) fn match_action(&mut self) -> &mut MatchAction {
        self.sets_match_action = true;
        &mut self.plan.target.match_action
    }

    /// Sets something that only machines with these parameters have.
    pub(super) fn set<P: PipelineParameters>(&mut self, set: impl FnOnce(&mut P)) {
        if let Some(parameters) = self.plan.parameters.of() {
            set(parameters);
        }
    }

    /// Keeps packets in order that agree in fields of these names.
    pub(super) fn keep_order(&mut self, names: &str) -> Result<(), Diagnostic> {
        let fields: Vec<&str> = self.program.program.fields().map(|(_, field)| &*field.name).collect();
        for name in names.split(',') {
            if self.program.has_parser() {
                let message = "`--flow-order` names fields, and the program parses packets itself";
                return Err(Diagnostic::without_place(message).hint("leave it out"));
            }
            if !fields.contains(&name) {
                let error = Diagnostic::without_place(format!("there is no field called `{name}`"));
                return Err(error.hint(format!("one of: {}", fields.join(", "))));
            }
            self.plan.flow_order.push(name.to_owned());
        }
        Ok(())
    }
}

/// The plan of a machine for a program. What belongs to other machines is passed over.
///
/// # Errors
/// Everything that was given and means nothing.
pub(super) fn plan(kind: &Pipelines, program: &LoadedProgram, given: &Given) -> Result<MachinePlan, Failure> {
    let mut plan = MachinePlan::usual(kind, program);
    match given.last("stages") {
        Some("banzai") => plan.target = Target::default(),
        Some(_) => plan.target = Target::match_action(),
        None => {}
    }
    let acts = plan.target == Target::match_action();
    let mut draft =
        Draft { plan, recirculation: Recirculation::default(), placement: None, program, sets_match_action: false };
    let mut wrong = Diagnostics::new();
    for (name, text) in given.iter() {
        let Some(option) = kind.own.iter().find(|option| option.option.name == name) else { continue };
        draft.sets_match_action = false;
        if let Err(error) = (option.set)(&mut draft, text) {
            wrong.push(error);
        }
        if draft.sets_match_action && !acts {
            let message = format!("`--{name}` is for match-action stages, and these are banzai's");
            wrong.push(Diagnostic::without_place(message).hint("leave it out, or take `--stages match-action`"));
        }
    }
    let Draft { mut plan, placement, .. } = draft;
    if placement.is_some() && plan.parameters.sharding() == Some(&mut Sharding::AllInOne) {
        let message = "`--placement` and `--sharding one-pipeline` exclude each other";
        wrong.push(Diagnostic::without_place(message).hint("leave one of them out"));
    }
    wrong.into_result(()).map_err(|diagnostics| Failure::BadInput { sources: Sources::new(), diagnostics })?;
    plan.placement = placement.transpose()?;
    Ok(plan)
}

/// Refuses to place registers for packets that are not known.
pub(super) fn refuse_unknown_load(plan: &MachinePlan, given: &Given, is_known: bool) -> Result<(), Failure> {
    if plan.known_load.is_none() || is_known {
        return Ok(());
    }
    let sharding = given.last("sharding").unwrap_or_default();
    let error =
        format!("`--sharding {sharding}` is made for packets that are known, and these are not known beforehand");
    Err(Diagnostic::without_place(error).hint("dynamic, random, modulo or one-pipeline").into())
}
