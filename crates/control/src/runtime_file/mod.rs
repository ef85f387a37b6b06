//! The JSON files of the P4 tutorials, which list what a controller inserts when a switch starts.
//!
//! ```json
//! {
//!   "table_entries": [
//!     { "table": "MyIngress.ipv4_lpm", "match": { "hdr.ipv4.dstAddr": ["10.0.1.1", 32] },
//!       "action_name": "MyIngress.forward", "action_params": { "dstAddr": "08:00:00:00:01:11", "port": 1 } },
//!     { "table": "MyIngress.ipv4_lpm", "default_action": true, "action_name": "MyIngress.drop", "action_params": {} }
//!   ],
//!   "multicast_group_entries": [
//!     { "multicast_group_id": 1, "replicas": [{ "egress_port": 1, "instance": 1 }] }
//!   ],
//!   "clone_session_entries": [
//!     { "clone_session_id": 100, "replicas": [{ "egress_port": 3, "instance": 1 }], "packet_length_bytes": 64 }
//!   ]
//! }
//! ```
//!
//! A match is a value for an exact or optional field, a value and a length for lpm, a value and a mask for ternary, and
//! a low and a high value for range; a field that is not named matches everything. The larger priority wins
//! (P4Runtime). An entry with a `"pipe"` is one of that pipe of a switch with several. The texts of the list `"configure"`,
//! which are TOML, change the settings of a switch that has any, before everything else. Names that refer to files of the switch (`target`, `p4info`, `bmv2_json`) are ignored.

mod entries;
mod json;
mod replication;
mod threads;

use diagnostics::{Diagnostics, SourceId, Sources};

use crate::client::Resolver;
use crate::{ConfigureRequest, Info, Placed, Prepared, Request};
use json::Reader;

/// Parses a file and resolves all names for a program. Returns the requests, in order.
///
/// # Errors
/// Returns all errors of the file, including names that the program does not have.
pub fn prepare(info: &Info, sources: &Sources, source: SourceId) -> Result<Prepared<Request>, Diagnostics> {
    let mut reader = Reader { resolver: Resolver::new(info), source, warnings: Diagnostics::new() };
    let mut steps = Vec::new();
    match json::parse(sources.text(source), source) {
        Ok(whole) => file(&mut reader, &whole, &mut steps),
        Err(diagnostic) => reader.resolver.findings.push(diagnostic),
    }
    let mut findings = reader.resolver.findings;
    findings.extend(reader.warnings);
    if findings.has_errors() { Err(findings) } else { Ok(Prepared { steps, warnings: findings }) }
}

/// Reads a change of settings.
fn configure(reader: &mut Reader<'_>, value: &json::Value<'_>) -> Option<Request> {
    let text = reader.text(value, "a text of settings")?.text;
    Some(Request::Configure(ConfigureRequest::Change(text)))
}

/// A function that reads an item of a list.
type ReadItem = fn(&mut Reader<'_>, &json::Value<'_>) -> Option<Request>;

fn file(reader: &mut Reader<'_>, whole: &json::Value<'_>, steps: &mut Vec<Placed<Request>>) {
    const KNOWN: [&str; 10] = [
        "target",
        "p4info",
        "bmv2_json",
        "configure",
        "table_entries",
        "multicast_group_entries",
        "clone_session_entries",
        "memory",
        "records",
        "events",
    ];
    let Some(object) = reader.object(whole, "the file") else { return };
    reader.check_names(object, &KNOWN);
    let parts: [(&str, ReadItem); 7] = [
        ("configure", configure),
        ("table_entries", entries::entry),
        ("multicast_group_entries", replication::group),
        ("clone_session_entries", replication::session),
        ("memory", threads::memory),
        ("records", threads::record),
        ("events", threads::event),
    ];
    for (name, read) in parts {
        let Some(list) = object.get(name) else { continue };
        for item in reader.list(&list.value, name).unwrap_or_default() {
            if reader.resolver.findings.is_full() {
                return;
            }
            let span = reader.span(item);
            if let Some(item) = read(reader, item) {
                steps.push(Placed { span, item });
            }
        }
    }
}
