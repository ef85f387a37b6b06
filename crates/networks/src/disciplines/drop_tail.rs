//! `drop-tail`: first in, first out; a packet that finds no room is dropped.

use plans::Section;
use queues::DisciplinePlan;

use super::{DisciplineKind, QueueReading};

pub(super) struct DropTail;

impl DisciplineKind for DropTail {
    fn name(&self) -> &'static str {
        "drop-tail"
    }

    fn read(&self, section: &Section<'_>, reading: &mut QueueReading<'_>) -> DisciplinePlan {
        DisciplinePlan::DropTail { limit: reading.amount(section, "limit", 100) }
    }
}
