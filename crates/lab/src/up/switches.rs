//! The processes of switches.

use std::fs::{self, File};
use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use diagnostics::{Diagnostic, Failure};

use crate::plan::LabPlan;
use crate::state::{Lab, Switch};
use crate::{process, switch_file};

/// How long a switch may take to compile its program and listen at its control socket.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a switch that is restarted may take to send what it holds.
const PATIENCE_AT_END: Duration = Duration::from_millis(2500);
/// The time between looks at whether a switch listens.
const BETWEEN_LOOKS: Duration = Duration::from_millis(3);

/// A switch that was started.
pub struct Starting {
    switch: Switch,
    child: Child,
}

/// Writes the plans of all switches and starts them.
pub fn start_all(plan: &LabPlan, lab: &Lab, polyplane: &Path) -> Result<Vec<Starting>, Failure> {
    let mut starting = Vec::new();
    for (number, switch) in lab.switches.iter().enumerate() {
        let file = lab.switch_plan(&switch.name);
        let cannot = |error: io::Error| Failure::plain(format!("cannot write {}: {error}", file.display()));
        fs::write(&file, switch_file::text(plan, number, lab, switch)).map_err(cannot)?;
        starting.push(start(lab, switch, polyplane)?);
    }
    Ok(starting)
}

/// Waits until all switches forward packets.
pub fn wait_for(lab: &Lab, starting: Vec<Starting>) -> Result<(), Failure> {
    let latest = Instant::now() + PATIENCE;
    for Starting { switch, mut child } in starting {
        loop {
            if UnixStream::connect(lab.socket(&switch.name)).is_ok() {
                break;
            }
            let ended = child.try_wait().ok().flatten();
            if ended.is_some() || Instant::now() > latest {
                return Err(not_started(lab, &switch, ended.is_some()));
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }
    Ok(())
}

/// Ends a switch and starts it again, with its tables as the plan has them.
///
/// # Errors
/// Fails if there is no such switch, it does not end, or does not start.
pub fn restart(lab: &Lab, switch: &str, polyplane: &Path) -> Result<(), Failure> {
    let switch = lab.switch(switch)?;
    if let Some(process) = process::of_plan(&lab.switch_plan(&switch.name))
        && !process::end(&[process], PATIENCE_AT_END).is_empty()
    {
        return Err(Failure::plain(format!("the switch {} does not end: process {process}", switch.name)));
    }
    wait_for(lab, vec![start(lab, switch, polyplane)?])
}

fn start(lab: &Lab, switch: &Switch, polyplane: &Path) -> Result<Starting, Failure> {
    let log = lab.log(&switch.name);
    let cannot = |error: io::Error| Failure::plain(format!("cannot start the switch {}: {error}", switch.name));
    let out = File::options().create(true).append(true).open(&log).map_err(cannot)?;
    let mut command = Command::new(polyplane);
    command.arg("live").arg(lab.switch_plan(&switch.name));
    command.stdin(Stdio::null()).stdout(out.try_clone().map_err(cannot)?).stderr(out);
    // Keys that end a command in a terminal are not for the switches.
    command.process_group(0).current_dir(lab.run_folder());
    Ok(Starting { switch: switch.clone(), child: command.spawn().map_err(cannot)? })
}

/// Returns the failure of a switch that did not start, with what it has said.
fn not_started(lab: &Lab, switch: &Switch, has_ended: bool) -> Failure {
    let log = fs::read_to_string(lab.log(&switch.name)).unwrap_or_default();
    let said = log.trim();
    let said = said.strip_prefix("error: ").unwrap_or(said);
    let state = if has_ended { "has ended" } else { "does not answer" };
    if said.is_empty() {
        return Diagnostic::without_place(format!("the switch {} {state} without a word", switch.name)).into();
    }
    Failure::plain(format!("the switch {} {state}: {said}", switch.name))
}
