//! The actions of tables: the list (section 14.2.1.2), the default action (14.2.1.3) and the actions of entries
//! (14.2.1.4).

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::arguments::places_of;
use super::{Called, Tables, Target, Within, require_writable};
use crate::ast::{self, Argument, ArgumentValue, Direction, ExpressionKind};
use crate::types::{Callable, Definition, Parameter, Sort};

/// An action that a table may run.
pub(super) struct Listed<'a> {
    pub definition: Definition,
    reference: &'a ast::ActionReference,
    /// The index of the argument that the list binds, for each parameter.
    bound: Vec<Option<usize>>,
}

/// The place where an action is chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Default,
    Entry,
}

impl<'a> Tables<'_, 'a> {
    fn action_named(&mut self, path: &'a ast::Path) -> Option<(Definition, Rc<Callable>)> {
        let definition = self.values.names.look_up(self.values.types, self.values.nodes, self.values.found, path)?;
        if let Sort::Action(own) = self.values.types.sort(definition) {
            return Some((definition, Rc::clone(own)));
        }
        self.values.found.error(path.span, format!("`{}` is not an action", path.name.text));
        None
    }

    /// Checks an action in the list of a table, which must bind all parameters with a direction.
    pub(super) fn listed_action(&mut self, own: &'a ast::ActionReference, actions: &mut Vec<Listed<'a>>) {
        self.values.annotations(&own.annotations);
        let Some((definition, action)) = self.action_named(&own.path) else { return };
        if let Some(earlier) = actions.iter().find(|other| other.definition == definition) {
            let error = Diagnostic::error(own.span, format!("the action `{}` appears twice", own.path.name.text));
            let earlier = earlier.reference.span;
            self.values.found.report(error.related(earlier, "first here"));
        }
        let arguments = own.arguments.as_deref().unwrap_or(&[]);
        let is_bound = |parameter: &Parameter| parameter.direction != Direction::None;
        let Some(bound) = places_of_some(&action, arguments, is_bound) else {
            actions.push(Listed { definition, reference: own, bound: vec![None; action.parameters.len()] });
            let message =
                format!("the arguments do not fit the parameters of `{}` with a direction", own.path.name.text);
            let error = Diagnostic::error(own.span, message).related(action.span, "declared here");
            self.values.found.report(error.hint("those without a direction are given by the control plane"));
            return;
        };
        self.action_arguments(&action, &bound, arguments, false);
        self.values.nodes.note_action_reference(own, called(definition, bound.clone()));
        actions.push(Listed { definition, reference: own, bound });
    }

    fn action_arguments(
        &mut self,
        action: &Callable,
        places: &[Option<usize>],
        arguments: &'a [Argument],
        known: bool,
    ) {
        let around = std::mem::replace(&mut self.values.context.within, Within::ActionArgument);
        for (parameter, place) in action.parameters.iter().zip(places) {
            let Some(argument) = place.and_then(|place| arguments.get(place)) else { continue };
            let ArgumentValue::Given(value) = &argument.value else { continue };
            let what = format!("the argument for `{}`", parameter.name);
            if matches!(parameter.direction, Direction::Out | Direction::InOut) {
                let typed = self.values.place_or_value(value);
                self.values.uninitialized.note_written(self.values.types, self.values.nodes, value);
                if require_writable(self.values.found, value.span, &typed) {
                    self.values.typing().convert(value, typed, parameter.of, &what);
                }
                continue;
            }
            let typed = self.values.value_of(value, parameter.of, &what);
            if known && parameter.direction == Direction::None && !typed.known {
                self.values.found.error(value.span, format!("{what} must be known when the program is compiled"));
            }
        }
        self.values.context.within = around;
    }

    /// Checks an action with its arguments, as the default action or in an entry.
    fn chosen_action(
        &mut self,
        span: Span,
        path: &'a ast::Path,
        arguments: &'a [Argument],
        actions: &[Listed<'a>],
        choice: Choice,
    ) -> Option<Called> {
        let (definition, action) = self.action_named(path)?;
        let Some(listed) = actions.iter().find(|other| other.definition == definition) else {
            let message = format!("`{}` is not among the actions of the table", path.name.text);
            self.values.found.hinted(span, message, format!("`actions = {{ {}; ... }}` adds it", path.name.text));
            return None;
        };
        self.require_choice(span, listed, choice);
        // Arguments that the list of actions binds may be omitted.
        let is_data = |parameter: &Parameter| parameter.direction == Direction::None;
        let places = places_of(&action.parameters, arguments).or_else(|| {
            let is_bound = listed.reference.arguments.is_some();
            if is_bound { places_of_some(&action, arguments, is_data) } else { None }
        });
        let Some(places) = places else {
            let fallback = || format!("the arguments do not fit the parameters of `{}`", path.name.text);
            let counted = super::arguments::wrong_count(&path.name.text, &action.parameters, arguments.len());
            let message = counted.unwrap_or_else(fallback);
            self.values.found.report(Diagnostic::error(span, message).related(action.span, "declared here"));
            return None;
        };
        self.action_arguments(&action, &places, arguments, true);
        self.require_bound_again(&action, listed, &places, arguments);
        Some(called(definition, places))
    }

    /// Reports an action that an annotation excludes from being the default or from entries (section 20.3.2).
    fn require_choice(&mut self, span: Span, listed: &Listed<'a>, choice: Choice) {
        let (forbidden, words) = match choice {
            Choice::Default => ("tableonly", "only entries run this action"),
            Choice::Entry => ("defaultonly", "this action is only a default"),
        };
        if let Some(note) = listed.reference.annotations.iter().find(|note| &*note.name.text == forbidden) {
            self.values.found.report(Diagnostic::error(span, words).related(note.span, "the table says so here"));
        }
    }

    /// Checks that arguments bound by the list are repeated in the same form (section 14.2.1.3).
    fn require_bound_again(
        &mut self,
        action: &Callable,
        listed: &Listed<'a>,
        places: &[Option<usize>],
        arguments: &'a [Argument],
    ) {
        let theirs = listed.reference.arguments.as_deref().unwrap_or(&[]);
        for ((parameter, place), bound) in action.parameters.iter().zip(places).zip(&listed.bound) {
            let (Some(place), Some(bound)) = (*place, *bound) else { continue };
            if let (Some(own), Some(first)) = (arguments.get(place), theirs.get(bound))
                && !are_alike(&own.value, &first.value)
            {
                let message =
                    format!("the argument for `{}` is another one than in the actions of the table", parameter.name);
                self.values.found.report(Diagnostic::error(own.span, message).related(first.span, "there it is this"));
            }
        }
    }

    /// Checks the action that runs if no entry matches.
    pub(super) fn default_action(&mut self, value: &'a ast::Expression, actions: &[Listed<'a>]) {
        let chosen = match &value.kind {
            ExpressionKind::Name(path) => self.chosen_action(value.span, path, &[], actions, Choice::Default),
            ExpressionKind::Call { callee, arguments, .. } => match &callee.kind {
                ExpressionKind::Name(path) => self.chosen_action(value.span, path, arguments, actions, Choice::Default),
                _ => return self.values.found.error(value.span, "this is not an action"),
            },
            _ => return self.values.found.error(value.span, "this is not an action"),
        };
        if let Some(called) = chosen {
            self.values.nodes.note_call(value, called);
        }
    }

    /// Checks the action of an entry.
    pub(super) fn entry_action(&mut self, own: &'a ast::ActionReference, actions: &[Listed<'a>]) {
        let arguments = own.arguments.as_deref().unwrap_or(&[]);
        if let Some(called) = self.chosen_action(own.span, &own.path, arguments, actions, Choice::Entry) {
            self.values.nodes.note_action_reference(own, called);
        }
    }
}

