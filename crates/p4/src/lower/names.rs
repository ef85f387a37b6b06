//! Names that nobody else has, and names for the control plane.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::ast;

/// Names that are taken.
#[derive(Default)]
pub(super) struct Names {
    variables: Taken,
    functions: Taken,
    headers: Taken,
}

#[derive(Default)]
struct Taken {
    counts: HashMap<String, u32>,
}

impl Names {
    /// A name for a variable like this one, with a number behind it if it is taken.
    pub(super) fn variable(&mut self, wanted: &str) -> String {
        self.variables.take(wanted)
    }

    /// The same for a header: two blocks may each declare one of the same name.
    pub(super) fn header(&mut self, wanted: &str) -> String {
        self.headers.take(wanted)
    }

    /// The same for a function.
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

/// A name as variables and registers of the IR have it: `@name` may say anything.
fn plain(wanted: &str) -> Cow<'_, str> {
    if ir::verify::is_name(wanted) {
        return wanted.into();
    }
    let plain =
        |character: char| if character.is_ascii_alphanumeric() || "._$".contains(character) { character } else { '_' };
    let name: String = wanted.chars().map(plain).collect();
    if ir::verify::is_name(&name) { name.into() } else { format!("_{name}").into() }
}

/// The name of something inside of something else, such as a field or a parameter, for the control plane.
pub(super) fn inner_name(annotations: &[ast::Annotation], name: &str) -> String {
    match written_name(annotations) {
        Some(written) => written.trim_start_matches('.').to_owned(),
        None => name.to_owned(),
    }
}

/// What `@name` says.
pub(super) fn written_name(annotations: &[ast::Annotation]) -> Option<String> {
    let own = annotations.iter().find(|annotation| &*annotation.name.text == "name")?;
    own.text().map(str::to_owned)
}

/// The name of something for the control plane (18.3): what `@name` says, else its own, behind that of the instance
/// around it; a name that begins with a dot stands by itself.
pub(super) fn control_plane_name(prefix: &str, annotations: &[ast::Annotation], name: &ast::Name) -> String {
    let own = written_name(annotations).unwrap_or_else(|| name.text.to_string());
    match own.strip_prefix('.') {
        Some(alone) => alone.to_owned(),
        None => format!("{prefix}{own}"),
    }
}
