//! A plan of an experiment in memory.

use std::collections::BTreeSet;

use crate::sweep::REPEATED_OVER;
use plans::{Record, Value};

/// A published figure or table, and how it is reproduced.
#[derive(Clone, Debug, Default)]
pub struct Experiment {
    /// The name of its file without the extension.
    pub name: String,
    /// The title, in one line.
    pub title: String,
    /// The publication.
    pub source: Source,
    /// The expected result, and why it is expected.
    pub hypothesis: String,
    /// The name of the method that measures it.
    pub method: String,
    /// The sweeps whose points are run.
    pub sweeps: Vec<SweepPlan>,
    /// The tolerance within which a number counts as reproduced.
    pub tolerance: Tolerance,
    /// The published numbers.
    pub published: Vec<Published>,
    /// The published statements about many points.
    pub claims: Vec<ClaimPlan>,
    /// The figures that are drawn.
    pub figures: Vec<FigurePlan>,
    /// The tables of means.
    pub tables: Vec<TablePlan>,
    /// The results of ours that differ, and the reason.
    pub differs: String,
    /// The text of the file, for the hash in the manifest.
    pub text: String,
}

/// The place of a publication.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The paper.
    pub paper: String,
    /// The section, figure or table.
    pub place: String,
}

/// The values of each axis. All combinations are run; the last axis varies fastest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepPlan {
    /// The names and values of the axes, in order.
    pub axes: Vec<(String, Vec<Value>)>,
}

/// The greatest deviation of a measured mean from a published number; the larger of the two bounds applies.
#[derive(Clone, Debug, Default)]
pub struct Tolerance {
    /// The bound in the unit of the measure.
    pub absolute: f64,
    /// The bound in standard errors of the difference between our mean and the published one, both with our spread.
    pub standard_errors: f64,
    /// The number of repetitions of the published means; 0 stands for as many as ours.
    pub repetitions: f64,
    /// The reason why this tolerance was chosen.
    pub why: String,
}

/// A selection of points by the values of some axes.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The names of axes and their accepted values.
    pub axes: Vec<(String, Vec<Value>)>,
}

/// Published numbers along an axis.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// The name of the measure.
    pub measure: String,
    /// The axis along which the numbers lie.
    pub axis: String,
    /// The selection of points by their other values.
    pub selection: Selection,
    /// The values on the axis with their published numbers.
    pub points: Vec<(Value, f64)>,
    /// Whether the numbers were read from a picture.
    pub is_from_picture: bool,
    /// Whether the numbers are only shown and not judged, as nothing claims that ours should meet them.
    pub is_landmark: bool,
    /// The tolerance in the unit of the measure, if it is not the experiment's.
    pub tolerance: Option<f64>,
}

/// A published statement about many points.
#[derive(Clone, Debug, Default)]
pub struct ClaimPlan {
    /// The statement in words.
    pub says: String,
    /// The place in the publication.
    pub place: String,
    /// The name of the measure.
    pub measure: String,
    /// The selection of points.
    pub selection: Selection,
    /// The values by which the points to compare with differ, if there are any.
    pub against: Option<Record>,
    /// The way in which the numbers of the two points are combined.
    pub form: Form,
    /// Whether there is a number for each repetition or for each mean.
    pub each: Each,
    /// The published range.
    pub range: (f64, f64),
    /// Whether every number, and not only their mean, must lie in the range.
    pub is_for_every: bool,
    /// Whether this is an invariant of our own, not a published statement: if it does not hold, something is wrong.
    pub is_invariant: bool,
    /// Whether the claim is only shown and not judged, as one of several readings of a text.
    pub is_landmark: bool,
    /// A note for the reader.
    pub note: String,
}

/// The way in which the numbers of a point and of the point it is compared with are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The measure itself.
    #[default]
    Value,
    /// The measure divided by that of the other point.
    Ratio,
    /// The measure minus that of the other point.
    Difference,
    /// The reduction relative to the other point: 1 - ratio.
    Reduction,
}

/// The points from which a claim takes its numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Each {
    /// Each repetition separately.
    #[default]
    Seed,
    /// The means over the repetitions.
    Mean,
}

