//! `[queue]` and `[memory]`: what waits in the traffic manager.

use std::collections::BTreeMap;

use plans::Section;
use queues::{BufferPlan, CellPlan, DisciplinePlan, SchedulerPlan};

/// The bytes of a full packet on the wire, of which the memory may be a multiple: 1514 bytes of Ethernet, its check
/// sequence, preamble and gap.
const FULL_PACKET: u64 = 1538;

/// The queues of the ports, and the memory that they share.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueSettings {
    /// The queues of each port that has none of its own.
    pub usual: SchedulerPlan,
    /// The queues of ports that have their own, by device port.
    pub own: BTreeMap<u16, SchedulerPlan>,
    /// The memory.
    pub memory: BufferPlan,
}

impl Default for QueueSettings {
    /// Returns 32 equal queues a port, and one pool of 275,000 cells of 80 bytes, which are 22 MB.
    fn default() -> Self {
        let memory = BufferPlan { cells: Some(CellPlan::default()), ..BufferPlan::default() };
        Self { usual: SchedulerPlan::default(), own: BTreeMap::new(), memory }
    }
}

impl QueueSettings {
    /// Reads the queues and the memory of a chip. `own` are the queues of ports that have their own.
    pub(super) fn read(above: &Section<'_>, own: BTreeMap<u16, SchedulerPlan>, text: &mut String) -> Self {
        let usual = Self::default();
        let mut below = String::new();
        let section = above.section("queue");
        let scheduler = queues::read::scheduler(&section, &mut below);
        section.end(text);
        text.push_str(&below);
        let section = above.section("memory");
        let (is_given, place) = (section.is_given(), section.span().clone());
        let given = queues::read::memory(section, FULL_PACKET, text);
        let memory = if is_given { given } else { usual.memory };
        let settings = Self { usual: scheduler, own, memory };
        let plans = std::iter::once(&settings.usual).chain(settings.own.values());
        let disciplines: Vec<_> = plans.map(|plan| DisciplinePlan::Scheduler(plan.clone().into())).collect();
        for problem in settings.memory.problems().into_iter().chain(settings.memory.conflicts(&disciplines)) {
            above.error(&place, problem, "docs/queues.md describes memory in cells");
        }
        settings
    }

    /// Returns the queues of a port.
    pub fn of_port(&self, number: u16) -> &SchedulerPlan {
        self.own.get(&number).unwrap_or(&self.usual)
    }
}
