//! Reloading: the plan's program and tables are read again, and the running switch takes them over.
//!
//! Reading, checking and compiling happen on the thread that asks, while packets flow. What is wrong there changes nothing.
//! Then the switch's thread changes tables as one, or puts another device into the place of the present one, between two
//! packets.

mod difference;
mod replace;

use std::path::Path;
use std::sync::Arc;

use control::handover::{Handover, Outcome};
use diagnostics::Failure;
use files::PlanText;
use machines::Device;
use workbench::kinds;
use workbench::{Entries, LoadedProgram};

use crate::handle::SwitchHandle;
use crate::message::{Refusal, Reloaded};
use crate::plan::{Loaded, SwitchPlan, read};
use crate::station::Station;
use crate::switch::Running;

pub use replace::{NotReplaced, ReadyProgram, StateKept};

/// The parts that a reload brings, built on the thread that asks.
struct Brought {
    plan: SwitchPlan,
    loaded: Loaded,
    /// A device as the tables' files say.
    desired: Box<dyn Device>,
    /// The node of another program, in its initial state; `None` if the program stays.
    station: Option<Station>,
    tables_changed: bool,
}

/// Reads the plan's files again, and changes what runs, unless this is a dry run.
pub(crate) fn reload(handle: &SwitchHandle, dry_run: bool) -> Result<Reloaded, Refusal> {
    let (plan, program, table_files, machine, reloads) = handle.with(|running| {
        let Running { plan, program, table_files, machine, reloads, .. } = running;
        (Arc::clone(plan), Arc::clone(program), table_files.clone(), *machine, *reloads)
    })?;
    let new_plan = again(&plan)?;
    let loaded = match new_plan.program {
        Some(_) => new_plan.load()?,
        // What a controller has brought stays.
        None => Loaded { program: (*program).clone(), entries: Entries::none(), machine: kinds::named(machine)? },
    };
    let program_changed = loaded.machine.name() != machine
        || loaded.program.inputs != program.inputs
        || is_set_otherwise(&plan, &new_plan)
        || is_read_otherwise(&program, &loaded.program);
    let tables_changed = loaded.table_files() != table_files;
    if !program_changed && !tables_changed {
        return Ok(Reloaded { dry_run, ..Reloaded::default() });
    }
    let desired = new_plan.meaning(&loaded)?;
    let mut station = if program_changed { Some(new_plan.initial(&loaded)?) } else { None };
    if let Some(station) = station.as_mut().filter(|_| handle.program().is_awaited) {
        station.wait_for_program();
    }
    let brought = Brought { plan: new_plan, loaded, desired, station, tables_changed };
    handle.with(move |running| {
        if running.reloads != reloads {
            return Err(Refusal::new("another reload came first; try again\n"));
        }
        brought.take(running, dry_run)
    })?
}

/// Reads the plan again, if it was a file. Only its program and tables may have changed.
fn again(plan: &Arc<SwitchPlan>) -> Result<SwitchPlan, Failure> {
    let Some((path, _)) = &plan.source else { return Ok((**plan).clone()) };
    let new = read(&PlanText::read(Path::new(path))?)?;
    let bindings = |plan: &SwitchPlan| -> Vec<String> {
        let port = |port: &crate::plan::PortBinding| {
            format!("{:?}", crate::plan::PortBinding { place: None, interface_place: None, ..port.clone() })
        };
        plan.ports.iter().map(port).collect()
    };
    let differs = [
        ("name", plan.name != new.name),
        ("port", bindings(plan) != bindings(&new)),
        ("queues", format!("{:?}", plan.queues) != format!("{:?}", new.queues)),
        ("capture", format!("{:?}", plan.captures) != format!("{:?}", new.captures)),
        ("p4runtime", plan.p4runtime != new.p4runtime),
    ];
    match differs.into_iter().find(|(_, differs)| *differs) {
        Some((what, _)) => Err(Failure::plain(format!("`{what}` of the plan has changed, which needs a restart"))),
        // What the command line set stays.
        None => Ok(SwitchPlan {
            socket: plan.socket.clone(),
            metrics: plan.metrics,
            spin: plan.spin,
            core: plan.core,
            ..new
        }),
    }
}

fn is_set_otherwise(old: &SwitchPlan, new: &SwitchPlan) -> bool {
    old.given != new.given || old.seed != new.seed
}

/// Returns whether the same text means something else because it was read with other options.
fn is_read_otherwise(old: &LoadedProgram, new: &LoadedProgram) -> bool {
    old.options.definitions != new.options.definitions || old.options.search_paths != new.options.search_paths
}

impl Brought {
    /// Changes what runs. This is done between two packets.
    fn take(mut self, running: &mut Running, dry_run: bool) -> Result<Reloaded, Refusal> {
        if running.is_stopping {
            return Err(Refusal::new("the switch is ending\n"));
        }
        let mut reloaded = Reloaded { dry_run, ..Reloaded::default() };
        match self.station.take() {
            None => {
                let device = running.driver.node_mut().device_mut();
                let requests =
                    difference::between(device, &mut *self.desired).map_err(|error| Refusal::new(error.to_string()))?;
                reloaded.changes = requests.len();
                if dry_run {
                    return Ok(reloaded);
                }
                let done = device.execute_together(&requests);
                done.map_err(|refused| Refusal::new(format!("the tables stay as they are: {}\n", refused.error)))?;
            }
            Some(mut station) => {
                let outcome = hand_over(running.driver.node_mut().device_mut(), station.device_mut())?;
                reloaded.program_changed = true;
                tell(&outcome, &mut reloaded);
                if self.tables_changed {
                    let device = station.device_mut();
                    let requests = difference::between(device, &mut *self.desired)
                        .map_err(|error| Refusal::new(error.to_string()))?;
                    reloaded.changes = requests.len();
                    let done = device.execute_together(&requests);
                    done.map_err(|refused| Refusal::new(format!("the tables do not fit: {}\n", refused.error)))?;
                }
                let held = running.driver.node().as_station().account().held;
                if held > 0 {
                    reloaded.lost.push(format!("{held} packets that wait inside the switch"));
                }
                if dry_run {
                    return Ok(reloaded);
                }
                running.plan = Arc::new(self.plan);
                running.take_program(self.loaded, station);
                return Ok(reloaded);
            }
        }
        running.plan = Arc::new(self.plan);
        running.runs(self.loaded);
        Ok(reloaded)
    }
}

/// Carries the state of one device over to another.
pub(crate) fn hand_over(old: &mut dyn Device, new: &mut dyn Device) -> Result<Outcome, Refusal> {
    let plan = Handover::plan(&old.info().clone(), &new.info().clone());
    let outcome = plan.carry_out(|request| old.execute(request), |request| new.execute(request));
    outcome.map_err(|error| Refusal::new(format!("the state cannot be handed over: {error}\n")))
}

fn tell(outcome: &Outcome, reloaded: &mut Reloaded) {
    reloaded.kept = outcome.carried.iter().map(ToString::to_string).collect();
    reloaded.lost = outcome.findings.iter().map(ToString::to_string).collect();
}
