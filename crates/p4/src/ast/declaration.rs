//! Declarations (sections 7, 10, 11 and 14.1).

use diagnostics::Span;

use super::{Annotation, Argument, Block, Control, Expression, Name, Parameter, Parser, Table, Type};

/// A declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// Its kind.
    pub kind: DeclarationKind,
    /// The place in the source text, without its annotations.
    pub span: Span,
}

impl Declaration {
    /// The name that it declares; `None` for errors, match kinds and forward declarations.
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

/// The kind of a declaration.
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
    /// `extern name;`: a forward declaration of an extern.
    ExternName(Name),
    /// `header`, `header_union` or `struct`.
    Container(Container),
    /// `enum name { ... }` and `enum type name { ... }`
    Enumeration(Enumeration),
    /// `error { ... }`: declares errors.
    Errors(Vec<Name>),
    /// `match_kind { ... }`: declares match kinds.
    MatchKinds(Vec<Name>),
    /// `typedef type name;`: another name for a type.
    Typedef(TypeName),
    /// `typedef struct other { ... } name;`: a declaration, and another name for what it declares.
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
    /// Its initial value.
    pub value: Option<Expression>,
}

/// An instance of an extern, a parser, a control or a package.
#[derive(Clone, Debug, PartialEq)]
pub struct Instantiation {
    /// The type that it is an instance of.
    pub instance_type: Type,
    /// The arguments of its constructor.
    pub arguments: Vec<Argument>,
    /// Its name.
    pub name: Name,
    /// Its implementations of abstract methods, and its local instances: `= { ... }`.
    pub body: Option<Vec<Declaration>>,
}

/// An action.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Its name.
    pub name: Name,
    /// Its parameters. The control plane gives those without a direction.
    pub parameters: Vec<Parameter>,
    /// Its body.
    pub body: Block,
}

/// A function that the program defines.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its result type, name and parameters.
    pub prototype: Prototype,
    /// Its body.
    pub body: Block,
}

/// A name with type parameters and parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The name.
    pub name: Name,
    /// Its type parameters.
    pub type_parameters: Vec<Name>,
    /// The parameters in order.
    pub parameters: Vec<Parameter>,
}

/// The prototype of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    /// Its result type.
    pub result: Type,
    /// Its name and parameters.
    pub signature: Signature,
}

/// An object that the architecture provides.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternObject {
    /// Its name.
    pub name: Name,
    /// Its type parameters.
    pub type_parameters: Vec<Name>,
    /// Its constructors and methods.
    pub methods: Vec<Method>,
}

/// A constructor or a method of an extern.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// True for a method that instances have to implement.
    pub is_abstract: bool,
    /// Its result type. A constructor has none, and the name of its extern.
    pub result: Option<Type>,
    /// Its name and parameters.
    pub signature: Signature,
    /// The place in the source text, without its annotations.
    pub span: Span,
}

/// A header, a header union or a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Container {
    /// Header, header union or struct.
    pub kind: ContainerKind,
    /// Its name.
    pub name: Name,
    /// Its type parameters.
    pub type_parameters: Vec<Name>,
    /// Its fields in order.
    pub fields: Vec<Field>,
}

/// Header, header union or struct.
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
    /// The keyword that declares it.
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
    /// The annotations before it.
    pub annotations: Vec<Annotation>,
    /// Its type.
    pub field_type: Type,
    /// Its name.
    pub name: Name,
    /// The place in the source text, without its annotations.
    pub span: Span,
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumeration {
    /// The underlying type; with one, every member has a value.
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

/// A type and the name that is declared for it.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// The type.
    pub original: Type,
    /// Its name.
    pub name: Name,
}

/// A value set, which the control plane fills.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueSet {
    /// The type of its members.
    pub member_type: Type,
    /// The number of members that it can hold.
    pub size: Expression,
    /// Its name.
    pub name: Name,
}
