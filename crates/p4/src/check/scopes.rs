//! Names and where they can be seen (section 6.9).

use std::collections::HashMap;
use std::rc::Rc;

use diagnostics::Diagnostic;

use super::Checker;
use crate::ast;
use crate::types::{Definition, Sort};

#[derive(Debug)]
pub(super) struct Scopes {
    /// The outermost first. Only looked up, never gone through, so that its order decides nothing. Functions that
    /// differ in their parameters share a name.
    scopes: Vec<HashMap<Rc<str>, Vec<Definition>>>,
}

impl Scopes {
    pub fn new() -> Self {
        Self { scopes: vec![HashMap::new()] }
    }

    pub fn open(&mut self) {
        self.scopes.push(HashMap::new());
    }

    pub fn close(&mut self) {
        self.scopes.pop();
    }

    fn here(&mut self, name: &Rc<str>) -> &mut Vec<Definition> {
        self.scopes.last_mut().expect("the top level is always open").entry(Rc::clone(name)).or_default()
    }

    /// Gives a name in this scope whatever it had before.
    pub fn replace(&mut self, name: &ast::Name, definition: Definition) {
        *self.here(&name.text) = vec![definition];
    }

    /// True if a name is declared in the innermost scope.
    pub fn is_here(&self, name: &Rc<str>) -> bool {
        self.scopes.last().is_some_and(|scope| scope.contains_key(name))
    }

    /// What a name stands for, the innermost first.
    pub fn find(&self, path: &ast::Path) -> &[Definition] {
        let visible = if path.absolute { &self.scopes[..1] } else { &self.scopes[..] };
        visible.iter().rev().find_map(|scope| scope.get(&path.name.text)).map_or(&[], Vec::as_slice)
    }
}

impl<'a> Checker<'a> {
    /// Gives a definition its name in this scope.
    pub(super) fn enter(&mut self, name: &'a ast::Name, definition: Definition) {
        let earlier = self.scopes.here(&name.text).clone();
        let clash = earlier.iter().copied().find(|&other| !self.can_share_a_name(definition, other));
        if let Some(other) = clash {
            let place = self.checked.types.definitions.get(other).span;
            let error = Diagnostic::error(name.span, format!("`{}` is declared twice", name.text));
            self.report(error.label("again here").related(place, "first here"));
            return;
        }
        self.scopes.here(&name.text).push(definition);
    }

    /// True for functions that a call can tell apart: by the number or the names of their parameters (7.2.10.2).
    fn can_share_a_name(&self, one: Definition, other: Definition) -> bool {
        match (self.sort(one), self.sort(other)) {
            (Sort::Function(one), Sort::Function(other)) => {
                one.parameters.len() != other.parameters.len()
                    || one.parameters.iter().zip(&other.parameters).any(|(a, b)| a.name != b.name || a.of != b.of)
            }
            (Sort::Machine(one), Sort::Machine(other)) => {
                one.sort == other.sort
                    && (one.type_parameters.len() != other.type_parameters.len()
                        || one.is_type != other.is_type
                        || one.constructor_parameters.len() != other.constructor_parameters.len()
                        || one
                            .constructor_parameters
                            .iter()
                            .zip(&other.constructor_parameters)
                            .any(|(a, b)| a.name != b.name))
            }
            (Sort::Extern(one), Sort::Extern(other)) => one.type_parameters.len() != other.type_parameters.len(),
            _ => false,
        }
    }

    /// What a name stands for; reports one that stands for nothing.
    pub(super) fn look_up(&mut self, path: &'a ast::Path) -> Option<Definition> {
        let found = self.scopes.find(path).last().copied();
        match found {
            Some(definition) => self.checked.note_name(&path.name, definition),
            None => self.report_unresolved(path),
        }
        found
    }
}
