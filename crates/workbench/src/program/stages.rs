//! The results of the steps of the P4 front end, as text.

use std::path::Path;

use diagnostics::{Diagnostic, Diagnostics, SourceId, Sources};
use p4::token::{Token, TokenKind};

use super::{Language, LoadOptions, LoadedProgram, ParsedP4, add_file};
use diagnostics::Failure;

/// The names of the steps whose results [`stage`] returns, in order.
pub const STAGES: [&str; 4] = ["preprocessed", "parsed", "typed", "ir"];

/// Returns a program as text after one of the [`STAGES`].
///
/// # Errors
/// If the program has errors up to this step, or there is no step of this name.
pub fn stage(path: &Path, options: &LoadOptions, name: &str) -> Result<String, Failure> {
    options.refuse_foreign(Language::of(path)?)?;
    let mut sources = Sources::new();
    let shown = add_file(&mut sources, path).and_then(|main| show(&mut sources, main, options, name));
    shown.map_err(|diagnostics| Failure::BadInput { sources, diagnostics })
}

fn show(sources: &mut Sources, main: SourceId, options: &LoadOptions, name: &str) -> Result<String, Diagnostics> {
    match name {
        "preprocessed" => Ok(text_of(&ParsedP4::new(sources, main, options)?.tokens)),
        "parsed" => Ok(p4::print(&ParsedP4::new(sources, main, options)?.tree)),
        "typed" => {
            let read = ParsedP4::new(sources, main, options)?;
            let (checked, _) = read.check()?;
            Ok(p4::print_typed(&read.tree, &checked))
        }
        "ir" => Ok(LoadedProgram::load(sources, main, options)?.program.to_string()),
        _ => Err(Diagnostic::without_place(format!("there is nothing called `{name}` to emit"))
            .hint(format!("there is: {}", STAGES.join(", ")))
            .into()),
    }
}

/// Returns tokens as text, with line breaks where the source has them.
fn text_of(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens.iter().filter(|token| token.kind != TokenKind::End) {
        if !text.is_empty() {
            match (token.first_of_line, token.touches_previous) {
                (true, _) => text.push('\n'),
                (false, true) => {}
                (false, false) => text.push(' '),
            }
        }
        text.push_str(&token.kind.to_string());
    }
    text + "\n"
}
