//! Checks that faulty programs are rejected at the right place.

use std::fs;
use std::path::Path;

use arch::V1MODEL;
use diagnostics::{Diagnostics, Severity, Sources};

use super::case::{Task, Verdict};
use super::run::is_for_v1model;
use workbench::{LoadOptions, LoadedProgram, ParsedP4, add_file};

/// Checks that a program is rejected at a line that the compiler's own error output names.
pub(super) fn refusal(task: &Task, headers: &Path) -> Verdict {
    let answer = fs::read_to_string(&task.beside).unwrap_or_default();
    let wanted = wanted_lines(&answer, &task.name);
    let mut sources = Sources::new();
    let found = errors(&mut sources, task, headers);
    if found.is_empty() {
        return match answer.contains("error") {
            true => Verdict::Failed(format!("accepted; the compiler says: {}", first_error(&answer))),
            false => Verdict::Excluded("the compiler itself reports no error, only warnings".to_owned()),
        };
    }
    let here = |(file, line, _): &&(String, usize, String)| *file == task.name && wanted.contains(line);
    if wanted.is_empty() || found.iter().any(|error| here(&error)) {
        return Verdict::Passed;
    }
    let (file, line, message) = &found[0];
    Verdict::Failed(format!("rejected at {file}:{line} ({message}); the compiler says: {}", first_error(&answer)))
}

/// Returns the errors in a program as file, line and message, one for every place that an error shows.
fn errors(sources: &mut Sources, task: &Task, headers: &Path) -> Vec<(String, usize, String)> {
    let folders = ["", "bmv2", "dpdk", "tc"];
    let search_paths = folders.iter().map(|folder| headers.join(folder)).collect();
    let options = LoadOptions { search_paths, ..LoadOptions::default() };
    let refused = add_file(sources, &task.program).and_then(|main| {
        let read = ParsedP4::with_files(sources, main, &options, &WithoutOurHeaders)?;
        read.check()?;
        // Only programs for v1model are lowered; those for other architectures are only checked.
        if is_for_v1model(sources) && has_switch(sources) {
            LoadedProgram::of_read(sources, main, &read)?;
        }
        Ok::<(), Diagnostics>(())
    });
    let Err(findings) = refused else { return Vec::new() };
    let mut errors = Vec::new();
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
        let related = finding.related.iter().map(|(span, _)| *span);
        let places: Vec<_> = finding.span.into_iter().chain(related).collect();
        for span in &places {
            let file = last_part(sources.name(span.source)).to_owned();
            errors.push((file, sources.place(*span).0, finding.message.clone()));
        }
        if places.is_empty() {
            errors.push((String::new(), 0, finding.message.clone()));
        }
    }
    errors
}

/// Returns true if a program instantiates a switch. Others are fragments, which cannot be run.
pub(super) fn has_switch(sources: &Sources) -> bool {
    let is_instance = |text: &str| V1MODEL.packages.iter().any(|package| text.contains(package.name));
    sources.iter().any(|(name, text)| !name.contains(V1MODEL.header.name) && is_instance(text))
}

/// Returns the lines of the program itself at which the compiler's output reports errors.
fn wanted_lines(answer: &str, program: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    for line in answer.lines().filter(|line| !line.contains("warning:")) {
        let Some(rest) = line.strip_prefix(program).and_then(|rest| rest.strip_prefix('(')) else { continue };
        let number: Option<usize> = rest.split(')').next().and_then(|number| number.parse().ok());
        lines.extend(number);
    }
    lines
}

fn first_error(answer: &str) -> &str {
    answer.lines().find(|line| line.contains("error")).unwrap_or("nothing")
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The file system without the compiler's copies of `core.p4` and of the architecture's header, so that ours are used.
struct WithoutOurHeaders;

impl p4::Files for WithoutOurHeaders {
    fn read(&self, path: &str) -> Result<Option<String>, String> {
        let ours = path.contains("p4include") && ["core.p4", V1MODEL.header.name].contains(&last_part(path));
        if ours { Ok(None) } else { p4::Disk.read(path) }
    }
}