/// A figure that is drawn.
#[derive(Clone, Debug, Default)]
pub struct FigurePlan {
    /// The title above it.
    pub title: String,
    /// The kind of drawing.
    pub drawn: Drawn,
    /// A line for each combination of these axes.
    pub series: Vec<String>,
    /// A picture for each combination of these axes.
    pub panels: Vec<String>,
    /// The label of the abscissa.
    pub x_label: String,
    /// The label of the ordinate.
    pub y_label: String,
    /// The selection of points that are drawn.
    pub selection: Selection,
}

/// The part of the results that a figure draws.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawn {
    /// A measure against the values of an axis.
    Measure {
        /// The axis of the abscissa.
        x: String,
        /// The measure.
        y: String,
    },
    /// The distribution of something, of which measures are percentiles: for each of these measures, in ascending order, the
    /// percentage and the name.
    Distribution(Vec<(u32, String)>),
    /// What was so over time in one run, as horizontal bars: the states, of which the first is drawn on top.
    Intervals(Vec<String>),
    /// Numbers over time in one run: what they are.
    OverTime(String),
}

impl Drawn {
    /// Returns whether it is what was so over time, of which a picture shows one run.
    pub fn is_of_one_run(&self) -> bool {
        matches!(self, Self::Intervals(_) | Self::OverTime(_))
    }
}

impl Default for Drawn {
    fn default() -> Self {
        Self::Distribution(Vec::new())
    }
}

/// A table of means over the repetitions.
#[derive(Clone, Debug, Default)]
pub struct TablePlan {
    /// The title above it.
    pub title: String,
    /// A row for each combination of these axes.
    pub rows: Vec<String>,
    /// Columns for each combination of these axes.
    pub columns: Vec<String>,
    /// The measures, each with a column of its own.
    pub measures: Vec<String>,
    /// The selection of points that are shown.
    pub selection: Selection,
}

impl Experiment {
    /// Returns every point of every sweep in order, without duplicates.
    pub fn points(&self) -> Vec<Record> {
        let mut known = BTreeSet::new();
        let points = self.sweeps.iter().flat_map(SweepPlan::points);
        points.filter(|point| known.insert(point.to_string())).collect()
    }

    /// Returns the plan restricted to the values in `kept`, for the axes that it names.
    pub(super) fn keep(&mut self, kept: &Selection) {
        for sweep in &mut self.sweeps {
            for (name, values) in &mut sweep.axes {
                if let Some((_, kept)) = kept.axes.iter().find(|(kept, _)| kept == name) {
                    values.retain(|value| kept.contains(value));
                }
            }
        }
        // A sweep without values of an axis has no points.
        self.sweeps.retain(|sweep| sweep.axes.iter().all(|(_, values)| !values.is_empty()));
    }
}

impl SweepPlan {
    /// Returns all combinations; the last axis varies fastest.
    pub fn points(&self) -> Vec<Record> {
        self.axes.iter().fold(vec![Record::new()], |points, (name, values)| {
            let widened = |point: &Record| -> Vec<Record> {
                values.iter().map(|value| point.clone().with(name.as_str(), value.clone())).collect()
            };
            points.iter().flat_map(widened).collect()
        })
    }
}

impl Selection {
    /// Returns whether a point has an accepted value on every axis of the selection.
    pub fn selects(&self, point: &Record) -> bool {
        self.axes.iter().all(|(name, values)| point.get(name).is_some_and(|value| values.contains(value)))
    }
}

impl Form {
    /// The names in plans.
    pub const NAMES: [(&str, Self); 4] = [
        ("value", Self::Value),
        ("ratio", Self::Ratio),
        ("difference", Self::Difference),
        ("reduction", Self::Reduction),
    ];

    /// A value and, unless the form is [`Form::Value`], the other's put together.
    pub fn apply(self, value: f64, other: f64) -> f64 {
        match self {
            Self::Value => value,
            Self::Ratio => value / other,
            Self::Difference => value - other,
            Self::Reduction => 1.0 - value / other,
        }
    }
}

impl Each {
    /// The names in plans.
    pub const NAMES: [(&str, Self); 2] = [(REPEATED_OVER, Self::Seed), ("mean", Self::Mean)];
}
