//! The main job: one program on real packets at line rate, on three machines, as a table and as a page.

use basis::Duration;
use equivalence::{Comparison, Verdict};
use serde::Serialize;
use traffic::{Input, Pace, Replay, Traffic, TrafficSource};

use diagnostics::Failure;
use files::Manifest;
use report::{Axis, Bar, Block, Curve, CurveChart, Figure, Page, Quantity, Section, Table, bars, curves};
use workbench::FitReport;
use workbench::LoadedProgram;
use workbench::MachinePlan;
use workbench::kinds::{self, Given, Settings};
use workbench::run::{Compared, Offer, Run};

/// The results of the main job.
pub struct Demo {
    /// The run, in a sentence.
    pub summary: String,
    /// The results of each pace of the packets: a heading and its table.
    pub tables: Vec<(String, Table)>,
    /// The page.
    pub page: Page,
    /// Everything that was measured, for scripts.
    pub results: Vec<Measurement>,
}

/// One machine on the packets at one pace.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// The pace, as the heading of its table.
    pub pace: String,
    /// The packets, as a plan that gives them again.
    pub traffic: String,
    /// The machine.
    pub machine: String,
    /// The throughput that no machine of parallel pipelines can exceed on these packets, as a share of line rate.
    pub cap: f64,
    /// The outcome.
    pub comparison: Comparison,
}

/// One machine on the packets.
struct Outcome {
    plan: MachinePlan,
    outcome: Compared,
}

/// Every machine on the packets at one pace.
struct Act {
    /// For names of files.
    name: &'static str,
    heading: String,
    traffic: Traffic,
    outcomes: Vec<Outcome>,
    /// The share of line rate that the busiest register value allows.
    cap: f64,
}

/// The colour of what was offered; machines have the first colours, in their order.
const OFFERED: usize = 6;

const HEADER: [&str; 8] = [
    "machine",
    "throughput / line rate",
    "at most",
    "overtaking packets",
    "registers",
    "packets",
    "longest queue",
    "recirculations",
];

