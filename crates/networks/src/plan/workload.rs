//! `[[workload]]`: what hosts want to be carried.

use std::ops::Range;

use basis::Duration;
use demand::{
    AllToAll, End, FlowSizes, HostOf, Incast, Matrix, MessageSizes, OnOff, Ping, Poisson, Requests, Workload,
    WorkloadPlan,
};

use crate::topologies::Reading;
use plans::Section;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Incast,
    Permutation,
    AllToAll,
    Poisson,
    OnOff,
    Requests,
    Ping,
    Matrix,
}

const KINDS: [(&str, Kind); 8] = [
    ("incast", Kind::Incast),
    ("permutation", Kind::Permutation),
    ("all-to-all", Kind::AllToAll),
    ("poisson", Kind::Poisson),
    ("on-off", Kind::OnOff),
    ("requests", Kind::Requests),
    ("ping", Kind::Ping),
    ("matrix", Kind::Matrix),
];

/// What workloads are unless a plan says otherwise.
const BYTES: u64 = 100_000;
const UNTIL: Duration = Duration::from_microseconds(10_000);
const MOST: u64 = u32::MAX as u64;

/// What workloads are checked against.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// The hosts, if they are known.
    pub hosts: Option<&'a [HostOf]>,
    /// Whether the run has an end.
    pub has_end: bool,
    /// What the packets of the transport that cuts messages shortest carry, in bytes.
    pub payload: u64,
}

/// Reads all sections, which add themselves to `plan`.
pub(super) fn workloads(
    root: &Section<'_>,
    Around { hosts, has_end, payload }: Around<'_>,
    reading: &mut Reading<'_>,
    plan: &mut String,
) -> Vec<Workload> {
    let sections = root.sections("workload");
    if sections.is_empty() {
        let hint = "add [[workload]] with `kind`, such as kind = \"incast\", senders = 8 and bytes = \"450 kB\"";
        root.error(root.span(), "a network of hosts that want nothing", hint);
    }
    let read = |section: Section<'_>| {
        let workload = workload(&section, reading);
        // Drawn with any seed: whether it fits does not depend on it.
        if let (Some(workload), Some(hosts)) = (&workload, hosts)
            && let Err(unfit) = workload.applications(hosts, 0)
        {
            section.error(section.span(), unfit.to_string(), "another workload, or another topology");
        }
        let longest = payload.max(1).saturating_mul(MOST);
        if let Some(workload) = workload.as_ref().filter(|workload| workload.longest_message() > longest) {
            let bytes = units::bytes_text(workload.longest_message());
            let hint = format!(
                "at most {}: transports number the packets of a message with 32 bits",
                units::bytes_text(longest)
            );
            section.error(&span_of_message(&section), format!("a message cannot have {bytes}"), hint);
        }
        if workload.as_ref().is_some_and(is_endless) && !has_end {
            let hint = "add [end] with `at = \"10 ms\"`, and `unfinished = \"accepted\"` if flows may be cut off there";
            section.error(section.span(), "a workload never ends, and nothing ends the run", hint);
        }
        section.end(plan);
        workload
    };
    sections.into_iter().filter_map(read).collect()
}

/// True if it never ends by itself.
fn is_endless(workload: &Workload) -> bool {
    matches!(&workload.plan, WorkloadPlan::Requests(requests) if requests.count.is_none())
}

fn workload(section: &Section<'_>, reading: &mut Reading<'_>) -> Option<Workload> {
    let short = section.hidden_text("short").and_then(|(text, span)| parse_short(section, &text, &span));
    if section.has("short") && short.is_none() {
        // What is wrong has been told.
        section.pass_over();
        return None;
    }
    let usual = short.as_ref().map(|workload| &workload.plan);
    let kind = match usual {
        Some(plan) => {
            let kind = kind_of(plan);
            let name = KINDS.iter().find(|(_, known)| *known == kind).map_or("", |(name, _)| name);
            section.choice("kind", &KINDS, name)
        }
        None => {
            section.require("kind", "what hosts want: kind = \"incast\"");
            section.choice("kind", &KINDS, "permutation")
        }
    };
    let usual = usual.filter(|plan| kind_of(plan) == kind);
    let plan = match kind {
        Kind::Matrix => matrix(section, usual, reading),
        _ => Some(of_kind(section, kind, usual)),
    };
    let of_short = |get: fn(&Workload) -> u64| short.as_ref().map_or(0, get);
    let start = section.duration("start", short.as_ref().map_or(Duration::ZERO, |workload| workload.start));
    let priority = section.count("priority", 0..=15, of_short(|workload| workload.priority.into())) as u8;
    Some(Workload { plan: plan?, start, priority })
}

