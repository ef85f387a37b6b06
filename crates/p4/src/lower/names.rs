//! Unique names in the IR, and names for the control plane.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::ast;

/// The names that are taken.
#[derive(Default)]
pub(super) struct UniqueNames {
    variables: Taken,
    functions: Taken,
    headers: Taken,
}

#[derive(Default)]
struct Taken {
    counts: HashMap<String, u32>,
}

impl UniqueNames {
    /// Returns a unique name for a variable: the wanted one, with a number appended if it is taken.
    pub(super) fn variable(&mut self, wanted: &str) -> String {
        self.variables.take(wanted)
    }

    /// Returns a unique name for a header, because two blocks may each declare one of the same name.
    pub(super) fn header(&mut self, wanted: &str) -> String {
        self.headers.take(wanted)
    }

    /// Returns a unique name for a function.
    pub(super) fn function(&mut self, wanted: &str) -> String {
        self.functions.take(wanted)
    }
}

impl Taken {
    fn take(&mut self, wanted: &str) -> String {
        let wanted = &*plain(wanted);
        let count = self.counts.entry(wanted.to_owned()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return wanted.to_owned();
        }
        let mut number = *count;
        let mut name = format!("{wanted}${number}");
        while self.counts.contains_key(&name) {
            number += 1;
            name = format!("{wanted}${number}");
        }
        self.counts.insert(wanted.to_owned(), number);
        self.counts.insert(name.clone(), 1);
        name
    }
}

/// Replaces the characters that names of the IR cannot have, because `@name` may contain any.
fn plain(wanted: &str) -> Cow<'_, str> {
    if ir::verify::is_name(wanted) {
        return wanted.into();
    }
    let plain =
        |character: char| if character.is_ascii_alphanumeric() || "._$".contains(character) { character } else { '_' };
    let name: String = wanted.chars().map(plain).collect();
    if ir::verify::is_name(&name) { name.into() } else { format!("_{name}").into() }
}

/// Returns the control-plane name of a part of an object, such as a field or a parameter.
pub(super) fn inner_name(annotations: &[ast::Annotation], name: &str) -> String {
    match written_name(annotations) {
        Some(written) => written.trim_start_matches('.').to_owned(),
        None => name.to_owned(),
    }
}

/// Returns the text of `@name`.
pub(super) fn written_name(annotations: &[ast::Annotation]) -> Option<String> {
    let own = annotations.iter().find(|annotation| &*annotation.name.text == "name")?;
    own.text().map(str::to_owned)
}

/// Returns the control-plane name of an object (18.3): the text of `@name`, or else its own name, behind the name of
/// the instance around it. A name that begins with a dot is absolute.
pub(super) fn control_plane_name(prefix: &str, annotations: &[ast::Annotation], name: &ast::Name) -> String {
    let own = written_name(annotations).unwrap_or_else(|| name.text.to_string());
    match own.strip_prefix('.') {
        Some(alone) => alone.to_owned(),
        None => format!("{prefix}{own}"),
    }
}
