//! Building a network that can run from a plan.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use basis::{Duration, Random, Rate};
use demand::{Application, Workload};
use machines::{Device, Unsuitable};
use measure::Interest;
use netsim::faults::Rule;
use netsim::switch::{ProgramSwitch, Router, SwitchParameters, port_plans};
use netsim::topology::{Role, SwitchPlan};
use netsim::{Settings, Simulation, Threading};
use node::{Link, Station};
use queues::{OutputPlan, PortPlan};
use transports::Flow;
use transports::{Host, HostParameters};
use wire::PriorityPause;

use super::plan::{NetworkPlan, ProgramPlan, SwitchChoice};
use super::results::kind;
use crate::transports::HostAttachment;
use diagnostics::{Diagnostic, Failure};
use workbench::Entries;
use workbench::kinds::{self, Given};
use workbench::{LoadOptions, LoadedProgram};

/// The numbers of the random streams of a run; switches use the numbers below these.
const OF_TRANSPORTS: u64 = 1 << 40;
const OF_WORKLOADS: u64 = 2 << 40;
const OF_PROGRAMS: u64 = 3 << 40;
const OF_FAULTS: u64 = 4 << 40;

/// Texts of files with the names of the files.
type Texts = Vec<(String, String)>;

/// Switches that run programs, by the numbers of their stations.
type ProgramSwitches = BTreeMap<usize, Box<dyn Station>>;

/// Builds the network of a plan, to be run by at most so many threads. Also returns the texts of the programs and table
/// entries that were read for it.
///
/// # Errors
/// Fails if a program cannot be read or does not fit its machine, or if a switch refuses its table entries.
pub fn build(
    plan: &NetworkPlan,
    (threads, threading): (NonZeroUsize, Threading),
) -> Result<(Simulation, Texts), Failure> {
    let topology = &plan.topology;
    let settings = Settings {
        interest: Interest::of::<Flow>(),
        sample_every: plan.probes.every,
        end: plan.end.at,
        // A run with an end goes on until then, and reports at the end what is stuck.
        deadlocks_every: plan.end.at.is_none().then(|| longest_pause(plan)).flatten(),
        threads,
        threading,
    };
    let mut ports = ports(plan);
    let (mut programs, inputs) = program_switches(plan, &mut ports)?;
    let mut applications = applications(plan)?;
    let links = topology.host_links();
    let transport_seed = Random::for_part(plan.seed, OF_TRANSPORTS).bits();
    let mut simulation = Simulation::new(topology, settings, |index| match &topology.stations[index].role {
        Role::Host { address, paths } => {
            let link = links[index].unwrap_or(Link::new(Rate::from_bits_per_second(1), 0));
            let paths = (*paths).clamp(1, u32::from(wire::path::PATHS)) as u16;
            let place = HostAttachment { address: *address, paths, link, seed: transport_seed };
            let transport = plan.transport(&topology.stations[index].name).build(place);
            let application = applications[index].take().expect("one application for each host");
            let host = Host::new(HostParameters { address: *address, link, transport, application });
            Box::new(match plan.costs(&topology.stations[index].name, index) {
                Some(costs) => host.with_costs(costs),
                None => host,
            })
        }
        Role::Switch(switch) => {
            let choice = plan.switch(&topology.stations[index].name);
            let ports = std::mem::take(&mut ports[index]);
            match programs.remove(&index) {
                Some(program) => program,
                None => router(index, switch, ports, choice, plan.seed),
            }
        }
    });
    simulation.count_hops_by(kind);
    let rules: Vec<Rule> = plan.line_faults().map(|(_, rule)| rule.clone()).collect();
    simulation.set_faults(topology, &rules, Random::for_part(plan.seed, OF_FAULTS).bits());
    Ok((simulation, inputs))
}

