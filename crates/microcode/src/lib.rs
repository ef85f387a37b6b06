//! The front end of Microcode, the language of the run-to-completion chip Trio (Yang et al., "Using Trio: Juniper Networks'
//! Programmable Chipset for Emerging In-Network Applications", SIGCOMM 2022, section 3). `docs/microcode.md` defines the
//! language.
//!
//! Compilation begins at [`compile`]. The lexer turns preprocessed texts into tokens, the parser turns these into a syntax
//! tree, and the checker resolves every name, lays out memory and makes an [`ir::Program`] of threads. Each step reports
//! diagnostics at the location where the author wrote the offending text. The crate knows nothing of machines: how much an
//! instruction may do is decided where it is encoded.
//!
//! # Example
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use diagnostics::Sources;
//!
//! let text = "
//!     reason not_wanted;
//!     sram counter_t packets[1];
//!     on packet goto count;
//!     count:
//!     begin
//!         CounterIncPhys(packets, r_work.pkt_len);
//!     end
//!     begin
//!         PacketDrop(this_packet, not_wanted);
//!         exit;
//!     end
//! ";
//! let mut sources = Sources::new();
//! let no_includes: BTreeMap<String, String> = BTreeMap::new();
//! let compiled = microcode::compile(&mut sources, "count.mc", text, &no_includes)
//!     .unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false)));
//! assert_eq!(compiled.program.name, "count");
//! assert_eq!(compiled.places.len(), 2);
//! ```

mod check;
mod files;
mod lexer;
mod limits;
mod literal;
mod parser;
mod predefined;
mod syntax;
mod token;
mod types;

use diagnostics::{Diagnostic, Diagnostics, Sources, Span};
use preprocessor::{MOST_FILE_BYTES, Report};

pub use files::compile_file;
pub use preprocessor::{Disk, Files, Options, program_name};

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The meaning of the program, whose [`ir::Program::threads`] are set.
    pub program: ir::Program,
    /// The location of each instruction of the program, in their order.
    pub places: Vec<Span>,
    /// Warnings about text that is valid but probably not intended.
    pub warnings: Diagnostics,
}

/// Compiles a program. `name` is its path, which diagnostics show and to which the paths of included files are
/// relative; the program is named after its last component (see [`program_name`]). Every text that is read is added to
/// `sources`.
///
/// # Errors
/// Returns all errors of the program, with locations in `sources`, if the text is not a valid Microcode program.
pub fn compile(sources: &mut Sources, name: &str, text: &str, files: &dyn Files) -> Result<Compiled, Diagnostics> {
    compile_with(sources, name, text, files, &Options::default())
}

/// Compiles a program as [`compile`] does, with folders for included files and macros.
///
/// # Errors
/// As for [`compile`].
pub fn compile_with(
    sources: &mut Sources,
    name: &str,
    text: &str,
    files: &dyn Files,
    options: &Options,
) -> Result<Compiled, Diagnostics> {
    if text.len() > MOST_FILE_BYTES {
        let message = format!("`{name}` is longer than {MOST_FILE_BYTES} bytes");
        return Err(Diagnostic::without_place(message).into());
    }
    let mut report = Report::default();
    let source = sources.add(name, text);
    let tokens = lexer::lex(sources, source, files, options, &mut report);
    let end = tokens[tokens.len() - 1].span;
    let unit = parser::program(&tokens, &mut report);
    match check::check(&unit, &program_name(name), end, &mut report) {
        Some(checked) => {
            Ok(Compiled { program: checked.program, places: checked.places, warnings: report.into_warnings() })
        }
        None => Err(report.into_errors()),
    }
}
