//! Compilation of programs in files.

use std::path::Path;

use diagnostics::{Diagnostics, Sources};
use preprocessor::Disk;

use crate::{Compiled, compile};

/// Compiles the program in a file. The paths of included files are relative to it; `-` stands for standard input.
///
/// # Errors
/// Returns the errors of [`compile`], or an error if the file cannot be read.
pub fn compile_file(sources: &mut Sources, path: &Path) -> Result<Compiled, Diagnostics> {
    let text = Disk.program(path, "Domino")?;
    compile(sources, &path.to_string_lossy(), &text, &Disk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_files_that_cannot_be_read() {
        for path in ["no-such-file.c", "."] {
            let found = compile_file(&mut Sources::new(), Path::new(path)).unwrap_err();
            assert!(found.iter().next().unwrap().message.contains("cannot be read"), "{path}");
        }
    }
}
