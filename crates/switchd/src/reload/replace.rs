//! Putting another program into the place of the one that runs, whether files or a controller brought it.

use std::sync::Arc;

use control::Info;
use control::handover::{Finding, Outcome};
use diagnostics::{Diagnostic, Failure};
use machines::Device;
use node::Port;
use workbench::{Entries, LoadedProgram};

use super::{hand_over, hand_over_settings};
use crate::handle::{Ended, SwitchHandle};
use crate::message::Refusal;
use crate::plan::{ExistingPorts, Loaded};
use crate::station::Station;
use crate::switch::Running;

/// A program with the device that is to run it, ready to take the place of the one that runs.
pub struct ReadyProgram {
    loaded: Loaded,
    station: Station,
    ports: ExistingPorts,
}

/// What becomes of the state of the program that ran before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKept {
    /// Nothing of it is kept: the new device stays as it is.
    Nothing,
    /// Everything is kept by name and type; if something cannot be, the old program stays.
    Everything,
}

/// The reason why a program did not take the place of another. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotReplaced {
    /// The switch has ended.
    Ended,
    /// The switch refuses.
    Refused(Refusal),
    /// This state would have been lost.
    WouldLose(Vec<Finding>),
}

impl From<Ended> for NotReplaced {
    fn from(_: Ended) -> Self {
        Self::Ended
    }
}

impl ReadyProgram {
    /// Returns the device, for requests of the control plane before packets reach it.
    pub fn device_mut(&mut self) -> &mut dyn Device {
        self.station.device_mut()
    }

    /// Returns what the control plane knows about the program.
    pub fn info(&self) -> &Arc<Info> {
        self.station.device().info()
    }

    /// Returns the ports that the switch has with this program.
    pub fn ports(&self) -> &ExistingPorts {
        &self.ports
    }

    /// Returns the program.
    pub fn program(&self) -> &LoadedProgram {
        &self.loaded.program
    }
}

impl SwitchHandle {
    /// Builds a device of a program in its initial state, by the plan of the switch and on the thread that asks.
    ///
    /// # Errors
    /// Fails if the program does not fit the machine of the plan or lacks a port of it, or the switch has ended.
    pub fn prepare(&self, program: LoadedProgram) -> Result<ReadyProgram, Failure> {
        let running = self.with(|running| (Arc::clone(&running.plan), running.running_program().cpu_port));
        let (plan, bound) = running.map_err(|Ended| Failure::plain("the switch has ended"))?;
        let machine = plan.machine_of(&program)?;
        let loaded = Loaded { program, entries: Entries::none(), machine, machine_files: plan.given.inputs()? };
        let station = plan.initial(&loaded)?;
        check_controller(bound, station.device().cpu_port())?;
        let ports = plan.existing_ports(station.device());
        Ok(ReadyProgram { loaded, station, ports })
    }

    /// Puts a program into the place of the one that runs, between two packets.
    ///
    /// # Errors
    /// Fails with the reason, and everything stays as it is.
    pub fn replace(&self, ready: ReadyProgram, kept: StateKept) -> Result<(), NotReplaced> {
        self.with(move |running| {
            if running.is_stopping {
                return Err(NotReplaced::Refused(Refusal::new("the switch is ending\n")));
            }
            let ReadyProgram { loaded, mut station, .. } = ready;
            if kept == StateKept::Everything {
                let old = running.driver.node_mut().device_mut();
                let Outcome { findings, .. } = hand_over(old, station.device_mut()).map_err(NotReplaced::Refused)?;
                if !findings.is_empty() {
                    return Err(NotReplaced::WouldLose(findings));
                }
                if loaded.machine.name() == running.machine && loaded.machine_files == running.machine_files {
                    let old = running.driver.node_mut().device_mut();
                    let carried = hand_over_settings(old, station.device_mut());
                    carried.map_err(|error| NotReplaced::Refused(Refusal::new(error.to_string())))?;
                }
            }
            running.take_program(loaded, station);
            Ok(())
        })?
    }
}

impl Running {
    /// Puts a program and its node into the place of those that run.
    pub(super) fn take_program(&mut self, loaded: Loaded, mut station: Station) {
        for (key, packets) in self.driver.node().device().drops().iter() {
            *self.earlier_drops.entry(key).or_default() += packets;
        }
        station.take_wires(self.driver.node_mut());
        self.driver.replace_node(station);
        self.runs(loaded);
    }

    /// Takes note of the program that runs now, and of the files with its entries.
    pub(super) fn runs(&mut self, loaded: Loaded) {
        self.reloads += 1;
        self.table_files = loaded.table_files();
        self.machine = loaded.machine.name();
        self.machine_files = loaded.machine_files;
        self.program = Arc::new(loaded.program);
        let current = self.running_program();
        self.current.set(current);
    }
}

/// Checks that the port of the controller of a machine is the one to which controllers are bound since the switch has started.
fn check_controller(bound: Option<Port>, own: Option<Port>) -> Result<(), Failure> {
    match (bound, own) {
        (Some(bound), Some(own)) if bound != own => {
            let message = format!(
                "the port of the controller is {} for the machine, and {} since the switch has started",
                own.0, bound.0
            );
            let hint = format!("set `cpu_port = {}` under [p4runtime], and start the switch again", own.0);
            Err(Diagnostic::without_place(message).hint(hint).into())
        }
        _ => Ok(()),
    }
}