/// Returns the longest pause that a switch of the plan can request; `None` if no switch uses flow control.
fn longest_pause(plan: &NetworkPlan) -> Option<Duration> {
    let slowest = plan.topology.cables.iter().map(|cable| cable.link.rate).min()?;
    let quanta = plan.switches.iter().filter_map(|choice| Some(choice.buffer.flow_control.as_ref()?.quanta));
    quanta.max().map(|quanta| PriorityPause::time_of(quanta, slowest))
}

fn router(index: usize, plan: &SwitchPlan, ports: Vec<PortPlan>, choice: &SwitchChoice, seed: u64) -> Box<dyn Station> {
    let parameters = SwitchParameters {
        discipline: choice.discipline.clone(),
        buffer: choice.buffer.clone(),
        spread: choice.spread,
        seed,
    };
    Box::new(Router::new(index, plan, ports, &parameters))
}

/// Gives a machine its queues: between ingress and egress if it can hold them there, behind the machine otherwise.
fn program_switch(mut machine: Box<dyn Device>, queues: OutputPlan) -> Result<Box<dyn Station>, Unsuitable> {
    machine.number_ports_in_order();
    Ok(match machine.hold_queues(queues)? {
        None => machine,
        Some(OutputPlan { ports, buffer, seed }) => Box::new(ProgramSwitch::new(machine, ports, &buffer, seed)),
    })
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

/// Returns the ports of all stations, each with the discipline of its switch.
fn ports(plan: &NetworkPlan) -> Vec<Vec<PortPlan>> {
    let topology = &plan.topology;
    let mut ports = port_plans(topology, &plan.switches[0].discipline);
    if plan.switches.len() > 1 {
        for (ports, station) in ports.iter_mut().zip(&topology.stations) {
            let discipline = &plan.switch(&station.name).discipline;
            ports.iter_mut().for_each(|port| port.discipline = discipline.clone());
        }
    }
    ports
}

fn applications(plan: &NetworkPlan) -> Result<Vec<Option<Box<dyn Application>>>, Failure> {
    let seed = Random::for_part(plan.seed, OF_WORKLOADS).bits();
    let applications = Workload::combined(&plan.workloads, &plan.topology.hosts(), seed);
    Ok(applications.map_err(|unfit| Failure::plain(unfit.to_string()))?.into_iter().map(Some).collect())
}

/// Builds the switches that run programs, moving their ports out of `ports`. Also returns the texts that were read.
fn program_switches(plan: &NetworkPlan, ports: &mut [Vec<PortPlan>]) -> Result<(ProgramSwitches, Texts), Failure> {
    let mut switches = ProgramSwitches::new();
    let mut inputs = Texts::new();
    for (number, choice) in plan.switches.iter().enumerate() {
        let Some(of_program) = &choice.program else { continue };
        let (program, entries) = load(plan, of_program)?;
        let settings = kinds::Settings { given: of_program.given.clone(), packets: None };
        let machine = of_program.machine.unwrap_or_else(|| kinds::fastest(&program));
        of_program.given.refuse_foreign(&[machine]).map_err(|failure| at_options(plan, of_program, failure))?;
        let fitted = machine.fit(&program, &settings)?;
        inputs.extend(inputs_of(&program, &entries, &of_program.given)?);
        for (index, station) in plan.topology.stations.iter().enumerate() {
            let is_ours = matches!(station.role, Role::Switch(_))
                && std::ptr::eq(plan.switch(&station.name), &plan.switches[number]);
            if !is_ours {
                continue;
            }
            let seed = Random::for_part(plan.seed, OF_PROGRAMS + index as u64).bits();
            let mut machine = fitted.build(seed)?;
            entries.clone().apply(&mut *machine)?;
            // The same random stream as a router's queues would have in its place.
            let seed = Random::for_part(plan.seed, 2 * index as u64 + 1).bits();
            let queues = OutputPlan { ports: std::mem::take(&mut ports[index]), buffer: choice.buffer.clone(), seed };
            let switch = program_switch(machine, queues);
            switches.insert(index, switch.map_err(|unsuitable| unsuitable_queues(plan, of_program, &unsuitable))?);
        }
    }
    Ok((switches, inputs))
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
