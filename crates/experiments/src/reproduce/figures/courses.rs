//! Figures of numbers over time, each of one run.

use super::Selected;
use super::bars::{PICOSECOND, timeline};
use crate::plan::FigurePlan;
use crate::sweep::Course;
use report::{Axis, COLOURS, Curve, CurveChart, Quantity};

/// The chart of the first run that tells these numbers.
pub(super) fn of(plan: &FigurePlan, what: &str, selected: &Selected<'_>) -> CurveChart {
    let courses = timeline(selected).map_or(&[][..], |timeline| &timeline.courses);
    let curve = |(number, course): (usize, &Course)| {
        let points = course.points.iter().map(|&(at, value)| (at as f64 * PICOSECOND, value)).collect();
        (course.are_marks, Curve { name: course.name.clone(), colour: number % COLOURS, points })
    };
    let all = courses.iter().filter(|course| course.of == what).enumerate().map(curve);
    let (marks, curves): (Vec<_>, Vec<_>) = all.partition(|(are_marks, _)| *are_marks);
    let of = |curves: Vec<(bool, Curve)>| curves.into_iter().map(|(_, curve)| curve).collect();
    CurveChart {
        curves: of(curves),
        marks: of(marks),
        x: Axis::new(&plan.x_label, Quantity::Time),
        y: Axis::new(&plan.y_label, Quantity::Number),
        are_steps: true,
        is_from_zero: true,
        published: Vec::new(),
    }
}
