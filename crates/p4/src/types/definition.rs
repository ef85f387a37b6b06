//! The definitions that names stand for.

use std::rc::Rc;

use diagnostics::Span;
use num_bigint::BigInt;

use super::{Type, Value};
use crate::ast::{ContainerKind, Direction};

/// The number of a definition in [`Definitions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Definition(u32);

/// All definitions of a program, in the order of the source text.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    all: Vec<Meaning>,
}

impl Definitions {
    /// Adds a definition and returns its number.
    pub fn add(&mut self, meaning: Meaning) -> Definition {
        self.all.push(meaning);
        Definition(self.all.len() as u32 - 1)
    }

    /// The definition that a name stands for.
    pub fn get(&self, definition: Definition) -> &Meaning {
        &self.all[definition.0 as usize]
    }

    /// Iterates over all definitions in the order of the source text.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Definition, &Meaning)> {
        self.all.iter().enumerate().map(|(number, meaning)| (Definition(number as u32), meaning))
    }

    /// Returns a definition that was declared ahead, to complete it.
    pub(crate) fn get_mut(&mut self, definition: Definition) -> &mut Meaning {
        &mut self.all[definition.0 as usize]
    }
}

/// The definition that a name stands for.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The name.
    pub name: Rc<str>,
    /// The place of the declaration.
    pub span: Span,
    /// The kind of definition.
    pub sort: Sort,
}

/// The kind of definition that a name stands for.
#[derive(Clone, Debug)]
pub enum Sort {
    /// A type parameter.
    TypeParameter,
    /// `header`, `header_union`, `struct`
    Container(Rc<Container>),
    /// `enum`
    Enumeration(Rc<Enumeration>),
    /// `typedef`
    Alias(Type),
    /// `type`, with the type that it is made of.
    NewType(Type),
    /// `extern name { ... }`
    Extern(Rc<Extern>),
    /// `parser`, `control` or `package`, with or without a body.
    Machine(Rc<Machine>),
    /// A function of the program or of the architecture.
    Function(Rc<Callable>),
    /// `action`
    Action(Rc<Callable>),
    /// `table`
    Table(Rc<TableSignature>),
    /// A state of a parser.
    State,
    /// `value_set`, with the type of its members.
    ValueSet(Type),
    /// `const`, with its type and, if it could be computed, its value.
    Constant(Type, Option<Rc<Value>>),
    /// A variable.
    Variable(Type),
    /// A parameter. The flag is true if its value is known at compile time.
    Parameter(Type, Direction, bool),
    /// An instance.
    Instance(Type),
}

/// A header, a header union or a struct.
#[derive(Clone, Debug)]
pub struct Container {
    /// The kind.
    pub kind: ContainerKind,
    /// Its type parameters.
    pub type_parameters: Vec<Definition>,
    /// Its fields in order.
    pub fields: Vec<Field>,
    /// The depth to which types nest in it.
    pub depth: u32,
    /// True if it contains a `varbit`.
    pub is_varying: bool,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Rc<str>,
    /// Its type.
    pub of: Type,
    /// The place of the declaration.
    pub span: Span,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// The underlying type, if it has one.
    pub underlying: Option<Type>,
    /// Its members, with their values if it has an underlying type.
    pub members: Vec<(Rc<str>, Option<BigInt>)>,
    /// The definitions of the members, in the same order.
    pub definitions: Vec<Definition>,
}

/// An extern.
#[derive(Clone, Debug, Default)]
pub struct Extern {
    /// Its type parameters.
    pub type_parameters: Vec<Definition>,
    /// Its constructors.
    pub constructors: Vec<Rc<Callable>>,
    /// Its methods.
    pub methods: Vec<Rc<Callable>>,
}

/// A parser, a control or a package, or the type of one.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The kind.
    pub sort: MachineSort,
    /// True for a type without a body.
    pub is_type: bool,
    /// Its type parameters.
    pub type_parameters: Vec<Definition>,
    /// The parameters of `apply`; a package has none.
    pub parameters: Vec<Parameter>,
    /// The parameters of its constructor.
    pub constructor_parameters: Vec<Parameter>,
}

/// The kind.
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
    /// The keyword that declares it.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Parser => "parser",
            Self::Control => "control",
            Self::Package => "package",
        }
    }
}

/// A function, an action, a method or a constructor.
#[derive(Clone, Debug)]
pub struct Callable {
    /// Its name.
    pub name: Rc<str>,
    /// The place of the declaration.
    pub span: Span,
    /// Its type parameters.
    pub type_parameters: Vec<Definition>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its result type.
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
    /// Its direction.
    pub direction: Direction,
    /// Its type.
    pub of: Type,
    /// True if the argument may be omitted, because there is a default value or the parameter is marked `@optional`.
    pub can_be_left_out: bool,
    /// True if it has a default value.
    pub has_default: bool,
    /// The default value, converted to the type of the parameter; `None` also if only an instance determines it.
    pub default: Option<Rc<Value>>,
    /// The definition that its name stands for in the body.
    pub definition: Definition,
    /// The place of the declaration.
    pub span: Span,
}

/// The part of a table that is visible from outside it.
#[derive(Clone, Debug, Default)]
pub struct TableSignature {
    /// Its actions.
    pub actions: Vec<Definition>,
}
