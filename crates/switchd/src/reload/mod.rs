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
use control::{ConfigureRequest, Request, Response};
use diagnostics::Failure;
use files::PlanText;
use machines::Device;
use node::{Control, Node, Outbox};
use workbench::kinds;
use workbench::{Entries, LoadOptions, LoadedProgram};

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
    /// Whether the machine is set as before, so that what requests have set of it stays.
    keeps_settings: bool,
    /// The settings that change, in words.
    settings: Vec<String>,
}

/// Reads the plan's files again, and changes what runs, unless this is a dry run.
pub(crate) fn reload(handle: &SwitchHandle, dry_run: bool) -> Result<Reloaded, Refusal> {
    let (plan, program, table_files, (machine, machine_files), reloads) = handle.with(|running| {
        let Running { plan, program, table_files, machine, machine_files, reloads, .. } = running;
        (Arc::clone(plan), Arc::clone(program), table_files.clone(), (*machine, machine_files.clone()), *reloads)
    })?;
    let new_plan = again(&plan)?;
    let loaded = match new_plan.program {
        // Reading a program takes far longer than reading its entries.
        Some(_) if is_unchanged(&program, &new_plan) => new_plan.load_entries((*program).clone())?,
        Some(_) => new_plan.load()?,
        // What a controller has brought stays.
        None => Loaded {
            program: (*program).clone(),
            entries: Entries::none(),
            machine: kinds::named(machine)?,
            machine_files: new_plan.given.inputs()?,
        },
    };
    let keeps_settings = loaded.machine.name() == machine
        && loaded.machine_files == machine_files
        && !is_set_otherwise(&plan, &new_plan);
    let program_changed =
        !keeps_settings || loaded.program.inputs != program.inputs || is_read_otherwise(&program, &loaded.program);
    let tables_changed = loaded.table_files() != table_files;
    let settings = settings(&plan, &new_plan)?;
    if !program_changed && !tables_changed {
        let reloaded = Reloaded { dry_run, settings, ..Reloaded::default() };
        if dry_run || reloaded.settings.is_empty() {
            return Ok(reloaded);
        }
        return handle.with(move |running| {
            may_reload(running, reloads)?;
            set(running, &new_plan);
            running.plan = Arc::new(new_plan);
            running.reloads += 1;
            Ok(reloaded)
        })?;
    }
    let desired = new_plan.meaning(&loaded)?;
    let mut station = if program_changed { Some(new_plan.initial(&loaded)?) } else { None };
    if let Some(station) = station.as_mut().filter(|_| handle.program().is_awaited) {
        station.wait_for_program();
    }
    let brought = Brought { plan: new_plan, loaded, desired, station, tables_changed, keeps_settings, settings };
    handle.with(move |running| {
        may_reload(running, reloads)?;
        if !dry_run {
            running.may_change_tables()?;
        }
        brought.take(running, dry_run)
    })?
}

/// Refuses a reload of a switch that is ending, or that another one has changed since the plan was read.
fn may_reload(running: &Running, reloads: u64) -> Result<(), Refusal> {
    if running.is_stopping {
        return Err(Refusal::new("the switch is ending\n"));
    }
    if running.reloads != reloads {
        return Err(Refusal::new("another reload came first; try again\n"));
    }
    Ok(())
}

/// Reads the plan again, if it was a file. Only its program, its tables and what [`settings`] lists may have changed.
///
/// # Errors
/// Fails with everything else that has changed.
fn again(plan: &Arc<SwitchPlan>) -> Result<SwitchPlan, Failure> {
    let Some((path, _)) = &plan.source else { return Ok((**plan).clone()) };
    let new = read(&PlanText::read(Path::new(path))?)?;
    // What the command line set stays.
    let fixed = plan.fixed;
    let new = SwitchPlan {
        socket: if fixed.socket { plan.socket.clone() } else { new.socket },
        metrics: if fixed.metrics { plan.metrics } else { new.metrics },
        p4runtime: if fixed.p4runtime { plan.p4runtime.clone() } else { new.p4runtime },
        spin: if fixed.spin { plan.spin } else { new.spin },
        core: if fixed.core { plan.core } else { new.core },
        fixed,
        ..new
    };
    let bindings = |plan: &SwitchPlan| -> Vec<String> {
        let port = |port: &crate::plan::PortBinding| {
            format!("{:?}", crate::plan::PortBinding { place: None, interface_place: None, ..port.clone() })
        };
        plan.ports.iter().map(port).collect()
    };
    let captures = |plan: &SwitchPlan| -> Vec<String> {
        let capture =
            |own: &crate::plan::CapturePlan| format!("{:?} {:?} {} {:?}", own.at, own.ports, own.filter, own.write);
        plan.captures.iter().map(capture).collect()
    };
    let differs = [
        ("name", plan.name != new.name),
        ("port", bindings(plan) != bindings(&new)),
        ("queues", format!("{:?}", plan.queues) != format!("{:?}", new.queues)),
        ("capture", captures(plan) != captures(&new)),
        ("metrics", plan.metrics != new.metrics),
        ("control", plan.socket != new.socket),
        ("p4runtime", plan.p4runtime != new.p4runtime),
        // A thread that has left its core may not know which others there are.
        ("core", plan.core.is_some() && new.core.is_none()),
    ];
    let changed: Vec<String> =
        differs.iter().filter(|(_, differs)| *differs).map(|(name, _)| format!("`{name}`")).collect();
    match &changed[..] {
        [] => Ok(new),
        [one] => Err(Failure::plain(format!("{one} of the plan has changed, which needs a restart"))),
        several => {
            Err(Failure::plain(format!("{} of the plan have changed, which needs a restart", several.join(", "))))
        }
    }
}

