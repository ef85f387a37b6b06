//! Type inference (section 8.20): the types of parameters are unified with those of arguments.

use std::collections::HashSet;

use super::Conversions;
use crate::types::{Bindings, Definition, Type, TypeForm, Types};

impl Conversions {
    /// Infers open type parameters from a parameter of one type that gets an argument of another. Mismatches are left
    /// to the conversion of the argument.
    pub(super) fn infer(
        &mut self,
        types: &mut Types,
        wanted: Type,
        given: Type,
        open: &HashSet<Definition>,
        bindings: &mut Bindings,
    ) {
        if !open.is_empty() {
            self.infer_once(types, wanted, given, open, bindings, &mut HashSet::new());
        }
    }

    fn infer_once(
        &mut self,
        types: &mut Types,
        wanted: Type,
        given: Type,
        open: &HashSet<Definition>,
        bindings: &mut Bindings,
        done: &mut HashSet<(Type, Type)>,
    ) {
        if given == Types::UNKNOWN || given == Types::DEFAULT || !done.insert((wanted, given)) {
            return;
        }
        let (wanted_kind, given_kind) = (types.shared(wanted), types.shared(given));
        match (&*wanted_kind, &*given_kind) {
            (TypeForm::Named(parameter, none), _) if none.is_empty() && open.contains(parameter) => {
                let given = types.tupled(given);
                let bound = bindings.get(parameter).copied();
                // An `int` takes the width of any other argument for the same type parameter.
                if bound
                    .is_none_or(|bound| bound == Types::UNKNOWN || bound != given && self.converts(types, bound, given))
                {
                    bindings.insert(*parameter, given);
                }
            }
            (TypeForm::Named(one, own), TypeForm::Named(other, theirs)) if one == other => {
                for (&wanted, &given) in own.iter().zip(theirs) {
                    self.infer_once(types, wanted, given, open, bindings, done);
                }
            }
            (TypeForm::Tuple(own), TypeForm::Tuple(theirs) | TypeForm::Listed(theirs)) => {
                for (&wanted, &given) in own.iter().zip(theirs) {
                    self.infer_once(types, wanted, given, open, bindings, done);
                }
            }
            (TypeForm::List(own) | TypeForm::Stack(own, _), TypeForm::Listed(theirs)) => {
                for &given in theirs {
                    self.infer_once(types, *own, given, open, bindings, done);
                }
            }
            (TypeForm::List(own), TypeForm::List(theirs))
            | (TypeForm::Set(own), TypeForm::Set(theirs))
            | (TypeForm::Stack(own, _), TypeForm::Stack(theirs, _)) => {
                self.infer_once(types, *own, *theirs, open, bindings, done)
            }
            (TypeForm::Named(..), TypeForm::Listed(theirs)) => {
                if let Some((own, arguments)) = types.container(wanted) {
                    let fields = types.fields_with(&own, &arguments);
                    for (wanted, &given) in fields.into_iter().zip(theirs) {
                        self.infer_once(types, wanted, given, open, bindings, done);
                    }
                }
            }
            (TypeForm::Named(..), TypeForm::Record(theirs, _)) => {
                if let Some((own, arguments)) = types.container(wanted) {
                    let fields = types.fields_with(&own, &arguments);
                    for (name, given) in theirs {
                        if let Some(place) = own.fields.iter().position(|field| field.name == *name) {
                            self.infer_once(types, fields[place], *given, open, bindings, done);
                        }
                    }
                }
            }
            (TypeForm::Named(..), TypeForm::Named(..)) => {
                let (Some((own, mine)), Some((other, theirs))) = (types.machine(wanted), types.machine(given)) else {
                    return;
                };
                let mine: Bindings = own.type_parameters.iter().copied().zip(mine).collect();
                let theirs: Bindings = other.type_parameters.iter().copied().zip(theirs).collect();
                for (wanted, given) in own.parameters.iter().zip(&other.parameters) {
                    let wanted = types.substitute(wanted.of, &mine);
                    let given = types.substitute(given.of, &theirs);
                    self.infer_once(types, wanted, given, open, bindings, done);
                }
            }
            _ => {}
        }
    }
}
