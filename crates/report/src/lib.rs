//! Reports that a person likes to read (one HTML file with its figures inside, which opens anywhere, prints, and needs
//! no script), and tables that other tools open.

mod bars;
mod chart;
mod columns;
mod csv;
mod curve;
mod curves;
mod intervals;
mod network;
mod page;
mod panels;
#[cfg(feature = "parquet")]
mod parquet;
mod plane;
mod quantity;
mod scale;
mod svg;
mod table;
mod text;

#[cfg(feature = "parquet")]
pub use self::parquet::to_parquet;
pub use bars::{Bar, bars, upright_bars};
pub use chart::{Chart, ChartLine, Point, chart};
pub use columns::{Column, Columns};
pub use csv::to_csv;
pub use curve::Curve;
pub use curves::{CurveChart, curves};
pub use intervals::{Interval, IntervalChart, intervals};
pub use network::{Cable, MOST_CABLES, Station, network};
pub use page::{Block, Card, Figure, Page, Section};
pub use panels::panels;
pub use quantity::{Axis, Quantity};
pub use svg::COLOURS;
pub use table::Table;
pub use text::to_text;
