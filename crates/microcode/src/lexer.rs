//! The lexer: turns the pieces that the preprocessor produces into tokens of Microcode.

use diagnostics::{SourceId, Sources};
use preprocessor::{Complaint, Files, Language, Limits, Literals, Options, Report};

use crate::limits::{MOST_INCLUDES, MOST_TOKENS};
use crate::literal;
use crate::token::Token;

/// The properties of Microcode that the preprocessor depends on.
const LANGUAGE: Language = Language {
    punctuators: &[
        "<<=", ">>=", "...", "++", "--", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=",
        "%=", "&=", "|=", "^=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "?", ":", ";", ",",
        ".", "(", ")", "[", "]", "{", "}",
    ],
    // Microcode has no fractions, but recognizing them allows a clear error message.
    fractions: true,
    strings_of_lines: false,
    characters: None,
    plain_macros: false,
    header: |_| None,
    no_such_file,
    how_to_include: "write `#include \"name.mc\"`",
    limits: Limits { tokens: MOST_TOKENS, includes: MOST_INCLUDES },
};

fn no_such_file(name: &str, is_quoted: bool) -> Complaint {
    if is_quoted {
        let hint = "the path is relative to the folder of the including file";
        Complaint::new(format!("`{name}` cannot be included: there is no such file"), hint)
    } else {
        let hint = "predefined symbols and transactions need no header; include your own as \"name.mc\"";
        Complaint::new(format!("there is no system header <{name}>"), hint)
    }
}

/// The numbers of the language.
const LITERALS: Literals<u64> = Literals {
    number: literal::number,
    character: |_| Err(Complaint::new("Microcode has no character constants", "write a number")),
    instead: 0,
};

/// Returns the tokens of a program, with directives carried out and macros expanded, ending with [`preprocessor::TokenKind::End`].
pub(crate) fn lex(
    sources: &mut Sources,
    main: SourceId,
    files: &dyn Files,
    options: &Options,
    report: &mut Report,
) -> Vec<Token> {
    let read = preprocessor::preprocess(&LANGUAGE, sources, main, files, options);
    preprocessor::tokens(read, &LITERALS, report)
}
