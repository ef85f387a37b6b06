//! Metrics in the text format of Prometheus, over HTTP.

mod server;
mod text;

pub use server::{MetricsServer, listen, serve};
pub use text::{Family, MetricKind, write};

use crate::handle::{Ended, SwitchHandle};
use crate::show;

/// Returns the metrics of a switch as text.
///
/// # Errors
/// Fails if the switch has ended.
pub fn of(handle: &SwitchHandle) -> Result<String, Ended> {
    let (families, info, counted) = handle.with(|running| {
        let counted = show::counted(running);
        (show::metrics(running), running.info().clone(), counted)
    })?;
    Ok(write(families.into_iter().chain(show::counter_metrics(&info, counted))))
}
