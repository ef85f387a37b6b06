//! What came of packets run through a program with a parser.

use std::collections::BTreeMap;
use std::fmt;

use machines::Timeline;
use serde::Serialize;

use crate::Activity;
use crate::words::counted;

/// What came of it. Serialises to `result.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replayed {
    /// The program.
    pub program: String,
    /// The machine.
    #[serde(skip)]
    pub machine: &'static str,
    /// When the last packet came in, in microseconds from the start.
    pub last_arrival: u64,
    /// How fast packets left against how fast they came, from 0 to 1, on machines that take time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<f64>,
    /// What the switch did.
    pub statistics: Activity,
    /// By port, how many packets came in and went out, with their bytes.
    pub ports: BTreeMap<u16, PortOutcome>,
    /// Digests of each kind.
    pub digests: BTreeMap<String, u64>,
    /// What was where in each cycle, if that was to be recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
}

/// What went through a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PortOutcome {
    /// Packets that came in.
    pub packets_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Packets that went out.
    pub packets_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
}

impl Replayed {
    /// Whether every packet that came in or was made went out or was dropped for a reason.
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
        if let Some(timeline) = &self.timeline {
            write!(f, "\n{timeline}")?;
        }
        Ok(())
    }
}

/// A number that a machine has counted, as a line of the report; `None` for what is only told where it happened.
fn in_words(name: &str, value: u64) -> Option<(String, String)> {
    let (label, text) = match name {
        "resubmissions" => ("resubmitted".to_owned(), value.to_string()),
        "recirculations" => ("recirculated".to_owned(), value.to_string()),
        // A resubmission outside of ingress, a recirculation outside of egress: few of them are meant.
        "ignored_requests" | "tail_reads" if value == 0 => return None,
        "ignored_requests" => {
            ("ignored".to_owned(), format!("{} to begin again where that cannot be", counted(value, "request")))
        }
        "tail_reads" => {
            let packets = counted(value, "packet");
            ("cut bytes".to_owned(), format!("{packets} read zeros where only the length is known"))
        }
        _ => (name.replace('_', " "), value.to_string()),
    };
    Some((label, text))
}
