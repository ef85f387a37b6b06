//! The switches that run programs, with what their control planes write into them.

use std::collections::BTreeMap;

use basis::{Instant, Random};
use control::Request;
use diagnostics::{Diagnostic, Failure};
use machines::{Device, Unsuitable};
use netsim::switch::ProgramSwitch;
use netsim::topology::Role;
use node::{Port, Station};
use queues::{OutputPlan, PortPlan};
use workbench::Entries;
use workbench::kinds::{self, Given};
use workbench::{LoadOptions, LoadedProgram};

use super::{OF_PROGRAMS, Texts};
use crate::controlled::{ControlAction, ControlledSwitch};
use crate::jobs::{Tenure, actions, base_routes};
use crate::plan::{NetworkPlan, ProgramPlan, SwitchChoice};

/// Switches that run programs, by the numbers of their stations.
pub type ProgramSwitches = BTreeMap<usize, Box<dyn Station>>;

/// What the control plane of a switch does at which time.
type Actions = Vec<(Instant, ControlAction)>;

/// Gives a machine its queues, between ingress and egress if it can hold them there and behind the machine otherwise, and
/// what its control plane does later on.
fn program_switch(
    mut machine: Box<dyn Device>,
    later: Actions,
    queues: OutputPlan,
) -> Result<Box<dyn Station>, Unsuitable> {
    let queues = machine.hold_queues(queues)?;
    let station: Box<dyn Station> =
        if later.is_empty() { machine } else { Box::new(ControlledSwitch::new(machine, later)) };
    Ok(match queues {
        None => station,
        Some(OutputPlan { ports, buffer, seed }) => Box::new(ProgramSwitch::new(station, ports, &buffer, seed)),
    })
}

/// What the control plane of a switch writes into it, beside what the plan gives to its program.
struct Control<'p> {
    plan: &'p NetworkPlan,
    switch: usize,
    tenures: Vec<Tenure>,
}

impl<'p> Control<'p> {
    fn new(plan: &'p NetworkPlan, switch: usize, tenures: Vec<Tenure>) -> Self {
        Self { plan, switch, tenures }
    }

    /// Makes the machine, writes into it what it has from the beginning, and returns it with what is to be done later.
    /// `always` is what `make` has written into it already, as the plan says. If it has a table of routes, and the plan says
    /// nothing about its entries, it gets the routes of the network.
    ///
    /// Later requests are tried on another machine of the same kind.
    ///
    /// # Errors
    /// If the machine refuses a request.
    fn begin(
        mut self,
        always: &[Request],
        make: impl Fn() -> Result<Box<dyn Device>, Failure>,
    ) -> Result<(Box<dyn Device>, Actions), Failure> {
        let mut machine = make()?;
        let info = machine.info().clone();
        let is_meant = !self.plan.jobs.is_empty() || self.plan.switch(self.name()).aggregator.is_some();
        if is_meant && always.is_empty() && info.table_named(crate::jobs::ROUTES).is_ok() {
            self.tenures.extend(base_routes(&self.plan.topology, self.switch).into_iter().map(Tenure::always));
        }
        let known = |port| machine.number_for_programs(Port(port));
        let without_memory = self.plan.times_without_memory(self.switch);
        let all = actions((&info, &known), &self.tenures, always, &without_memory);
        let (now, later): (Actions, Actions) =
            all.map_err(|error| self.refusal(&error))?.into_iter().partition(|(at, _)| *at == Instant::ZERO);
        self.carry_out(&mut *machine, &now)?;
        if !later.is_empty() {
            self.carry_out(&mut *make()?, now.iter().chain(&later))?;
        }
        Ok((machine, later))
    }

    fn name(&self) -> &'p str {
        &self.plan.topology.stations[self.switch].name
    }

    fn carry_out<'a>(
        &self,
        machine: &mut dyn Device,
        actions: impl IntoIterator<Item = &'a (Instant, ControlAction)>,
    ) -> Result<(), Failure> {
        for (_, action) in actions {
            for request in action.requests(machine).iter() {
                machine.execute(request).map_err(|error| self.refusal(&error))?;
            }
        }
        Ok(())
    }

    /// Returns the diagnostic for something that a switch does not take, at the first job of the plan.
    fn refusal(&self, error: &control::Error) -> Failure {
        let message = format!("`{}` does not take what the jobs of the plan need: {error}", self.name());
        let hint = "its program must be one for the schemes of these jobs, with room for all of them";
        match self.plan.jobs.first() {
            Some(job) => self.plan.mistake(&job.place, message, hint),
            None => Failure::plain(message),
        }
    }
}

/// Returns the diagnostic for a program that needs queues between ingress and egress where the plan has others.
fn unsuitable_queues(plan: &NetworkPlan, program: &ProgramPlan, unsuitable: &Unsuitable) -> Failure {
    let hint = "use queue = \"drop-tail\", or classes of it: it comes before egress, which can mark packets itself";
    plan.mistake(&program.place, unsuitable.to_string(), hint)
}

