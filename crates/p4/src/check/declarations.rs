//! Declarations: what each name stands for.

use std::rc::Rc;

use super::{Checker, Within};
use crate::ast::{self, DeclarationKind, Direction};
use crate::types::{Callable, Definition, Extern, Kind, Machine, MachineSort, Meaning, Parameter, Sort, Types};

impl<'a> Checker<'a> {
    pub(super) fn declaration(&mut self, declaration: &'a ast::Declaration) {
        match &declaration.kind {
            DeclarationKind::Constant(own) => self.constant(own),
            DeclarationKind::Variable(own) => self.variable(own),
            DeclarationKind::Instantiation(own) => self.instantiation(declaration.span, own),
            DeclarationKind::Action(own) => self.action(own),
            DeclarationKind::Function(own) => self.function(own),
            DeclarationKind::ExternFunction(own) => {
                self.scopes.open();
                let callable = self.prototype(own);
                self.scopes.close();
                self.declare(&own.signature.name, Sort::Function(Rc::new(callable)));
            }
            DeclarationKind::ExternObject(own) => self.extern_object(own),
            DeclarationKind::ExternName(name) => {
                self.declare(name, Sort::Extern(Rc::new(Extern::default())));
            }
            DeclarationKind::Container(own) => self.container(own),
            DeclarationKind::Enumeration(own) => self.enumeration(own),
            DeclarationKind::Errors(names) => {
                for name in names {
                    if self.errors.insert(Rc::clone(&name.text), name.span).is_some() {
                        self.error(name.span, format!("the error `{}` is declared twice", name.text));
                    }
                }
            }
            DeclarationKind::MatchKinds(names) => {
                for name in names {
                    if self.match_kinds.insert(Rc::clone(&name.text), name.span).is_some() {
                        self.error(name.span, format!("the match kind `{}` is declared twice", name.text));
                    }
                }
            }
            DeclarationKind::Typedef(own) => {
                let of = self.written(&own.original);
                self.declare(&own.name, Sort::Alias(of));
            }
            DeclarationKind::TypedefOfDeclaration(inner, name) => self.typedef_of(inner, name),
            DeclarationKind::NewType(own) => self.new_type(own),
            DeclarationKind::ParserType(own) => self.machine_type(own, MachineSort::Parser),
            DeclarationKind::ControlType(own) => self.machine_type(own, MachineSort::Control),
            DeclarationKind::Package(own) => self.machine_type(own, MachineSort::Package),
            DeclarationKind::Parser(own) => self.parser(own),
            DeclarationKind::Control(own) => self.control(own),
            DeclarationKind::Table(own) => self.table(own),
            DeclarationKind::ValueSet(own) => {
                let of = self.written(&own.member_type);
                if of == Types::INTEGER || of == Types::STRING {
                    let message = format!("there are no value sets of {}", self.checked.types.describe(of));
                    self.error(own.member_type.span, message);
                }
                self.size(&own.size, 0, "the size of a value set");
                self.declare(&own.name, Sort::ValueSet(of));
            }
        }
    }

    fn constant(&mut self, own: &'a ast::Constant) {
        let of = self.written(&own.constant_type);
        if matches!(self.checked.types.named(of), Some((_, _, Sort::Extern(_) | Sort::Machine(_)))) {
            let message = format!("there are no constants of type {}", self.checked.types.describe(of));
            self.error(own.name.span, message);
        }
        let typed = self.value_of(&own.value, of, "the value of the constant");
        if !typed.known {
            self.hinted(
                own.value.span,
                format!("the value of `{}` is not known when the program is compiled", own.name.text),
                "a constant is made of literals and other constants",
            );
        }
        self.declare(&own.name, Sort::Constant(of, typed.value));
    }

    fn variable(&mut self, own: &'a ast::Variable) {
        let of = self.written(&own.variable_type);
        self.require_variable_type(&own.variable_type, of);
        if let Some(value) = &own.value {
            self.value_of(value, of, &format!("the value of `{}`", own.name.text));
        }
        self.declare(&own.name, Sort::Variable(of));
    }

    fn typedef_of(&mut self, inner: &'a ast::Declaration, name: &'a ast::Name) {
        self.declaration(inner);
        let declared = match &inner.kind {
            DeclarationKind::Container(own) => Some(&own.name),
            DeclarationKind::Enumeration(own) => Some(&own.name),
            _ => None,
        };
        let of = match declared.and_then(|own| self.checked.definition(own)) {
            Some(definition) => self.types().make(Kind::Named(definition, vec![])),
            None => Types::UNKNOWN,
        };
        self.declare(name, Sort::Alias(of));
    }