/// The place of the entry that says how long messages are, or of the section if there is none.
fn span_of_message(section: &Section<'_>) -> Range<usize> {
    let fields = ["bytes", "sizes", "response", "request", "file", "short"];
    fields.into_iter().find(|name| section.has(name)).map_or(section.span().clone(), |name| section.span_of(name))
}

fn kind_of(plan: &WorkloadPlan) -> Kind {
    match plan {
        WorkloadPlan::Incast(_) => Kind::Incast,
        WorkloadPlan::Permutation { .. } => Kind::Permutation,
        WorkloadPlan::AllToAll(_) => Kind::AllToAll,
        WorkloadPlan::Poisson(_) => Kind::Poisson,
        WorkloadPlan::OnOff(_) => Kind::OnOff,
        WorkloadPlan::Requests(_) => Kind::Requests,
        WorkloadPlan::Ping(_) => Kind::Ping,
        WorkloadPlan::Matrix(_) => Kind::Matrix,
    }
}

/// A short form, whose mistakes are shown where it stands in the plan.
fn parse_short(section: &Section<'_>, text: &str, span: &Range<usize>) -> Option<Workload> {
    let (_, found) = match Workload::parse(text) {
        Ok(workload) => return Some(workload),
        Err(findings) => findings,
    };
    for finding in found.iter() {
        // Behind the quote.
        let place = |offset: u32| span.start + 1 + offset as usize;
        let at = finding.span.map_or(span.clone(), |at| place(at.start)..place(at.end));
        section.error(&at, finding.message.clone(), finding.hint.clone().unwrap_or_default());
    }
    None
}

/// Reads a kind whose fields are, unless given, those of `usual`.
fn of_kind(section: &Section<'_>, kind: Kind, usual: Option<&WorkloadPlan>) -> WorkloadPlan {
    let bytes = |name, default| section.bytes(name, 1..=u64::MAX, default);
    let count = |name, least, default: u32| section.count(name, least..=MOST, u64::from(default)) as u32;
    let time = |name, default| section.positive(name, default);
    match (kind, usual) {
        (Kind::Incast, usual) => {
            let usual = match usual {
                Some(WorkloadPlan::Incast(incast)) => *incast,
                _ => Incast { senders: 8, bytes: BYTES, spread: Duration::ZERO, receiver: None },
            };
            WorkloadPlan::Incast(Incast {
                senders: count("senders", 1, usual.senders),
                bytes: bytes("bytes", usual.bytes),
                spread: section.duration("spread", usual.spread),
                receiver: section.count_or("receiver", 0..=MOST, usual.receiver.map(u64::from)).map(|n| n as u32),
            })
        }
        (Kind::AllToAll, usual) => {
            let usual = match usual {
                Some(WorkloadPlan::AllToAll(all)) => *all,
                _ => AllToAll { bytes: BYTES, outstanding: 0 },
            };
            let outstanding = count("outstanding", 0, usual.outstanding);
            WorkloadPlan::AllToAll(AllToAll { bytes: bytes("bytes", usual.bytes), outstanding })
        }
        (Kind::Poisson, usual) => WorkloadPlan::Poisson(poisson(section, usual)),
        (Kind::OnOff, usual) => {
            let usual = match usual {
                Some(WorkloadPlan::OnOff(on_off)) => *on_off,
                _ => {
                    let microseconds = Duration::from_microseconds;
                    OnOff { bytes: BYTES, on: microseconds(100), off: microseconds(400), until: UNTIL }
                }
            };
            WorkloadPlan::OnOff(OnOff {
                bytes: bytes("bytes", usual.bytes),
                on: time("on", usual.on),
                off: time("off", usual.off),
                until: time("until", usual.until),
            })
        }
        (Kind::Requests, usual) => {
            let usual = match usual {
                Some(WorkloadPlan::Requests(requests)) => *requests,
                _ => Requests { request: 64, response: BYTES, outstanding: 1, count: None, servers: None },
            };
            WorkloadPlan::Requests(Requests {
                request: bytes("request", usual.request),
                response: bytes("response", usual.response),
                outstanding: count("outstanding", 1, usual.outstanding),
                count: section.count_or("count", 0..=u64::MAX, usual.count),
                servers: section.count_or("servers", 1..=MOST, usual.servers.map(u64::from)).map(|n| n as u32),
            })
        }
        (Kind::Ping, usual) => {
            let usual = match usual {
                Some(WorkloadPlan::Ping(ping)) => *ping,
                _ => Ping { interval: Duration::from_microseconds(100), until: UNTIL, bytes: 64 },
            };
            WorkloadPlan::Ping(Ping {
                interval: time("interval", usual.interval),
                until: time("until", usual.until),
                bytes: bytes("bytes", usual.bytes),
            })
        }
        (Kind::Permutation | Kind::Matrix, usual) => {
            let usual = match usual {
                Some(WorkloadPlan::Permutation { bytes }) => *bytes,
                _ => BYTES,
            };
            WorkloadPlan::Permutation { bytes: bytes("bytes", usual) }
        }
    }
}

