//! The programs of a collection.

use std::fs;
use std::path::{Path, PathBuf};

use super::Plan;
use super::case::{Suite, Task};
use crate::failure::Failure;

/// Everything that a plan names, in order of suites and names.
pub(super) fn collect(plan: &Plan) -> Result<Vec<Task>, Failure> {
    let mut tasks = Vec::new();
    if let Some(compiler) = &plan.compiler {
        let testdata = compiler.join("testdata");
        let samples = testdata.join("p4_16_samples");
        for beside in files(&samples, "stf")? {
            tasks.extend(task(Suite::Samples, &beside, beside.with_extension("p4")));
        }
        for beside in files(&testdata.join("p4_14_samples"), "stf")? {
            let name = beside.file_name().unwrap_or_default();
            let program = testdata.join("p4_14_samples_outputs").join(name).with_extension("p4");
            tasks.extend(task(Suite::Translated, &beside, program));
        }
        for program in files(&testdata.join("p4_16_errors"), "p4")? {
            let mut answer = program.file_name().unwrap_or_default().to_owned();
            answer.push("-stderr");
            let beside = testdata.join("p4_16_errors_outputs").join(answer);
            let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
            tasks.push(Task { suite: Suite::Errors, name, program, beside, entries: Vec::new() });
        }
    }
    if let (Some(tutorials), Some(tests)) = (&plan.tutorials, &plan.tutorial_tests) {
        for beside in files(tests, "stf")? {
            tasks.push(tutorial(tutorials, beside)?);
        }
    }
    tasks.retain(|task| plan.suites.is_empty() || plan.suites.contains(&task.suite));
    tasks.retain(|task| plan.only.as_ref().is_none_or(|part| task.name.contains(part.as_str())));
    tasks.sort_by(|one, other| (one.suite, &one.name).cmp(&(other.suite, &other.name)));
    Ok(tasks)
}

/// A program with its packet test; a test without a program is for something else.
fn task(suite: Suite, beside: &Path, program: PathBuf) -> Option<Task> {
    let name = program.file_name()?.to_string_lossy().into_owned();
    program.is_file().then(|| Task { suite, name, program, beside: beside.to_owned(), entries: Vec::new() })
}

/// A packet test of ours says in its first lines, in comments, which program it is for (`program: PATH`) and which
/// files fill the tables (`entries: PATH`), as paths in the collection.
fn tutorial(root: &Path, beside: PathBuf) -> Result<Task, Failure> {
    let text = fs::read_to_string(&beside).map_err(|error| unreadable(&beside, &error))?;
    let named = |what: &str| -> Vec<String> {
        let comments = text.lines().map_while(|line| line.strip_prefix('#'));
        comments.filter_map(|line| Some(line.trim().strip_prefix(what)?.trim().to_owned())).collect()
    };
    let Some(program) = named("program:").into_iter().next() else {
        let message = format!("{}: its first lines do not say `# program: PATH`", beside.display());
        return Err(Failure::plain(message));
    };
    let entries = named("entries:").iter().map(|path| root.join(path)).collect();
    Ok(Task { suite: Suite::Tutorials, program: root.join(&program), name: program, beside, entries })
}

/// The files of a folder with an ending, in order of names.
fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    // A checkout may hold links to what it does not hold.
    found.retain(|path| path.extension().is_some_and(|own| own == ending) && path.is_file());
    found.sort();
    Ok(found)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::plain(format!("cannot read {}: {error}", path.display()))
}