    fn new_type(&mut self, own: &'a ast::TypeName) {
        let of = self.written(&own.original);
        let is_wrong = match self.checked.types.named(of) {
            Some((_, _, sort)) => !matches!(sort, Sort::NewType(_) | Sort::TypeParameter | Sort::Enumeration(_)),
            None => !matches!(
                self.checked.types.kind(of),
                Kind::Unknown | Kind::Bool | Kind::Bit(_) | Kind::Int(_) | Kind::Integer | Kind::Error | Kind::String
            ),
        };
        if is_wrong {
            let message = format!("no new type is made of {}", self.checked.types.describe(of));
            self.hinted(
                own.original.span,
                message,
                "`type` is for `bit<N>`, `int<N>` and `bool`; `typedef` names any type",
            );
        }
        self.declare(&own.name, Sort::NewType(of));
    }

    fn type_parameters(&mut self, names: &'a [ast::Name]) -> Vec<Definition> {
        names.iter().map(|name| self.declare(name, Sort::TypeParameter)).collect()
    }

    /// How a function is called; its type parameters and parameters are declared in the scope that is open.
    pub(super) fn prototype(&mut self, own: &'a ast::Prototype) -> Callable {
        let type_parameters = self.type_parameters(&own.signature.type_parameters);
        let result = self.written(&own.result);
        let is_machine = matches!(self.checked.types.named(result), Some((_, _, Sort::Machine(_))));
        if is_machine {
            let message = format!("a function does not return {}", self.checked.types.describe(result));
            self.error(own.result.span, message);
        }
        let parameters = self.parameters(&own.signature.parameters, true);
        self.refuse_machines(&own.signature.parameters, &parameters);
        Callable {
            name: Rc::clone(&own.signature.name.text),
            span: own.signature.name.span,
            type_parameters,
            parameters,
            result,
            is_abstract: false,
            is_optional: false,
        }
    }

    /// Declares parameters. With `known`, those without a direction are known before the program runs.
    pub(super) fn parameters(&mut self, all: &'a [ast::Parameter], known: bool) -> Vec<Parameter> {
        all.iter().map(|own| self.parameter(own, known)).collect()
    }

    fn parameter(&mut self, own: &'a ast::Parameter, known: bool) -> Parameter {
        let of = self.written(&own.parameter_type);
        let is_instance = matches!(self.checked.types.named(of), Some((_, _, Sort::Extern(_) | Sort::Machine(_))));
        let is_compile_time = matches!(self.checked.types.kind(of), Kind::Integer | Kind::String);
        if own.direction != Direction::None && (is_instance || is_compile_time) {
            let message = format!("a parameter of type `{}` has no direction", self.show(of));
            self.hinted(own.span, message, "what is known before the program runs goes in no direction");
        }
        if of == Types::VOID {
            self.error(own.parameter_type.span, "there are no values of type `void`");
        }
        if let Some(default) = &own.default {
            if matches!(own.direction, Direction::Out | Direction::InOut) {
                self.error(default.span, "an `out` parameter has no default value");
            }
            let mut typed = self.value(default);
            // What a package is given may depend on type parameters that only its instance settles.
            if self.machine(of).is_none() {
                typed = self.convert(default, typed, of, "the default value");
            }
            if !typed.known {
                self.error(default.span, "a default value must be known when the program is compiled");
            }
        }
        let known = is_instance || (known && own.direction == Direction::None);
        self.declare(&own.name, Sort::Parameter(of, own.direction, known));
        Parameter {
            name: Rc::clone(&own.name.text),
            direction: own.direction,
            of,
            can_be_left_out: own.default.is_some() || own.annotations.iter().any(|one| &*one.name.text == "optional"),
            span: own.span,
        }
    }

