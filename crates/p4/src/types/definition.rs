//! What names stand for.

use std::rc::Rc;

use diagnostics::Span;
use num_bigint::BigInt;

use super::{Type, Value};
use crate::ast::{ContainerKind, Direction};

/// Numbers a definition in [`Definitions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Definition(u32);

/// Every definition of a program, in the order in which they are written.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    all: Vec<Meaning>,
}

impl Definitions {
    /// Adds one.
    pub fn add(&mut self, meaning: Meaning) -> Definition {
        self.all.push(meaning);
        Definition(self.all.len() as u32 - 1)
    }

    /// What a name stands for.
    pub fn get(&self, definition: Definition) -> &Meaning {
        &self.all[definition.0 as usize]
    }

    /// Every definition in the order in which they are written.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Definition, &Meaning)> {
        self.all.iter().enumerate().map(|(number, meaning)| (Definition(number as u32), meaning))
    }

    /// To complete what was announced.
    pub(crate) fn get_mut(&mut self, definition: Definition) -> &mut Meaning {
        &mut self.all[definition.0 as usize]
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The name.
    pub name: Rc<str>,
    /// Where it is declared.
    pub span: Span,
    /// As what.
    pub sort: Sort,
}

/// As what a name is declared.
#[derive(Clone, Debug)]
pub enum Sort {
    /// Stands for a type.
    TypeParameter,
    /// `header`, `header_union`, `struct`
    Container(Rc<Container>),
    /// `enum`
    Enumeration(Rc<Enumeration>),
    /// `typedef`
    Alias(Type),
    /// `type`, made of this type.
    NewType(Type),
    /// `extern name { ... }`
    Extern(Rc<Extern>),
    /// `parser`, `control`, `package`: their types and themselves.
    Machine(Rc<Machine>),
    /// A function, the program's or the architecture's.
    Function(Rc<Callable>),
    /// `action`
    Action(Rc<Callable>),
    /// `table`
    Table(Rc<TableSignature>),
    /// A state of a parser.
    State,
    /// `value_set`, of values of this type.
    ValueSet(Type),
    /// `const`, with its value if that was found.
    Constant(Type, Option<Rc<Value>>),
    /// A variable.
    Variable(Type),
    /// A parameter; true for one that is known before the program runs.
    Parameter(Type, Direction, bool),
    /// An instance.
    Instance(Type),
}

/// A type of named fields.
#[derive(Clone, Debug)]
pub struct Container {
    /// Which of the three.
    pub kind: ContainerKind,
    /// Its type parameters.
    pub type_parameters: Vec<Definition>,
    /// Its fields in order.
    pub fields: Vec<Field>,
    /// Types inside one another in it.
    pub depth: u32,
    /// True if a `varbit` is in it.
    pub is_varying: bool,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Rc<str>,
    /// Its type.
    pub of: Type,
    /// Where it is declared.
    pub span: Span,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// The type on the wire.
    pub underlying: Option<Type>,
    /// Its members, with their values if it has an underlying type.
    pub members: Vec<(Rc<str>, Option<BigInt>)>,
    /// What the names of the members stand for, in the same order.
    pub definitions: Vec<Definition>,
}

/// An extern.
#[derive(Clone, Debug, Default)]
pub struct Extern {
    /// Its type parameters.
    pub type_parameters: Vec<Definition>,
    /// How an instance is made.
    pub constructors: Vec<Rc<Callable>>,
    /// What it can do.
    pub methods: Vec<Rc<Callable>>,
}

/// What parsers, controls and packages have in common.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Which of the three.
    pub sort: MachineSort,
    /// True for a type without a body.
    pub is_type: bool,
    /// Its type parameters.
    pub type_parameters: Vec<Definition>,
    /// What it works on; of a package nothing.
    pub parameters: Vec<Parameter>,
    /// What it is made with.
    pub constructor_parameters: Vec<Parameter>,
}

/// Which of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineSort {
    /// `parser`
    Parser,
    /// `control`
    Control,
    /// `package`
    Package,
}

impl MachineSort {
    /// As it is written.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Parser => "parser",
            Self::Control => "control",
            Self::Package => "package",
        }
    }
}

/// What can be called, or made.
#[derive(Clone, Debug)]
pub struct Callable {
    /// Its name.
    pub name: Rc<str>,
    /// Where it is declared.
    pub span: Span,
    /// Its type parameters.
    pub type_parameters: Vec<Definition>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// What it returns.
    pub result: Type,
    /// True for a method that instances have to implement.
    pub is_abstract: bool,
    /// True for a method marked `@optional`, which instances may leave out.
    pub is_optional: bool,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Rc<str>,
    /// Which way values go.
    pub direction: Direction,
    /// Its type.
    pub of: Type,
    /// True if an argument may be left out: there is a default, or it is marked `@optional`.
    pub can_be_left_out: bool,
    /// True if there is a default.
    pub has_default: bool,
    /// What it is if an argument is left out, as its type has it; `None` also for what only an instance knows.
    pub default: Option<Rc<Value>>,
    /// What its name stands for in the body.
    pub definition: Definition,
    /// Where it is declared.
    pub span: Span,
}

/// What others may know of a table.
#[derive(Clone, Debug, Default)]
pub struct TableSignature {
    /// Its actions.
    pub actions: Vec<Definition>,
}
