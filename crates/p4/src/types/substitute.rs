//! Substitution of type arguments for type parameters.

use std::collections::HashMap;

use super::{Definition, Type, TypeForm, Types};

/// The types that type parameters stand for. Only looked up, never iterated over.
pub(crate) type Bindings = HashMap<Definition, Type>;

impl Types {
    /// Returns the types of the fields of a header, a header union or a struct, with type arguments substituted for
    /// type parameters; any other type has none.
    pub fn field_types(&mut self, of: Type) -> Vec<Type> {
        let Some((own, arguments)) = self.container(of) else { return vec![] };
        let bindings = own.type_parameters.iter().copied().zip(arguments).collect();
        own.fields.iter().map(|field| self.substitute(field.of, &bindings)).collect()
    }

    /// Substitutes types for the type parameters of a type.
    pub(crate) fn substitute(&mut self, of: Type, bindings: &Bindings) -> Type {
        if bindings.is_empty() { of } else { self.substitute_once(of, bindings, &mut HashMap::new()) }
    }

    /// Remembers in `done` what was substituted, because a type that doubles with each declaration would take
    /// exponential time.
    fn substitute_once(&mut self, of: Type, bindings: &Bindings, done: &mut HashMap<Type, Type>) -> Type {
        if let Some(&known) = done.get(&of) {
            return known;
        }
        let kind = self.shared(of);
        let made = match &*kind {
            TypeForm::Named(definition, arguments) if arguments.is_empty() => {
                bindings.get(definition).copied().unwrap_or(of)
            }
            TypeForm::Named(definition, arguments) => {
                let arguments = self.substitute_all(arguments, bindings, done);
                self.make(TypeForm::Named(*definition, arguments))
            }
            TypeForm::Tuple(parts) => {
                let parts = self.substitute_all(parts, bindings, done);
                self.make(TypeForm::Tuple(parts))
            }
            TypeForm::Listed(parts) => {
                let parts = self.substitute_all(parts, bindings, done);
                self.make(TypeForm::Listed(parts))
            }
            TypeForm::List(part) => {
                let part = self.substitute_once(*part, bindings, done);
                self.make(TypeForm::List(part))
            }
            TypeForm::Set(part) => {
                let part = self.substitute_once(*part, bindings, done);
                self.make(TypeForm::Set(part))
            }
            TypeForm::Stack(part, size) => {
                let part = self.substitute_once(*part, bindings, done);
                self.make(TypeForm::Stack(part, *size))
            }
            _ => of,
        };
        done.insert(of, made);
        made
    }

    fn substitute_all(&mut self, all: &[Type], bindings: &Bindings, done: &mut HashMap<Type, Type>) -> Vec<Type> {
        all.iter().map(|&part| self.substitute_once(part, bindings, done)).collect()
    }
}
