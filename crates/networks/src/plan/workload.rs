//! `[[workload]]`: the messages that hosts send.

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

/// The defaults of workloads.
const BYTES: u64 = 100_000;
const UNTIL: Duration = Duration::from_microseconds(10_000);
const MOST: u64 = u32::MAX as u64;

/// The context in which workloads are checked.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// The hosts, if they are known.
    pub hosts: Option<&'a [HostOf]>,
    /// Whether the plan sets an end of the run.
    pub has_end: bool,
    /// The smallest payload of a full packet of any of the transports, in bytes.
    pub payload: u64,
}

/// Reads all sections, and appends their text to `plan`.
pub(super) fn workloads(
    root: &Section<'_>,
    Around { hosts, has_end, payload }: Around<'_>,
    reading: &mut Reading<'_>,
    plan: &mut String,
) -> Vec<Workload> {
    let sections = root.sections("workload");
    if sections.is_empty() {
        let hint = "add [[workload]] with `kind`, such as kind = \"incast\", senders = 8 and bytes = \"450 kB\"";
        root.error(root.span(), "a plan without a workload", hint);
    }
    let read = |section: Section<'_>| {
        let workload = workload(&section, reading);
        // Whether a workload fits does not depend on the seed.
        if let (Some(workload), Some(hosts)) = (&workload, hosts)
            && let Err(unfit) = workload.applications(hosts, 0)
        {
            section.error(section.span(), unfit.to_string(), "change the workload or the topology");
        }
        let longest = payload.max(1).saturating_mul(MOST);
        if let Some(workload) = workload.as_ref().filter(|workload| workload.longest_message() > longest) {
            let bytes = units::bytes_text(workload.longest_message());
            let hint = format!(
                "use at most {}: transports number the packets of a message with 32 bits",
                units::bytes_text(longest)
            );
            section.error(&span_of_message(&section), format!("a message of {bytes} is too long"), hint);
        }
        if workload.as_ref().is_some_and(is_endless) && !has_end {
            let hint =
                "add [end] with `at = \"10 ms\"`, and `unfinished = \"accepted\"` if flows may be unfinished then";
            section.error(section.span(), "this workload never ends, and the run has no end", hint);
        }
        section.end(plan);
        workload
    };
    sections.into_iter().filter_map(read).collect()
}

/// Returns whether a workload never ends by itself.
fn is_endless(workload: &Workload) -> bool {
    matches!(&workload.plan, WorkloadPlan::Requests(requests) if requests.count.is_none())
}

fn workload(section: &Section<'_>, reading: &mut Reading<'_>) -> Option<Workload> {
    let short = section.hidden_text("short").and_then(|(text, span)| parse_short(section, &text, &span));
    if section.has("short") && short.is_none() {
        // The errors have been reported.
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
            section.require("kind", "the kind of workload: kind = \"incast\"");
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

/// Returns the place of the entry that sets the length of messages, or of the section if there is none.
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

/// Parses a short form, and reports its errors at their places in the plan.
fn parse_short(section: &Section<'_>, text: &str, span: &Range<usize>) -> Option<Workload> {
    let (_, found) = match Workload::parse(text) {
        Ok(workload) => return Some(workload),
        Err(findings) => findings,
    };
    for finding in found.iter() {
        // The text begins after the quotation mark.
        let place = |offset: u32| span.start + 1 + offset as usize;
        let at = finding.span.map_or(span.clone(), |at| place(at.start)..place(at.end));
        section.error(&at, finding.message.clone(), finding.hint.clone().unwrap_or_default());
    }
    None
}

/// Reads a workload of a kind; fields that are not given are those of `usual`.
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
        section.error(&section.span_of("load"), "the load is 0", "use a share of each host's link above 0");
    }
    let of_messages = match usual.end {
        End::Messages(messages) => Some(messages),
        End::After(_) => None,
    };
    // Either `until` or `messages` ends the workload; the one that is given applies.
    let is_until = section.has("until") || (of_messages.is_none() && !section.has("messages"));
    let end = if is_until {
        if section.has("messages") {
            section.error(
                &section.span_of("messages"),
                "`until` and `messages` exclude each other",
                "keep one of them",
            );
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
        // The short form has read its file, and has no `file` entry; mark the entry as used.
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
