//! `[flow_log]`.

use basis::Duration;
use plans::Section;

use super::names::Names;
use crate::configuration::FlowLog;

/// The intervals that AWS VPC flow logs have.
const INTERVALS: [(&str, u64); 2] = [("1 min", 60), ("10 min", 600)];

pub fn read(section: Section<'_>, vnics: &Names, text: &mut String) -> Option<FlowLog> {
    if !section.is_given() {
        section.end(text);
        return None;
    }
    let seconds = section.choice("interval", &INTERVALS, "10 min");
    let account = section.checked("account", |text| {
        let is_word = !text.is_empty() && !text.contains(char::is_whitespace);
        is_word.then_some(()).ok_or_else(|| "a word, such as \"123456789012\"".to_owned())
    });
    let named = section.texts("vnics");
    let chosen = named.iter().filter_map(|(name, span)| vnics.find(&section, name, span)).collect();
    let log = FlowLog {
        interval: Duration::from_microseconds(seconds * 1_000_000),
        account: account.unwrap_or_else(|| "-".to_owned()),
        vnics: section.has("vnics").then_some(chosen),
    };
    section.end(text);
    Some(log)
}
