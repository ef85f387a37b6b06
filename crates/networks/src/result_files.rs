//! The files that a run leaves for people and for other tools: a page with figures, tables as CSV, a manifest.

use super::page;
use super::results::Outcome;
#[cfg(feature = "parquet")]
use diagnostics::Failure;
use files::Manifest;
use files::PARTIAL;

/// All files of a run but captures: name and text. The same plan and seed give the same bytes.
pub fn files(outcome: &Outcome) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> =
        outcome.tables.iter().map(|table| (format!("{}.csv", table.name), table.to_csv())).collect();
    files.extend(outcome.trace.iter().map(|trace| ("trace.json".to_owned(), trace.clone())));
    files.push(("plan.toml".to_owned(), outcome.plan.text.clone()));
    let mut page = page::of(outcome);
    files.extend(page.figures().map(|figure| (format!("{}.svg", figure.name), figure.svg.clone())));
    page.manifest = manifest(outcome, &files);
    files.push(("index.html".to_owned(), page.to_html()));
    files.push(("manifest.txt".to_owned(), page.manifest));
    files
}

/// The names of all tables and figures.
const TABLES: [&str; 16] = [
    "flows",
    "jobs",
    "stragglers",
    "links",
    "queues",
    "rates",
    "flow-series",
    "registers",
    "windows",
    "arrivals",
    "counters",
    "drops",
    "faults",
    "window-queues",
    "window-registers",
    "window-arrivals",
];
const FIGURES: [&str; 12] = [
    "completion-times",
    "goodput",
    "network",
    "queues",
    "rates",
    "flow-acknowledged",
    "flow-rates",
    "flow-windows",
    "flow-sending-rates",
    "flow-round-trips",
    "arrivals",
    "registers",
];
/// Figures of which there may be several: their names end in numbers.
const NUMBERED_FIGURES: [&str; 3] = ["queues-by-port-", "rates-by-port-", "window-"];

/// Returns true if a run may write a file of this name: a table, a figure, a capture, the page, the plan, a trace, a
/// checkpoint.
pub fn is_result(name: &str) -> bool {
    let is_one_of = |names: &[&str], ending| name.strip_suffix(ending).is_some_and(|stem| names.contains(&stem));
    let is_number = |text: &str| text.parse::<u16>().is_ok();
    let figure = name.strip_suffix(".svg").unwrap_or_default();
    let port = name.strip_suffix(".pcapng").and_then(|stem| Some(stem.rsplit_once("-port-")?.1));
    is_one_of(&TABLES, ".csv")
        || is_one_of(&TABLES, ".parquet")
        || is_one_of(&FIGURES, ".svg")
        || NUMBERED_FIGURES.iter().any(|stem| figure.strip_prefix(stem).is_some_and(is_number))
        || port.is_some_and(is_number)
        || ["index.html", "plan.toml", "trace.json", "checkpoint.bin"].contains(&name)
}

/// The tables as Parquet: name and bytes.
///
/// # Errors
/// If the library fails; no table is known that makes it fail.
#[cfg(feature = "parquet")]
pub fn parquet_files(outcome: &Outcome) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let file = |table: &report::Columns| {
        let bytes = report::to_parquet(table).map_err(|error| Failure::plain(error.to_string()))?;
        Ok((format!("{}.parquet", table.name), bytes))
    };
    outcome.tables.iter().map(file).collect()
}

fn manifest(outcome: &Outcome, files: &[(String, String)]) -> String {
    let mut manifest = Manifest::of_inputs("sim", &outcome.inputs);
    manifest.parameter("plan", &outcome.plan.name);
    manifest.parameter("seed", &outcome.plan.seed.to_string());
    for (name, text) in files {
        manifest.output(name, text.as_bytes());
    }
    for path in &outcome.captures {
        // What cannot be read any more leaves no hash, and that is the truth.
        if let (Ok(bytes), Some(name)) = (std::fs::read(path), path.file_name()) {
            manifest.output(name.to_string_lossy().trim_end_matches(PARTIAL), &bytes);
        }
    }
    manifest.to_text()
}
