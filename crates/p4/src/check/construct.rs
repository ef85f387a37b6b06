//! Construction of instances (section 11.3).

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::arguments::{Request, Settled};
use super::calls::in_order;
use super::{Called, Expressions, Nodes, SymbolTable, Target, Typed, Within};
use crate::ast;
use crate::types::{Callable, Definition, Machine, MachineSort, Sort, Type, Types};

/// The type of an instance, and how it is constructed.
pub(super) type Constructed = (Type, Settled);

impl<'a> Expressions<'_, 'a> {
    /// Checks the construction of an instance in an expression, which may only be an argument of another constructor or
    /// be applied.
    pub(super) fn construct_value(
        &mut self,
        node: &'a ast::Expression,
        of: Type,
        arguments: &'a [ast::Argument],
        is_open: bool,
    ) -> Typed {
        let is_machine = matches!(self.types.named(of), Some((_, _, Sort::Machine(_))));
        if is_machine
            && matches!(
                self.context.within,
                Within::State | Within::Apply | Within::Action | Within::Function | Within::Method
            )
        {
            self.found.hinted(
                node.span,
                "no instance is made while a packet is processed",
                "declare it before, with a name",
            );
            return self.give_up(arguments);
        }
        let lacks = match self.types.named(of) {
            Some((_, _, Sort::Extern(own))) => {
                own.methods.iter().find(|method| method.is_abstract && !method.is_optional).cloned()
            }
            _ => None,
        };
        if let Some(method) = lacks {
            let message = format!("an instance of `{}` has methods to implement", self.types.show(of));
            let error = Diagnostic::error(node.span, message).related(method.span, "this one");
            self.found.report(error.hint("an instance with a name implements them in `= { ... }` behind it"));
        }
        match self.construct(node.span, of, arguments, is_open) {
            Some((of, (callable, bindings, places))) => {
                let target = Target::Constructor(of, callable);
                let called = Called { target, type_arguments: in_order(bindings), arguments: places };
                self.nodes.note_call(node, called);
                Typed { known: true, ..Typed::new(of) }
            }
            None => Typed::unknown(),
        }
    }

    /// Checks the construction of an instance.
    pub(super) fn construct(
        &mut self,
        span: Span,
        of: Type,
        arguments: &'a [ast::Argument],
        is_open: bool,
    ) -> Option<Constructed> {
        let named = self.types.named(of).map(|(definition, given, sort)| (definition, given.to_vec(), sort.clone()));
        let (definition, given, type_parameters, candidates) = match named {
            Some((definition, given, Sort::Extern(own))) => {
                if own.constructors.is_empty() {
                    self.found.error(span, format!("extern `{}` has no constructor", self.types.show(of)));
                    self.give_up(arguments);
                    return None;
                }
                (definition, given, own.type_parameters.clone(), own.constructors.clone())
            }
            Some((definition, given, Sort::Machine(own))) => {
                if own.is_type && own.sort != MachineSort::Package {
                    let message = format!("{} `{}` has no body", own.sort.keyword(), self.types.show(of));
                    self.found.hinted(span, message, "an instance is made of one that has");
                    self.give_up(arguments);
                    return None;
                }
                let (definition, own) = other_of_the_name(self.types, self.names, definition, &own, arguments);
                let constructor = Callable {
                    name: Rc::clone(&self.types.definitions.get(definition).name),
                    span: self.types.definitions.get(definition).span,
                    type_parameters: vec![],
                    parameters: own.constructor_parameters.clone(),
                    result: of,
                    is_abstract: false,
                    is_optional: false,
                };
                (definition, given, own.type_parameters.clone(), vec![Rc::new(constructor)])
            }
            _ => {
                if of != Types::UNKNOWN {
                    let message = format!("there are no instances of {}", self.types.describe(of));
                    self.found.error(span, message);
                }
                self.give_up(arguments);
                return None;
            }
        };
        let name = Rc::clone(&self.types.definitions.get(definition).name);
        let mut request = Request::new(span, &name, candidates, &[], arguments);
        for (&parameter, &argument) in type_parameters.iter().zip(&given) {
            if argument == Types::UNKNOWN {
                request.open.insert(parameter);
            } else {
                request.bindings.insert(parameter, argument);
            }
        }
        request.is_constructor = true;
        request.is_open = is_open || self.types.machine(of).is_some_and(|(own, _)| own.sort != MachineSort::Package);
        let (callable, bindings, places) = self.settle(request)?;
        let arguments = type_parameters
            .iter()
            .map(|parameter| bindings.get(parameter).copied().unwrap_or(Types::UNKNOWN))
            .collect();
        let of = self.types.make(crate::types::TypeForm::Named(definition, arguments));
        self.control_names.note_made(self.types, of);
        Some((of, (callable, bindings, places)))
    }
}

/// Notes how a declared instance is constructed, and returns its type.
pub(super) fn note_constructed<'a>(
    nodes: &mut Nodes<'a>,
    node: &'a ast::Instantiation,
    constructed: Constructed,
) -> Type {
    let (of, (callable, bindings, places)) = constructed;
    let target = Target::Constructor(of, callable);
    let called = Called { target, type_arguments: in_order(bindings), arguments: places };
    nodes.note_instantiation(node, called);
    of
}

/// Of the parsers or controls that share a name, returns the one whose constructor takes these arguments.
fn other_of_the_name<'a>(
    types: &Types,
    names: &SymbolTable<'a>,
    definition: Definition,
    own: &Rc<Machine>,
    arguments: &[ast::Argument],
) -> (Definition, Rc<Machine>) {
    let takes = |machine: &Machine| super::arguments::places_of(&machine.constructor_parameters, arguments).is_some();
    if !takes(own) {
        let meaning = types.definitions.get(definition);
        let name = ast::Name { text: Rc::clone(&meaning.name), span: meaning.span };
        let path = ast::Path { absolute: false, name, span: meaning.span };
        for &other in names.find(&path) {
            if let Sort::Machine(machine) = types.sort(other)
                && takes(machine)
            {
                return (other, Rc::clone(machine));
            }
        }
    }
    (definition, Rc::clone(own))
}
