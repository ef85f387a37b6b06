//! Calls (section 8.20): which function, action or method is called, and whether it may be called here.

use std::collections::HashSet;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::arguments::{Request, are_known};
use super::{Called, Expressions, Findings, Nodes, Target, Typed, Within, packets};
use crate::ast::{self, ExpressionKind};
use crate::types::{Bindings, Callable, Definition, MachineSort, Sort, Type, Types, Value};

impl<'a> Expressions<'_, 'a> {
    pub(super) fn call(
        &mut self,
        node: &'a ast::Expression,
        callee: &'a ast::Expression,
        type_arguments: &'a [ast::Type],
        arguments: &'a [ast::Argument],
    ) -> Typed {
        match &callee.kind {
            ExpressionKind::Name(path) => {
                let Some(&last) = self.names.find(path).last() else {
                    self.names.look_up(self.types, self.nodes, self.found, path);
                    return self.give_up(arguments);
                };
                match self.types.sort(last).clone() {
                    Sort::Function(_) => self.call_function(node, path, type_arguments, arguments),
                    Sort::Action(action) => {
                        self.nodes.note_name(&path.name, last);
                        self.context.require_action_place(self.found, node.span, &path.name.text);
                        let request =
                            Request::new(node.span, &action.name, vec![action.clone()], type_arguments, arguments);
                        self.finish(node, request, |_| Target::Action(last))
                    }
                    Sort::Extern(_) | Sort::Machine(_) | Sort::Alias(_) => {
                        let given = (!type_arguments.is_empty()).then_some(type_arguments);
                        let of = self.named_type(callee.span, path, given);
                        self.construct_value(node, of, arguments, type_arguments.iter().any(leaves_open))
                    }
                    _ => {
                        self.found.error(callee.span, format!("`{}` cannot be called", path.name.text));
                        self.give_up(arguments)
                    }
                }
            }
            ExpressionKind::Type(written) => {
                let of = self.written(written);
                self.construct_value(node, of, arguments, leaves_open(written))
            }
            ExpressionKind::Member(object, name) => self.call_member(node, object, name, type_arguments, arguments),
            _ => {
                self.found.error(callee.span, "this cannot be called");
                self.give_up(arguments)
            }
        }
    }

    /// Checks the arguments of a call whose callee is erroneous, because they may be wrong too.
    pub(super) fn give_up(&mut self, arguments: &'a [ast::Argument]) -> Typed {
        for argument in arguments {
            if let ast::ArgumentValue::Given(value) = &argument.value {
                self.value(value);
            }
        }
        Typed::unknown()
    }

    fn call_function(
        &mut self,
        node: &'a ast::Expression,
        path: &'a ast::Path,
        type_arguments: &'a [ast::Type],
        arguments: &'a [ast::Argument],
    ) -> Typed {
        let definitions: Vec<Definition> = self.names.find(path).to_vec();
        let candidates: Vec<Rc<Callable>> = definitions
            .iter()
            .filter_map(|&definition| match self.types.sort(definition) {
                Sort::Function(own) => Some(Rc::clone(own)),
                _ => None,
            })
            .collect();
        let request = Request::new(node.span, &path.name.text, candidates, type_arguments, arguments);
        let typed = self.finish(node, request, Target::Function);
        if let Some(Called { target: Target::Function(own), .. }) = self.nodes.call(node) {
            let own = Rc::clone(own);
            let chosen = definitions
                .iter()
                .copied()
                .find(|&one| matches!(self.types.sort(one), Sort::Function(other) if Rc::ptr_eq(other, &own)));
            if let Some(chosen) = chosen {
                self.nodes.note_name(&path.name, chosen);
            }
            if &*own.name == "verify" && !self.context.in_parser() {
                self.found.hinted(node.span, "`verify` is only for parsers", "it ends the parser with an error");
            }
            if &*own.name == "static_assert" {
                return static_assert(self.nodes, self.found, node.span, arguments, typed);
            }
        }
        typed
    }

    fn call_member(
        &mut self,
        node: &'a ast::Expression,
        object: &'a ast::Expression,
        name: &'a ast::Name,
        type_arguments: &'a [ast::Type],
        arguments: &'a [ast::Argument],
    ) -> Typed {
        let (receiver, is_type) = match self.type_named(object) {
            Some(of) => (Typed::new(of), true),
            None if object.kind == ExpressionKind::Error => (Typed::unknown(), false),
            None => (self.place_or_value(object), false),
        };
        if receiver.of == Types::UNKNOWN {
            return self.give_up(arguments);
        }
        let sort =
            self.types.named(receiver.of).map(|(definition, given, sort)| (definition, given.to_vec(), sort.clone()));
        match sort {
            Some((_, given, Sort::Extern(own))) if !is_type => {
                let candidates: Vec<_> =
                    own.methods.iter().filter(|method| method.name == name.text).cloned().collect();
                if !candidates.is_empty() {
                    let mut request = Request::new(node.span, &name.text, candidates, type_arguments, arguments);
                    request.bindings = own.type_parameters.iter().copied().zip(given).collect();
                    self.context.require_method_place(self.found, node.span, &name.text);
                    let receiver = receiver.of;
                    let typed = self.finish(node, request, Target::Method);
                    packets::check_extraction(self.types, self.nodes, self.found, node, receiver, arguments);
                    packets::check_emission(self.types, self.nodes, self.found, node, receiver, arguments);
                    packets::check_lookahead(self.types, self.nodes, self.found, node, receiver, typed.of);
                    return typed;
                }
            }
            Some((_, given, Sort::Machine(own))) if &*name.text == "apply" && own.sort != MachineSort::Package => {
                self.context.require_machine_place(self.found, node.span, own.sort);
                if is_type {
                    // `name.apply(...)` on a type makes an instance of its own (section 15.1).
                    self.control_names.note_made(self.types, receiver.of);
                }
                let callable = Rc::new(Callable {
                    name: Rc::clone(&name.text),
                    span: name.span,
                    type_parameters: vec![],
                    parameters: own.parameters.clone(),
                    result: Types::VOID,
                    is_abstract: false,
                    is_optional: false,
                });
                let mut request = Request::new(node.span, &name.text, vec![callable], type_arguments, arguments);
                let of = receiver.of;
                if given.contains(&Types::UNKNOWN) {
                    request.open = own.type_parameters.iter().copied().collect();
                } else {
                    request.bindings = own.type_parameters.iter().copied().zip(given).collect();
                }
                return self.finish(node, request, move |callable| Target::Apply(of, callable));
            }
            Some((definition, _, Sort::Table(_))) if &*name.text == "apply" => {
                if !matches!(self.context.within, Within::Apply | Within::Table) {
                    self.found.hinted(
                        node.span,
                        "a table cannot be applied here",
                        "only the `apply` of a control applies tables",
                    );
                }
                if let Some(first) = arguments.first() {
                    self.found.error(first.span, "`apply` of a table takes no arguments");
                }
                let called = Called { target: Target::Table(definition), type_arguments: vec![], arguments: vec![] };
                self.nodes.note_call(node, called);
                let of = self.types.make(crate::types::TypeForm::Applied(definition));
                return Typed::new(of);
            }
            _ => {}
        }
        if let Some(result) = self.built_in(node, &receiver, name, arguments) {
            return result;
        }
        let message = format!("{} has no method `{}`", self.types.describe(receiver.of), name.text);
        let names: Vec<Rc<str>> = match self.types.named(receiver.of) {
            Some((_, _, Sort::Extern(own))) => own.methods.iter().map(|method| Rc::clone(&method.name)).collect(),
            Some((_, _, Sort::Container(_))) => ["isValid", "setValid", "setInvalid"].map(Rc::from).into(),
            Some((_, _, Sort::Machine(_) | Sort::Table(_))) => vec!["apply".into()],
            _ => ["push_front", "pop_front"].map(Rc::from).into(),
        };
        let names = names.iter().map(|name| &**name);
        self.found.suggest(Diagnostic::error(name.span, message), &name.text, names);
        self.give_up(arguments)
    }

    /// Resolves a call and notes what it calls.
    fn finish(
        &mut self,
        node: &'a ast::Expression,
        request: Request<'a>,
        target: impl FnOnce(Rc<Callable>) -> Target,
    ) -> Typed {
        let arguments = request.arguments;
        let Some((callable, bindings, places)) = self.settle(request) else {
            return Typed::unknown();
        };
        let of = self.types.substitute(callable.result, &bindings);
        let called = Called { target: target(callable), type_arguments: in_order(bindings), arguments: places };
        self.nodes.note_call(node, called);
        let is_instance = matches!(self.types.named(of), Some((_, _, Sort::Extern(_))));
        // A factory makes an instance of what is known (section 18.1).
        let known = is_instance && are_known(self.nodes, arguments);
        Typed { known, ..Typed::new(of) }
    }
}

