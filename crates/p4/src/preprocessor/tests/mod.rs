//! The preprocessor and the lexer, seen from outside: what tokens come out, and where errors are shown.

mod conditions;
mod files;
mod fuzz;
mod macros;
mod places;

use std::collections::BTreeMap;

use diagnostics::Sources;

use super::{Options, Preprocessed, preprocess};
use crate::token::{Token, TokenKind};

/// A run on texts that no disk holds.
pub(super) struct Run {
    pub sources: Sources,
    pub result: Preprocessed,
}

impl Run {
    pub fn new(text: &str, files: &[(&str, &str)], options: &Options) -> Self {
        let mut sources = Sources::new();
        let main = sources.add("main.p4", text);
        let files: BTreeMap<String, String> =
            files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect();
        let result = preprocess(&mut sources, main, &files, options);
        Self { sources, result }
    }

    pub fn findings(&self) -> String {
        self.result.diagnostics.render(&self.sources, false)
    }

    /// The tokens without the end, with blanks between.
    pub fn text(&self) -> String {
        let tokens = self.result.tokens.iter().filter(|token| token.kind != TokenKind::End);
        let texts: Vec<String> = tokens.map(|token| token.kind.to_string()).collect();
        texts.join(" ")
    }

    /// Each token with its line and column, and what of the flags is set.
    pub fn dump(&self) -> String {
        let mut dump = String::new();
        for Token { kind, span, first_of_line, touches_previous } in &self.result.tokens {
            let (line, column) = self.sources.place(*span);
            let written = &self.sources.text(span.source)[span.start as usize..span.end as usize];
            let what = match kind {
                TokenKind::Identifier(_) => "name",
                TokenKind::Keyword(_) => "keyword",
                TokenKind::Integer(_) => "number",
                TokenKind::Text(_) => "string",
                TokenKind::Punctuator(_) => "sign",
                TokenKind::Unexpected(_) => "unexpected",
                TokenKind::End => "end",
            };
            let flags = [(first_of_line, " first"), (touches_previous, " touches")];
            let flags: String = flags.iter().filter(|(set, _)| **set).map(|(_, name)| *name).collect();
            dump.push_str(&format!("{line}:{column} {what} {kind} {written:?}{flags}\n"));
        }
        dump
    }
}

/// What is left of a text that has nothing wrong with it.
pub(super) fn good(text: &str) -> String {
    let run = Run::new(text, &[], &Options::default());
    assert!(run.result.diagnostics.is_empty() && run.result.complete, "{}", run.findings());
    run.text()
}

/// What is found in a text.
pub(super) fn findings(text: &str) -> String {
    Run::new(text, &[], &Options::default()).findings()
}
