//! What a run leaves behind for people and for other tools: a page with figures, tables as CSV, a manifest.

use super::results::{Flow, Outcome};
#[cfg(feature = "parquet")]
use diagnostics::Failure;
use files::Manifest;
use files::PARTIAL;
use report::{Figure, Page, StepChart, Steps, Table, steps};

/// More queues than these are not drawn: the longest are.
const MOST_QUEUES: usize = 6;
/// More flows than these are drawn as a distribution only, and not each.
const MOST_BARS: usize = 64;

/// All files of a run but captures: name and text. The same plan and seed give the same bytes.
pub fn files(outcome: &Outcome) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> =
        outcome.tables.iter().map(|table| (format!("{}.csv", table.name), table.to_csv())).collect();
    files.extend(outcome.trace.iter().map(|trace| ("trace.json".to_owned(), trace.clone())));
    files.push(("plan.toml".to_owned(), outcome.plan.text.clone()));
    let figures = figures(outcome);
    files.extend(figures.iter().map(|figure| (format!("{}.svg", figure.name), figure.svg.clone())));
    let manifest = manifest(outcome, &files);
    files.push(("index.html".to_owned(), page(outcome, figures, &manifest).to_html()));
    files.push(("manifest.txt".to_owned(), manifest));
    files
}

/// The names of all tables and figures.
const TABLES: [&str; 7] = ["flows", "links", "queues", "rates", "counters", "drops", "faults"];
const FIGURES: [&str; 3] = ["completion-times", "goodput", "queues"];

/// Whether a run may write a file of this name: a table, a figure, a capture, the page, the plan, a trace, a checkpoint.
pub fn is_result(name: &str) -> bool {
    let is_one_of = |names: &[&str], ending| name.strip_suffix(ending).is_some_and(|stem| names.contains(&stem));
    let port = name.strip_suffix(".pcapng").and_then(|stem| Some(stem.rsplit_once("-port-")?.1));
    is_one_of(&TABLES, ".csv")
        || is_one_of(&TABLES, ".parquet")
        || is_one_of(&FIGURES, ".svg")
        || port.is_some_and(|port| port.parse::<u16>().is_ok())
        || ["index.html", "plan.toml", "trace.json", "checkpoint.bin"].contains(&name)
}

/// The tables as Parquet: name and bytes.
///
/// # Errors
/// What the library says, of which nothing is known that could cause it.
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

fn page(outcome: &Outcome, figures: Vec<Figure>, manifest: &str) -> Page {
    let summary = &outcome.summary;
    let rows = summary.rows().into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
    let counters = summary.counters.iter().filter(|(_, value)| **value > 0);
    let counters: String = counters.map(|(name, value)| format!("{value:>12}  {name}\n")).collect();
    let mut texts = vec![
        ("Counters, summed over all stations".to_owned(), counters),
        ("Plan, with all defaults".to_owned(), outcome.plan.text.clone()),
    ];
    if outcome.unfinished.count > 0 {
        texts.insert(0, ("Unfinished".to_owned(), outcome.unfinished.text()));
    }
    if let Some(defect) = &outcome.defect {
        texts.insert(0, ("Packets were not conserved".to_owned(), defect.clone()));
    }
    Page {
        title: outcome.plan.title.clone(),
        summary: vec![format!("{}. Seed {}.", summary.network, outcome.plan.seed)],
        tables: vec![("Results".to_owned(), Table { header: vec![String::new(); 2], rows })],
        explanations: [
            ("completion time", "from the start of a flow until its receiver has every byte"),
            ("slowdown", "that time over the time that the flow would take if it were alone in the network"),
            ("goodput", "bytes of messages, without headers, over the time"),
            ("hops", "packets put on lines: a packet counts once for each line on its way"),
        ]
        .map(|(term, meaning)| (term.to_owned(), meaning.to_owned()))
        .to_vec(),
        figures,
        texts,
        manifest: manifest.to_owned(),
    }
}

fn figures(outcome: &Outcome) -> Vec<Figure> {
    let mut figures = vec![completion_times(&outcome.flows), goodputs(&outcome.flows)];
    figures.extend(queues(outcome));
    figures
}

fn completion_times(flows: &[Flow]) -> Figure {
    let times = flows.iter().filter_map(|flow| Some(flow.completion_time()?.picoseconds() as f64 * 1e-6)).collect();
    let chart = StepChart {
        curves: vec![Steps::distribution("flows", times)],
        x_label: "flow completion time (us)".into(),
        y_label: "part of the flows".into(),
        is_from_zero: false,
    };
    Figure {
        name: "completion-times".into(),
        title: "Flow completion times".into(),
        caption: "Which part of the delivered flows took no longer.".into(),
        svg: steps(&chart),
    }
}

fn goodputs(flows: &[Flow]) -> Figure {
    let goodputs: Vec<f64> = flows.iter().filter_map(|flow| Some(flow.goodput()? / 1e9)).collect();
    let (chart, caption) = if goodputs.len() <= MOST_BARS {
        let mut points: Vec<(f64, f64)> = goodputs.iter().zip(0u32..).map(|(&y, flow)| (f64::from(flow), y)).collect();
        points.extend(points.last().map(|&(x, y)| (x + 1.0, y)));
        let chart = StepChart {
            curves: vec![Steps { name: "flows".into(), points }],
            x_label: "flow, in the order in which they started".into(),
            y_label: "goodput (Gb/s)".into(),
            is_from_zero: true,
        };
        (chart, "Bytes of each flow over the time from its start to its delivery.")
    } else {
        let chart = StepChart {
            curves: vec![Steps::distribution("flows", goodputs)],
            x_label: "goodput (Gb/s)".into(),
            y_label: "part of the flows".into(),
            is_from_zero: true,
        };
        (chart, "Which part of the flows had no more; bytes over the time from start to delivery.")
    };
    Figure { name: "goodput".into(), title: "Goodput per flow".into(), caption: caption.into(), svg: steps(&chart) }
}

fn queues(outcome: &Outcome) -> Option<Figure> {
    let mut queues = outcome.series.queues();
    let all = queues.len();
    let longest = |queue: &(&str, Vec<(basis::Instant, u64)>)| queue.1.iter().map(|point| point.1).max().unwrap_or(0);
    queues.retain(|queue| longest(queue) > 0);
    // Sorting is stable: queues of one length stay in the order of their places.
    queues.sort_by_key(|queue| std::cmp::Reverse(longest(queue)));
    queues.truncate(MOST_QUEUES);
    if queues.is_empty() {
        return None;
    }
    let microseconds = |at: basis::Instant| at.picoseconds() as f64 * 1e-6;
    let curve = |(name, lengths): (&str, Vec<(basis::Instant, u64)>)| {
        let points = lengths.into_iter().map(|(at, bytes)| (microseconds(at), bytes as f64 / 1000.0));
        Steps { name: name.to_owned(), points: std::iter::once((0.0, 0.0)).chain(points).collect() }
    };
    let chart = StepChart {
        curves: queues.into_iter().map(curve).collect(),
        x_label: "time (us)".into(),
        y_label: "queue (kB on the wire)".into(),
        is_from_zero: true,
    };
    let every = outcome.plan.probes.every.unwrap_or_default().picoseconds() as f64 * 1e-6;
    Some(Figure {
        name: "queues".into(),
        title: "Queues over time".into(),
        caption: format!("The longest of the {all} queues that were looked at, every {every} us."),
        svg: steps(&chart),
    })
}
