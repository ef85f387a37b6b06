//! Actions with their arguments, and what entries do with packets (P4Runtime specification 1.4, sections 9.1.2 and
//! 9.2.5).

use control::{ActionCall, SelectorSize, TableNumber, Target, WeightedAction};

use super::Translator;
use super::kept::Kept;
use crate::failure::Failure;
use crate::message::p4::v1::action_profile_action::WatchKind;
use crate::message::p4::v1::action_profile_action_set::{ActionSelectionMode, SizeSemantics};
use crate::message::p4::v1::{self, ActionProfileAction, ActionProfileActionSet, TableAction, action, table_action};

impl Translator {
    /// Reads an action with its arguments. Whether a table has it is checked when the request is carried out.
    ///
    /// # Errors
    /// Fails with `INVALID_ARGUMENT` if a parameter is missing, unknown or given twice, with `OUT_OF_RANGE` if a value
    /// does not fit, and if there is no such action.
    pub(crate) fn read_call(&self, given: &v1::Action) -> Result<ActionCall, Failure> {
        let action = self.action(given.action_id)?;
        let parameters = &self.parameters[action.index()];
        let place = |at: usize| {
            let about = self.info.action(action);
            format!("parameter `{}` of action `{}`", about.parameters[at].name, about.identity.name)
        };
        // Mostly the arguments are given in order.
        if given.params.iter().map(|param| param.param_id).eq(parameters.iter().map(|(id, _)| *id)) {
            let pairs = given.params.iter().zip(parameters).enumerate();
            let data = pairs.map(|(at, (param, (_, representation)))| {
                representation.read(&param.value).map_err(|failure| failure.about(place(at)))
            });
            return Ok(ActionCall { action, data: data.collect::<Result<_, _>>()? });
        }
        let mut data = vec![None; parameters.len()];
        for param in &given.params {
            let Some(at) = parameters.iter().position(|(id, _)| *id == param.param_id) else {
                let name = &self.info.action(action).identity.name;
                return Err(Failure::invalid(format!("action `{name}` has no parameter with id {}", param.param_id)));
            };
            if data[at].is_some() {
                return Err(Failure::invalid("the parameter is given twice").about(place(at)));
            }
            data[at] = Some(parameters[at].1.read(&param.value).map_err(|failure| failure.about(place(at)))?);
        }
        let missing = |at: usize| Failure::invalid("the parameter has no value").about(place(at));
        let data = data.into_iter().enumerate().map(|(at, value)| value.ok_or_else(|| missing(at)));
        Ok(ActionCall { action, data: data.collect::<Result<_, _>>()? })
    }

    /// Writes an action with its arguments.
    pub(crate) fn write_call(&self, call: &ActionCall) -> v1::Action {
        let parameters = self.parameters[call.action.index()].iter().zip(&call.data);
        let params = parameters.map(|((param_id, representation), value)| action::Param {
            param_id: *param_id,
            value: representation.write(value),
        });
        v1::Action { action_id: self.info.action(call.action).identity.id, params: params.collect() }
    }

    /// Reads what an entry does.
    ///
    /// # Errors
    /// Fails as [`Translator::read_call`] does, with `INVALID_ARGUMENT` if the table takes its actions in another way,
    /// and with `UNIMPLEMENTED` for what no switch here does.
    pub(super) fn read_target(&self, table: TableNumber, given: &TableAction) -> Result<Target, Failure> {
        let is_indirect = self.keys[table.index()].is_indirect;
        let kind = given.r#type.as_ref().ok_or_else(|| Failure::invalid("the action is empty"))?;
        match kind {
            table_action::Type::Action(action) => self.read_call(action).map(Target::Action),
            _ if !is_indirect => {
                let name = &self.info.table(table).identity.name;
                Err(Failure::invalid(format!(
                    "table `{name}` has no action profile, so that its entries have an action"
                )))
            }
            table_action::Type::ActionProfileMemberId(member) => Ok(Target::Member(*member)),
            table_action::Type::ActionProfileGroupId(group) => Ok(Target::Group(*group)),
            table_action::Type::ActionProfileActionSet(set) => self.read_set(table, set),
        }
    }

