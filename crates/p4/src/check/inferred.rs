//! Results of type inference (section 8.20): no type parameter may stay open, and its type must be legal for an
//! argument.

use diagnostics::{Diagnostic, Span};

use super::arguments::Request;
use super::{Typed, Typing};
use crate::ast::Direction;
use crate::types::{Bindings, Callable, Definition, Parameter, Sort, Type, TypeForm, Types};

impl<'a> Typing<'_, 'a> {
    /// Reports type parameters that cannot be inferred. `_` leaves one open on purpose, and one that only omitted
    /// `@optional` parameters mention is not needed.
    pub(super) fn require_inferred(
        &mut self,
        request: &Request<'a>,
        callable: &Callable,
        places: &[Option<usize>],
        typed: &[Option<Typed>],
        bindings: &Bindings,
    ) -> bool {
        if !request.is_constructor && self.types.substitute(callable.result, bindings) == Types::INTEGER {
            let is_generic = self.types.is_parameter(callable.result);
            if is_generic {
                let message = format!("the width of the result of `{}` is not known", request.name);
                self.found.hinted(request.span, message, "give a number a width: `8w1`");
                return false;
            }
        }
        // Consequences of an error that was reported are not reported again.
        if typed.iter().flatten().any(|typed| self.types.is_open(typed.of)) || request.leaves_open() {
            return true;
        }
        let open: Vec<Definition> = callable
            .type_parameters
            .iter()
            .copied()
            .chain(request.open_in_order())
            .filter(|parameter| bindings.get(parameter).is_none_or(|&of| of == Types::UNKNOWN))
            .collect();
        let received = callable.parameters.iter().flat_map(|own| request.open_of_receiver(self.types, own.of));
        let received: Vec<_> = received.collect();
        for parameter in open.into_iter().chain(received) {
            let names = |own: &Parameter| self.types.mentions(own.of, parameter);
            let is_told = callable.parameters.iter().any(names) || self.types.mentions(callable.result, parameter);
            let is_used = callable
                .parameters
                .iter()
                .zip(places)
                .any(|(own, place)| names(own) && (place.is_some() || !own.can_be_left_out || own.has_default))
                || self.types.mentions(callable.result, parameter);
            if is_used || !is_told {
                let meaning = self.types.definitions.get(parameter);
                let message = format!("the type parameter `{}` cannot be inferred", meaning.name);
                let error = Diagnostic::error(request.span, message).related(meaning.span, "this one");
                let hint = format!("type arguments are written `{}<type>(...)`", request.name);
                self.found.report(error.hint(hint));
                return false;
            }
        }
        true
    }

    /// Reports an argument for a parameter whose type is a type parameter, if no parameter of the type of the argument
    /// could be declared.
    pub(super) fn require_value(&mut self, span: Span, parameter: &Parameter, typed: &Typed, what: &str) -> bool {
        let is_generic = self.types.is_parameter(parameter.of);
        let named = self.types.named(typed.of).map(|(definition, _, sort)| (definition, sort.clone()));
        if typed.of == Types::STRING && parameter.direction != Direction::None && is_generic {
            let message = format!("{what} cannot be a string");
            let error = Diagnostic::error(span, message).related(parameter.span, "it has a direction here");
            self.found.report(error.hint("what is known before the program runs goes in no direction"));
            return false;
        }
        let message = match (self.types.kind(typed.of), named) {
            (_, Some((definition, Sort::Machine(_) | Sort::Table(_)))) => {
                let place = self.types.definitions.get(definition).span;
                let message = format!("{what} cannot be {}", self.types.describe(typed.of));
                self.found.report(Diagnostic::error(span, message).related(place, "declared here"));
                return false;
            }
            (TypeForm::Record(..), _) if is_generic => "the type of this is not known".to_owned(),
            _ => return true,
        };
        self.found.hinted(span, message, "a cast tells it: `(type) { ... }`");
        false
    }
}

impl<'a> Request<'a> {
    /// Returns true if `_` leaves a type argument open.
    fn leaves_open(&self) -> bool {
        self.is_open || self.type_arguments.iter().any(super::calls::leaves_open)
    }

    /// Returns the open type parameters of the receiver that a type mentions.
    fn open_of_receiver(&self, types: &Types, of: Type) -> Vec<Definition> {
        let mut all: Vec<_> =
            self.bindings.iter().filter(|&(_, &of)| of == Types::UNKNOWN).map(|(&parameter, _)| parameter).collect();
        all.sort_unstable();
        all.retain(|&parameter| types.mentions(of, parameter));
        all
    }

    fn open_in_order(&self) -> Vec<Definition> {
        let mut all: Vec<_> = self.open.iter().copied().collect();
        all.sort_unstable();
        all
    }
}
