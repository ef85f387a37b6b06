//! Metrics in the text format of Prometheus, over HTTP.

use std::net::TcpListener;

use diagnostics::Failure;

use crate::handle::{Ended, SwitchHandle};
use crate::show;

pub use service::metrics::{Family, MetricKind, MetricsServer, listen, write};

/// Serves the metrics of a switch, on a thread of its own and one for each client.
///
/// # Errors
/// Fails if the system has no threads left.
pub fn serve(listener: TcpListener, handle: SwitchHandle) -> Result<MetricsServer, Failure> {
    service::metrics::serve(listener, move || of(&handle).ok())
}

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
