//! The names that are types, on which the grammar depends: `a<b>(c)` is a call if `b` is a type and two comparisons if
//! not, and `(a) - b` is a cast if `a` is a type.

use std::collections::HashMap;
use std::rc::Rc;

/// The meaning of a name, as far as the grammar depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Type,
    Other,
}

/// The names of the top level and of all constructs that are being read.
#[derive(Debug)]
pub(super) struct Scopes {
    /// The scopes, the outermost first. The order of the maps decides nothing: they are looked up, and iterated over
    /// only to be sorted.
    scopes: Vec<HashMap<Rc<str>, Sort>>,
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

    pub fn declare(&mut self, name: &Rc<str>, sort: Sort) {
        self.scopes.last_mut().expect("the top level is always open").insert(Rc::clone(name), sort);
    }

    /// Declares a type at the top level.
    pub fn declare_at_top(&mut self, name: &Rc<str>) {
        self.scopes[0].insert(Rc::clone(name), Sort::Type);
    }

    /// Returns the names that are types here, in alphabetical order.
    pub fn types(&self) -> Vec<Rc<str>> {
        let all = self.scopes.iter().flatten().filter(|(_, sort)| **sort == Sort::Type);
        let mut names: Vec<Rc<str>> = all.map(|(name, _)| Rc::clone(name)).collect();
        names.sort_unstable();
        names
    }

    /// Returns what a name stands for here, or, if `absolute`, at the top level.
    pub fn find(&self, name: &str, absolute: bool) -> Option<Sort> {
        let visible = if absolute { &self.scopes[..1] } else { &self.scopes[..] };
        visible.iter().rev().find_map(|scope| scope.get(name).copied())
    }
}
