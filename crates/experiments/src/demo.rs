//! The main job: one program on real packets at line rate, on three machines, as a table and as a page.

use std::path::Path;

use basis::Duration;
use equivalence::Verdict;
use traffic::Traffic;

use crate::failure::Failure;
use crate::fit::FitReport;
use crate::loaded::LoadedProgram;
use crate::machine::{Architecture, MachinePlan};
use crate::manifest::Manifest;
use crate::report::{Bar, Curve, Figure, Page, Table, bars, curves};
use crate::run::{Outcome, Run};

/// What the main job found.
pub struct Demo {
    /// What was done, in a sentence.
    pub summary: String,
    /// The table, for a terminal and for the page.
    pub table: Table,
    /// The page.
    pub page: Page,
}

const HEADER: [&str; 7] = [
    "machine",
    "throughput / line rate",
    "overtaking packets",
    "registers",
    "packets",
    "longest queue",
    "recirculations",
];

const EXPLANATIONS: [(&str, &str); 6] = [
    (
        "throughput / line rate",
        "Packets out per time against packets in per time; the packets come at line rate. The time through an empty \
         machine does not count.",
    ),
    (
        "overtaking packets",
        "Packets whose access to state came before that of a packet which arrived earlier (MP5's condition C1). \
         One is enough to change what the program computes.",
    ),
    ("registers", "The program's registers at the end, against the interpreter, which defines what the program means."),
    ("packets", "Every field of every packet that left, against the interpreter."),
    ("longest queue", "The most packets, placeholders among them, that waited in front of one stage of one pipeline."),
    ("recirculations", "Passes through a pipeline after a packet's first."),
];

/// Runs a program on the packets of `traffic` on one pipeline, on an MP5 with `pipelines` pipelines, and on a switch
/// that recirculates.
///
/// # Errors
/// A bad capture, or a program that one of the machines cannot hold.
pub fn demo(loaded: &LoadedProgram, traffic: &Traffic, pipelines: usize) -> Result<Demo, Failure> {
    let mut outcomes = Vec::new();
    for architecture in Architecture::ALL {
        let mut plan = MachinePlan::new(architecture);
        plan.parameters.pipelines = pipelines;
        plan.parameters.ports = traffic.ports;
        outcomes.push(Run { loaded, plan, traffic }.go()?);
    }
    let name = &loaded.program.name;
    let packets = outcomes[0].comparison.packets;
    let gigabits = pipelines as f64 * 64.0 * 8.0 / Duration::from_nanoseconds(1).seconds() * 1e-9;
    let summary = format!(
        "`{name}` on {packets} packets of {}, offered without gaps at the line rate of {pipelines} pipelines \
         ({gigabits:.0} Gbit/s in 64-byte packets).",
        match &traffic.kind {
            traffic::Kind::Capture(replay) => file_name(&replay.input.to_string()),
            _ => traffic.to_string(),
        }
    );
    let table = Table { header: HEADER.map(str::to_owned).to_vec(), rows: outcomes.iter().map(row).collect() };
    let page = page(loaded, traffic, &outcomes, &summary, table.clone());
    Ok(Demo { summary, table, page })
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// What people call the machine.
fn title(outcome: &Outcome) -> String {
    let k = outcome.plan.parameters.pipelines;
    match outcome.plan.architecture {
        Architecture::Banzai => format!("one pipeline, {k} x as fast"),
        Architecture::Mp5 => format!("MP5, {k} pipelines"),
        Architecture::Recirculating => format!("recirculating, {k} pipelines"),
    }
}

fn row(outcome: &Outcome) -> Vec<String> {
    let comparison = &outcome.comparison;
    let same = |different: u64| match (&comparison.verdict, different) {
        (Verdict::Excluded { .. } | Verdict::Unaccounted { .. }, _) => comparison.verdict.to_string(),
        (_, 0) => "same".to_owned(),
        (_, different) => format!("{different} differ"),
    };
    vec![
        title(outcome),
        format!("{:.1} %", 100.0 * comparison.throughput),
        comparison.access_violations.to_string(),
        same(comparison.different_registers),
        same(comparison.different_packets),
        comparison.machine.largest_queue.to_string(),
        comparison.machine.recirculations.to_string(),
    ]
}

fn page(loaded: &LoadedProgram, traffic: &Traffic, outcomes: &[Outcome], summary: &str, table: Table) -> Page {
    let bar = |outcome: &Outcome, value: f64, label: String| Bar { name: title(outcome), value, label };
    let throughput: Vec<Bar> = outcomes
        .iter()
        .map(|outcome| {
            let percent = 100.0 * outcome.comparison.throughput;
            bar(outcome, percent, format!("{percent:.1} %"))
        })
        .collect();
    let overtaking: Vec<Bar> = outcomes
        .iter()
        .map(|outcome| {
            let share = 100.0 * outcome.comparison.access_violations as f64 / outcome.comparison.packets.max(1) as f64;
            bar(outcome, share, format!("{share:.1} %"))
        })
        .collect();
    let most = overtaking.iter().map(|bar| bar.value).fold(1.0, f64::max);
    let mut lines = vec![Curve { name: "offered at line rate".to_owned(), points: outcomes[0].arrivals.points() }];
    lines.extend(
        outcomes.iter().map(|outcome| Curve { name: title(outcome), points: outcome.departures.points() }),
    );
    let figure = |title: &str, caption: &str, svg: String| Figure {
        title: title.to_owned(),
        caption: caption.to_owned(),
        svg,
    };
    let mp5 = outcomes.iter().find(|outcome| outcome.plan.architecture == Architecture::Mp5);
    let map = mp5.map(|outcome| FitReport::of(&outcome.compiled, &outcome.plan).to_string()).unwrap_or_default();
    let mut manifest = Manifest::new("demo", traffic, &loaded.inputs);
    for outcome in outcomes {
        manifest.machine(&outcome.plan);
        manifest.result(&title(outcome), &outcome.comparison);
    }
    Page {
        title: format!("Polyplane: {} on three switch architectures", loaded.program.name),
        summary: vec![
            summary.to_owned(),
            "Each machine is stepped cycle by cycle and held, packet by packet, against the interpreter, which \
             defines what the program means."
                .to_owned(),
        ],
        table,
        explanations: EXPLANATIONS.map(|(term, meaning)| (term.to_owned(), meaning.to_owned())).to_vec(),
        figures: vec![
            figure("Throughput", "Share of line rate that each machine sustains.", bars(&throughput, 100.0, "% of line rate")),
            figure(
                "State accessed out of order",
                "Share of packets that accessed a register before a packet which had arrived earlier.",
                bars(&overtaking, most, "% of packets"),
            ),
            figure(
                "Packets out over time",
                "A machine that keeps up runs along the offered line; one that does not falls behind and drains late.",
                curves(&lines, "microseconds", "packets"),
            ),
        ],
        texts: vec![("The program on MP5, stage by stage".to_owned(), map)],
        manifest: manifest.to_text(),
    }
}
