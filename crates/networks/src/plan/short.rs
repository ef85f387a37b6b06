//! Short forms of plans on the command line. They are turned into the TOML that a person would have written, so that
//! there is one way to read a plan, and diagnostics show the text that a short form stands for.

use std::fmt::Write;

use crate::{topologies, transports};

/// The short forms of one plan. Each is a kind followed by a colon and its parameters: `fat-tree:k=8`,
/// `trimming:8pkt,victim=arriving`, `ndp:first_window=15`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Short {
    /// `[topology]`
    pub topology: String,
    /// `[link]`, which has no kind: `rate=100Gb/s,delay=1us`.
    pub link: Option<String>,
    /// `[switch]`
    pub queue: Option<String>,
    /// `[transport]`
    pub transport: Option<String>,
    /// `[host]`, which has no kind: `per_packet=500ns,cores=2`.
    pub host: Option<String>,
    /// Each `[[fault]]`: `loss:0.01,where=host-3`.
    pub faults: Vec<String>,
    /// Each `[[workload]]`.
    pub workloads: Vec<String>,
    /// `[probes]`, which has no kind.
    pub probes: Option<String>,
    /// `[end]`: `at`
    pub end: Option<String>,
    /// The seed of every random choice.
    pub seed: Option<u64>,
}

impl Short {
    /// Returns the plan as TOML.
    pub fn to_toml(&self) -> String {
        let title = format!("{} on {}", self.workloads.join(" and "), self.topology);
        let mut text = format!("title = {}\n", value_of_text(&title));
        if let Some(seed) = self.seed {
            let _ = writeln!(text, "seed = {seed}");
        }
        text.push('\n');
        section(&mut text, "[topology]", "kind", &self.topology, |name| {
            topologies::ALL.iter().find(|kind| kind.name() == name).map_or("hosts", |kind| kind.first_entry())
        });
        if let Some(link) = &self.link {
            entries(&mut text, "[link]", link, "rate");
        }
        if let Some(queue) = &self.queue {
            section(&mut text, "[switch]", "queue", queue, |_| "limit");
        }
        if let Some(transport) = &self.transport {
            section(&mut text, "[transport]", "kind", transport, |name| {
                transports::ALL.iter().find(|kind| kind.name() == name).map_or("packet", |kind| kind.first_entry())
            });
        }
        if let Some(host) = &self.host {
            entries(&mut text, "[host]", host, "per_packet");
        }
        for fault in &self.faults {
            section(&mut text, "[[fault]]", "kind", fault, |kind| match kind {
                "reordering" | "delay" => "by",
                "jitter" => "most",
                "link-down" => "until",
                "slow-host" => "factor",
                _ => "probability",
            });
        }
        for workload in &self.workloads {
            let _ = writeln!(text, "[[workload]]\nshort = {}\n", value_of_text(workload));
        }
        if let Some(probes) = &self.probes {
            entries(&mut text, "[probes]", probes, "every");
        }
        if let Some(end) = &self.end {
            entries(&mut text, "[end]", end, "at");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }
}

/// Writes the section for `kind:value,name=value`; a value without a name belongs to the entry that `first` returns.
fn section(text: &mut String, name: &str, kind_name: &str, short: &str, first: fn(&str) -> &'static str) {
    let (kind, rest) = short.split_once(':').unwrap_or((short, ""));
    let heading = format!("{name}\n{kind_name} = {}", value_of_text(kind.trim()));
    entries(text, &heading, rest, first(kind.trim()));
}

fn entries(text: &mut String, heading: &str, list: &str, first: &str) {
    let _ = writeln!(text, "{heading}");
    // Entries of one name are a list: `queues=edge-0-0:3,queues=edge-0-1:3`.
    let mut entries: Vec<(&str, Vec<&str>)> = Vec::new();
    for part in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').map_or((first, part), |(name, value)| (name.trim(), value.trim()));
        match entries.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(value),
            None => entries.push((name, vec![value])),
        }
    }
    for (name, values) in entries {
        let values: Vec<String> = values.into_iter().map(value).collect();
        let is_list = values.len() > 1 || LISTS.contains(&name);
        let value = if is_list { format!("[{}]", values.join(", ")) } else { values.concat() };
        let _ = writeln!(text, "{name} = {value}");
    }
    text.push('\n');
}

/// The entries that are lists of texts.
const LISTS: [&str; 9] = ["queues", "links", "flows", "captures", "entries", "where", "between", "packets", "dscps"];

/// Returns a value as TOML: numbers and booleans bare, everything else quoted.
fn value(text: &str) -> String {
    let is_number = !text.is_empty() && text.parse::<f64>().is_ok_and(f64::is_finite);
    let is_bare = is_number && text.starts_with(|c: char| c.is_ascii_digit()) || matches!(text, "true" | "false");
    if is_bare { text.to_owned() } else { value_of_text(text) }
}

fn value_of_text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_become_the_plan_that_they_stand_for() {
        let short = Short {
            topology: "fat-tree:8".into(),
            link: Some("400Gb/s,delay=500ns".into()),
            queue: Some("trimming:8pkt,victim=arriving".into()),
            transport: Some("ndp:first_window=15".into()),
            host: Some("500ns,pcie=64Gb/s".into()),
            faults: vec!["loss:0.01,where=host-0-*".into(), "link-down:3ms,between=host-0-*,between=*".into()],
            workloads: vec!["incast:64x450kB".into()],
            probes: Some("1us,queues=edge-0-0:*,perfetto=true".into()),
            end: Some("10ms".into()),
            seed: Some(7),
        };
        let expected = r#"title = "incast:64x450kB on fat-tree:8"
seed = 7

[topology]
kind = "fat-tree"
k = 8

[link]
rate = "400Gb/s"
delay = "500ns"

[switch]
queue = "trimming"
limit = "8pkt"
victim = "arriving"

[transport]
kind = "ndp"
first_window = 15

[host]
per_packet = "500ns"
pcie = "64Gb/s"

[[fault]]
kind = "loss"
probability = 0.01
where = ["host-0-*"]

[[fault]]
kind = "link-down"
until = "3ms"
between = ["host-0-*", "*"]

[[workload]]
short = "incast:64x450kB"

[probes]
every = "1us"
queues = ["edge-0-0:*"]
perfetto = true

[end]
at = "10ms"
"#;
        assert_eq!(short.to_toml(), expected);
    }
}