/// Reports a static assertion that does not hold (section 19).
fn static_assert<'a>(
    nodes: &Nodes<'a>,
    found: &mut Findings,
    span: Span,
    arguments: &'a [ast::Argument],
    typed: Typed,
) -> Typed {
    let given = |place: usize| match arguments.get(place).map(|argument| &argument.value) {
        Some(ast::ArgumentValue::Given(value)) => nodes.expression(value).and_then(|known| known.value.clone()),
        _ => None,
    };
    let (holds, message) = (given(0), given(1));
    if holds.as_deref() == Some(&Value::Bool(false)) {
        let words = match message.as_deref() {
            Some(Value::String(text)) => format!(": {text}"),
            _ => String::new(),
        };
        found.error(span, format!("this static assertion does not hold{words}"));
    }
    Typed { known: true, value: Some(Rc::new(Value::Bool(true))), ..typed }
}

pub(super) fn in_order(bindings: Bindings) -> Vec<(Definition, Type)> {
    let mut all: Vec<_> = bindings.into_iter().collect();
    all.sort_unstable();
    all
}

/// Returns true if `_` in a type leaves a part of it to inference.
pub(super) fn leaves_open(node: &ast::Type) -> bool {
    match &node.kind {
        ast::TypeKind::Any => true,
        ast::TypeKind::Specialized(_, arguments) => arguments.iter().any(leaves_open),
        ast::TypeKind::Array(element, _) => leaves_open(element),
        _ => false,
    }
}

/// Returns the type parameters that a call has to infer.
pub(super) fn open_parameters(callable: &Callable) -> HashSet<Definition> {
    callable.type_parameters.iter().copied().collect()
}
