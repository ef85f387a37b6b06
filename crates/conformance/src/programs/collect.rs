//! The programs of a collection.

use std::fs;
use std::path::{Path, PathBuf};

use super::Plan;
use super::case::{Suite, Task};
use diagnostics::Failure;
use workbench::LoadOptions;

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
        // Its templates include `<stdheaders.p4>`, which lies there.
        let options = for_bmv2(vec![root.join("stdlib")]);
        tasks.extend(programs.into_iter().filter_map(|path| compiled(Suite::Guide, root, path, options.clone())));
    }
    tasks.retain(|task| plan.suites.is_empty() || plan.suites.contains(&task.suite));
    tasks.retain(|task| plan.only.as_ref().is_none_or(|part| task.name.contains(part.as_str())));
    tasks.sort_by(|one, other| (one.suite, &one.name).cmp(&(other.suite, &other.name)));
    Ok(tasks)
}

/// A program with its packet test; a test without a program is for something else.
fn task(suite: Suite, beside: &Path, program: PathBuf) -> Option<Task> {
    let name = program.file_name()?.to_string_lossy().into_owned();
    let (beside, options) = (beside.to_owned(), LoadOptions::default());
    program.is_file().then(|| Task { suite, name, program, beside, entries: Vec::new(), options })
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
    let options = LoadOptions::default();
    Ok(Task { suite: Suite::Tutorials, program: root.join(&program), name: program, beside, entries, options })
}

/// A program that only has to compile, called as it lies in its collection.
fn compiled(suite: Suite, root: &Path, program: PathBuf, options: LoadOptions) -> Option<Task> {
    let name = program.strip_prefix(root).ok()?.to_string_lossy().into_owned();
    Some(Task { suite, name, program, beside: PathBuf::new(), entries: Vec::new(), options })
}

/// How programs are read that are written for several targets: DASH, and older copies of it.
fn for_bmv2(search_paths: Vec<PathBuf>) -> LoadOptions {
    LoadOptions {
        search_paths,
        definitions: vec![("TARGET_BMV2_V1MODEL".to_owned(), "1".to_owned())],
        ..LoadOptions::default()
    }
}

/// The files with an ending of a folder and of those in it, in order of names; links are not followed.
fn all_files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    found.extend(files(folder, ending)?);
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let folders =
        entries.filter_map(|entry| entry.ok()).filter(|entry| entry.file_type().is_ok_and(|own| own.is_dir()));
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    folders.sort();
    folders.iter().try_for_each(|inner| all_files(inner, ending, found))
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