    fn read_set(&self, table: TableNumber, set: &ActionProfileActionSet) -> Result<Target, Failure> {
        if set.group_action.is_some() {
            return Err(Failure::unimplemented("a group cannot have an action of its own"));
        }
        let selector = self.info.table(table).profile.and_then(|profile| self.info.profile(profile).selector);
        let Some(selector) = selector else {
            let name = &self.info.table(table).identity.name;
            return Err(Failure::invalid(format!("the action profile of table `{name}` has no selector")));
        };
        match ActionSelectionMode::try_from(set.action_selection_mode) {
            Ok(ActionSelectionMode::DefaultModeDeterminedByActionSelector | ActionSelectionMode::Hash) => {}
            Ok(ActionSelectionMode::Random) => return Err(Failure::unimplemented("selectors choose by a hash alone")),
            Err(_) => return Err(Failure::invalid("this action selection mode does not exist")),
        }
        let counts_members = matches!(selector.counts, Some(SelectorSize::Members { .. }));
        match SizeSemantics::try_from(set.size_semantics) {
            Ok(SizeSemantics::DefaultSizeDeterminedByActionSelector) => {}
            Ok(SizeSemantics::SumOfMembers) if counts_members => {}
            Ok(SizeSemantics::SumOfWeights) if !counts_members => {}
            Ok(_) => return Err(Failure::unimplemented("the size of a set means what the selector says")),
            Err(_) => return Err(Failure::invalid("these size semantics do not exist")),
        }
        let actions = set.action_profile_actions.iter().map(|own| {
            let action = own.action.as_ref().ok_or_else(|| Failure::invalid("an action of the set is missing"))?;
            let watch_port = match &own.watch_kind {
                Some(WatchKind::WatchPort(port)) => self.read_watch_port(port)?,
                Some(WatchKind::Watch(port)) => deprecated_watch(*port)?,
                None => None,
            };
            Ok(WeightedAction { call: self.read_call(action)?, weight: read_weight(own.weight)?, watch_port })
        });
        actions.collect::<Result<_, _>>().map(Target::ActionSet)
    }

    /// Writes what an entry does.
    pub(super) fn write_target(&self, target: &Target, kept: &Kept) -> TableAction {
        let kind = match target {
            Target::Action(call) => table_action::Type::Action(self.write_call(call)),
            Target::Member(member) => table_action::Type::ActionProfileMemberId(*member),
            Target::Group(group) => table_action::Type::ActionProfileGroupId(*group),
            Target::ActionSet(actions) => {
                let actions = actions.iter().map(|own| ActionProfileAction {
                    action: Some(self.write_call(&own.call)),
                    weight: own.weight as i32,
                    watch_kind: own.watch_port.map(|port| WatchKind::WatchPort(self.write_port(port))),
                });
                table_action::Type::ActionProfileActionSet(ActionProfileActionSet {
                    action_profile_actions: actions.collect(),
                    action_selection_mode: kept.action_selection_mode,
                    size_semantics: kept.size_semantics,
                    ..ActionProfileActionSet::default()
                })
            }
        };
        TableAction { r#type: Some(kind) }
    }

    /// Reads the port on which a member depends; none if it is empty.
    pub(super) fn read_watch_port(&self, port: &[u8]) -> Result<Option<u32>, Failure> {
        if port.is_empty() { Ok(None) } else { self.read_port(port).map(Some) }
    }

    /// Reads a port.
    ///
    /// # Errors
    /// Fails with `INVALID_ARGUMENT` if it is no port of the program (sections 9.2.4 and 9.5).
    pub(crate) fn read_port(&self, port: &[u8]) -> Result<u32, Failure> {
        let invalid = |failure: Failure| Failure::invalid(failure.message).about("the port");
        self.ports.read(port).map(|port| port.low() as u32).map_err(invalid)
    }

    /// Writes a port.
    pub(crate) fn write_port(&self, port: u32) -> Vec<u8> {
        self.ports.write(&runtime::Bits::from_u64(u64::from(port), self.ports.width))
    }
}

/// Reads a weight. Weight 0 is refused where the request is carried out.
pub(super) fn read_weight(weight: i32) -> Result<u32, Failure> {
    u32::try_from(weight).map_err(|_| Failure::invalid(format!("the weight {weight} is negative")))
}

/// Reads the port on which a member depends in its deprecated form, which cannot be read back as it was written.
pub(super) fn deprecated_watch(port: i32) -> Result<Option<u32>, Failure> {
    match port {
        0 => Ok(None),
        _ => Err(Failure::unimplemented("`watch` is deprecated; use `watch_port`")),
    }
}
