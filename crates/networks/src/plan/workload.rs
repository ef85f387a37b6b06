//! `[[workload]]`: the messages that hosts send.

use std::ops::Range;

use basis::Duration;
use demand::{HostOf, Workload};

use crate::topologies::Reading;
use crate::workloads::{USUAL, WorkloadKind};
use plans::Section;

/// The number of packets that a message can have at most.
const MOST: u64 = u32::MAX as u64;

/// The context in which workloads are checked.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// The workloads that can be named.
    pub kinds: &'a [&'static dyn WorkloadKind],
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
    Around { kinds, hosts, has_end, payload }: Around<'_>,
    reading: &mut Reading<'_>,
    plan: &mut String,
) -> Vec<Workload> {
    let sections = root.sections("workload");
    if sections.is_empty() && !root.is_list("job") {
        let hint =
            "add [[workload]] with `kind`, such as kind = \"incast\", senders = 8 and bytes = \"450 kB\", or [[job]]";
        root.error(root.span(), "a plan without a workload", hint);
    }
    let read = |section: Section<'_>| {
        let workload = workload(&section, kinds, reading);
        // Whether a workload fits does not depend on the seed.
        if let (Some(workload), Some(hosts)) = (&workload, hosts)
            && let Err(unfit) = workload.applications(hosts, 0)
        {
            section.error(section.span(), unfit.to_string(), "change the workload or the topology");
        }
        let longest = payload.max(1).saturating_mul(MOST);
        if let Some(workload) = workload.as_ref().filter(|workload| workload.plan.longest_message() > longest) {
            let bytes = units::bytes_text(workload.plan.longest_message());
            let hint = format!(
                "use at most {}: transports number the packets of a message with 32 bits",
                units::bytes_text(longest)
            );
            section.error(&span_of_message(&section), format!("a message of {bytes} is too long"), hint);
        }
        if workload.as_ref().is_some_and(|workload| workload.plan.is_endless()) && !has_end {
            let hint =
                "add [end] with `at = \"10 ms\"`, and `unfinished = \"accepted\"` if flows may be unfinished then";
            section.error(section.span(), "this workload never ends, and the run has no end", hint);
        }
        section.end(plan);
        workload
    };
    sections.into_iter().filter_map(read).collect()
}

fn workload(section: &Section<'_>, kinds: &[&'static dyn WorkloadKind], reading: &mut Reading<'_>) -> Option<Workload> {
    let text = section.hidden_text("short");
    let short = text.as_ref().and_then(|(text, span)| parse_short(section, text, span));
    if section.has("short") && short.is_none() {
        // The errors have been reported.
        section.pass_over();
        return None;
    }
    let named: Vec<(&str, &dyn WorkloadKind)> = kinds.iter().map(|kind| (kind.name(), *kind)).collect();
    let of_short = text.as_ref().and_then(|(text, _)| text.split(':').next());
    if of_short.is_none() {
        section.require("kind", "the kind of workload: kind = \"incast\"");
    }
    let kind = section.choice("kind", &named, of_short.unwrap_or(USUAL));
    let of_kind = short.as_ref().filter(|_| of_short == Some(kind.name())).map(|short| &*short.plan);
    let plan = kind.read(section, of_kind, reading);
    let start = section.duration("start", short.as_ref().map_or(Duration::ZERO, |short| short.start));
    let priority = section.count("priority", 0..=15, short.as_ref().map_or(0, |short| short.priority.into())) as u8;
    Some(Workload { plan: plan?, start, priority })
}

/// Returns the place of the entry that sets the length of messages, or of the section if there is none.
fn span_of_message(section: &Section<'_>) -> Range<usize> {
    let fields = ["bytes", "sizes", "response", "request", "file", "short"];
    fields.into_iter().find(|name| section.has(name)).map_or(section.span().clone(), |name| section.span_of(name))
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
