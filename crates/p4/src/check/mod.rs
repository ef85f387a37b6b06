//! The meaning of a program, as far as types tell: what every name stands for, the type of every value, the values that
//! are known before it runs; and whether it is legal (specification 1.2.5, sections 6 to 20).
//!
//! [`Checker`] owns the parts and goes through declarations and statements. It lends the parts out: [`Expressions`]
//! reads names and declares none; [`Tables`] goes through the properties of one table by way of [`Expressions`];
//! [`Typing`] sees types and nodes, but neither names nor the place where a value stands.

mod annotations;
mod arguments;
mod calls;
mod casts;
mod coercion;
mod constants;
mod construct;
mod containers;
mod control_names;
mod conversions;
mod declarations;
mod entries;
mod expressions;
mod externs;
mod functions;
mod infer;
mod inferred;
mod instances;
mod keysets;
mod known_values;
mod lints;
mod machines;
mod members;
mod methods;
mod nodes;
mod numbers;
mod operators;
mod packets;
mod parsers;
mod statements;
mod symbol_table;
mod table_actions;
mod tables;
mod uninitialized;
mod unresolved_names;
mod written_types;

use std::rc::Rc;

use diagnostics::{Diagnostic, Diagnostics, Span};

use coercion::Typing;
use control_names::ControlNames;
use conversions::Conversions;
use expressions::Expressions;
pub use nodes::{Called, Checked, Expressed, Nodes, Target};
use symbol_table::SymbolTable;
use tables::Tables;
use uninitialized::Uninitialized;

use crate::ast;
use crate::findings::Findings;
use crate::types::{Definition, MachineSort, Sort, Type, Types, Value};

/// Checks a program. Whatever is wrong is reported; expressions that depend on it have the unknown type.
pub fn check(program: &ast::Program) -> (Checked<'_>, Diagnostics) {
    let mut checker = Checker {
        types: Types::new(),
        nodes: Nodes::default(),
        found: Findings::new(),
        names: SymbolTable::new(program),
        conversions: Conversions::default(),
        control_names: ControlNames::new(),
        uninitialized: Uninitialized::default(),
        context: Context { within: Within::Top, result: None, in_loop: false, this: None },
    };
    for declaration in &program.declarations {
        checker.declaration(declaration);
    }
    checker.control_names.check(&checker.types, &checker.nodes, &mut checker.found);
    (Checked { types: checker.types, nodes: checker.nodes }, checker.found.into_diagnostics())
}

/// The context of a statement or a value, which decides what it may do.
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
    /// An argument that a table gives to an action.
    ActionArgument,
}

#[derive(Clone, Copy, Debug)]
struct Context {
    within: Within,
    /// The type that `return` has to give; `None` where `return` may not stand.
    result: Option<Type>,
    in_loop: bool,
    /// The type of `this`.
    this: Option<Type>,
}

impl Context {
    /// True where the elements of a stack that a parser follows can be named.
    fn in_parser(self) -> bool {
        matches!(self.within, Within::Parser | Within::State | Within::Function)
    }

    fn require_action_place(self, found: &mut Findings, span: Span, name: &str) {
        if !matches!(self.within, Within::Apply | Within::Action) {
            let message = format!("the action `{name}` cannot be called here");
            found.hinted(span, message, "only controls and other actions call actions");
        }
    }

    fn require_machine_place(self, found: &mut Findings, span: Span, sort: MachineSort) {
        let fits = match sort {
            MachineSort::Parser => self.within == Within::State,
            _ => self.within == Within::Apply,
        };
        if !fits {
            let hint = match sort {
                MachineSort::Parser => "parsers are applied in the states of parsers",
                _ => "controls are applied in the `apply` of controls",
            };
            found.hinted(span, format!("a {} cannot be applied here", sort.keyword()), hint);
        }
    }

    fn require_method_place(self, found: &mut Findings, span: Span, name: &str) {
        if self.within == Within::Top {
            found.error(span, format!("`{name}` cannot be called before a packet is there"));
        }
    }
}

/// Whether an expression can be assigned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writable {
    Yes,
    /// It cannot, because it is this.
    No(&'static str),
}

/// The type of an expression, its value if known, and whether it can be assigned to.
#[derive(Clone, Debug)]
struct Typed {
    of: Type,
    /// Its value, if it is known here.
    value: Option<Rc<Value>>,
    /// True if its value is known at compile time, even if only an instance determines it.
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

    /// The result for erroneous code: nothing more is reported about it.
    fn unknown() -> Self {
        Self { of: Types::UNKNOWN, value: None, known: true, writable: Writable::Yes }
    }

    /// Reports an error and returns the result for erroneous code.
    fn refuse(found: &mut Findings, span: Span, message: impl Into<String>) -> Self {
        found.error(span, message);
        Self::unknown()
    }
}

/// Reports a value that cannot be assigned to.
fn require_writable(found: &mut Findings, span: Span, typed: &Typed) -> bool {
    let Writable::No(reason) = typed.writable else { return true };
    let error = Diagnostic::error(span, "this cannot be assigned to").label(reason);
    found.report(error.hint("variables, `out` and `inout` parameters, and their fields, elements and bits can"));
    false
}

/// Goes through the declarations and statements of a program.
struct Checker<'a> {
    types: Types,
    nodes: Nodes<'a>,
    found: Findings,
    names: SymbolTable<'a>,
    conversions: Conversions,
    control_names: ControlNames<'a>,
    uninitialized: Uninitialized,
    context: Context,
}

impl<'a> Checker<'a> {
    /// Lends out what values need.
    fn expressions(&mut self) -> Expressions<'_, 'a> {
        Expressions {
            types: &mut self.types,
            nodes: &mut self.nodes,
            found: &mut self.found,
            names: &self.names,
            conversions: &mut self.conversions,
            control_names: &mut self.control_names,
            uninitialized: &mut self.uninitialized,
            context: self.context,
        }
    }

    /// Lends out what the properties of a table need.
    fn tables(&mut self) -> Tables<'_, 'a> {
        Tables { values: self.expressions() }
    }

    /// Lends out what coercions need.
    fn typing(&mut self) -> Typing<'_, 'a> {
        Typing {
            types: &mut self.types,
            nodes: &mut self.nodes,
            found: &mut self.found,
            conversions: &mut self.conversions,
        }
    }

    /// Gives a definition its name in the innermost scope.
    fn enter(&mut self, name: &'a ast::Name, definition: Definition) {
        self.names.enter(&self.types, &mut self.found, name, definition);
    }

    /// Makes a definition that can be used from here on in this scope.
    fn declare(&mut self, name: &'a ast::Name, sort: Sort) -> Definition {
        let definition = self.nodes.define(&mut self.types, name, sort);
        self.enter(name, definition);
        definition
    }

    /// Checks something that is declared only after it is checked, so that it cannot use itself: P4 has no recursion.
    fn declaring<T>(&mut self, name: &'a ast::Name, action: impl FnOnce(&mut Self) -> T) -> T {
        self.names.being_declared.push(name);
        let result = action(self);
        self.names.being_declared.pop();
        result
    }

    /// Runs `action` in a new scope and in a context of this kind.
    fn inside<T>(&mut self, within: Within, action: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.context;
        self.context.within = within;
        self.names.open();
        let result = action(self);
        self.names.close();
        self.context = around;
        result
    }
}
