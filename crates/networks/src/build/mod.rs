//! Building a network that can run from a plan.

mod members;
mod switches;

use std::num::NonZeroUsize;

use basis::{Duration, Random, Rate};
use demand::{Application, Workload};
use measure::Interest;
use netsim::faults::Rule;
use netsim::switch::{Router, SwitchParameters, port_plans};
use netsim::topology::{Role, SwitchPlan};
use netsim::{Settings, Simulation, Threading};
use node::{Link, Station};
use queues::PortPlan;
use transports::Flow;
use transports::jobs::TensorEvent;
use transports::{Host, HostParameters};
use wire::PriorityPause;

use super::plan::{NetworkPlan, SwitchChoice};
use super::results::kind;
use crate::transports::HostAttachment;
use diagnostics::Failure;
use members::JobMembers;
pub(crate) use switches::inputs_of_programs;
use switches::program_switches;

/// The numbers of the random streams of a run; switches use the numbers below these.
const OF_TRANSPORTS: u64 = 1 << 40;
const OF_WORKLOADS: u64 = 2 << 40;
const OF_PROGRAMS: u64 = 3 << 40;
const OF_FAULTS: u64 = 4 << 40;

/// Texts of files with the names of the files.
type Texts = Vec<(String, String)>;

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
        interest: Interest::of::<Flow>().and::<TensorEvent>(),
        sample_every: plan.probes.every,
        end: plan.end.at,
        // A run with an end goes on until then, and reports at the end what is stuck.
        deadlocks_every: plan.end.at.is_none().then(|| longest_pause(plan)).flatten(),
        threads,
        threading,
    };
    let mut ports = ports(plan);
    let mut members = JobMembers::of(plan)?;
    let (mut programs, inputs) = program_switches(plan, &mut ports, &mut members.at_switches)?;
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
            let host = |application| Host::new(HostParameters { address: *address, link, transport, application });
            let host = members.join(plan, (index, place), application, host);
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
