//! Declarations (sections 7, 10, 11 and 14.1).

use diagnostics::Span;

use super::{Annotation, Argument, Block, Control, Expression, Name, Parameter, Parser, Table, Type};

/// Something with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// What is noted before it.
    pub annotations: Vec<Annotation>,
    /// What it is.
    pub kind: DeclarationKind,
    /// All of it, annotations aside.
    pub span: Span,
}

impl Declaration {
    /// The name that it gives a meaning; nothing for errors, match kinds and what is announced only.
    pub fn name(&self) -> Option<&Name> {
        Some(match &self.kind {
            DeclarationKind::Constant(own) => &own.name,
            DeclarationKind::Variable(own) => &own.name,
            DeclarationKind::Instantiation(own) => &own.name,
            DeclarationKind::Action(own) => &own.name,
            DeclarationKind::Function(own) => &own.prototype.signature.name,
            DeclarationKind::ExternFunction(own) => &own.signature.name,
            DeclarationKind::ExternObject(own) => &own.name,
            DeclarationKind::Container(own) => &own.name,
            DeclarationKind::Enumeration(own) => &own.name,
            DeclarationKind::Typedef(own) | DeclarationKind::NewType(own) => &own.name,
            DeclarationKind::TypedefOfDeclaration(_, name) => name,
            DeclarationKind::ParserType(own) | DeclarationKind::ControlType(own) | DeclarationKind::Package(own) => {
                &own.name
            }
            DeclarationKind::Parser(own) => &own.signature.name,
            DeclarationKind::Control(own) => &own.signature.name,
            DeclarationKind::Table(own) => &own.name,
            DeclarationKind::ValueSet(own) => &own.name,
            DeclarationKind::ExternName(_) | DeclarationKind::Errors(_) | DeclarationKind::MatchKinds(_) => {
                return None;
            }
        })
    }
}

/// What is declared.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclarationKind {
    /// `const type name = value;`
    Constant(Constant),
    /// `type name = value;`
    Variable(Variable),
    /// `type(arguments) name;`
    Instantiation(Instantiation),
    /// `action name(parameters) { ... }`
    Action(Action),
    /// `type name(parameters) { ... }`
    Function(Function),
    /// `extern type name(parameters);`
    ExternFunction(Prototype),
    /// `extern name { ... }`
    ExternObject(ExternObject),
    /// `extern name;`: announces an extern that is declared elsewhere.
    ExternName(Name),
    /// `header`, `header_union` or `struct`.
    Container(Container),
    /// `enum name { ... }` and `enum type name { ... }`
    Enumeration(Enumeration),
    /// `error { ... }`: more errors.
    Errors(Vec<Name>),
    /// `match_kind { ... }`: more match kinds.
    MatchKinds(Vec<Name>),
    /// `typedef type name;`: another name of a type.
    Typedef(TypeName),
    /// `typedef struct other { ... } name;`: a declaration, and another name of what it declares.
    TypedefOfDeclaration(Box<Declaration>, Name),
    /// `type type name;`: a new type.
    NewType(TypeName),
    /// `parser name(parameters);`
    ParserType(Signature),
    /// `control name(parameters);`
    ControlType(Signature),
    /// `package name(parameters);`
    Package(Signature),
    /// `parser name(parameters) { ... }`
    Parser(Parser),
    /// `control name(parameters) { ... }`
    Control(Control),
    /// `table name { ... }`
    Table(Table),
    /// `value_set<type>(size) name;`
    ValueSet(ValueSet),
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Its type.
    pub constant_type: Type,
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: Expression,
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its type.
    pub variable_type: Type,
    /// Its name.
    pub name: Name,
    /// Its first value.
    pub value: Option<Expression>,
}

/// An instance of an extern, a parser, a control or a package.
#[derive(Clone, Debug, PartialEq)]
pub struct Instantiation {
    /// What it is an instance of.
    pub instance_type: Type,
    /// What it is made with.
    pub arguments: Vec<Argument>,
    /// Its name.
    pub name: Name,
    /// Its implementations of abstract methods, and instances of its own: `= { ... }`.
    pub body: Option<Vec<Declaration>>,
}

/// An action.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Its name.
    pub name: Name,
    /// Those without a direction are given by the control plane.
    pub parameters: Vec<Parameter>,
    /// What it does.
    pub body: Block,
}

/// A function that the program defines.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// How it is called.
    pub prototype: Prototype,
    /// What it does.
    pub body: Block,
}

/// A name with type parameters and parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The name.
    pub name: Name,
    /// The names that stand for types in it.
    pub type_parameters: Vec<Name>,
    /// The parameters in order.
    pub parameters: Vec<Parameter>,
}

/// How a function is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    /// What it returns.
    pub result: Type,
    /// Its name and parameters.
    pub signature: Signature,
}

/// An object that the architecture provides.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternObject {
    /// Its name.
    pub name: Name,
    /// The names that stand for types in it.
    pub type_parameters: Vec<Name>,
    /// Its constructors and methods.
    pub methods: Vec<Method>,
}

/// A constructor or a method of an extern.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// What is noted before it.
    pub annotations: Vec<Annotation>,
    /// True for a method that an instance has to implement.
    pub is_abstract: bool,
    /// What it returns; a constructor has none, and the name of its extern.
    pub result: Option<Type>,
    /// Its name and parameters.
    pub signature: Signature,
    /// All of it, annotations aside.
    pub span: Span,
}

/// A type of named fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Container {
    /// Which of the three.
    pub kind: ContainerKind,
    /// Its name.
    pub name: Name,
    /// The names that stand for types in it.
    pub type_parameters: Vec<Name>,
    /// Its fields in order.
    pub fields: Vec<Field>,
}

/// What a type of named fields is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    /// `header`
    Header,
    /// `header_union`
    HeaderUnion,
    /// `struct`
    Struct,
}

impl ContainerKind {
    /// As it is written.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::HeaderUnion => "header_union",
            Self::Struct => "struct",
        }
    }
}

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// What is noted before it.
    pub annotations: Vec<Annotation>,
    /// Its type.
    pub field_type: Type,
    /// Its name.
    pub name: Name,
    /// All of it, annotations aside.
    pub span: Span,
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumeration {
    /// The type that its members have on the wire; with it, all of them have values.
    pub underlying: Option<Type>,
    /// Its name.
    pub name: Name,
    /// Its members in order.
    pub members: Vec<Member>,
}

/// A member of an enumeration.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: Name,
    /// Its value, in an enumeration with an underlying type.
    pub value: Option<Expression>,
}

/// A type and the name that it gets.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// The type.
    pub original: Type,
    /// Its name.
    pub name: Name,
}

/// A set of values that the control plane fills.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueSet {
    /// The type of its members.
    pub member_type: Type,
    /// How many it can hold.
    pub size: Expression,
    /// Its name.
    pub name: Name,
}
