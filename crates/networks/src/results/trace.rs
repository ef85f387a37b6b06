//! A trace of a run in the Trace Event Format, for Perfetto (ui.perfetto.dev) and Chrome's tracing.
//!
//! Each host is a process whose flows are slices, with concurrent flows in separate lanes; each probed queue is a
//! counter. Times are in microseconds, with six decimal places for picoseconds.

use std::fmt::Write;

use basis::Instant;

use super::flows::{Flow, NOWHERE};
use super::series::Series;

/// Returns the trace. Flows that have not ended are shown until `end`.
pub(super) fn trace(flows: &[Flow], names: &[String], series: &Series, end: Instant) -> String {
    let mut text = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    let mut lanes: Vec<Vec<Instant>> = vec![Vec::new(); names.len()];
    let mut separator = "\n";
    let mut add = |event: std::fmt::Arguments<'_>| {
        let _ = write!(text, "{separator}{event}");
        separator = ",\n";
    };
    for flow in flows {
        let ends = flow.delivered.or(flow.abandoned).unwrap_or(end);
        let source = flow.source as usize;
        if lanes[source].is_empty() {
            let name = json(&names[source]);
            add(format_args!(r#"{{"ph":"M","name":"process_name","pid":{source},"args":{{"name":{name}}}}}"#));
        }
        // The first free lane.
        let lane = lanes[source].iter().position(|&free| free <= flow.started).unwrap_or_else(|| {
            lanes[source].push(Instant::ZERO);
            lanes[source].len() - 1
        });
        lanes[source][lane] = ends;
        let destination =
            if flow.destination == NOWHERE { "nowhere" } else { names[flow.destination as usize].as_str() };
        let what = match (flow.delivered, flow.abandoned) {
            (Some(_), _) => "delivered",
            (None, Some(_)) => "abandoned",
            (None, None) => "unfinished",
        };
        let name = json(&format!("to {destination}, {} bytes", flow.bytes));
        let (begin, length) = (microseconds(flow.started.picoseconds()), ends.since(flow.started).picoseconds());
        add(format_args!(
            r#"{{"ph":"X","name":{name},"cat":"flow","pid":{source},"tid":{},"ts":{begin},"dur":{},"args":{{"message":{},"bytes":{},"end":"{what}"}}}}"#,
            lane + 1,
            microseconds(length),
            flow.message,
            flow.bytes,
        ));
    }
    let pid = names.len();
    for (name, lengths) in series.queues() {
        let name = json(name);
        add(format_args!(r#"{{"ph":"C","name":{name},"pid":{pid},"ts":0,"args":{{"bytes":0}}}}"#));
        for (at, bytes) in lengths {
            let at = microseconds(at.picoseconds());
            add(format_args!(r#"{{"ph":"C","name":{name},"pid":{pid},"ts":{at},"args":{{"bytes":{bytes}}}}}"#));
        }
    }
    add(format_args!(r#"{{"ph":"M","name":"process_name","pid":{pid},"args":{{"name":"queues"}}}}"#));
    text.push_str("\n]}\n");
    text
}

fn json(text: &str) -> String {
    serde_json::to_string(text).expect("every text can be JSON")
}

fn microseconds(picoseconds: u64) -> String {
    format!("{}.{:06}", picoseconds / 1_000_000, picoseconds % 1_000_000)
}