    fn action(&mut self, own: &'a ast::Action) {
        let callable = self.inside(Within::Action, |checker| {
            let parameters = checker.parameters(&own.parameters, false);
            let data = own.parameters.iter().position(|parameter| parameter.direction == Direction::None);
            if let Some(late) = data
                .and_then(|data| own.parameters[data..].iter().find(|parameter| parameter.direction != Direction::None))
            {
                checker.error(late.span, "parameters that the control plane gives come after those with a direction");
            }
            for (node, parameter) in own.parameters.iter().zip(&parameters) {
                if matches!(checker.checked.types.named(parameter.of), Some((_, _, Sort::Extern(_) | Sort::Machine(_))))
                {
                    let message = format!("an action does not take {}", checker.checked.types.describe(parameter.of));
                    checker.error(node.span, message);
                }
                if parameter.of == Types::INTEGER {
                    checker.hinted(node.span, "an action does not take `int`", "give it a width: `bit<N>` or `int<N>`");
                }
            }
            checker.refuse_optional(&own.parameters);
            checker.context.result = Some(Types::VOID);
            checker.block(&own.body);
            Callable {
                name: Rc::clone(&own.name.text),
                span: own.name.span,
                type_parameters: vec![],
                parameters,
                result: Types::VOID,
                is_abstract: false,
                is_optional: false,
            }
        });
        self.declare(&own.name, Sort::Action(Rc::new(callable)));
    }

    fn refuse_optional(&mut self, parameters: &'a [ast::Parameter]) {
        for parameter in parameters {
            if let Some(note) = parameter.annotations.iter().find(|note| &*note.name.text == "optional") {
                self.hinted(note.span, "`@optional` is not for functions and actions", "a default value is: `= value`");
            }
        }
    }

    fn function(&mut self, own: &'a ast::Function) {
        let callable = self.function_body(own, Within::Function);
        self.declare(&own.prototype.signature.name, Sort::Function(Rc::new(callable)));
    }

    /// Checks a function. It is declared after its body, which refuses recursion.
    pub(super) fn function_body(&mut self, own: &'a ast::Function, within: Within) -> Callable {
        self.inside(within, |checker| {
            let callable = checker.prototype(&own.prototype);
            if within == Within::Function {
                checker.refuse_optional(&own.prototype.signature.parameters);
            }
            checker.context.result = Some(callable.result);
            checker.block(&own.body);
            if callable.result != Types::VOID && !checker.is_unknown(callable.result) && may_end(&own.body.statements) {
                let name = &own.prototype.signature.name;
                let message = format!("`{}` may end without returning a value", name.text);
                checker.hinted(name.span, message, "every way through it ends with `return value;`");
            }
            callable
        })
    }

    fn extern_object(&mut self, own: &'a ast::ExternObject) {
        let announced = self.scopes.find(&ast::Path { absolute: true, name: own.name.clone(), span: own.name.span });
        let announced = announced.last().copied().filter(|&definition| {
            matches!(self.sort(definition), Sort::Extern(known)
                if known.methods.is_empty() && known.constructors.is_empty() && known.type_parameters.is_empty())
        });
        // It is declared before its methods, which may name it, and completed after them.
        let definition = match announced {
            Some(definition) => {
                self.checked.note_name(&own.name, definition);
                definition
            }
            None => self.define(&own.name, Sort::Extern(Rc::new(Extern::default()))),
        };
        self.scopes.open();
        let mut object = Extern { type_parameters: self.type_parameters(&own.type_parameters), ..Extern::default() };
        let skeleton = Extern { type_parameters: object.type_parameters.clone(), ..Extern::default() };
        self.set_sort(definition, Sort::Extern(Rc::new(skeleton)));
        if announced.is_none() {
            self.scopes.close();
            self.enter(&own.name, definition);
            self.scopes.open();
            for (name, &parameter) in own.type_parameters.iter().zip(&object.type_parameters) {
                self.enter(name, parameter);
            }
        }
        for method in &own.methods {
            self.method(own, method, &mut object);
        }
        self.scopes.close();
        self.set_sort(definition, Sort::Extern(Rc::new(object)));
    }

