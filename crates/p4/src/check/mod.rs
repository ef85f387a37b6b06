//! What a program means, as far as types tell: what every name stands for, the type of every value, the values that
//! are known before it runs; and whether it is legal (specification 1.2.5, sections 6 to 20).

mod annotations;
mod arguments;
mod coercion;
mod calls;
mod casts;
mod checked;
mod construct;
mod containers;
mod control_names;
mod convert;
mod declarations;
mod lints;
mod unresolved_names;
mod entries;
mod expressions;
mod externs;
mod functions;
mod infer;
mod inferred;
mod instances;
mod keysets;
mod machines;
mod members;
mod methods;
mod numbers;
mod operators;
mod packets;
mod parsers;
mod scopes;
mod shapes;
mod statements;
mod suggest;
mod table_actions;
mod tables;
mod uninitialized;
mod written_types;

use std::collections::HashMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Diagnostics, Span};

pub use checked::{Called, Checked, Expressed, Target};
use control_names::ControlNames;
use scopes::Scopes;
use uninitialized::Uninitialized;

use crate::ast;
use crate::types::{Definition, Meaning, Sort, Type, Types, Value};

/// Finds out what a program means. Whatever is wrong is among the findings; what depends on it has an unknown type.
pub fn check(program: &ast::Program) -> (Checked<'_>, Diagnostics) {
    let mut checker = Checker {
        program,
        checked: Checked::default(),
        found: Diagnostics::new(),
        scopes: Scopes::new(),
        errors: HashMap::new(),
        match_kinds: HashMap::new(),
        convertible: HashMap::new(),
        defaults: HashMap::new(),
        holding_bits: HashMap::new(),
        control_names: ControlNames::new(),
        being_declared: Vec::new(),
        uninitialized: Uninitialized::default(),
        is_cast: false,
        context: Context { within: Within::Top, result: None, in_loop: false, this: None },
    };
    for declaration in &program.declarations {
        checker.declaration(declaration);
    }
    checker.check_control_names();
    (checker.checked, checker.found)
}

/// Where a statement or a value stands, which decides what it may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    Top,
    /// The declarations of a parser.
    Parser,
    State,
    /// The declarations of a control.
    Control,
    Apply,
    Action,
    Function,
    /// An abstract method that an instance implements.
    Method,
    /// The keys and properties of a table.
    Table,
    /// What a table gives to an action.
    ActionArgument,
}

#[derive(Clone, Copy, Debug)]
struct Context {
    within: Within,
    /// What `return` has to give; `None` where nothing is returned.
    result: Option<Type>,
    in_loop: bool,
    /// The type of `this`.
    this: Option<Type>,
}

/// Whether a value can be assigned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writable {
    Yes,
    /// It cannot, for it is this.
    No(&'static str),
}

/// A value's type and what else is known of it.
#[derive(Clone, Debug)]
struct Typed {
    of: Type,
    /// Its value, if it is known.
    value: Option<Rc<Value>>,
    /// True if it is known before the program runs, even if not here.
    known: bool,
    writable: Writable,
}

impl Typed {
    fn new(of: Type) -> Self {
        Self { of, value: None, known: false, writable: Writable::No("a value") }
    }

    fn known(of: Type, value: Value) -> Self {
        Self { value: Some(Rc::new(value)), known: true, ..Self::new(of) }
    }

    /// Stands where an error was reported; nothing is reported of it again.
    fn unknown() -> Self {
        Self { of: Types::UNKNOWN, value: None, known: true, writable: Writable::Yes }
    }
}

struct Checker<'a> {
    program: &'a ast::Program,
    checked: Checked<'a>,
    found: Diagnostics,
    scopes: Scopes,
    errors: HashMap<Rc<str>, Span>,
    match_kinds: HashMap<Rc<str>, Span>,
    /// What [`Checker::converts`] found out, so that types that double with each declaration take no time.
    convertible: HashMap<(Type, Type), bool>,
    /// What `...` stands for in a type.
    defaults: HashMap<Type, Option<Rc<Value>>>,
    /// Structs that a header can hold, and those that it cannot.
    holding_bits: HashMap<Type, bool>,
    control_names: ControlNames<'a>,
    /// What is being checked and has its name only then, the innermost last.
    being_declared: Vec<&'a ast::Name>,
    uninitialized: Uninitialized,
    /// A cast is being checked, which may mean to lose bits.
    is_cast: bool,
    context: Context,
}

impl<'a> Checker<'a> {
    fn types(&mut self) -> &mut Types {
        &mut self.checked.types
    }

    fn show(&self, of: Type) -> String {
        self.checked.types.show(of)
    }

    fn sort(&self, definition: Definition) -> &Sort {
        &self.checked.types.definitions.get(definition).sort
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(span, message));
    }

    fn refuse(&mut self, span: Span, message: impl Into<String>) -> Typed {
        self.error(span, message);
        Typed::unknown()
    }

    fn hinted(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.report(Diagnostic::error(span, message).hint(hint));
    }

    /// Makes a definition without giving it a name in any scope.
    fn define(&mut self, name: &'a ast::Name, sort: Sort) -> Definition {
        let meaning = Meaning { name: Rc::clone(&name.text), span: name.span, sort };
        let definition = self.checked.types.definitions.add(meaning);
        self.checked.note_name(name, definition);
        definition
    }

    /// Makes a definition that can be used from here on in this scope.
    fn declare(&mut self, name: &'a ast::Name, sort: Sort) -> Definition {
        let definition = self.define(name, sort);
        self.enter(name, definition);
        definition
    }

    /// Checks something that has its name only then, so that what is in it cannot use it: P4 has no recursion.
    fn declaring<T>(&mut self, name: &'a ast::Name, action: impl FnOnce(&mut Self) -> T) -> T {
        self.being_declared.push(name);
        let result = action(self);
        self.being_declared.pop();
        result
    }

    /// Does something in a scope of its own, and where it stands.
    fn inside<T>(&mut self, within: Within, action: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.context;
        self.context.within = within;
        self.scopes.open();
        let result = action(self);
        self.scopes.close();
        self.context = around;
        result
    }
}