fn poisson(section: &Section<'_>, usual: Option<&WorkloadPlan>) -> Poisson {
    let usual = match usual {
        Some(WorkloadPlan::Poisson(poisson)) => *poisson,
        _ => Poisson { sizes: MessageSizes::Flows(FlowSizes::ALL[0]), load: 0.5, end: End::After(UNTIL) },
    };
    let sizes = section.parsed_or("sizes", "a size or a distribution", sizes, sizes_text, usual.sizes);
    let load = section.number("load", 0.0..=1.0, usual.load);
    if load == 0.0 {
        section.error(&section.span_of("load"), "no load at all", "a share of each host's line, above 0");
    }
    let of_messages = match usual.end {
        End::Messages(messages) => Some(messages),
        End::After(_) => None,
    };
    // One of the two: what is given counts.
    let is_until = section.has("until") || (of_messages.is_none() && !section.has("messages"));
    let end = if is_until {
        if section.has("messages") {
            section.error(&section.span_of("messages"), "both `until` and `messages`", "keep one of them");
        }
        let usual = match usual.end {
            End::After(until) => until,
            End::Messages(_) => UNTIL,
        };
        End::After(section.positive("until", usual))
    } else {
        End::Messages(section.count("messages", 1..=u64::MAX, of_messages.unwrap_or(1000)))
    };
    Poisson { sizes, load, end }
}

fn sizes(text: &str) -> Result<MessageSizes, String> {
    let named = FlowSizes::ALL.into_iter().find(|sizes| sizes.name() == text).map(MessageSizes::Flows);
    let names = || FlowSizes::ALL.map(FlowSizes::name).join(", ");
    named.map_or_else(
        || units::bytes(text).map(MessageSizes::Fixed).map_err(|hint| format!("{}, or {hint}", names())),
        Ok,
    )
}

fn sizes_text(sizes: MessageSizes) -> String {
    match sizes {
        MessageSizes::Fixed(bytes) => units::bytes_text(bytes),
        MessageSizes::Flows(flows) => flows.name().to_owned(),
    }
}

fn matrix(section: &Section<'_>, usual: Option<&WorkloadPlan>, reading: &mut Reading<'_>) -> Option<WorkloadPlan> {
    if let Some(plan) = usual {
        // The short form has read its file; there is no other name for it.
        section.text("short");
        return Some(plan.clone());
    }
    if !section.require("file", "a connection matrix of htsim: file = \"permutation.cm\"") {
        return None;
    }
    let (file, span) = section.text("file")?;
    let (name, text) = reading.text(section, &file, &span)?;
    let id = reading.sources.add(name, text);
    let matrix = Matrix::read(reading.sources, id).map_err(|found| reading.found.extend(found)).ok()?;
    Some(WorkloadPlan::Matrix(matrix))
}
