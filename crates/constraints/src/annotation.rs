//! Where a constraint stands: the annotations `@entry_restriction` of tables and `@action_restriction` of actions.

use control::{Annotation, Identity};
use diagnostics::Severity;

use crate::finding::{Problems, Subject};

/// The annotation that restricts the entries of a table.
pub const ENTRY_RESTRICTION: &str = "entry_restriction";
/// The annotation that restricts the arguments of an action.
pub const ACTION_RESTRICTION: &str = "action_restriction";

impl Subject {
    /// Returns the name of the annotation.
    pub fn annotation(self) -> &'static str {
        match self {
            Self::Table(_) => ENTRY_RESTRICTION,
            Self::Action(_) => ACTION_RESTRICTION,
        }
    }
}

/// Returns the text of the constraint of an entity: the strings of its annotation, joined by line breaks, so that a
/// comment ends with its string. `None` if it has no constraint, or one that cannot be read, which is reported.
///
/// Only the first of several annotations counts, as in p4-constraints; the others are reported.
pub(crate) fn text_of(identity: &Identity, problems: &mut Problems, subject: Subject) -> Option<String> {
    let name = subject.annotation();
    let form = format!("it is written `@{name}(\"...\")`");
    let mut bodies = Vec::new();
    for annotation in &identity.annotations {
        match annotation {
            Annotation::Text(text) => match text.strip_prefix('@').and_then(|text| text.strip_prefix(name)) {
                Some(body) if body.is_empty() || body.starts_with('(') => bodies.push(body),
                _ => {}
            },
            Annotation::Structured { name: own, .. } if own == name => problems.whole(
                Severity::Warning,
                format!("`@{name}[...]` restricts nothing: the control plane reads the form with parentheses"),
                form.clone(),
            ),
            Annotation::Structured { .. } => {}
        }
    }
    let (&body, others) = bodies.split_first()?;
    if !others.is_empty() {
        let message = format!("`@{name}` is given {} times, and only the first one counts", bodies.len());
        problems.whole(Severity::Warning, message, "join the constraints with `;`");
    }
    let strings = strings_of(body);
    if strings.is_none() {
        problems.whole(Severity::Error, format!("`@{name}` takes strings and nothing else"), form);
    }
    strings.map(|strings| strings.join("\n"))
}

/// Returns the contents of the strings in `("..." "...")`; `None` if anything else is there.
fn strings_of(body: &str) -> Option<Vec<&str>> {
    let mut rest = body.strip_prefix('(')?.strip_suffix(')')?.trim();
    let mut strings = Vec::new();
    while !rest.is_empty() {
        let (string, after) = rest.strip_prefix('"')?.split_once('"')?;
        strings.push(string);
        rest = after.trim_start();
    }
    (!strings.is_empty()).then_some(strings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_joined_by_line_breaks() {
        assert_eq!(strings_of("(\"a // b\" \"c\")"), Some(vec!["a // b", "c"]));
        assert_eq!(strings_of("( \"\" )"), Some(vec![""]));
        assert_eq!(strings_of("(a)"), None);
        assert_eq!(strings_of("(\"a\" , \"b\")"), None);
        assert_eq!(strings_of("(\"a)"), None);
        assert_eq!(strings_of("()"), None);
        assert_eq!(strings_of(""), None);
    }
}
