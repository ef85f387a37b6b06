//! `polyplane vswitch upgrade`: taking over from a switch that runs.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use polyplane::Failure;
use polyplane::rooms::service::socket::SocketFile;
use polyplane::rooms::vswitchd::socket::{self, PLACES, Server};
use polyplane::rooms::vswitchd::{Switch, SwitchHandle, Takeover, metrics};

use super::arguments::{ServedArguments, UpgradeArguments};
use super::run::{report, stop_at_signals};
use crate::output;

/// The time for which the new switch tries to have the addresses of the old one.
const LONGEST_TRY: Duration = Duration::from_secs(5);

pub fn run(arguments: &UpgradeArguments) -> Result<u8, Failure> {
    let path = PLACES.named(arguments.socket.as_deref())?;
    let takeover = Takeover::begin(&path)?;
    let mut switch = Switch::open_to_take_over(takeover.report())?;
    if let Some(folder) = &arguments.served.flow_logs {
        switch.log_flows(folder.clone());
    }
    stop_at_signals(switch.handle())?;
    let (handle, served) = (switch.handle(), arguments.served.clone());
    let take_over = move || {
        let taken = serve(takeover, &handle, &path, &served);
        if taken.is_err() {
            handle.stop();
        }
        taken
    };
    let cannot = |error: std::io::Error| Failure::plain(format!("no thread can be started: {error}"));
    let taking = thread::Builder::new().name("upgrade".to_owned()).spawn(take_over).map_err(cannot)?;
    let ended = switch.run(arguments.time);
    let served = taking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    drop(served);
    let totals = ended.map_err(|error| Failure::plain(format!("the switch has failed: {error}")))?;
    report(&totals, arguments.served.json)?;
    Ok(0)
}

/// Takes over, and then serves what the old switch has served.
fn serve(
    takeover: Takeover,
    handle: &SwitchHandle,
    path: &Path,
    served: &ServedArguments,
) -> Result<(Vec<Server>, Option<metrics::MetricsServer>), Failure> {
    let name = takeover.report().name.clone();
    let process = takeover.report().process;
    let taken = takeover.finish(handle)?;
    let refused = match taken.refused {
        0 => String::new(),
        refused => format!(", {refused} ended"),
    };
    output::tell(&format!("{name}: took over from process {process} with {} sessions{refused}\n", taken.taken));
    // The old process frees its addresses a little after its switch has ended.
    let file = again(|| SocketFile::listen(path))?;
    let listener = served.metrics.map(|address| again(|| metrics::listen(address))).transpose()?;
    output::tell(&format!("control socket: {}\n", file.path().display()));
    let metrics = listener.map(|listener| metrics::serve(listener, handle.clone())).transpose()?;
    let mut servers = vec![socket::serve(file, handle.clone())?];
    for (vnic, path) in &served.tenants {
        servers.push(socket::serve(again(|| SocketFile::listen(path))?, handle.tenant(vnic))?);
    }
    Ok((servers, metrics))
}

/// Tries something until it succeeds, for a while.
fn again<T>(attempt: impl Fn() -> Result<T, Failure>) -> Result<T, Failure> {
    let began = Instant::now();
    loop {
        match attempt() {
            Err(_) if began.elapsed() < LONGEST_TRY => thread::sleep(Duration::from_millis(10)),
            outcome => return outcome,
        }
    }
}
