//! Reports that a person likes to read (one HTML file with its figures inside, which opens anywhere), and tables that other
//! tools open.

mod chart;
mod columns;
mod csv;
mod figures;
mod page;
#[cfg(feature = "parquet")]
mod parquet;
mod steps;

#[cfg(feature = "parquet")]
pub use self::parquet::to_parquet;
pub use chart::{COLOURS, Chart, Line, Point, chart};
pub use columns::{Column, Columns};
pub use csv::to_csv;
pub use figures::{Bar, Curve, bars, curves};
pub use page::{Figure, Page, Table};
pub use steps::{StepChart, Steps, steps};
