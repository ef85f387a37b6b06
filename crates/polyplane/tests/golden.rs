//! Cases that carry their own commands. The first lines of a case are `command: polyplane …`, behind the comment sign of
//! whatever the file is; beside it lies what the commands print and their exit statuses, in `NAME.expected`. A file
//! without a command is there for others. Commands run in the project's folder, so that no path depends on the machine.
//!
//! In a command, `$FILE` is the case, `$FOLDER` its folder, and `$OUT` a folder that does not exist yet; the files that
//! are in it afterwards belong to what is expected.
//!
//! `UPDATE_EXPECT=1` writes what came of it instead; read the difference before you keep it.

mod common;
mod documentation;
#[path = "../../basis/tests/common/on_all_cores.rs"]
mod on_all_cores;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use common::{Ran, absent_folder, files_below, project, run};
use on_all_cores::on_all_cores;

#[test]
fn commands_print_what_is_written_beside_them() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let case = |file: &PathBuf| -> Option<String> {
        let commands = commands(file);
        let beside = PathBuf::from(format!("{}.expected", file.display()));
        if commands.is_empty() {
            let orphan =
                file.extension().is_some_and(|ending| ending == "expected") && !file.with_extension("").exists();
            assert!(!orphan, "{} belongs to no case", file.display());
            assert!(!beside.exists(), "{} has no command any more", file.display());
            return None;
        }
        let found: String = commands.iter().map(|command| outcome(file, command)).collect();
        if update {
            fs::write(&beside, found).expect("the project's folder can be written");
        } else if fs::read_to_string(&beside).ok().as_deref() != Some(&found) {
            return Some(format!("{}: found\n{found}\n", file.display()));
        }
        Some(String::new())
    };
    let cases: Vec<String> = on_all_cores(&files_below(&golden), case).into_iter().flatten().collect();
    assert!(cases.len() >= 25, "only {} cases in {}", cases.len(), golden.display());
    let wrong = cases.concat();
    assert!(wrong.is_empty(), "{wrong}");
}

/// The commands in a file's first lines; none in what is no text.
fn commands(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let command = |line: &str| {
        let line = line.trim_start_matches(['/', '#', ' ']);
        line.strip_prefix("command: polyplane ").map(str::to_owned)
    };
    text.lines().map_while(command).collect()
}

fn outcome(file: &Path, command: &str) -> String {
    let out = command.contains("$OUT").then(absent_folder);
    let of_project = |path: &Path| path.strip_prefix(project()).unwrap_or(path).display().to_string();
    let expand = |word: &str| {
        let word = word.replace("$FILE", &of_project(file));
        let word = word.replace("$FOLDER", &of_project(file.parent().unwrap_or(file)));
        out.as_ref().map_or(word.clone(), |out| word.replace("$OUT", &out.display().to_string()))
    };
    let words: Vec<String> = command.split_whitespace().map(expand).collect();
    let Ran { status, stdout, stderr } = run(&words);
    // How far a long run is, is said every ten seconds of a computer's time.
    let stderr: String = stderr.split_inclusive('\n').filter(|line| !line.contains(" us simulated, ")).collect();
    let mut text = format!("$ polyplane {command}\n{stdout}");
    if !stderr.is_empty() {
        let _ = write!(text, "--- stderr\n{stderr}");
    }
    if let Some(out) = out.as_deref() {
        text = text.replace(&out.display().to_string(), "$OUT");
        for written in files_below(out) {
            let name = written.strip_prefix(out).unwrap_or(&written).display();
            // The manifest spells out every parameter of the machine, and pages and figures are for eyes; that they are
            // there is enough here.
            let is_told = !written.ends_with("manifest.txt")
                && written.extension().is_none_or(|ending| ending != "html" && ending != "svg");
            let contents = fs::read_to_string(&written).ok().filter(|_| is_told);
            let _ = write!(text, "--- file {name}\n{}", contents.unwrap_or_default());
        }
    }
    let _ = writeln!(text, "--- exit status {status}\n");
    text
}
