//! Metrics in the text format of Prometheus, over HTTP.

mod driver;
mod server;
mod text;

pub use driver::{Drops, drops, of_lateness, of_ports};
pub use server::{MetricsServer, listen, serve};
pub use text::{Family, MetricKind, Sample, write};
