//! The result of a program with a parser.

use std::collections::BTreeMap;
use std::fmt;

use machines::{PartUse, Timeline};
use serde::Serialize;

use crate::Activity;
use crate::words::counted;

/// The result of a program with a parser. It is written to `result.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replayed {
    /// The name of the program.
    pub program: String,
    /// The name of the machine.
    #[serde(skip)]
    pub machine: &'static str,
    /// The time at which the last packet arrived, in microseconds from the start.
    pub last_arrival: u64,
    /// The rate of departures divided by the rate of arrivals, from 0 to 1; `None` for machines without stages, which
    /// take no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<f64>,
    /// The counts of what the switch did.
    pub statistics: Activity,
    /// The traffic of each port.
    pub ports: BTreeMap<u16, PortOutcome>,
    /// The number of digests of each kind.
    pub digests: BTreeMap<String, u64>,
    /// The number of cycles of the machine's clock that have passed.
    #[serde(skip)]
    pub cycles: u64,
    /// What each part of the machine has done, if it counts that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartUse>,
    /// The timeline of the first cycles, if one was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
}

/// The traffic of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PortOutcome {
    /// The number of packets that arrived.
    pub packets_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// The number of packets that departed.
    pub packets_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
}

impl Replayed {
    /// Returns true if every packet that arrived or was created departed or was dropped for a reason.
    pub fn is_conserved(&self) -> bool {
        self.statistics.is_conserved()
    }
}

impl fmt::Display for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let statistics = &self.statistics;
        let mut line = |name: &str, value: String| writeln!(f, "{name:<15} {value}");
        line("program", self.program.clone())?;
        line("packets", format!("{} in, {} out", statistics.received, statistics.transmitted))?;
        line("  made inside", statistics.replicated.to_string())?;
        let dropped: Vec<String> =
            statistics.discarded.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        line("  dropped", if dropped.is_empty() { "none".to_owned() } else { dropped.join(", ") })?;
        for (name, value) in statistics.counted.iter() {
            if let Some((label, text)) = in_words(name, value) {
                line(&label, text)?;
            }
        }
        if let Some(throughput) = self.throughput {
            line("throughput", format!("{:.1} % of what was offered", 100.0 * throughput))?;
        }
        line("last arrival", format!("{} us", self.last_arrival))?;
        let conserved = if self.is_conserved() { "yes" } else { "NO" };
        line("conserved", format!("{conserved}: in and made inside = out and dropped"))?;
        writeln!(f)?;
        writeln!(f, "{:>5} {:>12} {:>14} {:>12} {:>14}", "port", "packets in", "bytes in", "packets out", "bytes out")?;
        for (port, through) in &self.ports {
            let PortOutcome { packets_in, bytes_in, packets_out, bytes_out } = through;
            writeln!(f, "{port:>5} {packets_in:>12} {bytes_in:>14} {packets_out:>12} {bytes_out:>14}")?;
        }
        if !self.parts.is_empty() {
            writeln!(f)?;
            write_parts(f, &self.parts, self.cycles)?;
        }
        if let Some(timeline) = &self.timeline {
            write!(f, "\n{timeline}")?;
        }
        Ok(())
    }
}

/// Writes what the parts of each kind have done together.
fn write_parts(f: &mut fmt::Formatter<'_>, parts: &[PartUse], cycles: u64) -> fmt::Result {
    writeln!(
        f,
        "{:<14} {:>5} {:>12} {:>7} {:>14} {:>14}",
        "part", "count", "work", "busy", "longest queue", "mean latency"
    )?;
    for kind in parts.chunk_by(|one, next| one.part == next.part) {
        let sum = |of: fn(&PartUse) -> u64| kind.iter().map(of).sum::<u64>();
        let (work, time) = (sum(|part| part.work), cycles.max(1) as f64 * kind.len() as f64);
        let busy = 100.0 * sum(|part| part.busy) as f64 / time;
        let longest = kind.iter().map(|part| part.longest_queue).max().unwrap_or(0);
        let mean = sum(|part| part.latency) as f64 / work.max(1) as f64;
        let (name, count) = (kind[0].part.replace('_', " "), kind.len());
        writeln!(f, "{name:<14} {count:>5} {work:>12} {busy:>6.1}% {longest:>14} {mean:>14.1}")?;
    }
    Ok(())
}

/// Returns the label and text of a counter for the report, or `None` for a counter that is reported only if it is not
/// zero.
fn in_words(name: &str, value: u64) -> Option<(String, String)> {
    let (label, text) = match name {
        "resubmissions" => ("resubmitted".to_owned(), value.to_string()),
        "recirculations" => ("recirculated".to_owned(), value.to_string()),
        // Resubmissions outside of ingress and recirculations outside of egress; most of them are mistakes.
        "ignored_requests" | "tail_reads" if value == 0 => return None,
        // A run has no control plane that reads digests, and records all of them.
        "unread_digests" => return None,
        "ignored_requests" => (
            "ignored".to_owned(),
            format!("{} to resubmit or recirculate where that is impossible", counted(value, "request")),
        ),
        "tail_reads" => {
            let packets = counted(value, "packet");
            ("cut bytes".to_owned(), format!("{packets} read zeros where only the length is known"))
        }
        // The names of SAI, such as SAI_QUEUE_STAT_DROPPED_PACKETS.
        _ => {
            (name.replacen("SAI_", "", 1).replacen("_STAT", "", 1).replace('_', " ").to_lowercase(), value.to_string())
        }
    };
    Some((label, text))
}
