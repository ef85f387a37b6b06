//! `scheduler`: queues that programs of switches name, or else the code points of packets.

use std::sync::Arc;

use plans::Section;
use queues::DisciplinePlan;

use super::{DisciplineKind, QueueReading};

pub(super) struct Scheduler;

impl DisciplineKind for Scheduler {
    fn name(&self) -> &'static str {
        "scheduler"
    }

    fn has_classes(&self) -> bool {
        true
    }

    fn read(&self, section: &Section<'_>, reading: &mut QueueReading<'_>) -> DisciplinePlan {
        DisciplinePlan::Scheduler(Arc::new(queues::read::scheduler(section, reading.text)))
    }
}
