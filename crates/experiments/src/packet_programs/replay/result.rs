//! What came of captures run through a program.

use std::collections::BTreeMap;
use std::fmt;

use machines::v1model::Statistics;
use serde::Serialize;

use crate::packet_programs::words::counted;

/// What came of it. Serialises to `result.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplayOutcome {
    /// The program.
    pub program: String,
    /// When the last packet came in, in microseconds from the start.
    pub last_arrival: u64,
    /// What the switch did.
    pub statistics: Statistics,
    /// By port, how many packets came in and went out, with their bytes.
    pub ports: BTreeMap<u16, PortOutcome>,
    /// Digests of each kind.
    pub digests: BTreeMap<String, u64>,
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

impl ReplayOutcome {
    /// Whether every packet that came in or was made went out or was dropped for a reason.
    pub fn is_conserved(&self) -> bool {
        let statistics = &self.statistics;
        statistics.received + statistics.replicated == statistics.transmitted + statistics.discarded.total()
    }
}

impl fmt::Display for ReplayOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let statistics = &self.statistics;
        let mut line = |name: &str, value: String| writeln!(f, "{name:<15} {value}");
        line("program", self.program.clone())?;
        line("packets", format!("{} in, {} out", statistics.received, statistics.transmitted))?;
        line("  made inside", statistics.replicated.to_string())?;
        let dropped: Vec<String> =
            statistics.discarded.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        line("  dropped", if dropped.is_empty() { "none".to_owned() } else { dropped.join(", ") })?;
        line("parser errors", statistics.parser_errors.to_string())?;
        line("resubmitted", statistics.resubmissions.to_string())?;
        line("recirculated", statistics.recirculations.to_string())?;
        line("clones", statistics.clones.to_string())?;
        line("digests", statistics.digests.to_string())?;
        if statistics.ignored_requests > 0 {
            // A resubmission outside of ingress, a recirculation outside of egress: few of them are meant.
            line(
                "ignored",
                format!("{} to begin again where that cannot be", counted(statistics.ignored_requests, "request")),
            )?;
        }
        if statistics.tail_reads > 0 {
            line(
                "cut bytes",
                format!("{} read zeros where the capture has no bytes", counted(statistics.tail_reads, "packet")),
            )?;
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
        Ok(())
    }
}
