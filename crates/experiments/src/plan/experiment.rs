//! What a plan says, once it is read.

use std::collections::BTreeSet;

use crate::sweep::REPEATED_OVER;
use plans::{Record, Value};

/// One published figure or table, and how it is reproduced.
#[derive(Clone, Debug, Default)]
pub struct Experiment {
    /// What its file is called, without the ending.
    pub name: String,
    /// What it is about, in a line.
    pub title: String,
    /// Where it was published.
    pub source: Source,
    /// What is expected, and why.
    pub hypothesis: String,
    /// Which method measures it.
    pub method: String,
    /// What is run.
    pub sweeps: Vec<SweepPlan>,
    /// When a number counts as reproduced.
    pub tolerance: Tolerance,
    /// Published numbers.
    pub published: Vec<Published>,
    /// Published statements about many points.
    pub claims: Vec<ClaimPlan>,
    /// What is drawn.
    pub figures: Vec<FigurePlan>,
    /// What is shown as a table of means.
    pub tables: Vec<TablePlan>,
    /// Where ours differs, and why.
    pub differs: String,
    /// The file, for the hash in the manifest.
    pub text: String,
}

/// Where something was published.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The paper.
    pub paper: String,
    /// Section, figure, table.
    pub place: String,
}

/// The values of each axis; all combinations are run, the last axis fastest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepPlan {
    /// Names and values, in order.
    pub axes: Vec<(String, Vec<Value>)>,
}

/// How far a measured mean may be from a published number.
#[derive(Clone, Debug, Default)]
pub struct Tolerance {
    /// In the unit of the measure.
    pub absolute: f64,
    /// In standard errors of the difference of two means with our spread: ours, and the published one.
    pub standard_errors: f64,
    /// Over how many repetitions the published means are; 0 stands for as many as ours.
    pub repetitions: f64,
    /// From what it was chosen.
    pub why: String,
}

/// Which points: for some axes, the values that they may have.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Names and accepted values.
    pub axes: Vec<(String, Vec<Value>)>,
}

/// Published numbers along an axis.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// What was measured.
    pub measure: String,
    /// Along which axis.
    pub axis: String,
    /// Which other values the points have.
    pub selection: Selection,
    /// The value on the axis, and the number.
    pub points: Vec<(Value, f64)>,
    /// Read from a picture.
    pub is_from_picture: bool,
    /// Shown, but not judged: the number is a landmark, and nothing claims that ours should meet it.
    pub is_landmark: bool,
    /// A tolerance of its own, in the unit of the measure, instead of the experiment's.
    pub tolerance: Option<f64>,
}

/// What a published text says of many points.
#[derive(Clone, Debug, Default)]
pub struct ClaimPlan {
    /// In words.
    pub says: String,
    /// Where it says so.
    pub place: String,
    /// Of which measure.
    pub measure: String,
    /// Of which points.
    pub selection: Selection,
    /// Against which others: the same points with these values.
    pub against: Option<Record>,
    /// How the two are put together.
    pub form: Form,
    /// Of what there is a number.
    pub each: Each,
    /// The published range.
    pub range: (f64, f64),
    /// Every number must lie in the range, not only their mean.
    pub is_for_every: bool,
    /// Nothing published but a law of our own: it holds, or something is wrong.
    pub is_invariant: bool,
    /// Shown, but not judged, as one of several readings of a text.
    pub is_landmark: bool,
    /// What to know about it.
    pub note: String,
}

/// How a point and the one it is paired with are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The measure itself.
    #[default]
    Value,
    /// The measure, divided by the other's.
    Ratio,
    /// The measure minus the other's.
    Difference,
    /// By how much it is less than the other's, as a share of that.
    Reduction,
}

/// Of what a claim takes its numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Each {
    /// Of each repetition on its own.
    #[default]
    Seed,
    /// Of means over the repetitions.
    Mean,
}

/// What is drawn.
#[derive(Clone, Debug, Default)]
pub struct FigurePlan {
    /// Above it.
    pub title: String,
    /// The axis along which.
    pub x: String,
    /// The measure.
    pub y: String,
    /// A line for each combination of these axes.
    pub series: Vec<String>,
    /// A picture for each combination of these axes.
    pub panels: Vec<String>,
    /// Below the axis.
    pub x_label: String,
    /// Beside the axis.
    pub y_label: String,
    /// Which points are drawn.
    pub selection: Selection,
}

/// A table of means over the repetitions.
#[derive(Clone, Debug, Default)]
pub struct TablePlan {
    /// Above it.
    pub title: String,
    /// A row for each combination of these axes.
    pub rows: Vec<String>,
    /// Columns for each combination of these axes.
    pub columns: Vec<String>,
    /// A column a measure.
    pub measures: Vec<String>,
    /// Which points are shown.
    pub selection: Selection,
}

impl Experiment {
    /// Every point of every sweep in order, none twice.
    pub fn points(&self) -> Vec<Record> {
        let mut known = BTreeSet::new();
        let points = self.sweeps.iter().flat_map(SweepPlan::points);
        points.filter(|point| known.insert(point.to_string())).collect()
    }

    /// The plan with only those values that `kept` names, of axes that it names.
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
    /// All combinations, the last axis fastest.
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
    /// True if the point has one of the accepted values on every axis named.
    pub fn selects(&self, point: &Record) -> bool {
        self.axes.iter().all(|(name, values)| point.get(name).is_some_and(|value| values.contains(value)))
    }
}

impl Form {
    /// The names that plans use.
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
    /// The names that plans use.
    pub const NAMES: [(&str, Self); 2] = [(REPEATED_OVER, Self::Seed), ("mean", Self::Mean)];
}
