//! The lexer: the preprocessor splits texts into pieces, which here become tokens of P4 (P4_16 1.2.5, section 6.4).

mod finish;
mod free_form;
mod language;
pub(crate) mod libraries;
mod number;
#[cfg(test)]
mod tests;

use diagnostics::{Diagnostics, SourceId, Sources};
use preprocessor::{Files, MacroUses, Options};

use crate::token::{Token, TokenKind};
use finish::Finish;
use language::LANGUAGE;

/// A program after preprocessing.
#[derive(Debug)]
pub struct Preprocessed {
    /// The program; the last token, and no other, is [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// The diagnostics of the preprocessor, in the order of reading, and then those of invalid tokens. Even with errors
    /// the tokens are good enough to look for more.
    pub diagnostics: Diagnostics,
    /// The uses of macros, which explain diagnostics of later steps (see [`MacroUses::explain`]).
    pub macro_uses: MacroUses,
    /// False if a part of the program is missing, so that errors of later steps may be mere consequences.
    pub complete: bool,
}

/// Carries out the directives of a program and expands its macros. The name of `main` in `sources` is its path, to
/// which the paths of included files are relative. Every text that is read is added to `sources`. Where `files` has no
/// one of the headers that come with Polyplane, such as `core.p4` and `v1model.p4`, that one is used.
pub fn preprocess(sources: &mut Sources, main: SourceId, files: &dyn Files, options: &Options) -> Preprocessed {
    let read = preprocessor::preprocess(&LANGUAGE, sources, main, files, options);
    let mut finish = Finish::new(read.diagnostics, &read.macro_uses);
    let mut tokens = finish.tokens(&read.pieces);
    tokens.push(Token { kind: TokenKind::End, span: read.end, first_of_line: true, touches_previous: false });
    let diagnostics = finish.diagnostics;
    Preprocessed { tokens, diagnostics, macro_uses: read.macro_uses, complete: read.complete }
}
