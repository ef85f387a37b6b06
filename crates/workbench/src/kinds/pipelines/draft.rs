//! Turns the options that a user gave into the plan of a machine with pipelines.

use diagnostics::{Diagnostic, Diagnostics, Sources};
use machines::mp5::{Recirculation, Sharding};
use passes::{MatchAction, Target};

use super::{PipelineParameters, Pipelines};
use crate::kinds::option::Given;
use crate::machine::MachinePlan;
use crate::placement::Placement;
use crate::program::LoadedProgram;
use diagnostics::Failure;

/// A plan to which options are being applied.
pub(super) struct Draft<'d> {
    pub(super) plan: MachinePlan,
    /// The parameters of recirculation, if MP5 uses it for steering.
    pub(super) recirculation: Recirculation,
    pub(super) placement: Option<Result<Placement, Failure>>,
    program: &'d LoadedProgram,
    /// Whether an option of match-action stages was set.
    sets_match_action: bool,
}

impl Draft<'_> {
    /// Returns the resources of match-action stages, to change them.
    pub(super) fn match_action(&mut self) -> &mut MatchAction {
        self.sets_match_action = true;
        &mut self.plan.target.match_action
    }

    /// Changes the parameters if they are of type `P`.
    pub(super) fn set<P: PipelineParameters>(&mut self, set: impl FnOnce(&mut P)) {
        if let Some(parameters) = self.plan.parameters.of() {
            set(parameters);
        }
    }

    /// Adds fields, whose names are separated by commas, to those that identify a flow whose packets are kept in order.
    pub(super) fn keep_order(&mut self, names: &str) -> Result<(), Diagnostic> {
        let fields: Vec<&str> = self.program.program.fields().map(|(_, field)| &*field.name).collect();
        for name in names.split(',') {
            if self.program.has_parser() {
                let message = "`--flow-order` names fields, but the program parses packets itself";
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

/// Returns the plan of a machine for a program. Options of other machines are ignored.
///
/// # Errors
/// If an option does not apply to the program or to the machine's stages; reports every such option.
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
            let message = format!("`--{name}` is for match-action stages, but the machine has Banzai's");
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

/// Checks that the packets are known if registers are to be placed for them.
pub(super) fn refuse_unknown_load(plan: &MachinePlan, given: &Given, is_known: bool) -> Result<(), Failure> {
    if plan.known_load.is_none() || is_known {
        return Ok(());
    }
    let sharding = given.last("sharding").unwrap_or_default();
    let error = format!("`--sharding {sharding}` requires that the packets are known beforehand, and they are not");
    Err(Diagnostic::without_place(error).hint("take dynamic, random, modulo or one-pipeline").into())
}
