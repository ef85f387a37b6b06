//! What came of a program that works on fields, held against the interpreter.

use std::fmt;

use equivalence::Comparison;
use machines::Timeline;
use machines::mp5::counters::{MOVES, WASTED_CYCLES};
use runtime::RegisterFile;
use serde::Serialize;

use super::Progress;
use crate::kinds::Fitted;
use crate::machine::MachinePlan;

/// What came of it. Serialises to `result.json`.
#[derive(Serialize)]
pub struct Compared {
    /// The program.
    pub program: String,
    /// The machine.
    pub machine: &'static str,
    /// How many pipelines it has, if it has stages; where there is one, as how many it is as fast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipelines: Option<usize>,
    /// How many stages the program takes, if the machine has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stages: Option<usize>,
    /// The packets.
    pub traffic: String,
    /// The machine against the interpreter.
    pub comparison: Comparison,
    /// What was where in each cycle, if that was to be recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
    /// The program as the machine ran it.
    #[serde(skip)]
    pub fitted: Box<dyn Fitted>,
    /// The machine's registers at the end.
    #[serde(skip)]
    pub registers: RegisterFile,
    /// How many packets had come by when.
    #[serde(skip)]
    pub arrivals: Progress,
    /// How many packets had left by when.
    #[serde(skip)]
    pub departures: Progress,
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
        // What takes no time is as fast as its packets come, and in their order.
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
