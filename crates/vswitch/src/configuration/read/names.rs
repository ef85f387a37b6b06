//! The names of things that others refer to.

use std::ops::Range;

use plans::{Section, hint};

/// The names of all things of a kind, by position.
pub struct Names {
    kind: &'static str,
    names: Vec<String>,
}

impl Names {
    /// Reads the names of sections, each of which must have one of its own.
    pub fn of(kind: &'static str, sections: &[Section<'_>]) -> Self {
        let mut names: Vec<String> = Vec::new();
        for section in sections {
            section.require("name", &format!("the name of the {kind}: name = \"…\""));
            let (name, span) = section.text("name").unwrap_or_default();
            if name.is_empty() && section.has("name") {
                section.error(&span, format!("the {kind} has an empty name"), "give it a name of its own");
            }
            if names.contains(&name) && section.has("name") {
                section.error(&span, format!("there are two {kind}s called `{name}`"), "give each a name of its own");
            }
            names.push(name);
        }
        Self { kind, names }
    }

    /// Returns the position of a name that an entry gives.
    pub fn find(&self, section: &Section<'_>, name: &str, span: &Range<usize>) -> Option<usize> {
        let found = self.names.iter().position(|known| known == name);
        if found.is_none() {
            let kind = self.kind;
            let all =
                format!("there are {}", if self.names.is_empty() { "none".to_owned() } else { self.names.join(", ") });
            let hint = hint(name, self.names.iter().map(String::as_str), &all);
            section.error(span, format!("there is no {kind} called `{name}`"), hint);
        }
        found
    }
}
