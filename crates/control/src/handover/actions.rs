//! Actions of the old program in the new one.

use std::collections::BTreeMap;

use super::Misfit;
use super::pairs::pair;
use crate::{Action, ActionCall, ActionNumber, Info, TableNumber, Target, WeightedAction};

/// The actions of a table or profile of the old program with their counterparts.
#[derive(Clone, Debug, Default)]
pub struct ActionLinks {
    links: BTreeMap<ActionNumber, Result<ActionLink, Misfit>>,
}

/// An action of the new program, and the position in the old data of each of its parameters.
#[derive(Clone, Debug)]
struct ActionLink {
    action: ActionNumber,
    parameters: Vec<usize>,
}

impl ActionLinks {
    /// Links the actions of two tables.
    pub fn new(old: &Info, old_table: TableNumber, new: &Info, new_table: TableNumber) -> Self {
        let [olds, news] = [(old, old_table), (new, new_table)]
            .map(|(info, table)| info.actions_of(table).collect::<Vec<(ActionNumber, &Action)>>());
        let pairs =
            pair(olds.iter().map(|(_, action)| &action.identity), news.iter().map(|(_, action)| &action.identity));
        let link = |((number, action), place): (&(ActionNumber, &Action), Option<usize>)| {
            let name = &action.identity.name;
            let link = match place.map(|at| news[at]) {
                None => Err(Misfit::ActionMissing { action: name.clone() }),
                Some((other, new)) => {
                    link_parameters(action, new).map(|parameters| ActionLink { action: other, parameters })
                }
            };
            (*number, link)
        };
        Self { links: olds.iter().zip(pairs).map(link).collect() }
    }

    /// Returns a call in the terms of the new program.
    ///
    /// # Errors
    /// Returns the reason why the new program cannot make the call.
    pub fn call(&self, call: &ActionCall) -> Result<ActionCall, Misfit> {
        // Devices have checked that the action is one of the table.
        let link = self.links[&call.action].as_ref().map_err(Clone::clone)?;
        let data = link.parameters.iter().map(|&at| call.data[at].clone()).collect();
        Ok(ActionCall { action: link.action, data })
    }

    /// Returns a target in the terms of the new program.
    ///
    /// # Errors
    /// Returns the reason why the new program does not have it.
    pub fn target(&self, target: &Target) -> Result<Target, Misfit> {
        match target {
            Target::Action(call) => self.call(call).map(Target::Action),
            Target::Member(_) | Target::Group(_) => Ok(target.clone()),
            Target::ActionSet(actions) => {
                let action = |action: &WeightedAction| Ok(WeightedAction { call: self.call(&action.call)?, ..*action });
                actions.iter().map(action).collect::<Result<_, Misfit>>().map(Target::ActionSet)
            }
        }
    }

    /// Returns what does not fit.
    pub fn misfits(&self) -> Vec<Misfit> {
        self.links.values().filter_map(|link| link.as_ref().err()).cloned().collect()
    }
}

/// Returns the position in the old data of each parameter of the new action.
fn link_parameters(old: &Action, new: &Action) -> Result<Vec<usize>, Misfit> {
    let action = || new.identity.name.clone();
    for parameter in &old.parameters {
        let name = || parameter.name.clone();
        match new.parameters.iter().find(|other| other.name == parameter.name) {
            None => return Err(Misfit::ParameterMissing { action: action(), parameter: name() }),
            Some(other) if other.width != parameter.width => {
                let (old, new) = (parameter.width, other.width);
                return Err(Misfit::ParameterWidth { action: action(), parameter: name(), old, new });
            }
            Some(_) => {}
        }
    }
    let place = |parameter: &crate::Parameter| {
        let at = old.parameters.iter().position(|other| other.name == parameter.name);
        at.ok_or_else(|| Misfit::ParameterAdded { action: action(), parameter: parameter.name.clone() })
    };
    new.parameters.iter().map(place).collect()
}
