//! Topologies of the P4 tutorials, in JSON.
//!
//! ```json
//! {
//!   "hosts": { "h1": { "ip": "10.0.1.1/24", "mac": "08:00:00:00:01:11", "commands": ["route add default gw 10.0.1.10"] } },
//!   "switches": { "s1": { "runtime_json": "s1-runtime.json" } },
//!   "links": [["h1", "s1-p1"], ["s1-p2", "s2-p1", "5ms", 10]]
//! }
//! ```
//!
//! A link has two ends, and may have a delay and a bandwidth in Mbit/s. A delay that is a number is in milliseconds; a text
//! is what `tc` takes, for which a bare number is in microseconds.

use std::ops::Range;
use std::str::FromStr;

use basis::{Duration, Rate};
use diagnostics::did_you_mean;
use plans::json::ast::{Object, ObjectProp, Value};
use plans::json::{self, Ranged};

use super::read::{Draft, DraftLink, DraftSwitch, Found};
use super::toml::USUAL_MACHINE;
use super::{HostPlan, LONGEST_DELAY, SwitchPlan, USUAL_QUEUE};

/// Reads a topology; `None` if it is not even JSON.
pub(super) fn read(text: &str, found: &mut Found) -> Option<Draft> {
    let value = match json::parse(text, found.id) {
        Ok(value) => value,
        Err(diagnostic) => {
            found.diagnostics.push(diagnostic);
            return None;
        }
    };
    let mut draft = Draft::default();
    let Some(whole) = object(&value, "the topology", found) else { return Some(draft) };
    check_names(whole, "the topology", &["hosts", "switches", "links"], found);
    for (name, value, place) in members(whole, "hosts", found) {
        draft.hosts.push(host(name, value, place, found));
    }
    for (name, value, place) in members(whole, "switches", found) {
        draft.switches.push(switch(name, value, place, found));
    }
    if let Some(property) = need(whole, "links", found) {
        for item in list(&property.value, "links", found) {
            draft.links.extend(link(item, found));
        }
    }
    Some(draft)
}

fn host(name: String, value: &Value<'_>, place: Range<usize>, found: &mut Found) -> HostPlan {
    let mut host = HostPlan { name, place, ..HostPlan::default() };
    let Some(object) = object(value, "a host", found) else { return host };
    check_names(object, "a host", &["ip", "mac", "commands"], found);
    host.address = parsed(object, "ip", found);
    host.mac = parsed(object, "mac", found);
    if let Some(commands) = object.get("commands") {
        for command in list(&commands.value, "commands", found) {
            host.commands.extend(text(command, "commands", found));
        }
    }
    host
}

fn switch(name: String, value: &Value<'_>, place: Range<usize>, found: &mut Found) -> DraftSwitch {
    let machine = USUAL_MACHINE.to_owned();
    let plan = SwitchPlan { name, place, machine, queue: USUAL_QUEUE, ..SwitchPlan::default() };
    let mut switch = DraftSwitch { plan, ..DraftSwitch::default() };
    let Some(object) = object(value, "a switch", found) else { return switch };
    check_names(object, "a switch", &["runtime_json", "cli_input", "program", "cpu_port"], found);
    // The tutorials' script carries out the commands before the entries.
    for name in ["cli_input", "runtime_json"] {
        if let Some(property) = object.get(name)
            && let Some(file) = text(&property.value, name, found)
        {
            switch.tables.push((file, range(&property.value)));
        }
    }
    if let Some(property) = object.get("program") {
        switch.program = text(&property.value, "program", found).map(|file| (file, range(&property.value)));
    }
    if let Some(property) = object.get("cpu_port") {
        let port = match &property.value {
            Value::StringLit(text) => text.value.parse().ok(),
            Value::NumberLit(number) => number.value.parse().ok(),
            _ => None,
        };
        if port.is_none() {
            found.error(&range(&property.value), "`cpu_port` must be the number of a port", "from 0 to 65535");
        }
        switch.plan.cpu_port = port;
    }
    switch
}

fn link(item: &Value<'_>, found: &mut Found) -> Option<DraftLink> {
    let place = range(item);
    let form = "a link is such as [\"h1\", \"s1-p1\"] or [\"s1-p2\", \"s2-p1\", \"5ms\", 10]";
    let Some(parts) = item.as_array().map(|list| list.elements.as_slice()) else {
        found.error(&place, "a link must be a list in brackets", form);
        return None;
    };
    if !(2..=4).contains(&parts.len()) {
        found.error(&place, "a link has two ends, and may have a delay and a bandwidth", form);
        return None;
    }
    let mut end = |part: &Value<'_>| Some((text(part, "links", found)?, range(part)));
    let ends = [end(&parts[0]), end(&parts[1])];
    let delay = parts.get(2).map_or(Some(Duration::ZERO), delay);
    if delay.is_none() {
        found.error(
            &range(&parts[2]),
            "this is no delay of a link",
            "a time from 0 to 10s, such as \"5ms\", or milliseconds",
        );
    }
    let rate = parts.get(3).filter(|part| !matches!(part, Value::NullKeyword(_))).map(bandwidth);
    if rate == Some(None) {
        found.error(&range(&parts[3]), "this is no bandwidth of a link", "Mbit/s above 0, such as 10 or 0.5");
    }
    let [Some(one), Some(other)] = ends else { return None };
    Some(DraftLink { ends: [one, other], rate: rate.flatten(), delay: delay.unwrap_or(Duration::ZERO), place })
}

