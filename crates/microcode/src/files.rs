//! Compilation of programs in files.

use std::path::Path;

use diagnostics::{Diagnostics, Sources};
use preprocessor::{Disk, Options};

use crate::{Compiled, compile_with};

/// Compiles the program in a file. The paths of included files are relative to it, or to the folders of `options`; `-` stands for
/// standard input.
///
/// # Errors
/// Returns the errors of [`crate::compile`], or an error if the file cannot be read.
pub fn compile_file(sources: &mut Sources, path: &Path, options: &Options) -> Result<Compiled, Diagnostics> {
    let text = Disk.program(path, "Microcode")?;
    compile_with(sources, &path.to_string_lossy(), &text, &Disk, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_files_that_cannot_be_read() {
        for path in ["no-such-file.mc", "."] {
            let found = compile_file(&mut Sources::new(), Path::new(path), &Options::default()).unwrap_err();
            assert!(found.iter().next().unwrap().message.contains("cannot be read"), "{path}");
        }
    }
}
