//! Tests of the lexer through its interface. What all languages like C share is tested with the preprocessor.

mod headers;
mod properties;
mod tokens;

use std::collections::BTreeMap;

use diagnostics::Sources;
use preprocessor::Options;

use super::{Preprocessed, preprocess};
use crate::token::{Token, TokenKind};

/// A run on texts in memory.
struct Run {
    sources: Sources,
    result: Preprocessed,
}

impl Run {
    fn new(text: &str) -> Self {
        let mut sources = Sources::new();
        let main = sources.add("main.p4", text);
        let result = preprocess(&mut sources, main, &BTreeMap::new(), &Options::default());
        Self { sources, result }
    }

    fn findings(&self) -> String {
        self.result.diagnostics.render(&self.sources, false)
    }

    /// The tokens without the end, with blanks between.
    fn text(&self) -> String {
        let tokens = self.result.tokens.iter().filter(|token| token.kind != TokenKind::End);
        // The token at the place of a reported error has no text.
        let texts = tokens.map(|token| token.kind.to_string()).filter(|text| !text.is_empty());
        let texts: Vec<String> = texts.collect();
        texts.join(" ")
    }

    /// Returns each token with its line, its column and its flags.
    fn dump(&self) -> String {
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

/// Returns the tokens of a correct text.
fn good(text: &str) -> String {
    let run = Run::new(text);
    assert!(run.result.diagnostics.is_empty() && run.result.complete, "{}", run.findings());
    run.text()
}
