//! `strict-priorities` and `weighted-fair`: one `[[switch.class]]` for each class, with a discipline of its own.

use plans::Section;
use queues::{ClassMap, ClassPlan, DisciplinePlan};

use super::{DisciplineKind, QueueReading, USUAL_OF_CLASSES, code_points, read};

pub(super) static STRICT_PRIORITIES: Classes = Classes {
    name: "strict-priorities",
    plan: |map, classes| DisciplinePlan::StrictPriorities {
        map,
        classes: classes.into_iter().map(|class| class.discipline).collect(),
    },
};
pub(super) static WEIGHTED_FAIR: Classes =
    Classes { name: "weighted-fair", plan: |map, classes| DisciplinePlan::WeightedFair { map, classes } };

pub(super) struct Classes {
    name: &'static str,
    plan: fn(ClassMap, Vec<ClassPlan>) -> DisciplinePlan,
}

impl DisciplineKind for Classes {
    fn name(&self) -> &'static str {
        self.name
    }

    fn has_classes(&self) -> bool {
        true
    }

    fn read(&self, section: &Section<'_>, reading: &mut QueueReading<'_>) -> DisciplinePlan {
        let sections = section.sections("class");
        if sections.is_empty() {
            let path = section.path_of("class");
            let hint = format!("add [[{path}]] for each, from class 0 on, with `dscps` and `queue`");
            section.error(section.span(), "this queue needs classes", hint);
        }
        let mut points = Vec::new();
        let mut classes = Vec::new();
        for (number, section) in sections.into_iter().enumerate() {
            let number = u8::try_from(number).unwrap_or(u8::MAX);
            points.extend(code_points(&section, "dscps", &[]).into_iter().map(|point| (point, number)));
            let weight = section.count("weight", 1..=1_000_000, 1) as u32;
            let discipline = read(&section, USUAL_OF_CLASSES, true, reading);
            classes.push(ClassPlan { weight, discipline });
            section.end(reading.text);
        }
        (self.plan)(ClassMap::of(&points), classes)
    }
}
