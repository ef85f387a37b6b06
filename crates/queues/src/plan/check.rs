//! What is wrong with a plan, in words for whoever wrote it.

use super::{BufferPlan, DisciplinePlan, Marking, RedPlan, Returns, Service, TrimmedQueue, TrimmingPlan};

impl DisciplinePlan {
    /// Everything that is wrong with it: sentences that say what and what would be right. A manager takes a wrong plan
    /// too, and does what it says.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        self.tell(&mut problems);
        problems
    }

    fn tell(&self, problems: &mut Vec<String>) {
        let mut none_if = |wrong: bool, what: &str| {
            if wrong {
                problems.push(what.to_owned());
            }
        };
        match self {
            Self::DropTail { limit } => none_if(*limit == 0, "a queue without room passes nothing on"),
            Self::Ecn { limit, threshold } => {
                none_if(*limit == 0, "a queue without room passes nothing on");
                none_if(threshold >= limit, "the marking threshold is never passed: it is to be below the limit");
            }
            Self::Red(plan) => plan.tell(&mut none_if),
            Self::Trimming(plan) => plan.tell(&mut none_if),
            Self::StrictPriorities { classes, .. } => {
                none_if(classes.is_empty(), "priorities need at least one class");
                classes.iter().for_each(|class| class.tell(problems));
            }
            Self::WeightedFair { classes, .. } => {
                none_if(classes.is_empty(), "fair queueing needs at least one class");
                none_if(classes.iter().any(|class| class.weight == 0), "a class of weight 0 is never served");
                classes.iter().for_each(|class| class.discipline.tell(problems));
            }
        }
    }
}

impl RedPlan {
    fn tell(&self, none_if: &mut impl FnMut(bool, &str)) {
        none_if(self.limit == 0, "a queue without room passes nothing on");
        none_if(self.minimum >= self.maximum, "the minimum of random early detection is to be below its maximum");
        none_if(!(0.0..=1.0).contains(&self.probability), "a probability is from 0 to 1");
        none_if(!(self.weight > 0.0 && self.weight <= 1.0), "the weight of an average is above 0 and at most 1");
    }
}

impl TrimmingPlan {
    fn tell(&self, none_if: &mut impl FnMut(bool, &str)) {
        none_if(self.data == 0, "a queue without room for data trims everything");
        none_if(self.trim_size < 34, "the trim size is to hold at least the Ethernet and the IPv4 header, 34 bytes");
        match self.trimmed {
            TrimmedQueue::Same { limit } => {
                none_if(limit <= self.data, "trimmed packets in the same queue need a limit above that for data");
            }
            TrimmedQueue::Priority { limit, service } => {
                none_if(limit == 0, "the queue for trimmed packets has no room");
                if let Service::Bytes { headers, data } | Service::Packets { headers, data } = service {
                    none_if(headers == 0 || data == 0, "each part of a ratio is at least 1");
                }
            }
        }
        if let Returns::Above { watermark } = self.returns {
            none_if(watermark > self.data, "the watermark of source flow control is to be at most the room for data");
        }
        let trimmed = match &self.marking {
            Marking::Unmarked => vec![],
            Marking::Symmetric(dscp) => vec![*dscp],
            Marking::Asymmetric(map) => map.iter().map(|&(_, to)| to).collect(),
            Marking::LastHop { last, elsewhere } => vec![*last, *elsewhere],
        };
        none_if(
            trimmed.iter().chain([&self.returned]).any(|&dscp| dscp == wire::dscp::DATA),
            "trimmed and returned packets cannot have the default code point 0: data would be taken for them",
        );
        none_if(trimmed.contains(&self.returned), "trimmed and returned packets need different code points");
        none_if(self.control.contains(wire::dscp::DATA), "the default code point 0 cannot be that of control packets");
    }
}

impl BufferPlan {
    /// Everything that is wrong with it, as [`DisciplinePlan::problems`].
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.total == Some(0) {
            problems.push("a shared buffer without room passes nothing on".to_owned());
        }
        if !(self.alpha > 0.0 && self.alpha.is_finite()) {
            problems.push("alpha of dynamic thresholds is above 0".to_owned());
        }
        if let Some(plan) = &self.flow_control {
            if plan.xon > plan.xoff {
                problems.push("flow control is to resume (xon) at no more bytes than it pauses at (xoff)".to_owned());
            }
            if plan.quanta == 0 {
                problems.push("a pause of 0 quanta is none".to_owned());
            }
        }
        problems
    }
}
