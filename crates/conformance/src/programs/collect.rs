//! Finds the programs of the collections.

use std::fs;
use std::path::{Path, PathBuf};

use super::ConformancePlan;
use super::case::{Suite, Task};
use diagnostics::Failure;
use workbench::LoadOptions;

/// Returns the tasks of a plan, ordered by suite and name.
pub(super) fn collect(plan: &ConformancePlan) -> Result<Vec<Task>, Failure> {
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
            let options = LoadOptions::default();
            tasks.push(Task { suite: Suite::Errors, name, program, beside, entries: Vec::new(), options });
        }
    }
    if let (Some(tutorials), Some(tests)) = (&plan.tutorials, &plan.tutorial_tests) {
        for beside in files(tests, "stf")? {
            tasks.push(tutorial(tutorials, beside)?);
        }
    }
    if let Some(root) = &plan.sonic_pins {
        for program in files(&root.join("sai_p4/instantiations/google"), "p4")? {
            tasks.extend(compiled(Suite::SonicPins, root, program, LoadOptions::default()));
        }
    }
    if let Some(root) = &plan.dash {
        let program = root.join("dash-pipeline/bmv2/dash_pipeline.p4");
        tasks.extend(compiled(Suite::Dash, root, program, for_bmv2(Vec::new())));
    }
    if let Some(root) = &plan.guide {
        let mut programs = Vec::new();
        all_files(root, "p4", &mut programs)?;
        // The templates of p4-guide include `<stdheaders.p4>` from this folder.
        let options = for_bmv2(vec![root.join("stdlib")]);
        tasks.extend(programs.into_iter().filter_map(|path| compiled(Suite::Guide, root, path, options.clone())));
    }
    tasks.retain(|task| plan.suites.is_empty() || plan.suites.contains(&task.suite));
    tasks.retain(|task| plan.only.as_ref().is_none_or(|part| task.name.contains(part.as_str())));
    tasks.sort_by(|one, other| (one.suite, &one.name).cmp(&(other.suite, &other.name)));
    Ok(tasks)
}

/// Returns the task of a program with a packet test, or `None` if there is no program: some tests are for other tools.
fn task(suite: Suite, beside: &Path, program: PathBuf) -> Option<Task> {
    let name = program.file_name()?.to_string_lossy().into_owned();
    let (beside, options) = (beside.to_owned(), LoadOptions::default());
    program.is_file().then(|| Task { suite, name, program, beside, entries: Vec::new(), options })
}

/// Returns the task of one of our own packet tests. Comments in its first lines give the program (`program: PATH`) and
/// the files that fill the tables (`entries: PATH`), as paths in the collection.
fn tutorial(root: &Path, beside: PathBuf) -> Result<Task, Failure> {
    let text = fs::read_to_string(&beside).map_err(|error| unreadable(&beside, &error))?;
    let named = |what: &str| -> Vec<String> {
        let comments = text.lines().map_while(|line| line.strip_prefix('#'));
        comments.filter_map(|line| Some(line.trim().strip_prefix(what)?.trim().to_owned())).collect()
    };
    let Some(program) = named("program:").into_iter().next() else {
        let message = format!("{}: there is no line `# program: PATH` among its first comments", beside.display());
        return Err(Failure::plain(message));
    };
    let entries = named("entries:").iter().map(|path| root.join(path)).collect();
    let options = LoadOptions::default();
    Ok(Task { suite: Suite::Tutorials, program: root.join(&program), name: program, beside, entries, options })
}

/// Returns the task of a program that only has to compile. Its name is its path in the collection.
fn compiled(suite: Suite, root: &Path, program: PathBuf, options: LoadOptions) -> Option<Task> {
    let name = program.strip_prefix(root).ok()?.to_string_lossy().into_owned();
    Some(Task { suite, name, program, beside: PathBuf::new(), entries: Vec::new(), options })
}

/// Returns the options for programs that are written for several targets: DASH, and older copies of it.
fn for_bmv2(search_paths: Vec<PathBuf>) -> LoadOptions {
    LoadOptions {
        search_paths,
        definitions: vec![("TARGET_BMV2_V1MODEL".to_owned(), "1".to_owned())],
        ..LoadOptions::default()
    }
}

/// Finds the files with an extension in a folder and the folders below it, in order of names. Symbolic links to folders
/// are not followed.
fn all_files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    found.extend(files(folder, ending)?);
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let folders =
        entries.filter_map(|entry| entry.ok()).filter(|entry| entry.file_type().is_ok_and(|own| own.is_dir()));
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    folders.sort();
    folders.iter().try_for_each(|inner| all_files(inner, ending, found))
}

/// Returns the files in a folder with an extension, in order of names.
fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    // A checkout may contain dangling symbolic links.
    found.retain(|path| path.extension().is_some_and(|own| own == ending) && path.is_file());
    found.sort();
    Ok(found)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::plain(format!("cannot read {}: {error}", path.display()))
}
