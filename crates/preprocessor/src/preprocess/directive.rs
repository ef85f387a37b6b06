//! Lines that begin with `#`.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span, did_you_mean};

use super::{Conditional, Preprocessor};
use crate::lexer::DIRECTIVES;
use crate::piece::{Piece, PieceKind};

/// The maximum length, in bytes, of the text of an `#error` or `#warning` that is shown.
const MOST_MESSAGE_BYTES: usize = 300;

impl Preprocessor<'_> {
    /// Carries out the directive that begins with this `#`.
    pub(super) fn directive(&mut self, hash: &Piece) {
        let line = self.rest_of_line();
        let Some((first, rest)) = line.split_first() else { return }; // `#` alone is a null directive (C11 6.10.7)
        let span = hash.span.to(first.span);
        let name = first.word().map_or("", |name| name);
        match name {
            "if" | "ifdef" | "ifndef" => self.open_condition(name, span, rest),
            "elif" | "else" | "endif" => self.change_condition(name, span, rest),
            _ if self.skipping() => {}
            "define" => self.define(span, rest),
            "undef" => {
                if let Some(name) = self.macro_name(span, rest) {
                    self.macros.remove(&name);
                }
            }
            "include" => self.include(span, rest),
            "error" | "warning" => self.message(name, span, rest),
            "pragma" => {
                if rest.first().and_then(Piece::word).is_some_and(|word| &**word == "once") {
                    self.include_once();
                }
            }
            // `#line`, and `# 1 "file"`, are notes of other tools about the origin of a text. They are ignored because
            // the locations here are the real ones.
            "line" => {}
            _ if matches!(first.kind, PieceKind::Number(_)) => {}
            _ => {
                let error = Diagnostic::error(span, format!("{} is not a directive", first.describe()));
                let all = || format!("the directives are #{}", DIRECTIVES.join(", #"));
                self.diagnostics.push(error.hint(did_you_mean(name, DIRECTIVES).unwrap_or_else(all)));
            }
        }
    }

    fn rest_of_line(&mut self) -> Vec<Piece> {
        let mut line = Vec::new();
        if let Some(frame) = self.frames.last_mut() {
            while let Some(piece) = frame.pieces.get(frame.at).filter(|piece| !piece.first_of_line) {
                line.push(piece.clone());
                frame.at += 1;
            }
        }
        if self.spend(line.len()) { line } else { Vec::new() }
    }

    /// Returns the name of the macro that a directive is about, or reports that it is missing.
    pub(super) fn macro_name(&mut self, directive: Span, rest: &[Piece]) -> Option<Rc<str>> {
        let name = rest.first().and_then(Piece::word).filter(|name| &***name != "defined");
        if name.is_none() {
            let span = rest.first().map_or(directive, |piece| piece.span);
            self.diagnostics.push(Diagnostic::error(span, "expected the name of a macro"));
        }
        name.cloned()
    }

    /// Reports the text of an `#error` or `#warning` as its author wrote it; the text need not consist of tokens.
    fn message(&mut self, directive: &str, span: Span, rest: &[Piece]) {
        let text = rest.first().zip(rest.last()).and_then(|(first, last)| {
            let text = self.sources.text(span.source);
            text.get(first.span.start as usize..last.span.end as usize)
        });
        let whole = rest.last().map_or(span, |last| span.to(last.span));
        let text = text.unwrap_or("(no message)");
        let text = &text[..text.floor_char_boundary(MOST_MESSAGE_BYTES)];
        self.diagnostics.push(match directive {
            "error" => {
                let error = Diagnostic::error(whole, format!("#error: {text}"));
                error.label("this directive stops the compilation")
            }
            _ => Diagnostic::warning(whole, format!("#warning: {text}")),
        });
    }

    fn open_condition(&mut self, name: &str, span: Span, rest: &[Piece]) {
        let skipping = self.skipping();
        let active = !skipping
            && match name {
                "if" => self.condition(span, rest),
                _ => {
                    let known = self.macro_name(span, rest).is_some_and(|name| self.is_defined(&name));
                    known == (name == "ifdef")
                }
            };
        if let Some(file) = self.file() {
            file.conditionals.push(Conditional { span, active, taken: active || skipping, seen_else: false });
        }
    }

    fn change_condition(&mut self, name: &str, span: Span, rest: &[Piece]) {
        let Some(Conditional { taken, seen_else, .. }) = self.file().and_then(|file| file.conditionals.pop()) else {
            let error = Diagnostic::error(span, format!("`#{name}` without an `#if` before it"));
            self.diagnostics.push(error.hint("conditions begin with #if, #ifdef or #ifndef, in the same file"));
            return;
        };
        if name == "endif" {
            return;
        }
        if seen_else {
            let error = Diagnostic::error(span, format!("`#{name}` after the `#else` of the same `#if`"));
            self.diagnostics.push(error.hint("a conditional has at most one `#else`, after every `#elif`"));
        }
        let active = !taken && (name == "else" || self.condition(span, rest));
        let condition = Conditional { span, active, taken: taken || active, seen_else: seen_else || name == "else" };
        if let Some(file) = self.file() {
            file.conditionals.push(condition);
        }
    }

    /// Returns whether the name is a macro, including the predefined ones (C11 6.10.8.1).
    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.macros.contains_key(name) || matches!(name, "__LINE__" | "__FILE__")
    }
}
