//! The measures of a job, and its timeline.

use plans::Record;
use serde::{Deserialize, Serialize};

/// The measures of a job by name, and its timeline, if it has one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The measures.
    pub measures: Record,
    /// The timeline; empty if the job makes none or no figure draws it.
    #[serde(default, skip_serializing_if = "Timeline::is_empty")]
    pub timeline: Timeline,
}

/// The course of one run: in which states several places were, such as the modes of the ports of a switch, which figures show
/// as horizontal bars; and numbers over time, which they show as curves or points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// The names of the states.
    pub states: Vec<String>,
    /// The names of the places, from top to bottom.
    pub rows: Vec<String>,
    /// The end of the run in picoseconds.
    pub end: u64,
    /// When something was so: by row, for one row and state by time.
    pub intervals: Vec<TimelineInterval>,
    /// Numbers over time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub courses: Vec<Course>,
}

/// Numbers over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// What the numbers are, by which figures choose: all of one chart have the same.
    pub of: String,
    /// The name in the legend.
    pub name: String,
    /// Whether nothing joins the points; else each number holds until the next.
    pub are_marks: bool,
    /// Times in picoseconds and numbers, by time.
    pub points: Vec<(u64, f64)>,
}

/// The time during which something was so at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineInterval {
    /// The number of the place in [`Timeline::rows`].
    pub row: u32,
    /// The number of what was so in [`Timeline::states`].
    pub state: u32,
    /// The beginning in picoseconds.
    pub from: u64,
    /// The end in picoseconds.
    pub until: u64,
}

impl Timeline {
    /// Returns whether there is nothing to draw, not even a place.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.courses.is_empty()
    }
}

impl From<Record> for Measured {
    fn from(measures: Record) -> Self {
        Self { measures, timeline: Timeline::default() }
    }
}
