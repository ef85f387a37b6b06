//! Extern declarations (section 7.2.10).

use std::rc::Rc;

use super::Checker;
use crate::ast;
use crate::types::{Callable, Extern, Sort, Types};

impl<'a> Checker<'a> {
    pub(super) fn extern_object(&mut self, own: &'a ast::ExternObject) {
        let announced = self.names.find(&ast::Path { absolute: true, name: own.name.clone(), span: own.name.span });
        let announced = announced.last().copied().filter(|&definition| {
            matches!(self.types.sort(definition), Sort::Extern(known)
                if known.methods.is_empty() && known.constructors.is_empty() && known.type_parameters.is_empty())
        });
        // It is declared before its methods, which may name it, and completed after them.
        let definition = match announced {
            Some(definition) => {
                self.nodes.note_name(&own.name, definition);
                definition
            }
            None => self.nodes.define(&mut self.types, &own.name, Sort::Extern(Rc::new(Extern::default()))),
        };
        self.names.open();
        let mut object = Extern { type_parameters: self.type_parameters(&own.type_parameters), ..Extern::default() };
        let skeleton = Extern { type_parameters: object.type_parameters.clone(), ..Extern::default() };
        self.types.set_sort(definition, Sort::Extern(Rc::new(skeleton)));
        if announced.is_none() {
            self.names.close();
            self.enter(&own.name, definition);
            self.names.open();
            for (name, &parameter) in own.type_parameters.iter().zip(&object.type_parameters) {
                self.enter(name, parameter);
            }
        }
        for method in &own.methods {
            self.method(own, method, &mut object);
        }
        self.names.close();
        self.types.set_sort(definition, Sort::Extern(Rc::new(object)));
    }

    fn method(&mut self, own: &'a ast::ExternObject, method: &'a ast::Method, object: &mut Extern) {
        let name = &method.signature.name;
        self.expressions().annotations(&method.annotations);
        self.names.open();
        let type_parameters = self.type_parameters(&method.signature.type_parameters);
        let result = method.result.as_ref().map(|result| self.expressions().written(result));
        let parameters = self.parameters(&method.signature.parameters, true);
        self.refuse_machines(&method.signature.parameters, &parameters);
        if let Some(node) = method.result.as_ref().filter(|_| method.is_abstract && result == Some(Types::INTEGER)) {
            self.found.hinted(node.span, "a method does not return `int`", "give it a width: `bit<N>` or `int<N>`");
        }
        self.names.close();
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
            (true, Some(_)) => self.found.error(name.span, "a constructor returns nothing, not even `void`"),
            (false, None) => {
                let message = format!("`{}` has no type that it returns", name.text);
                self.found.hinted(name.span, message, format!("a constructor is called `{}`", own.name.text));
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
            self.found.hinted(
                name.span,
                format!("`{}` is declared twice with the same parameters", name.text),
                "methods of one name differ in the number or the names of their parameters",
            );
        }
    }
}
