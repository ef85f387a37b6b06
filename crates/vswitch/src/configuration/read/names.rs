//! The names of things that others refer to.

use std::ops::Range;

use diagnostics::{did_you_mean, there_are};
use plans::Section;

/// The names of all things of a kind, by position.
pub struct Names {
    kind: &'static str,
    names: Vec<String>,
    /// Whether all of them could be read. If not, what is referred to may be one of the others, which were reported.
    is_whole: bool,
}

impl Names {
    /// Reads the sections of a kind of things, `[[entry]]`, and their names, each of which must have one of its own.
    pub fn of<'t>(root: &Section<'t>, kind: &'static str, entry: &'static str) -> (Self, Vec<Section<'t>>) {
        let errors = root.errors();
        let sections = root.sections(entry);
        let mut is_whole = root.errors() == errors;
        let mut names: Vec<String> = Vec::new();
        for section in &sections {
            section.require("name", &format!("the name of the {kind}: name = \"…\""));
            let Some((name, span)) = section.text("name") else {
                is_whole = false;
                names.push(String::new());
                continue;
            };
            if name.is_empty() {
                is_whole = false;
                section.error(&span, format!("the {kind} has an empty name"), "give it a name of its own");
            } else if names.contains(&name) {
                section.error(&span, format!("there are two {kind}s called `{name}`"), "give each a name of its own");
            }
            names.push(name);
        }
        (Self { kind, names, is_whole }, sections)
    }

    /// Returns the position of a name that an entry gives.
    pub fn find(&self, section: &Section<'_>, name: &str, span: &Range<usize>) -> Option<usize> {
        let found = self.names.iter().position(|known| known == name);
        if found.is_none() && self.is_whole {
            let known = || self.names.iter().map(String::as_str);
            let hint = did_you_mean(name, known()).unwrap_or_else(|| there_are(name, known()));
            section.error(span, format!("there is no {} called `{name}`", self.kind), hint);
        }
        found
    }
}
