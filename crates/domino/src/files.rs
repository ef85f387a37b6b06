//! Programs that lie in files.

use std::path::Path;

use diagnostics::{Diagnostic, Diagnostics, Sources};
use preprocessor::Disk;

use crate::{Compiled, compile};

/// Compiles the program in a file; files that it includes are looked for beside it.
///
/// # Errors
/// As [`compile`], and if the file cannot be read.
pub fn compile_file(sources: &mut Sources, path: &Path) -> Result<Compiled, Diagnostics> {
    let name = path.to_string_lossy();
    let text = Disk.text(path).map_err(|reason| {
        let error = Diagnostic::without_place(format!("`{name}` cannot be read: {reason}"));
        Diagnostics::from(error.hint("name a file with a Domino program"))
    })?;
    compile(sources, &name, &text, &Disk)
}

/// What a program in this file is called: the file's name without its ending; `stdin` for standard input (`-`).
pub fn program_name(path: &str) -> String {
    if path == "-" {
        return "stdin".to_owned();
    }
    Path::new(path).file_stem().map_or_else(|| "program".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_called_after_its_file() {
        assert_eq!(program_name("programs/domino/flowlet/flowlet.c"), "flowlet");
        assert_eq!(program_name("spam-detection.c"), "spam-detection");
        assert_eq!(program_name(""), "program");
        assert_eq!(program_name("-"), "stdin");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_a_diagnostic() {
        for path in ["no-such-file.c", "."] {
            let found = compile_file(&mut Sources::new(), Path::new(path)).unwrap_err();
            assert!(found.iter().next().unwrap().message.contains("cannot be read"), "{path}");
        }
    }
}
