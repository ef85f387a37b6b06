//! The lexer: turns the pieces that the preprocessor produces into tokens of Domino.

use std::path::Path;

use diagnostics::{SourceId, Sources};
use preprocessor::{Complaint, Files, Header, Language, Limits, Literals, Options, Report};

use crate::limits::{MOST_INCLUDES, MOST_TOKENS};
use crate::literal;
use crate::token::{Integer, Token};

/// The properties of Domino that the preprocessor depends on.
const LANGUAGE: Language = Language {
    punctuators: &[
        "<<=", ">>=", "...", "++", "--", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=",
        "%=", "&=", "|=", "^=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "?", ":", ";", ",",
        ".", "(", ")", "[", "]", "{", "}",
    ],
    // Domino has no fractions, but recognizing them allows a clear error message.
    fractions: true,
    strings_of_lines: false,
    characters: Some(literal::character_value),
    plain_macros: true,
    header,
    no_such_file,
    how_to_include: "write `#include \"name.h\"`",
    limits: Limits { tokens: MOST_TOKENS, includes: MOST_INCLUDES },
};

/// The hash functions are part of the language: their header needs no file, and a file of that name is never read (the
/// public collection has one, in C that is not Domino).
fn header(name: &str) -> Option<Header> {
    let is_hashes = Path::new(name).file_name().is_some_and(|name| name == "hashes.h");
    is_hashes.then_some(Header::PartOfLanguage)
}

fn no_such_file(name: &str, is_quoted: bool) -> Complaint {
    if is_quoted {
        let hint = "the path is relative to the folder of the including file";
        Complaint::new(format!("`{name}` cannot be included: there is no such file"), hint)
    } else {
        let hint = "`int` and the hash functions need no header; include your own as \"name.h\"";
        Complaint::new(format!("there is no system header <{name}>"), hint)
    }
}

/// The numbers of the language, and its characters.
const LITERALS: Literals<Integer> =
    Literals { number: literal::number, character: literal::character, instead: Integer { bits: 0, decimal: true } };

/// Returns the tokens of a program, with directives carried out and macros expanded, ending with [`preprocessor::TokenKind::End`].
pub(crate) fn lex(sources: &mut Sources, main: SourceId, files: &dyn Files, report: &mut Report) -> Vec<Token> {
    let read = preprocessor::preprocess(&LANGUAGE, sources, main, files, &Options::default());
    preprocessor::tokens(read, &LITERALS, report)
}
