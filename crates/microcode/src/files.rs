//! Compilation of programs in files.

use std::path::Path;

use diagnostics::{Diagnostic, Diagnostics, Sources};
use preprocessor::Disk;

use crate::{Compiled, compile};

/// Compiles the program in a file. The paths of included files are relative to it; `-` stands for standard input.
///
/// # Errors
/// Returns the errors of [`compile`], or an error if the file cannot be read.
pub fn compile_file(sources: &mut Sources, path: &Path) -> Result<Compiled, Diagnostics> {
    let name = path.to_string_lossy();
    let text = Disk.text(path).map_err(|reason| {
        let error = Diagnostic::without_place(format!("`{name}` cannot be read: {reason}"));
        Diagnostics::from(error.hint("name a file that contains a Microcode program"))
    })?;
    compile(sources, &name, &text, &Disk)
}

/// Returns the name of a program in this file: the file name without its extension, `stdin` for standard input (`-`),
/// or `program` if the path has no file name.
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
    fn a_program_is_named_after_its_file() {
        assert_eq!(program_name("programs/microcode/filter/filter.mc"), "filter");
        assert_eq!(program_name("ip-router.mc"), "ip-router");
        assert_eq!(program_name(""), "program");
        assert_eq!(program_name("-"), "stdin");
    }

    #[test]
    fn reports_files_that_cannot_be_read() {
        for path in ["no-such-file.mc", "."] {
            let found = compile_file(&mut Sources::new(), Path::new(path)).unwrap_err();
            assert!(found.iter().next().unwrap().message.contains("cannot be read"), "{path}");
        }
    }
}