const EXPLANATIONS: [(&str, &str); 7] = [
    (
        "throughput / line rate",
        "Packets out per time against packets in per time; the packets come at line rate. The time through an empty \
         machine does not count.",
    ),
    (
        "at most",
        "What no machine of parallel pipelines can exceed on these packets: a register value takes one access a \
         cycle, however many pipelines there are, and every packet of a flow needs the same one.",
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

/// Runs a program on a capture's packets at line rate, on one pipeline, on an MP5 with `pipelines` pipelines, and on a
/// switch that recirculates; then once more as if every packet had 64 bytes, the most that the ports can bring.
///
/// # Errors
/// A bad capture, or a program that one of the machines cannot hold.
pub fn demo(loaded: &LoadedProgram, capture: &Input, pipelines: usize) -> Result<Demo, Failure> {
    let mut acts = Vec::new();
    let mut given = Given::default();
    given.push(kinds::PIPELINES, pipelines.to_string())?;
    given.push(kinds::PORTS, Traffic::PORTS.to_string())?;
    for (pace, name, heading) in [
        (Pace::LineRate, "line-rate", "at line rate, packets as long as they were captured"),
        (Pace::LineRateOf64Bytes, "64-bytes", "at line rate, every packet cut to 64 bytes: the worst case"),
    ] {
        let replay = Replay { pace, ..Replay::of(capture.clone()) };
        let traffic = Traffic::new(TrafficSource::Capture(replay));
        let mut outcomes = Vec::new();
        let mut cap = 1.0;
        for machine in kinds::ALL {
            let settings = Settings { given: given.clone(), packets: None };
            let Some(plan) = machine.pipelines(loaded, &settings)? else { continue };
            let offer = Offer::planned(traffic.clone(), loaded, plan.line_rate())?;
            let ready = Run { settings, seed: traffic.seed, ..Run::new(loaded, machine, offer) }.ready(None)?;
            if plan.is_parallel() {
                cap = ready.cap();
            }
            let (outcome, _) = ready.compared()?;
            outcomes.push(Outcome { plan, outcome });
        }
        acts.push(Act { name, heading: heading.to_owned(), outcomes, cap, traffic });
    }
    let name = &loaded.program.name;
    let packets = acts[0].outcomes[0].outcome.comparison.packets;
    let gigabits = pipelines as f64 * 64.0 * 8.0 / Duration::from_nanoseconds(1).seconds() * 1e-9;
    let path = capture.to_string();
    let file = path.rsplit('/').next().unwrap_or(&path);
    let summary = format!(
        "`{name}` on the {packets} packets of {file}, offered without gaps at {gigabits:.0} Gbit/s to switches whose \
         pipelines take one packet a nanosecond."
    );
    let tables: Vec<(String, Table)> = acts.iter().map(|act| (act.heading.clone(), act.table())).collect();
    let page = page(loaded, &acts, &summary);
    let results = acts.iter().flat_map(Act::measurements).collect();
    Ok(Demo { summary, tables, page, results })
}

impl Act {
    fn table(&self) -> Table {
        Table {
            header: HEADER.map(str::to_owned).to_vec(),
            rows: self.outcomes.iter().map(|outcome| row(outcome, self.cap)).collect(),
        }
    }

    fn measurements(&self) -> Vec<Measurement> {
        let measurement = |outcome: &Outcome| Measurement {
            pace: self.heading.clone(),
            traffic: self.traffic.to_string(),
            machine: outcome.plan.name.to_owned(),
            cap: self.cap,
            comparison: outcome.outcome.comparison.clone(),
        };
        self.outcomes.iter().map(measurement).collect()
    }

    fn figures(&self) -> Vec<Figure> {
        let bars_of = |value: &dyn Fn(&Outcome) -> f64| -> Vec<Bar> {
            let bar = |(colour, outcome): (usize, &Outcome)| {
                let value = value(outcome);
                Bar { name: title(outcome), value: Some(value), label: format!("{value:.1} %"), colour }
            };
            self.outcomes.iter().enumerate().map(bar).collect()
        };
        let throughput = bars_of(&|outcome| 100.0 * outcome.outcome.comparison.throughput);
        let share = |outcome: &Outcome| {
            100.0 * outcome.outcome.comparison.access_violations as f64
                / outcome.outcome.comparison.packets.max(1) as f64
        };
        let overtaking = bars_of(&share);
        let most = overtaking.iter().filter_map(|bar| bar.value).fold(1.0, f64::max);
        let figure = |title: &str, caption: &str, svg: String| Figure {
            name: format!("{}-{}", title.to_lowercase().replace(' ', "-"), self.name),
            title: title.to_owned(),
            caption: caption.to_owned(),
            svg,
            is_wide: false,
        };
        vec![
            figure(
                "Throughput",
                "The share of line rate that each machine sustains.",
                bars(&throughput, 100.0, "% of line rate"),
            ),
            figure(
                "State accessed out of order",
                "The share of packets that accessed a register before a packet which had arrived earlier.",
                bars(&overtaking, most, "% of packets"),
            ),
            figure(
                "Packets out over time",
                "A machine that keeps up runs along the offered line; one that does not falls behind and drains late.",
                curves(&self.packets_over_time()),
            ),
        ]
    }

    fn packets_over_time(&self) -> CurveChart {
        // Points are in microseconds.
        let curve = |name: String, colour, points: Vec<(f64, f64)>| Curve {
            name,
            colour,
            points: points.into_iter().map(|(at, packets)| (at * 1e-6, packets)).collect(),
        };
        let offered = curve("offered at line rate".to_owned(), OFFERED, self.outcomes[0].outcome.arrivals.points());
        let left =
            |(colour, outcome): (usize, &Outcome)| curve(title(outcome), colour, outcome.outcome.departures.points());
        CurveChart {
            curves: std::iter::once(offered).chain(self.outcomes.iter().enumerate().map(left)).collect(),
            x: Axis::new("time", Quantity::Time),
            y: Axis::new("packets", Quantity::Count),
            are_steps: false,
            is_from_zero: true,
            marks: Vec::new(),
            published: Vec::new(),
        }
    }

    fn section(&self) -> Section {
        let mut heading = self.heading.clone();
        heading[..1].make_ascii_uppercase();
        Section::new(heading, vec![Block::Table(self.table()), Block::Figures(self.figures())])
    }
}

/// Returns the name of the machine for people.
fn title(outcome: &Outcome) -> String {
    let (plan, k) = (&outcome.plan, outcome.plan.parameters.pipelines());
    if plan.is_parallel() { format!("{}, {k} pipelines", plan.title) } else { format!("one pipeline, {k} x as fast") }
}

fn row(outcome: &Outcome, cap: f64) -> Vec<String> {
    let comparison = &outcome.outcome.comparison;
    let same = |different: u64| match (&comparison.verdict, different) {
        (Verdict::Excluded { .. } | Verdict::Unfinished { .. } | Verdict::Unaccounted { .. }, _) => {
            comparison.verdict.to_string()
        }
        (_, 0) => "same".to_owned(),
        (_, different) => format!("{different} differ"),
    };
    let cap = if outcome.plan.is_parallel() { cap } else { 1.0 };
    vec![
        title(outcome),
        format!("{:.1} %", 100.0 * comparison.throughput),
        format!("{:.1} %", 100.0 * cap),
        comparison.access_violations.to_string(),
        same(comparison.different_registers),
        same(comparison.different_packets),
        comparison.machine.largest_queue.to_string(),
        comparison.machine.recirculations.to_string(),
    ]
}

fn page(loaded: &LoadedProgram, acts: &[Act], summary: &str) -> Page {
    let parallel = acts[0].outcomes.iter().find(|outcome| outcome.plan.is_parallel());
    let fitted = parallel.and_then(|outcome| Some(FitReport::of(outcome.outcome.fitted.compiled()?, &outcome.plan)));
    let map = fitted.map(|report| report.to_string()).unwrap_or_default();
    let mut manifests = String::new();
    for act in acts {
        let mut manifest = Manifest::new("demo", &act.traffic, &loaded.inputs);
        for outcome in &act.outcomes {
            manifest.parameter(outcome.plan.name, &outcome.plan.described());
            manifest.comparison(&title(outcome), &outcome.outcome.comparison);
        }
        manifests.push_str(&manifest.to_text());
        manifests.push('\n');
    }
    let paragraph = |text: &str| Block::Paragraph(String::new(), text.to_owned());
    let terms = EXPLANATIONS.map(|(term, meaning)| (term.to_owned(), meaning.to_owned())).to_vec();
    let mut sections: Vec<Section> = acts.iter().map(Act::section).collect();
    sections.push(Section::new("What the columns mean", vec![Block::Terms(terms)]));
    sections.push(Section::new("The program on MP5, stage by stage", vec![Block::Text(map)]));
    Page {
        title: format!("Polyplane: {} on three switch architectures", loaded.program.name),
        summary: vec![
            paragraph(summary),
            paragraph(
                "Each machine is stepped cycle by cycle and held, packet by packet, against the interpreter, which \
                 defines what the program means.",
            ),
        ],
        cards: Vec::new(),
        sections,
        manifest: manifests,
    }
}
