//! The front end of Domino, a C-like language of packet transactions (Sivaraman et al., "Packet Transactions:
//! High-Level Programming for Line-Rate Switches", SIGCOMM 2016). `docs/domino.md` describes the language.
//!
//! The lexer makes tokens of texts, by way of the preprocessor; the parser makes syntax of them, the checker looks up
//! every name, and lowering gives [`ir::Program`]. Each reports what it finds at the place where the author wrote it.

mod check;
mod constant;
mod files;
mod lexer;
mod limits;
mod literal;
mod lower;
mod parser;
mod report;
mod resolved;
mod syntax;
mod token;

use diagnostics::{Diagnostic, Diagnostics, Sources};
use preprocessor::MOST_FILE_BYTES;

pub use files::{compile_file, program_name};
pub use preprocessor::{Disk, Files};

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
pub fn compile(sources: &mut Sources, name: &str, text: &str, files: &dyn Files) -> Result<Compiled, Diagnostics> {
    if text.len() > MOST_FILE_BYTES {
        let message = format!("`{name}` is longer than {MOST_FILE_BYTES} bytes");
        return Err(Diagnostic::without_place(message).into());
    }
    let mut report = report::Report::default();
    let source = sources.add(name, text);
    let tokens = lexer::lex(sources, source, files, &mut report);
    let end = tokens[tokens.len() - 1].span;
    let unit = parser::program(&tokens, &mut report);
    let resolved = check::check(&unit, end, &mut report);
    let program = resolved.and_then(|resolved| lower::lower(&resolved, &program_name(name), end, &mut report));
    match program {
        Some(program) if !report.errors.has_errors() => Ok(Compiled { program, warnings: report.into_warnings() }),
        _ => Err(report.into_errors()),
    }
}
