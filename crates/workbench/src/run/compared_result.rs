//! The result of a program that works on fields, compared with the interpreter.

use std::fmt;

use equivalence::Comparison;
use machines::Timeline;
use machines::mp5::counters::{MOVES, WASTED_CYCLES};
use runtime::RegisterFile;
use serde::Serialize;

use super::PacketCurve;
use crate::kinds::Fitted;
use crate::machine::MachinePlan;

/// The result of a program that works on fields. It is written to `result.json`.
#[derive(Serialize)]
pub struct Compared {
    /// The name of the program.
    pub program: String,
    /// The name of the machine.
    pub machine: &'static str,
    /// The number of parallel pipelines, or the speedup of a single pipeline; `None` for machines without stages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipelines: Option<usize>,
    /// The number of stages that the program takes; `None` for machines without stages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stages: Option<usize>,
    /// The names of the captures, or the plan of traffic.
    pub traffic: String,
    /// The comparison of the machine with the interpreter.
    pub comparison: Comparison,
    /// The timeline of the first cycles, if one was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
    /// The program as fitted to the machine.
    #[serde(skip)]
    pub fitted: Box<dyn Fitted>,
    /// The registers of the machine at the end.
    #[serde(skip)]
    pub registers: RegisterFile,
    /// The number of arrived packets over time.
    #[serde(skip)]
    pub arrivals: PacketCurve,
    /// The number of departed packets over time.
    #[serde(skip)]
    pub departures: PacketCurve,
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comparison = &self.comparison;
        let machine = &comparison.machine;
        let mut line = |name: &str, value: String| writeln!(f, "{name:<15} {value}");
        let plan = self.fitted.plan();
        line("program", self.program.clone())?;
        line("machine", plan.map_or_else(|| self.machine.to_owned(), MachinePlan::in_words))?;
        line("traffic", self.traffic.clone())?;
        line("packets", format!("{} in, {} out", machine.received, machine.transmitted))?;
        line("  passed by", format!("{} (the program does not apply to them)", machine.bypassed))?;
        let discarded: Vec<String> =
            machine.discarded.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        line("  discarded", if discarded.is_empty() { "none".to_owned() } else { discarded.join(", ") })?;
        // Machines without stages take no time, so there is nothing to report about speed and order.
        if let Some(plan) = plan {
            line("throughput", format!("{:.1} % of what was offered", 100.0 * comparison.throughput))?;
            line("cycles", format!("{} of {} ps", machine.cycles, plan.clock().picoseconds()))?;
            line("longest queue", machine.largest_queue.to_string())?;
            line("wasted cycles", machine.own(WASTED_CYCLES).to_string())?;
            line("recirculations", machine.recirculations.to_string())?;
            line("register moves", machine.own(MOVES).to_string())?;
            line("marked (ECN)", machine.marked.to_string())?;
            let overtaking = comparison.access_violations;
            line("overtaking", format!("{overtaking} packets accessed state before an earlier one did"))?;
            let reordered = comparison.reordered_packets;
            line("reordered", format!("{reordered} packets left after a later one of their flow"))?;
        }
        line("same meaning", comparison.verdict.to_string())?;
        if let Some(standstill) = &comparison.standstill {
            write!(f, "\n{standstill}")?;
        }
        if let Some(timeline) = &self.timeline {
            write!(f, "\n{timeline}")?;
        }
        Ok(())
    }
}
