//! Printing of a checked tree, with the types of the expressions of each line behind it.

use super::Printer;
use crate::ast::{Expression, ExpressionKind, Program};
use crate::check::Checked;

/// An expression in the printed text.
pub(super) struct PrintedExpression {
    start: usize,
    end: usize,
    /// The address of the expression, by which [`Checked`] knows it.
    address: usize,
}

impl Printer {
    /// Notes that the text from `start` on is an expression, unless its type is obvious.
    pub(super) fn note(&mut self, start: usize, value: &Expression) {
        let plain = matches!(
            value.kind,
            ExpressionKind::Bool(_) | ExpressionKind::String(_) | ExpressionKind::Default | ExpressionKind::Error
        );
        if !plain {
            self.written.push(PrintedExpression {
                start,
                end: self.text.len(),
                address: std::ptr::from_ref(value) as usize,
            });
        }
    }
}

/// Prints a checked program. Each line ends with the types of its outermost expressions, and the types that they are
/// coerced to if those differ: `// hdr.ipv4.ttl: bit<8>, 1: int -> bit<8>`.
pub fn print_typed<'a>(program: &'a Program, checked: &Checked<'a>) -> String {
    let mut printer = Printer::default();
    printer.program(program);
    let Printer { text, mut written, .. } = printer;
    // Outer expressions come before those inside them.
    written.sort_by_key(|value| (value.start, usize::MAX - value.end));
    let mut typed = String::with_capacity(2 * text.len());
    let (mut at, mut next, mut outer) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        let mut notes: Vec<String> = Vec::new();
        while let Some(value) = written.get(next).filter(|value| value.start < at + line.len()) {
            next += 1;
            // Expressions within others, or over several lines, are not annotated.
            if value.start < outer || value.end > at + line.len() {
                continue;
            }
            if let Some(shown) = shown(&text[value.start..value.end], value.address, checked) {
                outer = value.end;
                notes.extend((!notes.contains(&shown)).then_some(shown));
            }
        }
        at += line.len();
        let bare = line.trim_end_matches('\n');
        typed.push_str(bare);
        if !notes.is_empty() {
            typed.push_str("  // ");
            typed.push_str(&notes.join(", "));
        }
        typed.push_str(&line[bare.len()..]);
    }
    typed
}

fn shown(text: &str, address: usize, checked: &Checked<'_>) -> Option<String> {
    let expressed = checked.nodes.expression_at(address)?;
    let types = &checked.types;
    let (of, coerced) = (types.show(expressed.of), types.show(expressed.coerced));
    // Numbers without a coercion, and results of tables, whose types have no names, are not annotated.
    if of == coerced && (of == "int" || of == text) {
        return None;
    }
    Some(if of == coerced { format!("{text}: {of}") } else { format!("{text}: {of} -> {coerced}") })
}
