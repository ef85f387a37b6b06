//! Plans of experiments: one TOML file for each published figure or table.
//!
//! A file names its source and its hypothesis, the values of every axis, the published numbers with the tolerance
//! within which they count as reproduced, and where and why our results differ. How a point is measured is up to the
//! [`Method`] that the file names, and whose axes and measures it may use.
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
//! contender = ["mp5", "ideal"]            # "*" stands for all words of the axis
//! seed = [1, 2, 3]                        # repetitions: means and spreads are taken over `seed`
//!
//! [[sweep]]                               # optional: several sets of combinations, each with axes of its own
//! contender = ["bound"]
//!
//! [quick]                                 # --quick keeps only these values of these axes
//! seed = [1]
//!
//! [tolerance]                             # the larger of the two applies
//! absolute = 0.005
//! standard_errors = 3                     # of the difference of two means with our spread
//! repetitions = 10                        # of the published means
//! why = "Text: from what spread it was chosen."
//!
//! [[published]]                           # one number for each value of an axis
//! measure = "throughput"
//! axis = "pipelines"
//! where = { contender = "mp5" }           # the points: one or several values for an axis
//! values = { 1 = 0.99, 2 = 0.94 }         # or: file = "published.json", key = "pipelines.uniform_0.average"
//! from_picture = true                     # read from a picture, not from data or text
//! landmark = true                         # shown, not judged
//! tolerance = 0                           # absolute, for these numbers alone
//!
//! [[claim]]                               # a statement of the text about many points
//! says = "25% less from 1 to 16 pipelines"
//! place = "section 4.3.3"
//! measure = "throughput"
//! where = { pipelines = 16 }
//! against = { pipelines = 1 }             # pairs each point of `where` with the point that differs in these axes
//! form = "reduction"                      # value (the default), ratio, difference, reduction (1 - ratio)
//! each = "mean"                           # seed (the default): a number a seed; mean: of the means over seeds
//! range = [0.2, 0.3]                      # published; reproduced if the mean of ours lies in it
//! every = true                            # or if every number of ours does
//! landmark = true                         # shown, not judged
//! invariant = true                        # not published: must hold, or something is wrong
//! note = "Text."
//!
//! [[figure]]
//! title = "Throughput against pipelines"
//! x = "pipelines"
//! y = "throughput"
//! series = ["contender"]                  # one line per combination
//! panels = ["pattern"]                    # one picture per combination
//! x_label = "pipelines"
//! y_label = "throughput / line rate"
//!
//! [[figure]]
//! title = "Times of arrival"
//! distribution = "headers_us"             # in the place of x and y: from the measures headers_us.p5, headers_us.p10, …
//! series = ["contender"]
//! x_label = "time of arrival in us"
//! y_label = "part of the headers"
//!
//! [[figure]]
//! title = "Modes of ports"
//! intervals = ["pessimistic", "half"]     # in the place of x and y: states of the method, as horizontal bars over time
//! panels = ["senders"]                    # each picture is of one run:
//! where = { seed = 1 }                    # with what is chosen here and by `panels`
//! x_label = "time"
//! y_label = "port"
//!
//! [[figure]]
//! title = "Throughput of flows"
//! over_time = "throughput"                # in the place of x and y: numbers over time of the method, of one run, too
//! where = { seed = 1, senders = 4 }
//! x_label = "time"
//! y_label = "Gb/s"
//!
//! [[table]]
//! title = "Weights"
//! rows = ["turned"]                       # one row per combination
//! columns = ["rules"]                     # one column per combination and measure
//! measures = ["throughput"]
//! ```

mod axes;
mod experiment;
mod read;
mod sections;

pub use axes::{Accepts, Axis};
pub use experiment::{
    ClaimPlan, Drawn, Each, Experiment, FigurePlan, Form, Published, Selection, Source, SweepPlan, TablePlan, Tolerance,
};
pub use read::{Files, read};

use crate::sweep::Job;
use plans::Record;

/// A way to measure points: it declares the axes of its plans and makes a job of each point.
pub trait Method: Sync {
    /// Returns its name in plans.
    fn name(&self) -> &str;

    /// Returns the axes that a point must have; a plan may add only `seed`.
    fn axes(&self) -> Vec<Axis>;

    /// Names that jobs add to the keys of their points, such as what a trace is for: published numbers, claims and
    /// figures may use them like axes.
    fn derived(&self) -> &[&str] {
        &[]
    }

    /// Returns the names of the measures of a job.
    fn measures(&self) -> &[&str];

    /// Returns the names of the states of which jobs tell when they were so, if they do ([`Timeline`]).
    ///
    /// [`Timeline`]: crate::sweep::Timeline
    fn states(&self) -> &[&str] {
        &[]
    }

    /// Returns the names of the numbers of which jobs tell how they were over time, if they do ([`Course::of`]).
    ///
    /// [`Course::of`]: crate::sweep::Course::of
    fn courses(&self) -> &[&str] {
        &[]
    }

    /// Makes the job of a point, which has an accepted value for every axis.
    ///
    /// # Errors
    /// Fails with the reason if these values do not go together.
    fn job<'j>(&'j self, point: &Record) -> Result<Job<'j>, String>;

    /// Returns what the words of its axes mean, for the readers of the report.
    fn explanations(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Returns the names and hashes of the files that jobs read besides the plan.
    fn inputs(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}