/// Returns the delay of a link.
fn delay(value: &Value<'_>) -> Option<Duration> {
    let microseconds = match value {
        Value::NumberLit(number) => number.value.parse::<f64>().ok()? * 1e3,
        Value::StringLit(text) => match text.value.trim().parse::<f64>() {
            Ok(microseconds) => microseconds,
            Err(_) => units::duration(&text.value).ok()?.picoseconds() as f64 * 1e-6,
        },
        _ => return None,
    };
    let is_possible = (0.0..=LONGEST_DELAY.picoseconds() as f64).contains(&(microseconds * 1e6));
    is_possible.then(|| Duration::from_picoseconds((microseconds * 1e6).round() as u64))
}

/// Returns the bandwidth of a link, which is a number of Mbit/s.
fn bandwidth(value: &Value<'_>) -> Option<Rate> {
    const MOST: f64 = 1e6;
    let megabits: f64 = match value {
        Value::NumberLit(number) => number.value.parse().ok()?,
        Value::StringLit(text) => text.value.trim().parse().ok()?,
        _ => return None,
    };
    let bits = (megabits * 1e6).round();
    (bits >= 1.0 && megabits <= MOST).then(|| Rate::from_bits_per_second(bits as u64))
}

fn range(value: &impl Ranged) -> Range<usize> {
    let range = value.range();
    range.start..range.end
}

fn object<'v, 't>(value: &'v Value<'t>, what: &str, found: &mut Found) -> Option<&'v Object<'t>> {
    let object = value.as_object();
    if object.is_none() {
        found.error(&range(value), format!("{what} must be an object in braces"), "correct this value");
    }
    object
}

fn list<'v, 't>(value: &'v Value<'t>, what: &str, found: &mut Found) -> &'v [Value<'t>] {
    let list = value.as_array();
    if list.is_none() {
        found.error(&range(value), format!("`{what}` must be a list in brackets"), "correct this value");
    }
    list.map_or(&[], |list| list.elements.as_slice())
}

fn text(value: &Value<'_>, what: &str, found: &mut Found) -> Option<String> {
    let text = value.as_string_lit().map(|text| text.value.as_ref().to_owned());
    if text.is_none() {
        found.error(&range(value), format!("`{what}` must be a text in quotes"), "correct this value");
    }
    text
}

fn need<'v, 't>(object: &'v Object<'t>, name: &str, found: &mut Found) -> Option<&'v ObjectProp<'t>> {
    let property = object.get(name);
    if property.is_none() {
        let start = range(object).start;
        found.error(&(start..start + 1), format!("this object has no `{name}`"), format!("add `{name}`"));
    }
    property
}

/// Returns the members of an object within an object, each with the place of its name.
fn members<'v, 't>(whole: &'v Object<'t>, name: &str, found: &mut Found) -> Vec<(String, &'v Value<'t>, Range<usize>)> {
    let Some(property) = need(whole, name, found) else { return Vec::new() };
    let Some(object) = object(&property.value, &format!("`{name}`"), found) else { return Vec::new() };
    let member =
        |property: &'v ObjectProp<'t>| (property.name.as_str().to_owned(), &property.value, name_place(property));
    object.properties.iter().map(member).collect()
}

/// Returns the place of the name of a property.
fn name_place(property: &ObjectProp<'_>) -> Range<usize> {
    let whole = range(property);
    whole.start..(whole.start + property.name.as_str().len() + 2).min(whole.end)
}

/// Warns about unknown properties, and reports those that are given twice.
fn check_names(object: &Object<'_>, what: &str, known: &[&str], found: &mut Found) {
    let mut seen = Vec::new();
    for property in &object.properties {
        let name = property.name.as_str();
        if seen.contains(&name) {
            found.error(&name_place(property), format!("`{name}` is given twice"), "leave one out");
        } else if !known.contains(&name) {
            let meant = did_you_mean(name, known.iter().copied()).map(|meant| format!("; {meant}")).unwrap_or_default();
            found.warning(&name_place(property), format!("`{name}` of {what} is unknown and ignored{meant}"));
        }
        seen.push(name);
    }
}

fn parsed<T: FromStr<Err = &'static str>>(object: &Object<'_>, name: &str, found: &mut Found) -> Option<T> {
    let property = object.get(name)?;
    let given = text(&property.value, name, found)?;
    let place = range(&property.value);
    given.parse().map_err(|form: &str| found.error(&place, format!("invalid value for `{name}`"), form)).ok()
}
