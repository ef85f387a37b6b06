//! "Did you mean": names that are near to one that is not there.

use std::rc::Rc;

use diagnostics::{Diagnostic, did_you_mean};

use super::Checker;
use crate::ast;

impl<'a> Checker<'a> {
    /// Reports an error about a name, with the nearest of those that would have been right as its hint.
    pub(super) fn suggest<'n>(&mut self, error: Diagnostic, name: &str, candidates: impl IntoIterator<Item = &'n str>) {
        // Comparing takes time: not for what nobody will read.
        let hint = if self.found.is_full() { None } else { did_you_mean(name, candidates) };
        self.report(match hint {
            Some(hint) => error.hint(hint),
            None => error,
        });
    }

    /// The names that can be seen from here, the last declared first.
    pub(super) fn visible_names(&self) -> Vec<Rc<str>> {
        let definitions = &self.checked.types.definitions;
        let mut names: Vec<Rc<str>> = Vec::new();
        for (definition, meaning) in definitions.iter().rev() {
            let name = ast::Name { text: Rc::clone(&meaning.name), span: meaning.span };
            let path = ast::Path { absolute: false, name, span: meaning.span };
            if self.scopes.find(&path).contains(&definition) {
                names.push(Rc::clone(&meaning.name));
            }
        }
        names
    }
}