/// Returns the settings of a switch that a plan changes while it runs, in words.
///
/// # Errors
/// Fails if the core cannot be used.
fn settings(old: &SwitchPlan, new: &SwitchPlan) -> Result<Vec<String>, Refusal> {
    let mut settings = Vec::new();
    if old.spin != new.spin {
        settings.push(format!("spin = {}", units::duration_text(new.spin)));
    }
    if let Some(core) = new.core.filter(|core| old.core != Some(*core)) {
        // Tried on a thread of its own, so that it is known before anything changes.
        let tried = std::thread::spawn(move || live::pin_to_core(core)).join();
        if let Ok(Err(error)) = tried {
            return Err(Refusal::new(format!("core {core} cannot be used: {error}\n")));
        }
        settings.push(format!("core = {core}"));
    }
    Ok(settings)
}

/// Sets what [`settings`] lists, on the switch's thread.
fn set(running: &mut Running, new: &SwitchPlan) {
    if running.plan.spin != new.spin {
        running.driver.spin(new.spin);
    }
    if let Some(core) = new.core.filter(|core| running.plan.core != Some(*core)) {
        // This was tried before.
        let _ = live::pin_to_core(core);
    }
}

/// Returns whether reading the plan's program would give the one that runs. Not sure is no: other folders may have gained a file
/// that is included instead, and a program without a parser a binding.
fn is_unchanged(program: &LoadedProgram, plan: &SwitchPlan) -> bool {
    let is_same = |(name, text): &(String, String)| {
        // Headers that are built in have their names in angle brackets.
        name.starts_with('<') || std::fs::read_to_string(name).is_ok_and(|now| now == *text)
    };
    let LoadOptions { search_paths, definitions, binding } = &plan.options;
    program.has_parser()
        && plan
            .program
            .as_ref()
            .is_some_and(|path| program.inputs.first().is_some_and(|(name, _)| *name == path.display().to_string()))
        && search_paths.is_empty()
        && program.options.search_paths.is_empty()
        && binding.is_none()
        && *definitions == program.options.definitions
        && program.inputs.iter().all(is_same)
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
        let settings = std::mem::take(&mut self.settings);
        let mut reloaded = Reloaded { dry_run, settings, ..Reloaded::default() };
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
                // What is handed over is as old as the new device's time says.
                station.control(running.driver.now(), Control::Time, &mut Outbox::default());
                let old = running.driver.node_mut().device_mut();
                let outcome = hand_over(old, station.device_mut())?;
                reloaded.program_changed = true;
                tell(&outcome, &mut reloaded);
                let settings = match self.keeps_settings {
                    true => hand_over_settings(old, station.device_mut()).map_err(|error| error.to_string()),
                    false if has_other_settings(old, station.device_mut()) => Err("its file has changed".to_owned()),
                    false => Ok(()),
                };
                if let Err(reason) = settings {
                    reloaded.lost.push(format!("what requests have set of the machine: {reason}"));
                }
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
                set(running, &self.plan);
                running.plan = Arc::new(self.plan);
                running.take_program(self.loaded, station);
                return Ok(reloaded);
            }
        }
        set(running, &self.plan);
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

/// Carries what requests have set of a machine, if it has settings, over to another one of the same kind and with the same file.
///
/// # Errors
/// Returns the error of the new machine, which is as it was then.
pub(crate) fn hand_over_settings(old: &mut dyn Device, new: &mut dyn Device) -> Result<(), control::Error> {
    // A machine without settings refuses to tell them.
    let Ok(Response::Settings(text)) = old.execute(&Request::Configure(ConfigureRequest::Read)) else { return Ok(()) };
    let Ok(Response::Settings(own)) = new.execute(&Request::Configure(ConfigureRequest::Read)) else { return Ok(()) };
    let text = different(&text, &own);
    if text.is_empty() {
        return Ok(());
    }
    new.execute(&Request::Configure(ConfigureRequest::Change(text))).map(|_| ())
}

/// Returns whether a machine, if it has settings, has some that another one has not.
fn has_other_settings(old: &mut dyn Device, new: &mut dyn Device) -> bool {
    let read = |device: &mut dyn Device| device.execute(&Request::Configure(ConfigureRequest::Read));
    match (read(old), read(new)) {
        (Ok(Response::Settings(old)), Ok(Response::Settings(new))) => !different(&old, &new).is_empty(),
        _ => false,
    }
}

/// Returns the settings that a text has and another has not: entries in front of the first section, and sections with those below
/// them, as far as they are the same word by word.
fn different(text: &str, other: &str) -> String {
    let (entries, sections) = parts(text);
    let (known_entries, known_sections) = parts(other);
    let entries = entries.into_iter().filter(|entry| !known_entries.contains(entry)).map(str::to_owned);
    entries.chain(sections.into_iter().filter(|section| !known_sections.contains(section))).collect()
}

/// Returns the lines in front of the first section of a text of settings, and its sections, each with those below it.
fn parts(text: &str) -> (Vec<&str>, Vec<String>) {
    let (mut entries, mut sections) = (Vec::new(), Vec::<String>::new());
    for line in text.split_inclusive('\n').filter(|line| !line.trim().is_empty()) {
        let begins = line.starts_with('[') && !line.contains('.');
        match sections.last_mut() {
            Some(section) if !begins => section.push_str(line),
            None if !begins => entries.push(line),
            _ => sections.push(line.to_owned()),
        }
    }
    (entries, sections)
}

fn tell(outcome: &Outcome, reloaded: &mut Reloaded) {
    reloaded.kept = outcome.carried.iter().map(ToString::to_string).collect();
    reloaded.lost = outcome.findings.iter().map(ToString::to_string).collect();
}
