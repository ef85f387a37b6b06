//! Traces outside the project: every pair of files of the published format below a folder, compared with the results in
//! the same folder, as in the artifact.
//!
//! Besides traces, a folder of the artifact has `results_KIND_OPTION.dat` (throughput) and
//! `results_KIND_OPTION_queuing.dat` (largest queue), with a value of the axis and a number per line. No file names the
//! axis: it is the one in which the folder's traces differ.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use traffic::{Input, PublishedSizes};

use super::traces::{Origin, TraceSource, distinct};
use crate::mp5::streams::{Contender, Pattern, PublishedShape};
use diagnostics::Failure;
use experiments::plan::{Experiment, Published, Selection, Source, SweepPlan, Tolerance};
use files::fingerprint;
use plans::Value;

/// The name in plans of the method for these traces.
pub(super) const METHOD: &str = "traces-found";

/// A trace, and the folder of its results.
pub struct Found {
    pub(super) source: TraceSource,
    folder: PathBuf,
}

/// The options of the artifact with their contenders.
const OPTIONS: [Contender; 3] = [Contender::Mp5, Contender::Ideal, Contender::NoRemapping];

/// Finds every pair of files of the published format below a folder, in order of their names.
///
/// # Errors
/// Fails if a folder cannot be read or there is no such pair.
pub(super) fn search(folder: &Path) -> Result<Vec<Found>, Failure> {
    let mut found = Vec::new();
    search_within(folder, folder, &mut found)?;
    if found.is_empty() {
        return Err(Failure::plain(format!(
            "there is no trace below {}: a trace is a pair such as flows_64_4_16_4_512_64.csv and \
             uniform_64_4_16_4_512_64.csv",
            folder.display()
        )));
    }
    Ok(found)
}

