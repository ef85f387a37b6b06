//! Constraints on entries and on arguments of actions (`@entry_restriction`, `@action_restriction`). They mean nothing to
//! packets, so that a wrong one is a warning; but a P4Runtime server refuses a program with a wrong constraint, and it is
//! better known here.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use constraints::{ACTION_RESTRICTION, Constraints, ENTRY_RESTRICTION, Finding, Subject};
use control::{ActionCall, Info, Table, TableNumber};
use diagnostics::{Diagnostic, Severity, Span};
use runtime::tables::{TableEntry, Target};

use crate::ast::{Annotation, AnnotationBody};
use crate::findings::Findings;
use crate::token::TokenKind;

/// The constraints as they are written, by the full names of their tables and actions. Only looked up.
#[derive(Default)]
pub(super) struct Restrictions {
    written: HashMap<(&'static str, String), Written>,
}

/// A place in a constraint as it is written.
struct WrittenPlace {
    span: Span,
    /// The line of the constraint that is meant, if the span only tells where its string begins.
    line: Option<String>,
}

/// A constraint as it is written.
struct Written {
    annotation: Span,
    /// The strings of the annotation, and where each stands with its quotation marks.
    strings: Vec<(Rc<str>, Span)>,
}

impl Restrictions {
    /// Notes where the constraint of a table or action is written, if it has one.
    pub(super) fn note(&mut self, name: &str, annotations: &[Annotation]) {
        for restriction in [ENTRY_RESTRICTION, ACTION_RESTRICTION] {
            // The first annotation counts.
            let Some(own) = annotations.iter().find(|own| &*own.name.text == restriction) else { continue };
            let tokens = match &own.body {
                AnnotationBody::Unstructured(tokens) => tokens.as_slice(),
                _ => &[],
            };
            let strings = tokens.iter().filter_map(|token| match &token.kind {
                TokenKind::Text(text) => Some((text.clone(), token.span)),
                _ => None,
            });
            let written = Written { annotation: own.span, strings: strings.collect() };
            self.written.insert((restriction, name.to_owned()), written);
        }
    }

    /// Checks all constraints, and the entries of the program against them. Warns of what is wrong, once for each place
    /// in the text, however many instances it has.
    pub(super) fn check(&self, info: &Info, found: &mut Findings) {
        let (constraints, findings) = Constraints::read(info);
        let mut told = HashSet::new();
        let mut warn = |warning: Diagnostic| {
            if told.insert((warning.span.map(|span| (span.start, span.end)), warning.message.clone())) {
                found.report(warning);
            }
        };
        for finding in findings {
            warn(self.warning(info, finding));
        }
        for (number, table) in info.tables.iter().enumerate() {
            let number = TableNumber::from(number);
            for (at, entry) in table.initial_entries.iter().enumerate() {
                let Err(violation) = check_entry(&constraints, number, table, entry) else { continue };
                let message = format!("entry {} of the program violates a constraint: {violation}", at + 1);
                let own = self.written(info, violation.subject);
                warn(with_place(own.map(|own| own.annotation), message));
            }
        }
    }

    fn written(&self, info: &Info, subject: Subject) -> Option<&Written> {
        self.written.get(&(subject.annotation(), subject.identity(info).name.clone()))
    }

    /// Returns a finding as a warning at its place in the program.
    fn warning(&self, info: &Info, finding: Finding) -> Diagnostic {
        let written = self.written(info, finding.subject);
        let found = finding.place.and_then(|place| written?.place_of(&place));
        let span = found.as_ref().map(|found| found.span).or_else(|| Some(written?.annotation));
        let mut warning = with_place(span, finding.message);
        warning.label = match finding.severity {
            Severity::Error => "a P4Runtime server refuses this constraint".to_owned(),
            Severity::Warning => String::new(),
        };
        if let Some(line) = found.and_then(|found| found.line) {
            let before = if warning.label.is_empty() { "in" } else { ", in" };
            warning.label.push_str(&format!("{before} `{line}`"));
        }
        warning.hint = finding.hint;
        warning
    }
}

impl Written {
    /// Returns where a part of the constraint's text stands in the program. In a string that the preprocessor has
    /// changed, that is where the string begins, with a line of it.
    fn place_of(&self, part: &Range<usize>) -> Option<WrittenPlace> {
        let mut start = 0;
        for (text, span) in &self.strings {
            let end = start + text.len();
            if part.start <= end {
                let inside = |at: usize| (at.min(end) - start) as u32;
                if span.end - span.start == text.len() as u32 + 2 {
                    let (from, to) = (span.start + 1 + inside(part.start), span.start + 1 + inside(part.end));
                    return Some(WrittenPlace { span: Span { start: from, end: to, ..*span }, line: None });
                }
                let at = text.floor_char_boundary(part.start - start);
                let before = text[..at].rfind('\n').map_or(0, |line_break| line_break + 1);
                let line = text[before..].lines().next().unwrap_or("").trim();
                return Some(WrittenPlace { span: Span { end: span.start + 1, ..*span }, line: Some(line.to_owned()) });
            }
            // A line break stands between two strings.
            start = end + 1;
        }
        None
    }
}

fn with_place(span: Option<Span>, message: String) -> Diagnostic {
    let severity = Severity::Warning;
    Diagnostic { span, severity, ..Diagnostic::without_place(message) }
}

/// Checks an entry of the program with its action.
fn check_entry(
    constraints: &Constraints,
    number: TableNumber,
    table: &Table,
    entry: &TableEntry,
) -> Result<(), Box<constraints::Violation>> {
    constraints.check_entry(number, &entry.key, Some(entry.priority))?;
    match &entry.target {
        Target::Action { action, data } => {
            let Some(reference) = table.actions.get(*action as usize) else { return Ok(()) };
            constraints.check_action(&ActionCall { action: reference.action, data: data.clone() })
        }
        _ => Ok(()),
    }
}