    fn method(&mut self, own: &'a ast::ExternObject, method: &'a ast::Method, object: &mut Extern) {
        let name = &method.signature.name;
        self.scopes.open();
        let type_parameters = self.type_parameters(&method.signature.type_parameters);
        let result = method.result.as_ref().map(|result| self.written(result));
        let parameters = self.parameters(&method.signature.parameters, true);
        self.scopes.close();
        let callable = Callable {
            name: Rc::clone(&name.text),
            span: name.span,
            type_parameters,
            parameters,
            result: result.unwrap_or(Types::VOID),
            is_abstract: method.is_abstract,
            is_optional: method.annotations.iter().any(|one| &*one.name.text == "optional"),
        };
        let is_own = name.text == own.name.text;
        match (is_own, result) {
            (true, Some(_)) => self.error(name.span, "a constructor returns nothing, not even `void`"),
            (false, None) => {
                let message = format!("`{}` has no type that it returns", name.text);
                self.hinted(name.span, message, format!("a constructor is called `{}`", own.name.text));
            }
            _ => {}
        }
        let others = if is_own { &mut object.constructors } else { &mut object.methods };
        let twice = others.iter().any(|other| {
            other.name == callable.name
                && other.parameters.len() == callable.parameters.len()
                && other.parameters.iter().zip(&callable.parameters).all(|(a, b)| a.name == b.name)
        });
        others.push(Rc::new(callable));
        if twice {
            self.hinted(
                name.span,
                format!("`{}` is declared twice with the same parameters", name.text),
                "methods of one name differ in the number or the names of their parameters",
            );
        }
    }

    pub(super) fn set_sort(&mut self, definition: Definition, sort: Sort) {
        let Meaning { sort: own, .. } = self.types().definitions.get_mut(definition);
        *own = sort;
    }

    fn machine_type(&mut self, own: &'a ast::Signature, sort: MachineSort) {
        self.scopes.open();
        let type_parameters = self.type_parameters(&own.type_parameters);
        let parameters = self.parameters(&own.parameters, true);
        if sort != MachineSort::Package {
            self.refuse_machines(&own.parameters, &parameters);
        }
        self.scopes.close();
        let is_package = sort == MachineSort::Package;
        let machine = Machine {
            sort,
            is_type: true,
            type_parameters,
            constructor_parameters: if is_package { parameters.clone() } else { vec![] },
            parameters: if is_package { vec![] } else { parameters },
        };
        self.declare(&own.name, Sort::Machine(Rc::new(machine)));
    }

    fn control(&mut self, own: &'a ast::Control) {
        let machine = self.inside(Within::Control, |checker| {
            let machine = checker.machine_head(&own.signature, &own.constructor_parameters, MachineSort::Control);
            checker.inside(Within::Control, |checker| {
                for local in &own.locals {
                    checker.declaration(local);
                }
                checker.inside(Within::Apply, |checker| {
                    checker.context.result = Some(Types::VOID);
                    checker.block(&own.body);
                });
            });
            machine
        });
        self.declare(&own.signature.name, Sort::Machine(Rc::new(machine)));
    }

    /// The parameters of a parser or control with a body, in the scope that is open.
    pub(super) fn machine_head(
        &mut self,
        own: &'a ast::Signature,
        constructor: &'a [ast::Parameter],
        sort: MachineSort,
    ) -> Machine {
        let type_parameters = self.type_parameters(&own.type_parameters);
        let constructor_parameters = self.parameters(constructor, true);
        for (node, parameter) in constructor.iter().zip(&constructor_parameters) {
            if parameter.direction != Direction::None {
                self.error(node.span, "what an instance is made with has no direction");
            }
        }
        let parameters = self.parameters(&own.parameters, true);
        self.refuse_machines(&own.parameters, &parameters);
        Machine { sort, is_type: false, type_parameters, parameters, constructor_parameters }
    }

    /// Parsers, controls and packages are given to constructors only.
    fn refuse_machines(&mut self, nodes: &'a [ast::Parameter], parameters: &[Parameter]) {
        for (node, parameter) in nodes.iter().zip(parameters) {
            let is_machine = matches!(self.checked.types.named(parameter.of), Some((_, _, Sort::Machine(_))));
            if is_machine {
                let message = format!("a parameter cannot be {}", self.checked.types.describe(parameter.of));
                self.hinted(node.span, message, "it can be a parameter of the constructor");
            }
        }
    }
}

/// True if statements may be run through to their end.
fn may_end(statements: &[ast::Statement]) -> bool {
    use ast::StatementKind as Step;
    statements.iter().all(|statement| match &statement.kind {
        Step::Return(_) | Step::Exit => false,
        Step::Block(block) => may_end(&block.statements),
        Step::If { then, otherwise: Some(otherwise), .. } => {
            may_end(std::slice::from_ref(then)) || may_end(std::slice::from_ref(otherwise))
        }
        Step::Switch { cases, .. } => {
            let has_default = cases.iter().any(|case| matches!(case.label, ast::SwitchLabel::Default(_)));
            !has_default || cases.iter().filter_map(|case| case.block.as_ref()).any(|block| may_end(&block.statements))
        }
        _ => true,
    })
}
