//! Names and their scopes (section 6.9).

use std::collections::HashMap;
use std::rc::Rc;

use arch::Architecture;
use diagnostics::{Diagnostic, Span};

use super::{Findings, Nodes};
use crate::ast;
use crate::types::{Definition, Sort, Types};

/// The names of a program: those that are declared so far and visible here, and the whole program, to explain the
/// others.
pub(super) struct SymbolTable<'a> {
    pub(super) program: &'a ast::Program,
    /// The scopes that are open, the outermost first. They are only looked up, never iterated over, so that the order
    /// of the maps decides nothing. Functions that differ in their parameters share a name.
    scopes: Vec<HashMap<Rc<str>, Vec<Definition>>>,
    /// The errors that are declared, which have a name space of their own.
    pub errors: HashMap<Rc<str>, Span>,
    /// The match kinds that are declared, which have a name space of their own.
    pub match_kinds: HashMap<Rc<str>, Span>,
    /// The declarations that are being checked and may not be named before they are complete, the innermost last.
    pub being_declared: Vec<&'a ast::Name>,
}

impl<'a> SymbolTable<'a> {
    pub fn new(program: &'a ast::Program) -> Self {
        let (errors, match_kinds) = (HashMap::new(), HashMap::new());
        Self { program, scopes: vec![HashMap::new()], errors, match_kinds, being_declared: Vec::new() }
    }

    /// Opens a scope within the innermost one.
    pub fn open(&mut self) {
        self.scopes.push(HashMap::new());
    }

    /// Closes the innermost scope.
    pub fn close(&mut self) {
        self.scopes.pop();
    }

    fn here(&mut self, name: &Rc<str>) -> &mut Vec<Definition> {
        self.scopes.last_mut().expect("the top level is always open").entry(Rc::clone(name)).or_default()
    }

    /// Declares a name in the innermost scope, replacing what it stood for there.
    pub fn replace(&mut self, name: &ast::Name, definition: Definition) {
        *self.here(&name.text) = vec![definition];
    }

    /// Returns true if a name is declared in the innermost scope.
    pub fn is_here(&self, name: &Rc<str>) -> bool {
        self.scopes.last().is_some_and(|scope| scope.contains_key(name))
    }

    /// Returns what a name stands for in the innermost scope that declares it.
    pub fn find(&self, path: &ast::Path) -> &[Definition] {
        let visible = if path.absolute { &self.scopes[..1] } else { &self.scopes[..] };
        visible.iter().rev().find_map(|scope| scope.get(&path.name.text)).map_or(&[], Vec::as_slice)
    }

    /// Returns what the name in a token stands for.
    pub fn named(&self, name: &Rc<str>, span: Span) -> Option<Definition> {
        let path = ast::Path { absolute: false, name: ast::Name { text: Rc::clone(name), span }, span };
        self.find(&path).last().copied()
    }

    /// Returns the names that are visible here, the last one declared first.
    pub fn visible(&self, types: &Types) -> Vec<Rc<str>> {
        let mut names: Vec<Rc<str>> = Vec::new();
        for (definition, meaning) in types.definitions.iter().rev() {
            let name = ast::Name { text: Rc::clone(&meaning.name), span: meaning.span };
            let path = ast::Path { absolute: false, name, span: meaning.span };
            if self.find(&path).contains(&definition) {
                names.push(Rc::clone(&meaning.name));
            }
        }
        names
    }

    /// Returns the architecture whose header the program includes, if it is known.
    pub fn architecture(&self) -> Option<&'static Architecture> {
        let span = Span::new(diagnostics::SourceId(0), 0, 0);
        arch::of_declarations(arch::ALL, |name| {
            let name = ast::Name { text: name.into(), span };
            !self.find(&ast::Path { absolute: true, name, span }).is_empty()
        })
    }

    /// Declares a name in the innermost scope, or reports a clash.
    pub fn enter(&mut self, types: &Types, found: &mut Findings, name: &'a ast::Name, definition: Definition) {
        let earlier = self.here(&name.text).clone();
        let clash = earlier.iter().copied().find(|&other| !can_share_a_name(types, definition, other));
        if let Some(other) = clash {
            let place = types.definitions.get(other).span;
            let error = Diagnostic::error(name.span, format!("`{}` is declared twice", name.text));
            found.report(error.label("again here").related(place, "first here"));
            return;
        }
        self.here(&name.text).push(definition);
    }

    /// Resolves a name, or reports that it is not declared.
    pub fn look_up(
        &self,
        types: &Types,
        nodes: &mut Nodes<'a>,
        findings: &mut Findings,
        path: &'a ast::Path,
    ) -> Option<Definition> {
        let found = self.find(path).last().copied();
        match found {
            Some(definition) => nodes.note_name(&path.name, definition),
            None => self.report_unresolved(types, findings, path),
        }
        found
    }
}

/// Returns true for overloads that a call can tell apart, by the number or the names of their parameters (7.2.10.2).
fn can_share_a_name(types: &Types, one: Definition, other: Definition) -> bool {
    match (types.sort(one), types.sort(other)) {
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
