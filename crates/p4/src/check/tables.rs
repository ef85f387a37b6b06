//! Tables (section 14.2).

use std::collections::HashMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};
use num_bigint::{BigInt, Sign};

use super::{Checker, Within};
use crate::ast::{self, Argument, ArgumentValue, Direction, ExpressionKind, KeysetElementKind, PropertyKind};
use crate::types::{Callable, Definition, Kind, Sort, TableSignature, Type, Types, Value};

/// The actions of a table, each with the arguments that the table binds.
type Actions<'a> = Vec<(Definition, Option<&'a [Argument]>)>;

impl<'a> Checker<'a> {
    pub(super) fn table(&mut self, own: &'a ast::Table) {
        let actions = self.inside(Within::Table, |checker| checker.properties(own));
        let actions = actions.into_iter().map(|(action, _)| action).collect();
        self.declare(&own.name, Sort::Table(Rc::new(TableSignature { actions })));
    }

    fn properties(&mut self, own: &'a ast::Table) -> Actions<'a> {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut actions: Actions<'a> = Vec::new();
        let mut key: Option<Vec<(Type, Rc<str>)>> = None;
        for property in &own.properties {
            if let Some(first) = seen.insert(&property.name.text, property.span) {
                let error =
                    Diagnostic::error(property.span, format!("the property `{}` is given twice", property.name.text));
                self.report(error.related(first, "first here"));
            }
            match &property.kind {
                PropertyKind::Entries(entries)
                    if !seen.contains_key("key")
                        && !entries.is_empty()
                        && own.properties.iter().any(|other| matches!(other.kind, PropertyKind::Key(_))) =>
                {
                    self.error(property.span, "entries come after the key that they are for");
                }
                PropertyKind::Key(elements) => {
                    key.get_or_insert_default().extend(elements.iter().map(|element| self.key_element(element)));
                }
                PropertyKind::Actions(all) => {
                    for reference in all {
                        self.action_reference(reference, &mut actions);
                    }
                }
                _ => {}
            }
        }
        if !seen.contains_key("actions") {
            let message = format!("table `{}` has no actions", own.name.text);
            self.hinted(own.name.span, message, "a table lists what it may run: `actions = { name; }`");
        }
        for property in &own.properties {
            match &property.kind {
                PropertyKind::Entries(entries) => {
                    if key.is_none() {
                        if !entries.is_empty() {
                            self.error(own.name.span, "a table without a key has no entries");
                        }
                        continue;
                    }
                    for entry in entries {
                        self.entry(entry, key.as_deref().unwrap_or(&[]), &actions);
                    }
                }
                PropertyKind::Value(value) if &*property.name.text == "default_action" => self.chosen(value, &actions),
                PropertyKind::Value(value) if &*property.name.text == "size" => {
                    self.known_number(value, "the size of a table");
                }
                PropertyKind::Value(value) => {
                    self.value(value);
                }
                _ => {}
            }
        }
        actions
    }

    fn key_element(&mut self, element: &'a ast::KeyElement) -> (Type, Rc<str>) {
        let kind = &element.match_kind;
        if !self.match_kinds.contains_key(&kind.text) {
            let message = format!("the match kind `{}` is not declared", kind.text);
            self.hinted(kind.span, message, "`core.p4` has `exact`, `ternary` and `lpm`, architectures have more");
        }
        let typed = self.value(&element.value);
        let is_wrong = match self.checked.types.named(typed.of) {
            Some((_, _, sort)) => {
                matches!(sort, Sort::Container(_) | Sort::Extern(_) | Sort::Machine(_) | Sort::Table(_))
            }
            None => matches!(
                self.checked.types.kind(typed.of),
                Kind::Void
                    | Kind::String
                    | Kind::Tuple(_)
                    | Kind::Record(..)
                    | Kind::Stack(..)
                    | Kind::Integer
                    | Kind::Applied(_)
                    | Kind::ActionRun(_)
                    | Kind::MatchKind
                    | Kind::Varbit(_)
                    | Kind::Set(_)
            ),
        };
        if is_wrong {
            let message = format!("a key cannot be of type {}", self.checked.types.describe(typed.of));
            self.hinted(element.value.span, message, "keys are `bit<N>`, `int<N>`, `bool`, enumerations and errors");
            return (Types::UNKNOWN, Rc::clone(&kind.text));
        }
        (typed.of, Rc::clone(&kind.text))
    }

    fn action_named(&mut self, path: &'a ast::Path) -> Option<(Definition, Rc<Callable>)> {
        let definition = self.look_up(path)?;
        if let Sort::Action(own) = self.sort(definition) {
            return Some((definition, Rc::clone(own)));
        }
        self.error(path.span, format!("`{}` is no action", path.name.text));
        None
    }

    fn action_reference(&mut self, own: &'a ast::ActionReference, actions: &mut Actions<'a>) {
        let Some((definition, action)) = self.action_named(&own.path) else { return };
        if actions.iter().any(|&(other, _)| other == definition) {
            self.error(own.span, format!("the action `{}` is there twice", own.path.name.text));
        }
        let arguments = own.arguments.as_deref();
        actions.push((definition, arguments));
        let bound: Vec<_> =
            action.parameters.iter().filter(|parameter| parameter.direction != Direction::None).cloned().collect();
        let bound = Callable { parameters: bound, ..(*action).clone() };
        let Some(places) = super::arguments::places(&bound, arguments.unwrap_or(&[])) else {
            let message =
                format!("the arguments do not fit the parameters of `{}` with a direction", own.path.name.text);
            let error = Diagnostic::error(own.span, message).related(action.span, "declared here");
            self.report(error.hint("those without a direction are given by the control plane"));
            return;
        };
        self.action_arguments(&bound, &places, arguments.unwrap_or(&[]), false);
    }

    fn action_arguments(
        &mut self,
        action: &Callable,
        places: &[Option<usize>],
        arguments: &'a [Argument],
        known: bool,
    ) {
        for (parameter, place) in action.parameters.iter().zip(places) {
            let Some(argument) = place.and_then(|place| arguments.get(place)) else { continue };
            let ArgumentValue::Given(value) = &argument.value else { continue };
            let what = format!("the argument for `{}`", parameter.name);
            if matches!(parameter.direction, Direction::Out | Direction::InOut) {
                let typed = self.value(value);
                if self.require_writable(value.span, &typed) {
                    self.convert(value, typed, parameter.of, &what);
                }
                continue;
            }
            let typed = self.value_of(value, parameter.of, &what);
            if known && parameter.direction == Direction::None && !typed.known {
                self.error(value.span, format!("{what} must be known when the program is compiled"));
            }
        }
    }

    /// An action with its arguments, as a default or in an entry.
    fn chosen_action(&mut self, span: Span, path: &'a ast::Path, arguments: &'a [Argument], actions: &Actions<'a>) {
        let Some((definition, action)) = self.action_named(path) else { return };
        let Some(&(_, bound)) = actions.iter().find(|&&(other, _)| other == definition) else {
            let message = format!("`{}` is not among the actions of the table", path.name.text);
            self.hinted(span, message, format!("`actions = {{ {}; ... }}` adds it", path.name.text));
            return;
        };
        if let Some(places) = super::arguments::places(&action, arguments) {
            return self.action_arguments(&action, &places, arguments, true);
        }
        // Arguments that the list of actions binds need not be repeated.
        let data: Vec<_> =
            action.parameters.iter().filter(|parameter| parameter.direction == Direction::None).cloned().collect();
        let data = Callable { parameters: data, ..(*action).clone() };
        match super::arguments::places(&data, arguments) {
            Some(places) if bound.is_some() => self.action_arguments(&data, &places, arguments, true),
            _ => {
                let count = action.parameters.len();
                let message = format!("`{}` takes {count} arguments, {} are given", path.name.text, arguments.len());
                self.report(Diagnostic::error(span, message).related(action.span, "declared here"));
            }
        }
    }

    fn chosen(&mut self, value: &'a ast::Expression, actions: &Actions<'a>) {
        match &value.kind {
            ExpressionKind::Name(path) => self.chosen_action(value.span, path, &[], actions),
            ExpressionKind::Call { callee, arguments, .. } => match &callee.kind {
                ExpressionKind::Name(path) => self.chosen_action(value.span, path, arguments, actions),
                _ => self.error(value.span, "this is no action"),
            },
            _ => self.error(value.span, "this is no action"),
        }
    }

    /// The mask of a longest prefix has its ones before its zeros.
    fn require_prefix(&mut self, mask: &'a ast::Expression, of: Type) {
        let known = self.checked.expression(mask).and_then(|known| known.value.clone());
        let (Some(number), Some(width)) = (known.as_deref().and_then(Value::integer).cloned(), self.bits_of(of)) else {
            return;
        };
        let ones: BigInt = (BigInt::from(1) << width) - 1;
        let zeros: BigInt = ones - &number;
        let above: BigInt = &zeros + 1;
        let is_prefix = zeros.sign() != Sign::Minus && (zeros & above) == BigInt::ZERO;
        if !is_prefix {
            self.hinted(
                mask.span,
                format!("{number} is no mask of a prefix of {width} bits"),
                "its ones come before its zeros",
            );
        }
    }

    fn entry(&mut self, own: &'a ast::Entry, key: &[(Type, Rc<str>)], actions: &Actions<'a>) {
        if let Some(priority) = &own.priority {
            self.known_number(priority, "the priority of an entry");
        }
        let types: Vec<Type> = key.iter().map(|(of, _)| *of).collect();
        self.keyset(&own.keyset, &types, true);
        for (element, (_, kind)) in own.keyset.elements.iter().zip(key) {
            let word = match &element.kind {
                KeysetElementKind::Mask(..) => "mask",
                KeysetElementKind::Range(..) => "range",
                KeysetElementKind::Default | KeysetElementKind::Any => "value for all",
                KeysetElementKind::Value(_) => continue,
            };
            let fits = match &**kind {
                "exact" => word == "mask",
                "lpm" | "ternary" => word != "range",
                "range" | "optional" => word != "mask",
                _ => true,
            };
            if !fits {
                self.error(element.span, format!("a key that is matched `{kind}` takes no {word}"));
            }
        }
        for (element, (of, kind)) in own.keyset.elements.iter().zip(key) {
            if let (KeysetElementKind::Mask(_, mask), "lpm") = (&element.kind, &**kind) {
                self.require_prefix(mask, *of);
            }
        }
        let arguments = own.action.arguments.as_deref().unwrap_or(&[]);
        self.chosen_action(own.action.span, &own.action.path, arguments, actions);
    }
}
