//! Plans of experiments: one TOML file a published figure or table.
//!
//! A file names its source, what it expects, the values of every axis, the published numbers with the tolerance at
//! which we call them reproduced, and where ours differs and why. It says nothing of how a point is measured: a
//! [`Method`] does, which the file names and whose axes and measures it may use.
//!
//! ```toml
//! title = "Throughput against the number of pipelines"
//! method = "streams"
//! hypothesis = "More pipelines contend more."
//! differs = "Text: where ours differs, and why."
//!
//! [source]
//! paper = "MP5 (SIGCOMM 2022)"
//! place = "section 4.3.3, Figure 7a"
//!
//! [axes]                                  # every axis with its values; all combinations are run
//! pipelines = [1, 2, 4]
//! contender = ["mp5", "ideal"]            # "*" stands for all words that there are
//! seed = [1, 2, 3]                        # repetitions: means and spreads are taken over `seed`
//!
//! [[sweep]]                               # optional: several sets of combinations, each with axes of its own
//! contender = ["bound"]
//!
//! [quick]                                 # --quick keeps only these values of these axes
//! seed = [1]
//!
//! [tolerance]                             # the larger of the two counts
//! absolute = 0.005
//! standard_errors = 3                     # of the difference of two means with our spread
//! repetitions = 10                        # of the published means
//! why = "Text: from what spread it was chosen."
//!
//! [[published]]                           # one number for each value of an axis
//! measure = "throughput"
//! axis = "pipelines"
//! where = { contender = "mp5" }           # which points they belong to: a value or several for an axis
//! values = { 1 = 0.99, 2 = 0.94 }         # or: file = "published.json", key = "pipelines.uniform_0.average"
//! from_picture = true                     # read from a picture, not from data or text
//! landmark = true                         # shown, not judged
//! tolerance = 0                           # absolute, for these numbers alone
//!
//! [[claim]]                               # what the text says of many points
//! says = "25% less from 1 to 16 pipelines"
//! place = "section 4.3.3"
//! measure = "throughput"
//! where = { pipelines = 16 }
//! against = { pipelines = 1 }             # pairs each point of `where` with the point that differs in these axes
//! form = "reduction"                      # value (the default), ratio, difference, reduction (1 - ratio)
//! each = "mean"                           # seed (the default): a number a seed; mean: of the means over seeds
//! range = [0.2, 0.3]                      # published; reproduced if the mean of ours lies in it
//! every = true                            # or every number of ours
//! landmark = true                         # shown, not judged
//! invariant = true                        # not published, a law of ours: if it is broken something is wrong
//! note = "Text."
//!
//! [[figure]]
//! title = "Throughput against pipelines"
//! x = "pipelines"
//! y = "throughput"
//! series = ["contender"]                  # a line for each combination
//! panels = ["pattern"]                    # a picture for each combination
//! x_label = "pipelines"
//! y_label = "throughput / line rate"
//!
//! [[table]]
//! title = "Weights"
//! rows = ["turned"]                       # a row for each combination
//! columns = ["rules"]                     # columns for each combination: one a measure
//! measures = ["throughput"]
//! ```

mod axes;
mod experiment;
mod read;
mod sections;

pub use axes::{Accepts, Axis};
pub use experiment::{
    ClaimPlan, Each, Experiment, FigurePlan, Form, Published, Selection, Source, SweepPlan, TablePlan, Tolerance,
};
pub use read::{Files, read};

use crate::sweep::Job;
use plans::Record;

/// A way to measure: it knows the axes of its plans and makes a job of each point.
pub trait Method: Sync {
    /// What plans call it.
    fn name(&self) -> &str;

    /// The axes that a point must have; a plan may add only `seed`.
    fn axes(&self) -> Vec<Axis>;

    /// Names that jobs add to the keys of their points, such as what a trace is for: published numbers, claims and
    /// figures may use them like axes.
    fn derived(&self) -> &[&str] {
        &[]
    }

    /// The names of what a job gives.
    fn measures(&self) -> &[&str];

    /// The job of a point, which has a value for every axis that the axis accepts.
    ///
    /// # Errors
    /// Why these values do not go together.
    fn job<'j>(&'j self, point: &Record) -> Result<Job<'j>, String>;

    /// What the words of its axes mean, for a reader of the report.
    fn explanations(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The hashes of files that jobs read, beside the plan: a name and what it holds.
    fn inputs(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}
