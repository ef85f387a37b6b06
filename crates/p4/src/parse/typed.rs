//! Declarations that begin with a type: variables, instances and functions.

use diagnostics::Diagnostic;

use super::{Parsed, Reader};
use crate::ast::{
    Annotation, Declaration, DeclarationKind, Function, Instantiation, Name, Prototype, Signature, Type, Variable,
};
use crate::token::Keyword;

/// The context of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeclarationContext {
    /// At the top level.
    Top,
    /// In the body of an instance.
    Instance,
    /// Within a parser, a control or a block.
    Inside,
}

impl Reader<'_> {
    /// `type name ...;`, `type(arguments) name;` or `type name(parameters) { ... }`
    pub(super) fn typed_declaration(
        &mut self,
        annotations: Vec<Annotation>,
        context: DeclarationContext,
    ) -> Parsed<Declaration> {
        let start = self.current().span;
        let (own_type, waiting) = self.ahead_of_parameters(Self::type_or_void)?;
        let is_function = self.is_name_at(0) && (self.ahead(1).is("(") || self.ahead(1).is("<"));
        if !is_function {
            self.settle(&waiting);
        }
        let kind = if self.is("(") {
            self.instantiation(own_type)?
        } else if is_function {
            if context == DeclarationContext::Inside {
                let error = Diagnostic::error(self.current().span, "a function cannot stand here");
                self.report(
                    error.hint("declare functions at the top level; or an instance is meant: `type(arguments) name;`"),
                );
            }
            self.function(own_type, &waiting)?
        } else {
            let variable = self.variable(own_type)?;
            if context != DeclarationContext::Inside {
                let error = Diagnostic::error(variable.name.span, "a variable cannot stand here");
                self.report(error.hint("declare it inside of a parser, a control or an action, or as a `const`"));
            }
            self.expect(";", "the variable")?;
            DeclarationKind::Variable(variable)
        };
        Ok(self.declared(annotations, kind, start))
    }

    /// Reads what follows the type of a variable, without the `;`.
    pub(super) fn variable(&mut self, own_type: Type) -> Parsed<Variable> {
        let name = self.name("the name of a variable")?;
        let variable_type = self.array_sizes(own_type)?;
        // The variable is known from here on, even if its value has errors.
        self.declare_value(&name);
        let value = if self.take("=").is_some() { Some(self.expression()?) } else { None };
        Ok(Variable { variable_type, name, value })
    }

    /// Reads what follows the type of an instance.
    fn instantiation(&mut self, instance_type: Type) -> Parsed<DeclarationKind> {
        let arguments = self.arguments()?;
        let name = self.name("the name of the instance")?;
        self.instance_named(instance_type, arguments, name)
    }

    /// Reads what follows the name of an instance.
    pub(super) fn instance_named(
        &mut self,
        instance_type: Type,
        arguments: Vec<crate::ast::Argument>,
        name: Name,
    ) -> Parsed<DeclarationKind> {
        let instance_type = self.array_sizes(instance_type)?;
        self.declare_value(&name);
        let body = if self.take("=").is_some() { Some(self.nested(Self::instance_body)?) } else { None };
        self.expect(";", "the instance")?;
        Ok(DeclarationKind::Instantiation(Instantiation { instance_type, arguments, name, body }))
    }

    /// Reads implementations of abstract methods, and local instances.
    fn instance_body(&mut self) -> Parsed<Vec<Declaration>> {
        let mut declarations = Vec::new();
        self.scoped(|reader| {
            reader.braced("the declarations of an instance", |reader| {
                let annotations = reader.annotations()?;
                declarations.push(reader.typed_declaration(annotations, DeclarationContext::Instance)?);
                Ok(())
            })
        })?;
        Ok(declarations)
    }

    fn function(&mut self, result: Type, waiting: &[Name]) -> Parsed<DeclarationKind> {
        let name = self.name("the name of the function")?;
        self.declare_value(&name);
        self.scoped(|reader| {
            let signature = reader.signature_after(name, waiting)?;
            let body = reader.body()?;
            Ok(DeclarationKind::Function(Function { prototype: Prototype { result, signature }, body }))
        })
    }

    /// Reads the type parameters and parameters that follow a name. Type parameters may be used before they are
    /// declared.
    pub(super) fn signature_after(&mut self, name: Name, waiting: &[Name]) -> Parsed<Signature> {
        let type_parameters = self.type_parameters()?;
        self.settle(waiting);
        let parameters = self.parameters()?;
        Ok(Signature { name, type_parameters, parameters })
    }

    /// Returns true before a declaration of a variable or an instance: a type without a member behind it, or two names,
    /// of which the first was meant as a type.
    pub(super) fn begins_typed(&self) -> bool {
        if !self.is_type_at(0) {
            let is_name = self.is_name_at(0) && !self.is_word(Keyword::List);
            return is_name && self.is_name_at(1);
        }
        let behind = self.ahead(1 + usize::from(self.is(".")));
        !self.is_named_type_at(0) || !(behind.is(".") || behind.is("(") || behind.is("<"))
    }
}
