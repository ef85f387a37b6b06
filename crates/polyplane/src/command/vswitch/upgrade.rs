//! `polyplane vswitch upgrade`: taking over from a switch that runs.

use std::path::Path;
use std::thread;

use polyplane::Failure;
use polyplane::rooms::vswitchd::socket::PLACES;
use polyplane::rooms::vswitchd::{Served, Serving, Switch, SwitchHandle, Takeover};

use super::arguments::UpgradeArguments;
use super::run::{follow_signals, report, tell_places};
use crate::output;

pub fn run(arguments: &UpgradeArguments) -> Result<u8, Failure> {
    let path = PLACES.named(arguments.socket.as_deref())?;
    let takeover = Takeover::begin(&path)?;
    // Whatever can fail comes before the old switch notices anything.
    let serving = Serving::open_beside(&arguments.served.places(path.clone()), takeover.report())?;
    let mut switch = Switch::open_to_take_over(takeover.report())?;
    if let Some(folder) = &arguments.served.flow_logs {
        switch.log_flows(folder.clone())?;
    }
    if let Some(file) = &arguments.served.bindings {
        switch.keep_bindings(file)?;
    }
    follow_signals(switch.handle(), &path, &arguments.served)?;
    let served = serving.serve(&switch.handle())?;
    let handle = switch.handle();
    let take_over = move || {
        let taken = take_over(takeover, &handle, &path, served);
        if taken.is_err() {
            handle.stop();
        }
        taken
    };
    let cannot = |error: std::io::Error| Failure::plain(format!("no thread can be started: {error}"));
    let taking = thread::Builder::new().name("upgrade".to_owned()).spawn(take_over).map_err(cannot)?;
    let ended = switch.run(arguments.time);
    let served = taking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    // If the switch has failed, this is why it has not taken over.
    let totals = ended.map_err(|error| Failure::plain(format!("the switch has failed: {error}")))?;
    drop(served?);
    report(&totals, arguments.served.json)?;
    Ok(0)
}

/// Takes over, and then takes the places at which the old switch was served. Once packets pass, nothing that fails ends the switch.
fn take_over(
    mut takeover: Takeover,
    handle: &SwitchHandle,
    socket: &Path,
    mut served: Served,
) -> Result<Served, Failure> {
    let taken = takeover.finish(handle)?;
    let without = |failure: &Failure| {
        let text = failure.render(false);
        output::tell(&format!("{}\nthe switch goes on without that\n", text.trim_end()));
    };
    served.take_places().iter().for_each(without);
    let refused = match taken.refused {
        0 => String::new(),
        refused => format!(", {refused} ended"),
    };
    let (name, process) = (takeover.report().name.clone(), takeover.report().process);
    output::tell(&format!("{name}: took over from process {process} with {} sessions{refused}\n", taken.taken));
    let ended = takeover.wait_for_end().and_then(|()| served.serve_the_rest(handle));
    if let Err(failure) = &ended {
        without(failure);
    }
    tell_places(socket, &served);
    Ok(served)
}
