//! Checks of a plan, with messages for its author.

use super::{BufferPlan, DisciplinePlan, Marking, Returns, Service, TrimmedQueue, TrimmingPlan};

/// The problem of queues without room.
pub(crate) const NO_ROOM: &str = "a queue with a limit of 0 drops every packet: the limit must be at least 1 byte";

/// The problem of a scheduler within another discipline.
const NO_CLASS: &str = "a scheduler cannot be the discipline of a class: it has queues of its own";

impl DisciplinePlan {
    /// Returns a sentence for everything that is wrong with the plan, which also says what would be right. A traffic
    /// manager accepts a wrong plan too, and does what it says.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        self.tell(&mut problems);
        problems
    }

    fn is_scheduler(&self) -> bool {
        matches!(self, Self::Scheduler(_))
    }

    fn tell(&self, problems: &mut Vec<String>) {
        let mut none_if = |wrong: bool, what: &str| {
            if wrong {
                problems.push(what.to_owned());
            }
        };
        match self {
            Self::DropTail { limit } => none_if(*limit == 0, NO_ROOM),
            Self::Ecn { limit, threshold } => {
                none_if(*limit == 0, NO_ROOM);
                none_if(threshold >= limit, "the marking threshold can never be exceeded: it must be below the limit");
            }
            Self::Decided(parameters) => problems.extend(parameters.problems()),
            Self::Trimming(plan) => plan.tell(&mut none_if),
            Self::Scheduler(plan) => plan.tell(problems),
            Self::StrictPriorities { classes, .. } => {
                none_if(classes.is_empty(), "strict priorities need at least one class");
                none_if(classes.iter().any(Self::is_scheduler), NO_CLASS);
                classes.iter().for_each(|class| class.tell(problems));
            }
            Self::WeightedFair { classes, .. } => {
                none_if(classes.is_empty(), "fair queueing needs at least one class");
                let has_zero = classes.iter().any(|class| class.weight == 0);
                none_if(classes.iter().any(|class| class.discipline.is_scheduler()), NO_CLASS);
                none_if(has_zero, "a class of weight 0 is never served: weights must be at least 1");
                classes.iter().for_each(|class| class.discipline.tell(problems));
            }
        }
    }
}

impl TrimmingPlan {
    fn tell(&self, none_if: &mut impl FnMut(bool, &str)) {
        none_if(self.data == 0, "a queue without room for data trims every packet: the room must be at least 1 byte");
        none_if(self.trim_size < 34, "the trim size must cover the Ethernet and IPv4 headers: at least 34 bytes");
        match self.trimmed {
            TrimmedQueue::Same { limit } => {
                none_if(limit <= self.data, "if trimmed packets share the queue, its limit must be above that of data");
            }
            TrimmedQueue::Priority { limit, service } => {
                none_if(limit == 0, "the queue for trimmed packets has no room: its limit must be at least 1 byte");
                if let Service::Bytes { headers, data } | Service::Packets { headers, data } = service {
                    none_if(headers == 0 || data == 0, "each part of a ratio must be at least 1");
                }
            }
        }
        if let Returns::Above { watermark } = self.returns {
            none_if(watermark > self.data, "the watermark of source flow control must be at most the room for data");
        }
        let trimmed = match &self.marking {
            Marking::Unmarked => vec![],
            Marking::Symmetric(dscp) => vec![*dscp],
            Marking::Asymmetric(map) => map.iter().map(|&(_, to)| to).collect(),
            Marking::LastHop { last, elsewhere } => vec![*last, *elsewhere],
        };
        none_if(
            trimmed.iter().chain([&self.returned]).any(|&dscp| dscp == wire::dscp::DATA),
            "trimmed and returned packets must not have the default code point 0, which would make them look like data",
        );
        none_if(trimmed.contains(&self.returned), "trimmed and returned packets must have different code points");
        none_if(self.control.contains(wire::dscp::DATA), "control packets must not have the default code point 0");
    }
}

impl BufferPlan {
    /// Returns a sentence for everything that is wrong with the plan; see [`DisciplinePlan::problems`].
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.total == Some(0) {
            problems.push("a shared buffer of 0 bytes drops every packet: its size must be at least 1 byte".to_owned());
        }
        if !(self.alpha > 0.0 && self.alpha.is_finite()) {
            problems.push("alpha of dynamic thresholds must be a number above 0".to_owned());
        }
        if let Some(cells) = &self.cells {
            if cells.size == 0 {
                problems.push("a cell of 0 bytes holds nothing: its size must be at least 1 byte".to_owned());
            }
            if cells.pools.is_empty() || cells.pools.contains(&0) {
                problems.push("memory in cells needs at least one pool, each of at least 1 cell".to_owned());
            }
            if cells.pools.len() > 256 {
                problems.push("there cannot be more than 256 pools".to_owned());
            }
        }
        if let Some(plan) = &self.flow_control {
            if plan.xon > plan.xoff {
                problems.push("flow control must resume (xon) at no more bytes than it pauses at (xoff)".to_owned());
            }
            if plan.quanta == 0 {
                problems.push("a pause of 0 quanta ends at once: quanta must be at least 1".to_owned());
            }
        }
        problems
    }

    /// Returns a sentence for everything in which the disciplines of ports and this memory do not fit together.
    pub fn conflicts<'p>(&self, disciplines: impl IntoIterator<Item = &'p DisciplinePlan>) -> Vec<String> {
        let Some(cells) = &self.cells else { return Vec::new() };
        let mut reserved = vec![0u64; cells.pools.len()];
        let mut conflicts = Vec::new();
        for discipline in disciplines {
            let DisciplinePlan::Scheduler(plan) = discipline else { continue };
            for (number, queue) in plan.queues.iter().enumerate() {
                match reserved.get_mut(usize::from(queue.room.pool)) {
                    Some(sum) => *sum = sum.saturating_add(queue.room.reserved),
                    None => conflicts.push(format!(
                        "queue {number} uses pool {}, but there are only {} pools, numbered from 0",
                        queue.room.pool,
                        cells.pools.len()
                    )),
                }
            }
        }
        for (number, (reserved, &cells)) in reserved.into_iter().zip(&cells.pools).enumerate() {
            if reserved > cells {
                conflicts.push(format!("queues reserve {reserved} cells of pool {number}, which has only {cells}"));
            }
        }
        conflicts
    }
}
