//! `ecn`: drop-tail that marks packets above a threshold.

use plans::Section;
use queues::DisciplinePlan;

use super::{DisciplineKind, QueueReading};

pub(super) struct Ecn;

impl DisciplineKind for Ecn {
    fn name(&self) -> &'static str {
        "ecn"
    }

    fn read(&self, section: &Section<'_>, reading: &mut QueueReading<'_>) -> DisciplinePlan {
        DisciplinePlan::Ecn {
            limit: reading.amount(section, "limit", 100),
            threshold: reading.amount(section, "threshold", 20),
        }
    }
}
