//! `[probes]`: what is sampled, averaged, captured and traced during a run.

use std::ops::Range;

use basis::{Duration, Instant};
use plans::{Pattern, Section};

use super::condition::Condition;
use super::flow_pattern::{self, FlowPattern};
use super::names::Of;

/// The probes of a run: what is sampled, captured and traced.
#[derive(Clone, Debug, Default)]
pub struct ProbesPlan {
    /// The time between samples; `None` if nothing is sampled.
    pub every: Option<Duration>,
    /// The ports whose queues are sampled.
    pub queues: Vec<Pattern>,
    /// The queues inside switches that are sampled, with their places in the text: `SWITCH:PORT`, and `SWITCH:PORT/QUEUE`
    /// where a port has several.
    pub inner_queues: Vec<(Pattern, Range<usize>)>,
    /// The ports whose outgoing links are sampled.
    pub links: Vec<Pattern>,
    /// The flows whose senders are asked what they know of them.
    pub flows: Vec<FlowPattern>,
    /// The registers of programs that are sampled.
    pub registers: Vec<RegisterPlan>,
    /// The ports at which each packet that arrives is noted.
    pub arrivals: Vec<Pattern>,
    /// The windows of time over which the goodput of every flow is averaged.
    pub windows: Vec<WindowPlan>,
    /// The ports whose packets are captured.
    pub captures: Vec<Pattern>,
    /// Whether a trace for Perfetto is written.
    pub perfetto: bool,
}

/// A window of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowPlan {
    /// The beginning.
    pub from: Instant,
    /// The end; that of the run if there is none.
    pub until: Option<Instant>,
}

/// A register whose values are sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterPlan {
    /// The switches; all that have such a register if there are none.
    pub names: Vec<Pattern>,
    /// The name of the register for the control plane, or a part at its end; for a field of structs with a dot and its
    /// name.
    pub register: String,
    /// The indices, in ascending order; all if there are none.
    pub indices: Vec<u32>,
    /// What the condition stands for, in words.
    pub label: String,
    /// The condition whose times are drawn.
    pub condition: Option<Condition>,
    /// The place of the section in the text of the plan.
    pub place: Range<usize>,
}

/// Reads the section, in a plan whose run ends at `end` at the latest.
pub(super) fn probes(section: Section<'_>, end: Option<Instant>, plan: &mut String) -> ProbesPlan {
    let patterns = |name| section.patterns(name, Of::Port.word());
    let mut probes = ProbesPlan {
        every: section.positive_duration("every"),
        queues: patterns("queues"),
        inner_queues: inner_queues(&section),
        links: patterns("links"),
        flows: flow_pattern::patterns(&section, "flows"),
        arrivals: patterns("arrivals"),
        captures: patterns("captures"),
        perfetto: section.flag("perfetto", false),
        ..ProbesPlan::default()
    };
    let (registers, windows) = (section.sections("register"), section.sections("window"));
    let samples_ports = !(probes.queues.is_empty() && probes.inner_queues.is_empty() && probes.links.is_empty());
    if probes.every.is_none() && (samples_ports || !probes.flows.is_empty() || !registers.is_empty()) {
        let hint = "add `every = \"1 us\"`";
        section.error(section.span(), "queues, links, flows and registers need a time between samples", hint);
    }
    section.end(plan);
    probes.registers = registers.into_iter().filter_map(|section| register(section, plan)).collect();
    probes.windows = windows.into_iter().map(|section| window(section, end, plan)).collect();
    probes
}

/// Reads the patterns for queues inside switches. Which queues there are is known only when the network is built; their
/// stations must be switches.
fn inner_queues(section: &Section<'_>) -> Vec<(Pattern, Range<usize>)> {
    let texts = section.texts("inner_queues");
    let pattern = |(text, span): (String, Range<usize>)| {
        let station = text.rsplit_once(':').map_or(text.as_str(), |(station, _)| station);
        section.mentions().note(Of::Switch.word(), station, &span);
        (Pattern::new(&text), span)
    };
    texts.into_iter().map(pattern).collect()
}

/// Reads a register that is sampled; `None` after reporting an error.
fn register(section: Section<'_>, plan: &mut String) -> Option<RegisterPlan> {
    let place = section.span().clone();
    let names = section.patterns("where", Of::Switch.word());
    section.require("name", "the register's name for the control plane: name = \"ingress.counts\"");
    let register = section.text("name").map(|(name, _)| name);
    let mut indices: Vec<u32> =
        section.counts("index", 0..=u64::from(u32::MAX) - 1, &[]).into_iter().map(|index| index as u32).collect();
    indices.sort_unstable();
    indices.dedup();
    let condition = Condition::read(&section);
    let label = section.text("label").map(|(label, _)| label);
    section.end(plan);
    let register = register?;
    let label = label.unwrap_or_else(|| match &condition {
        Some(condition) => format!("{register} {condition}"),
        None => register.clone(),
    });
    Some(RegisterPlan { names, register, indices, label, condition, place })
}

/// Reads a window of time.
fn window(section: Section<'_>, end: Option<Instant>, plan: &mut String) -> WindowPlan {
    let from = Instant::ZERO + section.duration("from", Duration::ZERO);
    let until = section.positive_duration("until").map(|until| Instant::ZERO + until);
    if until.is_some_and(|until| until <= from) {
        let hint = "`until` must be later than `from`";
        section.error(&section.span_of("until"), "a window that ends before it begins", hint);
    }
    if let Some(end) = end.filter(|&end| until.unwrap_or(from) > end || from >= end) {
        let end = units::duration_text(end.since(Instant::ZERO));
        section.error(section.span(), format!("this window goes on when the run has ended, at {end}"), "see [end]");
    }
    section.end(plan);
    WindowPlan { from, until }
}
