//! `red`: random early detection.

use plans::Section;
use queues::{DisciplinePlan, RedPlan, Spacing};

use super::{DisciplineKind, QueueReading};

pub(super) struct Red;

impl DisciplineKind for Red {
    fn name(&self) -> &'static str {
        "red"
    }

    fn read(&self, section: &Section<'_>, reading: &mut QueueReading<'_>) -> DisciplinePlan {
        DisciplinePlan::of(RedPlan {
            limit: reading.amount(section, "limit", 100),
            minimum: reading.amount(section, "minimum", 5),
            maximum: reading.amount(section, "maximum", 15),
            probability: section.number("probability", 0.0..=1.0, 0.02),
            weight: section.number("weight", 0.0..=1.0, 0.002),
            spacing: section.choice(
                "spacing",
                &[("uniform", Spacing::Uniform), ("geometric", Spacing::Geometric)],
                "uniform",
            ),
            usual_packet: u32::try_from(reading.packet()).unwrap_or(u32::MAX),
        })
    }
}