/// Returns the diagnostics of options that the machine does not have at the place where the plan sets options.
fn at_options(plan: &NetworkPlan, program: &ProgramPlan, failure: Failure) -> Failure {
    let Failure::BadInput { diagnostics, .. } = &failure else { return failure };
    let of = |found: &Diagnostic| (found.message.clone(), found.hint.clone().unwrap_or_default());
    let found: Vec<(String, String)> = diagnostics.iter().map(of).collect();
    plan.mistakes(&program.options_place, &found)
}

/// Builds the switches that run programs or are plain aggregators, moving their ports out of `ports`. Also returns the
/// texts that were read. `of_jobs` are what jobs need, by the numbers of the stations.
///
/// # Errors
/// If a program cannot be read or does not fit its machine, or a switch refuses what is written into it.
pub fn program_switches(
    plan: &NetworkPlan,
    ports: &mut [Vec<PortPlan>],
    of_jobs: &mut BTreeMap<usize, Vec<Tenure>>,
) -> Result<(ProgramSwitches, Texts), Failure> {
    let mut switches = ProgramSwitches::new();
    let mut inputs = Texts::new();
    for choice in &plan.switches {
        let is_ours = |index: &usize| {
            let station = &plan.topology.stations[*index];
            matches!(station.role, Role::Switch(_)) && std::ptr::eq(plan.switch(&station.name), choice)
        };
        let ours = (0..plan.topology.stations.len()).filter(is_ours);
        if let Some(of_program) = &choice.program {
            let (program, entries) = load(plan, of_program)?;
            let settings = kinds::Settings { given: of_program.given.clone(), packets: None };
            let machine = of_program.machine.unwrap_or_else(|| kinds::fastest(&program));
            of_program.given.refuse_foreign(&[machine]).map_err(|failure| at_options(plan, of_program, failure))?;
            let fitted = machine.fit(&program, &settings)?;
            inputs.extend(inputs_of(&program, &entries, &of_program.given)?);
            for index in ours {
                let seed = Random::for_part(plan.seed, OF_PROGRAMS + index as u64).bits();
                let make = || {
                    let mut machine = fitted.build(seed)?;
                    machine.number_ports_in_order();
                    entries.clone().apply(&mut *machine)?;
                    Ok(machine)
                };
                let always: Vec<Request> = entries.requests().cloned().collect();
                let (machine, later) =
                    Control::new(plan, index, of_jobs.remove(&index).unwrap_or_default()).begin(&always, make)?;
                let switch = program_switch(machine, later, queues(plan, (index, choice), ports));
                switches.insert(index, switch.map_err(|unsuitable| unsuitable_queues(plan, of_program, &unsuitable))?);
            }
        } else if let Some(aggregator) = &choice.aggregator {
            for index in ours {
                let count = ports[index].len() as u32;
                let mut tenures = of_jobs.remove(&index).unwrap_or_default();
                tenures.extend(aggregator.entries().into_iter().map(Tenure::always));
                let (machine, later) = Control::new(plan, index, tenures).begin(&[], || Ok(aggregator.build(count)))?;
                let switch = program_switch(machine, later, queues(plan, (index, choice), ports));
                switches.insert(index, switch.map_err(|unsuitable| Failure::plain(unsuitable.to_string()))?);
            }
        }
    }
    Ok((switches, inputs))
}

/// Takes the ports of a switch, with their queues. They draw from the same random stream as those of a router in its
/// place.
fn queues(plan: &NetworkPlan, (index, choice): (usize, &SwitchChoice), ports: &mut [Vec<PortPlan>]) -> OutputPlan {
    let seed = Random::for_part(plan.seed, 2 * index as u64 + 1).bits();
    OutputPlan { ports: std::mem::take(&mut ports[index]), buffer: choice.buffer.clone(), seed }
}

/// Returns the names and texts of the files from which the programs of a plan's switches and their table entries are
/// read, included files and those of machines' options among them.
///
/// # Errors
/// Fails if one of them cannot be read.
pub(crate) fn inputs_of_programs(plan: &NetworkPlan) -> Result<Texts, Failure> {
    let mut inputs = Texts::new();
    for of_program in plan.switches.iter().filter_map(|choice| choice.program.as_ref()) {
        let (program, entries) = load(plan, of_program)?;
        inputs.extend(inputs_of(&program, &entries, &of_program.given)?);
    }
    Ok(inputs)
}

fn inputs_of(program: &LoadedProgram, entries: &Entries, given: &Given) -> Result<Texts, Failure> {
    let of_entries = entries.inputs().map(|(name, text)| (name.to_owned(), text.to_owned()));
    Ok(program.inputs.iter().cloned().chain(of_entries).chain(given.inputs()?).collect())
}

fn load(plan: &NetworkPlan, of_program: &ProgramPlan) -> Result<(LoadedProgram, Entries), Failure> {
    let program = LoadedProgram::read(&of_program.path, &LoadOptions::default())?;
    let mut entries = Entries::none();
    for path in &of_program.entries {
        entries.add(Entries::read(path, &program)?);
    }
    if !of_program.commands.is_empty() {
        entries.add(Entries::commands(&format!("`commands` in {}", plan.name), &of_program.commands, &program)?);
    }
    Ok((program, entries))
}
