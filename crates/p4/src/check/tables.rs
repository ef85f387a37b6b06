//! Tables (section 14.2).

use std::collections::HashMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};
use num_bigint::Sign;

use super::table_actions::Listed;
use super::{Checker, Expressions, Within, lints};
use crate::ast::{self, PropertyKind};
use crate::types::{Sort, TableSignature, Type, TypeForm, Types};

/// The properties that order the entries.
const ORDERING: [&str; 2] = ["largest_priority_wins", "priority_delta"];

impl<'a> Checker<'a> {
    pub(super) fn table(&mut self, own: &'a ast::Table) {
        let actions = self.inside(Within::Table, |checker| checker.tables().properties(own));
        let actions = actions.into_iter().map(|action| action.definition).collect();
        self.declare(&own.name, Sort::Table(Rc::new(TableSignature { actions })));
    }
}

/// Checks the properties of a table, which contain expressions and actions and declare nothing.
pub(super) struct Tables<'c, 'a> {
    pub values: Expressions<'c, 'a>,
}

impl<'a> Tables<'_, 'a> {
    fn properties(&mut self, own: &'a ast::Table) -> Vec<Listed<'a>> {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut actions: Vec<Listed<'a>> = Vec::new();
        let mut key: Option<Vec<(Type, Rc<str>)>> = None;
        for property in &own.properties {
            self.values.annotations(&property.annotations);
            lints::unknown_property(self.values.names, self.values.found, property);
            if let Some(first) = seen.insert(&property.name.text, property.span) {
                let error =
                    Diagnostic::error(property.span, format!("the property `{}` is given twice", property.name.text));
                self.values.found.report(error.related(first, "first here"));
            }
            match &property.kind {
                PropertyKind::Entries(entries)
                    if !seen.contains_key("key")
                        && !entries.is_empty()
                        && own.properties.iter().any(|other| matches!(other.kind, PropertyKind::Key(_))) =>
                {
                    self.values.found.error(property.span, "entries come after the key that they are for");
                }
                PropertyKind::Key(elements) => {
                    key.get_or_insert_default().extend(elements.iter().map(|element| self.key_element(element)));
                }
                PropertyKind::Actions(all) => {
                    for reference in all {
                        self.listed_action(reference, &mut actions);
                    }
                }
                PropertyKind::Value(_)
                    if &*property.name.text == "default_action"
                        && !seen.contains_key("actions")
                        && own.properties.iter().any(|other| matches!(other.kind, PropertyKind::Actions(_))) =>
                {
                    self.values
                        .found
                        .error(property.span, "the default action comes after the actions that it is one of");
                }
                _ => {}
            }
        }
        if !seen.contains_key("default_action") {
            self.require_no_action(own);
        }
        if !seen.contains_key("actions") {
            let message = format!("table `{}` has no actions", own.name.text);
            self.values.found.hinted(own.name.span, message, "a table lists what it may run: `actions = { name; }`");
        }
        for property in &own.properties {
            match &property.kind {
                PropertyKind::Value(value) if &*property.name.text == "largest_priority_wins" => {
                    let typed = self.values.value_of(value, Types::BOOL, "`largest_priority_wins`");
                    if !typed.known {
                        self.values.found.error(value.span, "this must be known when the program is compiled");
                    }
                }
                PropertyKind::Value(value) if &*property.name.text == "priority_delta" => {
                    let number = self.values.known_number(value, "`priority_delta`");
                    if let Some(number) = number.filter(|number| number.sign() != Sign::Plus) {
                        self.values
                            .found
                            .error(value.span, format!("`priority_delta` must be at least 1, this is {number}"));
                    }
                }
                _ => {}
            }
        }
        for property in &own.properties {
            match &property.kind {
                PropertyKind::Entries(entries) => match key.as_deref() {
                    Some(key) if !key.is_empty() => self.entries(own, property, entries, key, &actions),
                    _ if !entries.is_empty() => {
                        self.values.found.error(own.name.span, "a table without a key has no entries")
                    }
                    _ => {}
                },
                PropertyKind::Value(value) if &*property.name.text == "default_action" => {
                    self.default_action(value, &actions)
                }
                PropertyKind::Value(value) if &*property.name.text == "size" => {
                    self.values.known_number(value, "the size of a table");
                }
                // Both (section 14.2.1.4) were checked above, before the entries that they order.
                PropertyKind::Value(_) if ORDERING.contains(&&*property.name.text) => {}
                PropertyKind::Value(value) => {
                    self.values.value(value);
                }
                _ => {}
            }
        }
        actions
    }

    fn key_element(&mut self, element: &'a ast::KeyElement) -> (Type, Rc<str>) {
        let kind = &element.match_kind;
        self.values.annotations(&element.annotations);
        if !self.values.names.match_kinds.contains_key(&kind.text) {
            let message = format!("the match kind `{}` is not declared", kind.text);
            let hint = "`core.p4` has `exact`, `ternary` and `lpm`, architectures have more";
            let mut names: Vec<Rc<str>> = self.values.names.match_kinds.keys().cloned().collect();
            names.sort_unstable();
            let error = Diagnostic::error(kind.span, message).hint(hint);
            self.values.found.suggest(error, &kind.text, names.iter().map(|name| &**name));
        }
        let typed = self.values.value(&element.value);
        let is_wrong = match self.values.types.named(typed.of) {
            Some((_, _, sort)) => {
                matches!(sort, Sort::Container(_) | Sort::Extern(_) | Sort::Machine(_) | Sort::Table(_))
            }
            None => matches!(
                self.values.types.kind(typed.of),
                TypeForm::Void
                    | TypeForm::String
                    | TypeForm::Tuple(_)
                    | TypeForm::Listed(_)
                    | TypeForm::List(_)
                    | TypeForm::Record(..)
                    | TypeForm::Stack(..)
                    | TypeForm::Integer
                    | TypeForm::Applied(_)
                    | TypeForm::ActionRun(_)
                    | TypeForm::MatchKind
                    | TypeForm::Varbit(_)
                    | TypeForm::Set(_)
            ),
        };
        if is_wrong {
            let message = format!("a key cannot be of type {}", self.values.types.describe(typed.of));
            self.values.found.hinted(
                element.value.span,
                message,
                "keys are `bit<N>`, `int<N>`, `bool`, enumerations and errors",
            );
            return (Types::UNKNOWN, Rc::clone(&kind.text));
        }
        if typed.of == Types::BOOL && matches!(&*kind.text, "lpm" | "range") {
            let message = format!("a key of type `bool` is not matched `{}`", kind.text);
            self.values.found.hinted(element.value.span, message, "it has one bit: `exact` or `ternary` matches it");
        }
        self.require_key_name(element);
        (typed.of, Rc::clone(&kind.text))
    }

    /// Checks that `NoAction`, which a table without a default action runs (section 14.2), has no parameters.
    fn require_no_action(&mut self, own: &'a ast::Table) {
        let name = ast::Name { text: "NoAction".into(), span: own.name.span };
        let path = ast::Path { absolute: true, name, span: own.name.span };
        let Some(&definition) = self.values.names.find(&path).last() else { return };
        let meaning = self.values.types.definitions.get(definition);
        if matches!(&meaning.sort, Sort::Action(action) if action.parameters.is_empty()) {
            return;
        }
        let error = Diagnostic::error(meaning.span, "`NoAction` is not an action without parameters");
        self.values.found.report(error.related(own.name.span, "this table runs it by default"));
    }

    /// Reports a key without a name for the control plane, which otherwise is the key as it is written (section
    /// 18.3.1.3).
    fn require_key_name(&mut self, element: &'a ast::KeyElement) {
        let has_name = element.annotations.iter().any(|note| &*note.name.text == "name");
        if !has_name && !makes_name(&element.value) {
            let hint = "`@name(\"text\")` behind the match kind tells the control plane how it is called";
            self.values.found.hinted(element.value.span, "this key has no name", hint);
        }
    }
}

/// Returns true for an expression whose text makes a name.
fn makes_name(value: &ast::Expression) -> bool {
    use ast::ExpressionKind as Written;
    match &value.kind {
        Written::Name(_) | Written::Integer(_) | Written::This => true,
        Written::Member(object, _) => makes_name(object),
        Written::Index(one, other) | Written::Binary(ast::BinaryOperator::BitAnd, one, other) => {
            makes_name(one) && makes_name(other)
        }
        Written::Slice(slice) => [&slice.value, &slice.first, &slice.second].into_iter().all(makes_name),
        Written::Call { callee, arguments, .. } => match &callee.kind {
            Written::Member(object, method) => &*method.text == "isValid" && arguments.is_empty() && makes_name(object),
            _ => false,
        },
        _ => false,
    }
}
