//! Reports that a person likes to read: one HTML file with its figures inside, which opens anywhere.

mod chart;
mod figures;
mod page;
mod steps;

pub use chart::{COLOURS, Chart, Line, Point, chart};
pub use figures::{Bar, Curve, bars, curves};
pub use page::{Figure, Page, Table};
pub use steps::{StepChart, Steps, steps};
