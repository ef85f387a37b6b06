//! Compares every published P4Info with ours.

use std::fs;
use std::path::{Path, PathBuf};

use arch::V1MODEL;
use diagnostics::{Diagnostic, Severity};

use super::meaning::differences;
use super::text_format::{Value, read};
use super::{Case, Collection, Outcome, P4infoConformancePlan, Report};
use diagnostics::Failure;
use workbench::{LoadOptions, LoadedProgram};

const REASONS: &str = include_str!("reasons.txt");
/// The suffixes of the names of files with P4Info as text.
const ENDINGS: [&str; 2] = [".p4info.txtpb", ".p4info.pb.txt"];

/// A published P4Info and its program.
struct Task {
    collection: Collection,
    name: String,
    program: PathBuf,
    published: PathBuf,
}

/// Compares the P4Infos that a plan selects.
///
/// # Errors
/// If a folder cannot be read or has no published P4Info, or if no program has a name with
/// [`P4infoConformancePlan::only`] in it.
pub fn p4info_conformance(plan: &P4infoConformancePlan) -> Result<Report, Failure> {
    let mut tasks = Vec::new();
    if let Some(compiler) = &plan.compiler {
        let samples = compiler.join("testdata");
        let published = samples.join("p4_16_samples_outputs");
        tasks.extend(collect(Collection::Compiler, &published, &samples.join("p4_16_samples"))?);
    }
    if let Some(sai) = &plan.sai {
        let folder = sai.join("sai_p4/instantiations/google");
        tasks.extend(collect(Collection::Sai, &folder, &folder)?);
    }
    tasks.retain(|task| plan.only.as_ref().is_none_or(|part| task.name.contains(part.as_str())));
    if let (true, Some(part)) = (tasks.is_empty(), &plan.only) {
        // An empty comparison would pass without showing anything.
        let error = Diagnostic::without_place(format!("no program has `{part}` in its name"));
        return Err(error.hint("`--only` takes a part of a name as it appears in the report").into());
    }
    let cases = tasks.iter().map(|task| {
        let outcome = with_reason(&task.name, compared(task, plan));
        Case { collection: task.collection, name: task.name.clone(), outcome }
    });
    Ok(Report { cases: cases.collect(), ..Report::default() })
}

/// Returns the published P4Infos of a folder in order of names. Those of SAI P4 without a program are left out.
fn collect(collection: Collection, published: &Path, programs: &Path) -> Result<Vec<Task>, Failure> {
    let unreadable = |error| Failure::plain(format!("cannot read {}: {error}", published.display()));
    let entries = fs::read_dir(published).map_err(unreadable)?;
    let mut tasks = Vec::new();
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(stem) = ENDINGS.iter().find_map(|ending| file.strip_suffix(ending)) else { continue };
        let name = if stem.ends_with(".p4") { stem.to_owned() } else { format!("{stem}.p4") };
        let program = programs.join(&name);
        if program.is_file() || collection == Collection::Compiler {
            tasks.push(Task { collection, name, program, published: path });
        }
    }
    tasks.sort_by(|one, other| one.name.cmp(&other.name));
    if tasks.is_empty() {
        return Err(Failure::plain(format!("{} has no published P4Info", published.display())));
    }
    Ok(tasks)
}

fn compared(task: &Task, plan: &P4infoConformancePlan) -> Outcome {
    let published = match fs::read_to_string(&task.published) {
        Ok(text) => read(&text),
        Err(error) => Err(error.to_string()),
    };
    let published = match published {
        Ok(message) => message,
        Err(error) => return Outcome::Differs(vec![format!("the published file cannot be read: {error}")]),
    };
    match architecture(&published).as_deref() {
        Some(name) if name == V1MODEL.name => {}
        Some(other) => return Outcome::ForAnother(other.to_owned()),
        None => return Outcome::ForAnother("none: the program has no `main`".to_owned()),
    }
    let own_headers =
        plan.compiler.iter().flat_map(|folder| ["p4include", "p4include/bmv2"].map(|own| folder.join(own)));
    let search_paths = if plan.with_their_headers { own_headers.collect() } else { vec![] };
    let program = match LoadedProgram::read(&task.program, &LoadOptions { search_paths, ..LoadOptions::default() }) {
        Ok(program) => program,
        Err(failure) => return Outcome::Refused(first_error(&failure)),
    };
    let found = match read(&control::p4info::to_text(&program.info)) {
        Ok(message) => message,
        Err(error) => return Outcome::Differs(vec![format!("ours cannot be read: {error}")]),
    };
    match differences(&published, &found) {
        none if none.is_empty() => Outcome::Equal,
        some => Outcome::Differs(some),
    }
}

/// Returns the name of the architecture in a P4Info.
fn architecture(message: &[(String, Value)]) -> Option<String> {
    let package = message.iter().find_map(|(name, value)| match value {
        Value::Message(package) if name == "pkg_info" => Some(package),
        _ => None,
    })?;
    package.iter().find_map(|(name, value)| match value {
        Value::Bytes(text) if name == "arch" => Some(String::from_utf8_lossy(text).into_owned()),
        _ => None,
    })
}

fn first_error(failure: &Failure) -> String {
    match failure {
        Failure::BadInput { diagnostics, .. } => {
            let mut errors = diagnostics.iter().filter(|finding| finding.severity == Severity::Error);
            errors.next().map_or(String::new(), |finding| finding.message.clone())
        }
        Failure::DoesNotFit(report) | Failure::StandsStill(report) => report.replace('\n', " ").trim().to_owned(),
    }
}

/// Turns a difference or rejection that has a reason in `reasons.txt` into [`Outcome::Excepted`].
fn with_reason(name: &str, outcome: Outcome) -> Outcome {
    let reason = REASONS.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let (own, reason) = line.split_once(" | ")?;
        (own.trim() == name).then(|| reason.trim().to_owned())
    });
    match (outcome, reason) {
        (Outcome::Refused(_), Some(reason)) if reason.starts_with("refused:") => Outcome::Excepted(reason),
        (Outcome::Differs(_), Some(reason)) if !reason.starts_with("refused:") => Outcome::Excepted(reason),
        (outcome, _) => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_for_a_different_program() {
        let rows: Vec<&str> = REASONS.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
        let mut names: Vec<&str> =
            rows.iter().map(|row| row.split_once(" | ").expect("a name and a reason").0).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "a name occurs twice");
    }

    #[test]
    fn a_reason_covers_only_its_kind_of_outcome() {
        let differs = || Outcome::Differs(vec!["+ /x: 1".to_owned()]);
        assert!(matches!(with_reason("issue2735-bmv2.p4", differs()), Outcome::Excepted(_)));
        assert_eq!(with_reason("issue5035.p4", differs()), differs(), "the reason is for a rejected program");
        assert_eq!(with_reason("another.p4", differs()), differs());
        assert_eq!(with_reason("issue2735-bmv2.p4", Outcome::Equal), Outcome::Equal);
    }
}
