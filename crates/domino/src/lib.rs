//! The front end of Domino, a C-like language for packet transactions (Sivaraman et al., "Packet Transactions:
//! High-Level Programming for Line-Rate Switches", SIGCOMM 2016). `docs/domino.md` describes the language.
//!
//! Compilation begins at [`compile`]. The lexer turns preprocessed texts into tokens, the parser turns these into a
//! syntax tree, the checker resolves every name, and lowering produces an [`ir::Program`]. Each step reports
//! diagnostics at the location where the author wrote the offending text. The crate knows nothing of machines or packet
//! formats.
//!
//! # Example
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use diagnostics::Sources;
//!
//! let text = "
//!     struct Packet { int size; int total; };
//!     int bytes = 0;
//!     void count(struct Packet p) { bytes += p.size; p.total = bytes; }
//! ";
//! let mut sources = Sources::new();
//! let no_includes: BTreeMap<String, String> = BTreeMap::new();
//! let compiled = domino::compile(&mut sources, "count.c", text, &no_includes)
//!     .unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false)));
//! assert_eq!(compiled.program.name, "count");
//! assert!(compiled.warnings.is_empty());
//! ```

mod check;
mod constant;
mod files;
mod lexer;
mod limits;
mod literal;
mod lower;
mod parser;
mod resolved;
mod syntax;
mod token;

use diagnostics::{Diagnostic, Diagnostics, Sources};
use preprocessor::{MOST_FILE_BYTES, Report};

pub use files::compile_file;
pub use preprocessor::{Disk, Files, program_name};

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The meaning of the program.
    pub program: ir::Program,
    /// Warnings about text that is valid but probably not intended.
    pub warnings: Diagnostics,
}

/// Compiles a program. `name` is its path, which diagnostics show and to which the paths of included files are
/// relative; the program is named after its last component (see [`program_name`]). Every text that is read is added to
/// `sources`.
///
/// # Errors
/// Returns all errors of the program, with locations in `sources`, if the text is not a valid Domino program.
pub fn compile(sources: &mut Sources, name: &str, text: &str, files: &dyn Files) -> Result<Compiled, Diagnostics> {
    if text.len() > MOST_FILE_BYTES {
        let message = format!("`{name}` is longer than {MOST_FILE_BYTES} bytes");
        return Err(Diagnostic::without_place(message).into());
    }
    let mut report = Report::default();
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
