//! How two configurations differ, entry by entry.

use std::collections::BTreeMap;

use toml::{Table, Value};

/// The entries by which things in a list are told from each other, in the order of preference.
const IDENTITIES: [&str; 4] = ["name", "prefix", "address", "vpc"];

/// Returns the differences of two configurations that were printed with all their defaults: a line for each thing that is new
/// (`+`), gone (`-`) or other (`~`).
pub(crate) fn difference(before: &str, after: &str) -> Vec<String> {
    let parse = |text: &str| text.parse::<Table>().unwrap_or_default();
    let mut lines = Vec::new();
    tables("", &parse(before), &parse(after), &mut lines);
    lines
}

fn tables(place: &str, before: &Table, after: &Table, lines: &mut Vec<String>) {
    let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
    for name in names {
        let inside = if place.is_empty() { name.clone() } else { format!("{place} {name}") };
        match (before.get(name), after.get(name)) {
            (Some(before), Some(after)) if before == after => {}
            (Some(Value::Table(before)), Some(Value::Table(after))) => tables(&inside, before, after, lines),
            (before, after) if is_list(before) || is_list(after) => lists(&inside, before, after, lines),
            (Some(Value::Table(before)), None) => tell("-", &inside, "", before, lines),
            (None, Some(Value::Table(after))) => tell("+", &inside, "", after, lines),
            (Some(before), Some(after)) => lines.push(format!("~ {inside}: {before} -> {after}")),
            (Some(before), None) => lines.push(format!("- {inside}: {}", shown(before))),
            (None, Some(after)) => lines.push(format!("+ {inside}: {}", shown(after))),
            (None, None) => {}
        }
    }
}

/// Returns true for a list of tables; other lists are values.
fn is_list(value: Option<&Value>) -> bool {
    matches!(value, Some(Value::Array(things)) if things.iter().any(Value::is_table))
}

fn lists(place: &str, before: Option<&Value>, after: Option<&Value>, lines: &mut Vec<String>) {
    let [before, after] =
        [before, after].map(|list| named(list.and_then(Value::as_array).map_or(&[][..], |list| list)));
    for (name, thing) in &before {
        match after.iter().find(|(other, _)| other == name) {
            None => tell("-", place, name, thing, lines),
            Some((_, other)) => tables(&format!("{place} {name}"), thing, other, lines),
        }
    }
    for (name, thing) in after.iter().filter(|(name, _)| !before.iter().any(|(other, _)| other == name)) {
        tell("+", place, name, thing, lines);
    }
}

/// Tells of a thing that is new or gone, and of everything in it.
fn tell(sign: &str, place: &str, name: &str, thing: &Table, lines: &mut Vec<String>) {
    // A thing without a name is called by what it says.
    let called = if name.starts_with('`') { format!("{place} {name}") } else { place.to_owned() };
    let says = shown(&Value::Table(thing.clone()));
    lines.push(format!("{sign} {called}: {says}"));
    for (inner, list) in thing.iter().filter(|(_, value)| is_list(Some(value))) {
        for (name, thing) in named(list.as_array().map_or(&[][..], |list| list)) {
            tell(sign, &format!("{called} {inner}"), &name, thing, lines);
        }
    }
}

/// Returns the tables of a list, each with what tells it from the others: one of its entries, or all that it says, with a number
/// if that is there again.
fn named(list: &[Value]) -> Vec<(String, &Table)> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let tables = list.iter().filter_map(Value::as_table);
    tables
        .map(|table| {
            let own = IDENTITIES.iter().find_map(|name| table.get(*name)?.as_str());
            let name = own.map_or_else(|| shown(&Value::Table(table.clone())), |own| format!("`{own}`"));
            let times = seen.entry(name.clone()).or_default();
            *times += 1;
            (if *times > 1 { format!("{name} ({times})") } else { name }, table)
        })
        .collect()
}

/// Returns a value on one line.
fn shown(value: &Value) -> String {
    match value {
        Value::Table(table) => {
            let entries = table.iter().filter(|(_, value)| !is_list(Some(value)));
            entries.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
        }
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "mtu = 1\n[limits]\nsessions = 5\n[[vnic]]\nname = \"one\"\nmtu = 1500\n[[vnic]]\nname = \"two\"\n\
        mtu = 1500\n[[group]]\nname = \"web\"\n[[group.rule]]\nports = \"80\"\n[[group.rule]]\nports = \"443\"\n";

    #[test]
    fn what_is_new_gone_or_other_is_told_at_its_place() {
        let after = "mtu = 1\n[limits]\nsessions = 6\n[[vnic]]\nname = \"three\"\nmtu = 9\n[[vnic]]\nname = \"one\"\n\
            mtu = 1400\n[[group]]\nname = \"web\"\n[[group.rule]]\nports = \"443\"\n[[group.rule]]\nports = \"22\"\n";
        let mut lines = difference(BEFORE, after);
        lines.sort();
        assert_eq!(
            lines,
            [
                "+ group `web` rule: ports = \"22\"",
                "+ vnic `three`: mtu = 9, name = \"three\"",
                "- group `web` rule: ports = \"80\"",
                "- vnic `two`: mtu = 1500, name = \"two\"",
                "~ limits sessions: 5 -> 6",
                "~ vnic `one` mtu: 1500 -> 1400",
            ]
        );
    }

    #[test]
    fn what_is_in_a_thing_that_is_new_or_gone_is_told_too() {
        let balancer = "[[balancer]]\nname = \"b\"\n[[balancer.back_end]]\naddress = \"10.0.0.1\"\nport = 80\n\
            [underlay]\nmtu = 1500\n[[underlay.path]]\ninterface = \"eth1\"\n";
        let mut lines = difference(BEFORE, balancer);
        lines.sort();
        assert_eq!(
            lines,
            [
                "+ balancer `b` back_end `10.0.0.1`: address = \"10.0.0.1\", port = 80",
                "+ balancer `b`: name = \"b\"",
                "+ underlay path: interface = \"eth1\"",
                "+ underlay: mtu = 1500",
                "- group `web` rule: ports = \"443\"",
                "- group `web` rule: ports = \"80\"",
                "- group `web`: name = \"web\"",
                "- limits: sessions = 5",
                "- mtu: 1",
                "- vnic `one`: mtu = 1500, name = \"one\"",
                "- vnic `two`: mtu = 1500, name = \"two\"",
            ]
        );
    }

    #[test]
    fn equal_configurations_do_not_differ() {
        assert!(difference(BEFORE, BEFORE).is_empty());
    }
}