fn search_within(root: &Path, folder: &Path, found: &mut Vec<Found>) -> Result<(), Failure> {
    let unreadable =
        |path: &Path, error: &std::io::Error| Failure::plain(format!("cannot read {}: {error}", path.display()));
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut paths: Vec<PathBuf> =
        entries.map_err(|error| unreadable(folder, &error))?.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    for path in paths {
        // Links are not followed, as they might form a cycle.
        if path.is_dir() && !path.is_symlink() {
            search_within(root, &path, found)?;
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let kind = name.split_once('_').map_or("", |(kind, _)| kind);
        let (Some(pattern), Some(shape)) = (Pattern::from_name(kind), PublishedShape::from_name(&name)) else {
            continue;
        };
        let flows = folder.join(shape.file_name("flows"));
        if let Some(fault) = shape.faults().first() {
            return Err(Failure::plain(format!("{}: by its name it is for {fault}", path.display())));
        }
        if !flows.is_file() {
            let missing = shape.file_name("flows");
            return Err(Failure::plain(format!("{}: its flows are not beside it, in {missing}", path.display())));
        }
        let read = |path: &Path| fs::read(path).map_err(|error| unreadable(path, &error));
        let all = [read(&flows)?, read(&path)?].concat();
        let of_root = folder.strip_prefix(root).unwrap_or(folder).display().to_string();
        let of_root = if of_root.is_empty() { ".".to_owned() } else { of_root };
        let fingerprint = fingerprint(&all);
        let (flows, packets) = (Input::Path(flows), Input::Path(path));
        let origin = Origin::Files { flows, packets, fingerprint };
        let source = TraceSource { folder: of_root, shape, pattern, origin };
        found.push(Found { source, folder: folder.to_owned() });
    }
    Ok(())
}

/// Makes the experiment of the traces found: all options under the artifact's rules, compared with the results in their
/// folders.
///
/// # Errors
/// Fails if a line of a file of results is invalid.
pub fn found_experiment(found: &[Found]) -> Result<Experiment, Failure> {
    let mut experiment = Experiment {
        name: "traces-found".to_owned(),
        title: "Traces that are not in the project".to_owned(),
        source: Source { paper: "MP5".to_owned(), place: "traces of --traces, results beside them".to_owned() },
        method: METHOD.to_owned(),
        hypothesis:
            "Under the artifact's rules every trace of the published format gives what the published simulator \
                     gave on it."
                .to_owned(),
        tolerance: Tolerance {
            absolute: 0.005,
            why: "The same traces under the same rules: what remains must be less than what anybody would read from a \
                  figure. Queues must be the same to the packet."
                .to_owned(),
            ..Tolerance::default()
        },
        ..Experiment::default()
    };
    let words = |words: Vec<String>| words.into_iter().map(Value::Word).collect::<Vec<_>>();
    for folder in distinct(found.iter().map(|found| found.source.folder.clone())) {
        let within: Vec<&Found> = found.iter().filter(|found| found.source.folder == folder).collect();
        for pattern in Pattern::ALL {
            let of_pattern: Vec<&TraceSource> =
                within.iter().map(|found| &found.source).filter(|source| source.pattern == pattern).collect();
            if of_pattern.is_empty() {
                continue;
            }
            let axes = [
                ("folder", vec![folder.clone()]),
                ("trace", of_pattern.iter().map(|source| source.trace()).collect()),
                ("pattern", vec![pattern.name().to_owned()]),
                ("contender", OPTIONS.map(|contender| contender.name().to_owned()).to_vec()),
                ("rules", vec!["artifact".to_owned()]),
            ];
            let axes = axes.into_iter().map(|(name, values)| (name.to_owned(), words(values))).collect();
            experiment.sweeps.push(SweepPlan { axes });
            experiment.published.extend(results(&folder, &within[0].folder, pattern, &of_pattern)?);
        }
    }
    let texts = experiment.published.iter().flat_map(|published| &published.points);
    // The text covers everything that results depend on, as it goes into the hash of the journal.
    experiment.text = texts.map(|(value, number)| format!("{value} {number}\n")).collect();
    Ok(experiment)
}

/// Reads the results of the traces of one pattern.
fn results(folder: &str, path: &Path, pattern: Pattern, sources: &[&TraceSource]) -> Result<Vec<Published>, Failure> {
    let by_axis = by_axis(sources);
    let mut all = Vec::new();
    for (option, contender) in OPTIONS.iter().enumerate() {
        let of_files = [("throughput", "", None), ("largest_queue", "_queuing", Some(0.0))];
        for (measure, suffix, tolerance) in of_files {
            let name = format!("results_{}_{option}{suffix}.dat", pattern.published_name());
            // Not every folder has results.
            let text = fs::read_to_string(path.join(&name)).unwrap_or_default();
            // The files begin with the origin of a plot, `0 0`; without state that is a point as well, and the line
            // that comes later is the result.
            let mut points: Vec<(Value, f64)> = Vec::new();
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let parts = line.split_once(char::is_whitespace);
                let Some((value, Ok(result))) = parts.map(|(value, result)| (value, result.trim().parse::<f64>()))
                else {
                    let place = format!("{}:{}", path.join(&name).display(), number + 1);
                    let what = "a line is a value of the axis and a number";
                    return Err(Failure::plain(format!("{place}: `{line}` is not a result: {what}")));
                };
                // Results of traces that are missing are ignored.
                let Some(trace) = by_axis.get(value) else { continue };
                let (value, number) = (Value::Word(trace.clone()), result);
                points.retain(|(known, _)| *known != value);
                points.push((value, number));
            }
            if points.is_empty() {
                continue;
            }
            let word = |word: &str| vec![Value::from(word)];
            let axes = [("folder", folder), ("pattern", pattern.name()), ("contender", contender.name())];
            let selection = Selection { axes: axes.map(|(name, value)| (name.to_owned(), word(value))).to_vec() };
            let (measure, axis) = (measure.to_owned(), "trace".to_owned());
            all.push(Published { measure, axis, selection, points, tolerance, ..Published::default() });
        }
    }
    Ok(all)
}

/// Returns the traces of a folder by their value on the axis in which they differ; by pipelines if there is only one.
fn by_axis(sources: &[&TraceSource]) -> BTreeMap<String, String> {
    type Field = fn(&PublishedShape) -> String;
    let fields: [Field; 4] = [
        |shape| shape.pipelines.to_string(),
        |shape| shape.stateful_stages.to_string(),
        |shape| shape.register_size.to_string(),
        |shape| match shape.packet_size {
            PublishedSizes::Fixed(size) => size.to_string(),
            PublishedSizes::Bimodal => "bimodal".to_owned(),
        },
    ];
    let differs = |field: &&Field| distinct(sources.iter().map(|source| field(&source.shape))).len() > 1;
    let field = fields.iter().find(differs).unwrap_or(&fields[0]);
    sources.iter().map(|source| (field(&source.shape), source.trace())).collect()
}