fn called(action: Definition, arguments: Vec<Option<usize>>) -> Called {
    Called { target: Target::Action(action), type_arguments: vec![], arguments }
}

/// Returns the index of the argument for each parameter, where only some parameters get one.
fn places_of_some(
    action: &Callable,
    arguments: &[Argument],
    gets_one: impl Fn(&Parameter) -> bool,
) -> Option<Vec<Option<usize>>> {
    let some: Vec<Parameter> = action.parameters.iter().filter(|&own| gets_one(own)).cloned().collect();
    let mut places = places_of(&some, arguments)?.into_iter();
    Some(action.parameters.iter().map(|own| if gets_one(own) { places.next().flatten() } else { None }).collect())
}

/// Returns true for arguments that are written alike.
fn are_alike(one: &ArgumentValue, other: &ArgumentValue) -> bool {
    match (one, other) {
        (ArgumentValue::Given(one), ArgumentValue::Given(other)) => are_values_alike(one, other),
        (ArgumentValue::Ignored, ArgumentValue::Ignored) => true,
        _ => false,
    }
}

/// Returns true for expressions that are written alike, with the fields of a record in any order.
fn are_values_alike(one: &ast::Expression, other: &ast::Expression) -> bool {
    match (&one.kind, &other.kind) {
        (ExpressionKind::Record { fields, rest }, ExpressionKind::Record { fields: others, rest: other_rest }) => {
            rest.is_some() == other_rest.is_some()
                && fields.len() == others.len()
                && fields.iter().all(|own| {
                    let theirs = others.iter().find(|other| other.name.text == own.name.text);
                    theirs.is_some_and(|theirs| are_values_alike(&own.value, &theirs.value))
                })
        }
        _ => crate::print::print_expression(one) == crate::print::print_expression(other),
    }
}
