//! Texts to tokens: the preprocessor makes pieces of them, which here become tokens of P4 (P4_16 1.2.5, section 6.4).

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

/// A program without directives and macros.
#[derive(Debug)]
pub struct Preprocessed {
    /// The program; the last token, and no other, is [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// What was found, in the order of reading, and then what is no token. With errors among it the tokens are still
    /// good to look for more.
    pub diagnostics: Diagnostics,
    /// For findings of later steps, see [`MacroUses::explain`].
    pub macro_uses: MacroUses,
    /// False if a part of the program is missing, so that errors of later steps may only follow from that.
    pub complete: bool,
}

/// Carries out the directives of a program and expands its macros. The name of `main` in `sources` is its path, from
/// which the paths of included files count. Every text that is read goes into `sources`. The `core.p4` and `v1model.p4`
/// of this crate are there where `files` has none.
pub fn preprocess(sources: &mut Sources, main: SourceId, files: &dyn Files, options: &Options) -> Preprocessed {
    let read = preprocessor::preprocess(&LANGUAGE, sources, main, files, options);
    let mut finish = Finish::new(read.diagnostics, &read.macro_uses);
    let mut tokens = finish.tokens(&read.pieces);
    tokens.push(Token { kind: TokenKind::End, span: read.end, first_of_line: true, touches_previous: false });
    let diagnostics = finish.diagnostics;
    Preprocessed { tokens, diagnostics, macro_uses: read.macro_uses, complete: read.complete }
}
