//! Helpers shared by the tests: two languages, and runs on texts and files in memory.
#![allow(dead_code, reason = "each test file is a crate of its own and uses some of these")]

use std::collections::BTreeMap;

use diagnostics::Sources;
use preprocessor::{Complaint, Header, Language, Limits, Options, Piece, PieceKind, Preprocessed, preprocess};

/// A language whose types have arguments between `<` and `>`: `>` is always a token of its own, and `1..2` is a range.
pub const TYPED: Language = Language {
    punctuators: &[
        "{#}", "...", "..", "<<", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!",
        "<", ">", "=", "?", ":", ";", ",", ".", "@", "(", ")", "[", "]", "{", "}",
    ],
    fractions: false,
    strings_of_lines: true,
    characters: None,
    plain_macros: false,
    header,
    no_such_file,
    how_to_include: "write `#include <name>`",
    limits: Limits { tokens: 1 << 21, includes: 200 },
};

/// A language with the features that [`TYPED`] lacks, and without those that it has.
pub const PLAIN: Language = Language {
    punctuators: &["...", ">>", "<<", "->", "==", "+", "-", "/", "<", ">", "=", ";", ",", ".", "(", ")", "{", "}"],
    fractions: true,
    strings_of_lines: false,
    characters: Some(|content| content.parse::<char>().ok().map(|character| i64::from(u32::from(character)))),
    plain_macros: true,
    ..TYPED
};

fn header(name: &str) -> Option<Header> {
    match name {
        "library.h" => Some(Header::Text("#pragma once\nlibrary")),
        "part.h" => Some(Header::PartOfLanguage),
        _ => None,
    }
}

fn no_such_file(name: &str, is_quoted: bool) -> Complaint {
    let hint = if is_quoted { "it was in quotes" } else { "it was in angle brackets" };
    Complaint::new(format!("`{name}` cannot be included: there is no such file"), hint)
}

/// A run of the preprocessor, with its sources.
pub struct Run {
    pub sources: Sources,
    pub result: Preprocessed,
}

impl Run {
    pub fn new(text: &str, files: &[(&str, &str)], options: &Options) -> Self {
        Self::of(&TYPED, text, files, options)
    }

    pub fn of(language: &Language, text: &str, files: &[(&str, &str)], options: &Options) -> Self {
        let mut sources = Sources::new();
        let main = sources.add("main.c", text);
        let files: BTreeMap<String, String> =
            files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect();
        let result = preprocess(language, &mut sources, main, &files, options);
        Self { sources, result }
    }

    pub fn findings(&self) -> String {
        self.result.diagnostics.render(&self.sources, false)
    }

    /// The pieces separated by spaces. Pieces that cannot be tokens of a program are omitted, as front ends do.
    pub fn text(&self) -> String {
        let is_token = |piece: &&Piece| {
            let is_hash = piece.is("#") || piece.is("##");
            !is_hash && !matches!(piece.kind, PieceKind::Invalid(_))
        };
        let texts: Vec<String> = self.result.pieces.iter().filter(is_token).map(spelled).collect();
        texts.join(" ")
    }
}

/// Returns the text of a piece.
pub fn spelled(piece: &Piece) -> String {
    let mut text = String::new();
    piece.spell(&mut text);
    text
}

/// Returns the output for a text that must have no errors or warnings.
pub fn good(text: &str) -> String {
    let run = Run::new(text, &[], &Options::default());
    assert!(run.result.diagnostics.is_empty() && run.result.complete, "{}", run.findings());
    run.text()
}

/// Returns the diagnostics for a text.
pub fn findings(text: &str) -> String {
    Run::new(text, &[], &Options::default()).findings()
}
