//! `[flow_log]`.

use basis::Duration;
use plans::{Section, hint};

use super::names::Names;
use crate::configuration::FlowLog;
use crate::flow_log::FlowField;

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
    let fields = fields(&section);
    let log = FlowLog {
        interval: Duration::from_microseconds(seconds * 1_000_000),
        account: account.unwrap_or_else(|| "-".to_owned()),
        vnics: section.has("vnics").then_some(chosen),
        fields,
    };
    section.end(text);
    Some(log)
}

/// Reads the fields of records; `None` if they are those of version 2.
fn fields(section: &Section<'_>) -> Option<Vec<FlowField>> {
    let errors = section.errors();
    let named = section.texts("fields");
    if named.is_empty() {
        if section.has("fields") && section.errors() == errors {
            let hint = "name some, or leave it out for those of version 2";
            section.error(&section.span_of("fields"), "records without fields", hint);
        }
        return None;
    }
    let mut fields: Vec<FlowField> = Vec::new();
    for (name, span) in &named {
        match FlowField::named(name) {
            None => {
                let names = FlowField::ALL.map(FlowField::name);
                let all = format!("there are {}", names.join(", "));
                section.error(span, format!("there is no field `{name}`"), hint(name, names.into_iter(), &all));
            }
            Some(field) if fields.contains(&field) => {
                section.error(span, format!("the field `{name}` is there twice"), "name each once");
            }
            Some(field) => fields.push(field),
        }
    }
    Some(fields)
}
