//! Plans in TOML.

use std::ops::Range;
use std::str::FromStr;

use basis::{Duration, Rate};
use plans::{Entries, Findings, Section, parse};

use super::read::{Draft, DraftLink, DraftSwitch, Found};
use super::{HostPlan, SwitchPlan, USUAL_QUEUE};

/// The machine of a switch, if the plan does not say: the fastest for programs with parsers.
pub(super) const USUAL_MACHINE: &str = "native";
/// The highest limit of a queue, in packets.
const LONGEST_QUEUE: u64 = 1 << 20;

/// Reads a plan; `None` if it is not even TOML.
pub(super) fn read(text: &str, found: &mut Found) -> Option<Draft> {
    let (table, mistakes) = parse(text, found.id);
    let is_broken = mistakes.has_errors();
    found.diagnostics.extend(mistakes);
    if is_broken {
        return None;
    }
    let findings = Findings::new(found.id);
    let root = Section::root(Entries::of(&findings, "a plan", &table, 0..0));
    let draft = draft(root);
    found.diagnostics.extend(findings.end());
    Some(draft)
}

fn draft(root: Section<'_>) -> Draft {
    // The plan with its defaults is not printed, so that its text is thrown away.
    let mut text = String::new();
    let name = root.text("name");
    let usual = Usual {
        program: root.text("program"),
        machine: root.text("machine").map_or_else(|| USUAL_MACHINE.to_owned(), |(machine, _)| machine),
        queue: root.count("queue", 1..=LONGEST_QUEUE, u64::from(USUAL_QUEUE)),
    };
    let hosts = root.sections("host").into_iter().map(|section| host(section, &mut text)).collect();
    let switches = root.sections("switch").into_iter().map(|section| switch(section, &usual, &mut text)).collect();
    let links = root.sections("link").into_iter().filter_map(|section| link(section, &mut text)).collect();
    root.end(&mut text);
    Draft { name, hosts, switches, links }
}

/// What holds for switches that do not say otherwise.
struct Usual {
    program: Option<(String, Range<usize>)>,
    machine: String,
    queue: u64,
}

fn host(section: Section<'_>, text: &mut String) -> HostPlan {
    let (name, place) = named(&section, "the name of the host: name = \"h1\"");
    let host = HostPlan {
        name,
        address: value(&section, "address"),
        mac: value(&section, "mac"),
        gateway: section.text("gateway").and_then(|(gateway, span)| {
            let parsed = gateway.parse().ok();
            if parsed.is_none() {
                section.error(&span, format!("`{gateway}` is no address"), "an address, such as 10.0.1.10");
            }
            parsed
        }),
        gateway_mac: value(&section, "gateway_mac"),
        commands: section.texts("commands").into_iter().map(|(command, _)| command).collect(),
        place,
    };
    if host.gateway_mac.is_some() && host.gateway.is_none() {
        section.error(
            &section.span_of("gateway_mac"),
            "`gateway_mac` without a `gateway`",
            "add the gateway's address",
        );
    }
    section.end(text);
    host
}

fn switch(section: Section<'_>, usual: &Usual, text: &mut String) -> DraftSwitch {
    let (name, place) = named(&section, "the name of the switch: name = \"s1\"");
    let switch = DraftSwitch {
        program: section.text("program").or_else(|| usual.program.clone()),
        tables: section.texts("tables"),
        plan: SwitchPlan {
            name,
            machine: section.text("machine").map_or_else(|| usual.machine.clone(), |(machine, _)| machine),
            cpu_port: section.optional_count("cpu_port", 0..=u64::from(u16::MAX)).map(|port| port as u16),
            queue: section.count("queue", 1..=LONGEST_QUEUE, usual.queue) as u32,
            place,
            ..SwitchPlan::default()
        },
    };
    section.end(text);
    switch
}

fn link(section: Section<'_>, text: &mut String) -> Option<DraftLink> {
    section.require("between", "the two ends: between = [\"h1\", \"s1-p1\"]");
    let place = section.span_of_list("between");
    let ends = section.texts("between");
    let rate = section.has("rate").then(|| section.rate("rate", Rate::from_gigabits_per_second(1)));
    let delay = section.delay("delay", Duration::ZERO);
    let ends = <[_; 2]>::try_from(ends);
    if let Err(ends) = &ends
        && section.has("between")
    {
        let message = format!("a link has two ends, and not {}", ends.len());
        section.error(&place, message, "between = [\"h1\", \"s1-p1\"]");
    }
    section.end(text);
    Some(DraftLink { ends: ends.ok()?, rate, delay, place })
}

fn named(section: &Section<'_>, what: &str) -> (String, Range<usize>) {
    section.require("name", what);
    section.text("name").unwrap_or_else(|| (String::new(), section.span().clone()))
}

/// Reads a value that has a form of its own, if it is given.
fn value<T: FromStr<Err = &'static str>>(section: &Section<'_>, name: &'static str) -> Option<T> {
    let (text, span) = section.text(name)?;
    text.parse().map_err(|form: &str| section.error(&span, format!("invalid value for `{name}`"), form)).ok()
}
