//! Reading a plan: everything that is wrong with it, each at its place.

use diagnostics::Sources;

use super::experiment::Experiment;
use super::{Method, sections};
use diagnostics::Failure;
use plans::{Entries, Findings, hint, parse};

/// The files of published numbers that plans may name, with their texts, which are JSON.
pub type Files<'f> = &'f [(&'f str, &'f str)];

/// Reads a plan that is called `name` and whose text stands in the file that diagnostics call `path`. With `is_quick`
/// only the values under `[quick]` are kept.
///
/// # Errors
/// Everything that is wrong with it: what is no TOML, unknown entries, methods, axes, values, measures, published
/// numbers that are not there.
pub fn read(
    name: &str,
    path: &str,
    text: &str,
    is_quick: bool,
    methods: &[Box<dyn Method + '_>],
    files: Files<'_>,
) -> Result<Experiment, Failure> {
    let mut sources = Sources::new();
    let id = sources.add(path, text);
    let (table, mut found) = parse(text, id);
    let mut experiment = Experiment { name: name.to_owned(), text: text.to_owned(), ..Experiment::default() };
    // What stands behind a mistake of syntax is read as far as it goes, but not what it would mean.
    if !found.has_errors() {
        let findings = Findings::new(id);
        let entries = Entries::of(&findings, "a plan", &table, 0..0);
        experiment_of(entries, &mut experiment, is_quick, methods, files, &findings);
        found.extend(findings.end());
    }
    found.into_result(experiment).map_err(|diagnostics| {
        let diagnostics = diagnostics.at_characters(&sources);
        Failure::BadInput { sources, diagnostics }
    })
}

fn experiment_of(
    entries: Entries<'_>,
    experiment: &mut Experiment,
    is_quick: bool,
    methods: &[Box<dyn Method + '_>],
    files: Files<'_>,
    findings: &Findings,
) {
    experiment.title = entries.required_text("title").0;
    experiment.hypothesis = entries.text("hypothesis").unwrap_or_default().0;
    experiment.differs = entries.text("differs").unwrap_or_default().0;
    if let Some(source) = entries.table("source") {
        experiment.source.paper = source.required_text("paper").0;
        experiment.source.place = source.required_text("place").0;
        source.end();
    } else {
        entries.require("source", "[source] with `paper` and `place`");
    }
    let (name, span) = entries.required_text("method");
    let method = methods.iter().find(|method| method.name() == name);
    if method.is_none() && entries.has("method") {
        let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
        let hint = hint(&name, names.iter().copied(), &format!("there are {}", names.join(", ")));
        findings.error(&span, format!("there is no method `{name}`"), hint);
    }
    experiment.method = name;
    let known = sections::MethodNames::of(method.map(|method| &**method), findings);
    experiment.sweeps = known.sweeps(&entries);
    experiment.tolerance = sections::tolerance(&entries);
    experiment.published = entries.tables("published").into_iter().map(|entry| known.published(entry, files)).collect();
    experiment.claims = entries.tables("claim").into_iter().map(|entry| known.claim(entry)).collect();
    experiment.figures =
        entries.tables("figure").into_iter().map(|entry| known.figure(entry, &experiment.sweeps)).collect();
    experiment.tables = entries.tables("table").into_iter().map(|entry| known.table(entry)).collect();
    if let Some(quick) = entries.table("quick") {
        let kept = known.selection(quick);
        if is_quick {
            experiment.keep(&kept);
        }
    }
    entries.end();
}
