//! The command, run as a person runs it.
#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// What came of a command.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    /// Its exit status.
    pub status: i32,
    /// What it printed.
    pub stdout: String,
    /// What it said beside that.
    pub stderr: String,
}

/// The project's folder.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/polyplane lies two folders deep")
}

/// Runs `polyplane` with these arguments in the project's folder.
pub fn run<A: AsRef<std::ffi::OsStr>>(arguments: &[A]) -> Ran {
    run_in(project(), arguments)
}

/// Runs `polyplane` with these arguments in a folder.
pub fn run_in<A: AsRef<std::ffi::OsStr>>(folder: &Path, arguments: &[A]) -> Ran {
    run_on_input(folder, arguments, Stdio::null())
}

/// Runs `polyplane` with these arguments in a folder and the bytes of a file on standard input.
pub fn run_on_file<A: AsRef<std::ffi::OsStr>>(folder: &Path, arguments: &[A], input: &Path) -> Ran {
    let mut bytes = fs::File::open(input).expect("a file of the project");
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    // A pipe, as in a shell: a file could be read again.
    let writing = std::thread::spawn(move || {
        // A command that refuses does not read.
        let _ = std::io::copy(&mut bytes, &mut writer);
    });
    let ran = run_on_input(folder, arguments, Stdio::from(reader));
    writing.join().expect("it ends with the command");
    ran
}

fn run_on_input<A: AsRef<std::ffi::OsStr>>(folder: &Path, arguments: &[A], input: Stdio) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_polyplane"))
        .args(arguments)
        .current_dir(folder)
        .stdin(input)
        .output()
        .expect("the command can be started");
    let text = |bytes| String::from_utf8(bytes).expect("the command prints text");
    Ran {
        status: output.status.code().expect("nothing kills the command"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// Runs a command line without quotes.
pub fn run_line(line: &str) -> Ran {
    run(&line.split_whitespace().collect::<Vec<_>>())
}

/// A folder for a command to make. It is gone when the test is done with it.
pub struct AbsentFolder(PathBuf);

impl Deref for AbsentFolder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for AbsentFolder {
    fn drop(&mut self) {
        // A command may well have made none.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A folder that does not exist.
pub fn absent_folder() -> AbsentFolder {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // The remains of an earlier test that was killed and whose process had the same number.
    let _ = fs::remove_dir_all(&folder);
    AbsentFolder(folder)
}

/// All files below a folder, sorted; none if it does not exist.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("a folder that can be read").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Names and bytes of all files below a folder.
pub fn contents_below(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).expect("a file that can be read");
        (path.strip_prefix(folder).expect("it lies below the folder").to_owned(), bytes)
    };
    files_below(folder).into_iter().map(read).collect()
}
