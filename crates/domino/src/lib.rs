//! The front end of Domino, a C-like language of packet transactions (Sivaraman et al., "Packet Transactions:
//! High-Level Programming for Line-Rate Switches", SIGCOMM 2016). `docs/domino.md` describes the language.
//!
//! The lexer and the preprocessor make tokens of a text, the parser makes syntax of them, the checker looks up
//! every name, and lowering gives [`ir::Program`]. Each reports what it finds at the place where the author wrote it.

mod check;
mod constant;
mod files;
mod lexer;
mod limits;
mod literal;
mod lower;
mod parser;
mod preprocessor;
mod report;
mod resolved;
mod suggest;
mod syntax;
mod token;

use diagnostics::{Diagnostic, Diagnostics, Sources};

pub use files::{compile_file, program_name};

/// Gives the text of an included file, or says why it cannot. It is asked with the path from `#include`, joined to
/// the folder of the file that includes it.
pub type Include<'a> = dyn Fn(&str) -> Result<String, String> + 'a;

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// What it means.
    pub program: ir::Program,
    /// What its author may not have meant.
    pub warnings: Diagnostics,
}

/// Compiles a program. `name` is its path, as diagnostics show it and as paths of included files count from; the
/// program is called after its last part. Every text that is read goes into `sources`.
///
/// # Errors
/// Everything that makes the text no Domino program, at its places in `sources`.
pub fn compile(sources: &mut Sources, name: &str, text: &str, include: &Include<'_>) -> Result<Compiled, Diagnostics> {
    if text.len() > limits::MOST_FILE_BYTES {
        let message = format!("`{name}` is longer than {} bytes", limits::MOST_FILE_BYTES);
        return Err(Diagnostic::without_place(message).into());
    }
    let mut report = report::Report::default();
    let source = sources.add(name, text);
    let tokens = preprocessor::preprocess(sources, source, include, &mut report);
    let end = tokens[tokens.len() - 1].span;
    let unit = parser::program(&tokens, &mut report);
    let resolved = check::check(&unit, end, &mut report);
    let program = resolved.and_then(|resolved| lower::lower(&resolved, &program_name(name), end, &mut report));
    match program {
        Some(program) if !report.errors.has_errors() => Ok(Compiled { program, warnings: report.into_warnings() }),
        _ => Err(report.into_errors()),
    }
}
