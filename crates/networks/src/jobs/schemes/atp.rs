//! `atp`: in-network aggregation with best effort, and a server that adds up the rest: `docs/transports/atp.md`.

use std::ops::Range;
use std::sync::Arc;

use basis::Instant;
use plans::Section;
use transports::aggregation::atp::{Arithmetic, AtpParameters, Index, Server, Worker};
use transports::aggregation::{self, Setup};
use wire::atp::LEVELS;

use super::participant::{participant, timetable};
use crate::jobs::levels::Ways;
use crate::jobs::racks::{Racks, edge_switch};
use crate::jobs::{
    Argument, Deployment, Epoch, JobNetwork, JobPlan, JobTree, Key, MemberParts, MemberPlan, MemberRole, Mistake,
    OnHost, SchemeKind, SchemePlan, SwitchEntry, Tenure,
};
use crate::transports::HostAttachment;

/// The senders that a switch tells apart by the bits of a bitmap.
const BITS: usize = 32;
/// The bits of the number of a fragment: 24 in the sequence number, and 10 beside it.
const FRAGMENT_BITS: u32 = 34;
/// The headers before the values of a packet, in bytes, without those of further levels.
const HEADERS: u32 = 58;
/// The fields of levels beyond the second, in bytes.
const FURTHER: u32 = wire::atp::AtpLevels::<&[u8]>::LENGTH as u32;
/// The memory of a fragment at a server in bytes, without values, which come with its packets, rounded down. A server has four
/// largest windows of them.
const FRAGMENT: u64 = 160;
/// The table that says at which level a switch serves a job.
const JOBS: &str = "jobs";

pub(in crate::jobs) struct AtpKind;

#[derive(Debug)]
struct AtpPlan {
    parameters: AtpParameters,
    /// Whether the job has its aggregators for itself.
    is_exclusive: bool,
    first_aggregator: u32,
    aggregators: Option<u32>,
    /// The most switches that add up on the way of a packet.
    levels: usize,
}

impl SchemeKind for AtpKind {
    fn name(&self) -> &'static str {
        "atp"
    }

    fn read(&self, section: &Section<'_>) -> Arc<dyn SchemePlan> {
        let usual = AtpParameters::default();
        let ways =
            [("hash", (Index::Hash, false)), ("linear", (Index::Linear, false)), ("static", (Index::Linear, true))];
        let (index, is_exclusive) = section.choice("index", &ways, "hash");
        let values = match section.flag("single_pass", false) {
            true => wire::atp::VALUES_OF_ONE_PASS,
            false => wire::atp::VALUES,
        };
        let window = |name, usual: u32| section.count(name, 1..=8192, usual.into()) as u32;
        let parameters = AtpParameters {
            values,
            index,
            congestion_control: section.flag("congestion_control", usual.congestion_control),
            initial_window: window("initial_window", usual.initial_window),
            largest_window: window("largest_window", usual.largest_window),
            timeout: section.positive("timeout", usual.timeout),
            proactive: section.flag("proactive", usual.proactive),
            dynamic_scale: section.flag("dynamic_scale", usual.dynamic_scale),
            ..usual
        };
        if parameters.initial_window > parameters.largest_window {
            let hint = "make `initial_window` no larger than `largest_window`";
            section.error(&section.span_of("initial_window"), "the window begins above its limit", hint);
        }
        let is_rack_only = section.flag("rack_only", false);
        let levels = section.optional_count("levels", 1..=LEVELS as u64).map(|levels| levels as usize);
        if is_rack_only && levels.is_some_and(|levels| levels > 1) {
            let hint = "leave `levels` out: with `rack_only`, only the switches of workers add up";
            section.error(&section.span_of("levels"), "`rack_only` is one level", hint);
        }
        let levels = if is_rack_only { 1 } else { levels.unwrap_or(2) };
        if is_exclusive {
            section.require("aggregators", "how many aggregators the job has for itself: aggregators = 660");
        }
        Arc::new(AtpPlan {
            parameters,
            is_exclusive,
            first_aggregator: section.count("first_aggregator", 0..=65_535, 0) as u32,
            aggregators: section.optional_count("aggregators", 1..=65_536).map(|count| count as u32),
            levels,
        })
    }
}

impl SchemePlan for AtpPlan {
    fn packet_bytes(&self) -> Option<u32> {
        let further = if self.levels > 2 { FURTHER } else { 0 };
        Some(HEADERS + further + 4 * self.parameters.values as u32)
    }

    fn exclusive(&self) -> Option<(&'static str, Range<u32>)> {
        let count = self.aggregators.filter(|_| self.is_exclusive)?;
        Some(("first_aggregator", self.first_aggregator..self.first_aggregator + count))
    }

    fn server_memory(&self) -> u64 {
        4 * FRAGMENT * u64::from(self.parameters.largest_window)
    }

    fn deploy(&self, job: &JobPlan, network: &JobNetwork<'_>) -> Result<Deployment, Vec<Mistake>> {
        let mut deployment = Deployment::default();
        let (mut setups, mut mistakes) = (Vec::new(), Vec::new());
        if job.servers.is_empty() {
            let hint = "servers = [\"host-8\"]: it adds up what switches have not, and sends the sums to the workers";
            return Err(vec![Mistake::new("servers", "a job of ATP has at least one server", hint)]);
        }
        let fragments = u64::from(job.schedule.count) * job.schedule.length.div_ceil(self.parameters.values as u64);
        if fragments > 1 << FRAGMENT_BITS {
            let message = format!("{fragments} packets of each worker are too many for the numbers of fragments");
            mistakes.push(Mistake::new("tensors", message, "use at most 2^34 packets: fewer or shorter tensors"));
        }
        let epochs = job.epochs();
        for (generation, epoch) in epochs.iter().enumerate() {
            let until = epochs.get(generation + 1).map(|next| next.from).or(job.schedule.end);
            match self.epoch(job, network, epoch) {
                Ok(placed) => {
                    setups.push(Arc::new(Setup { generation: generation as u16, ..placed.setup }));
                    for (switch, entry) in placed.entries {
                        // What is there from the beginning is there before the first packet.
                        let from = if generation == 0 && job.schedule.start == Instant::ZERO {
                            Instant::ZERO
                        } else {
                            epoch.from
                        };
                        deployment.switches.entry(switch).or_default().push(Tenure { entry, from, until });
                    }
                }
                Err(found) => mistakes.extend(found),
            }
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        deployment.members = Deployment::members(job, &setups);
        Ok(deployment)
    }

    fn build(&self, member: &MemberPlan, parts: MemberParts, host: HostAttachment) -> OnHost {
        let arithmetic = parts.point.map_or(Arithmetic::Integers, Arithmetic::Floats);
        let parameters = AtpParameters { arithmetic, ..self.parameters };
        let setup = Arc::clone(&member.setup);
        match (member.role, parts.job, parts.gradients) {
            (MemberRole::Worker(_), Some(job), Some(gradients)) => {
                let worker = Worker::new(host.address, setup, gradients, parameters);
                participant(member, job, Box::new(worker))
            }
            _ => {
                let server = Server::new(host.address, setup, parameters);
                OnHost::Participant(Box::new(aggregation::Server::new(Box::new(server), timetable(member))))
            }
        }
    }
}

/// Who takes part from one time on, and what switches must know.
struct Placed {
    setup: Setup,
    entries: Vec<(usize, SwitchEntry)>,
}

impl AtpPlan {
    /// Places the workers of an epoch. With two levels, edge switches of workers add up what comes from below (the first level), and the
    /// edge switch of the server adds up the sums of the others with what comes from workers at itself (the second level).
    /// With more, switches between these add up as well (appendix A.2).
    fn epoch(&self, job: &JobPlan, network: &JobNetwork<'_>, epoch: &Epoch) -> Result<Placed, Vec<Mistake>> {
        let last = edge_switch(network, epoch.servers[0], "servers").map_err(|mistake| vec![mistake])?;
        for &server in &epoch.servers {
            let own = edge_switch(network, server, "servers").map_err(|mistake| vec![mistake])?;
            if own != last {
                let message = format!(
                    "`{}` and `{}` are at different switches",
                    network.name(epoch.servers[0]),
                    network.name(server)
                );
                let hint = "all servers of a job are at one switch, at which the sums of the others come together";
                return Err(vec![Mistake::new("servers", message, hint)]);
            }
        }
        let racks = Racks::of(network, &epoch.workers)?;
        let (tree, ways) = self.ways(job, network, epoch, (last, &racks))?;
        let address = |rank: usize| network.address(epoch.workers[rank]);
        let of_workers = ways.iter().enumerate().map(|(rank, way)| (address(rank), &way[..])).collect();
        let levels = Ways { of_workers, most: self.levels }.levels();
        let mut mistakes = Vec::new();
        for (&switch, &count) in levels.senders.iter().filter(|(_, count)| **count > BITS) {
            let name = network.name(switch.unwrap_or(last));
            let is_rack = switch.and_then(|switch| racks.by_switch.get(&switch)).is_some_and(|own| own.len() == count);
            let (who, hint) = match is_rack {
                true => ("workers below", "spread them over more switches"),
                false => ("switches and workers at", "use fewer switches, with at most 32 workers below each"),
            };
            let message = format!("{count} {who} `{name}` are too many: a bitmap has {BITS} bits");
            mistakes.push(Mistake::new("workers", message, hint));
        }
        let aggregators = self.range(network, levels.of_switches.keys().copied().chain([last]));
        let (true, Ok(aggregators)) = (mistakes.is_empty(), aggregators.clone()) else {
            mistakes.extend(aggregators.err());
            return Err(mistakes);
        };
        let mut entries = tree.entries(network);
        entries.extend(levels.of_switches.iter().map(|(&switch, &at)| (switch, level(job.number, at.into()))));
        let servers = epoch.servers.iter().map(|&server| network.address(server)).collect();
        let (workers, group) = (levels.places, tree.group());
        let setup = Setup { job: job.number, generation: 0, group, servers, workers, aggregators };
        Ok(Placed { setup, entries })
    }

    /// Returns the tree by which answers reach the workers, and by rank the switches on the way to the server that may add up. With
    /// at most two levels, these are those of the worker and of the server, by whatever way packets go from one to the
    /// other; with more, packets are added up on the way, so the tree is that of the routes.
    fn ways(
        &self,
        job: &JobPlan,
        network: &JobNetwork<'_>,
        epoch: &Epoch,
        (last, racks): (usize, &Racks),
    ) -> Result<(JobTree, Vec<Vec<usize>>), Vec<Mistake>> {
        let workers = &epoch.workers;
        if self.levels <= 2 {
            let mut ways = vec![Vec::new(); workers.len()];
            for (&switch, ranks) in &racks.by_switch {
                let way = if switch == last { vec![last] } else { vec![switch, last] };
                ranks.iter().for_each(|&rank| ways[usize::from(rank)].clone_from(&way));
            }
            return Ok((JobTree::new(network, last, workers, job.number)?, ways));
        }
        let tree = JobTree::along_routes(network, epoch.servers[0], workers, job.number)?;
        for &server in &epoch.servers[1..] {
            let other = JobTree::along_routes(network, server, workers, job.number)?;
            if let Some(&worker) = workers.iter().find(|&&worker| tree.way(worker) != other.way(worker)) {
                let [one, two] = [epoch.servers[0], server].map(|server| network.name(server).to_owned());
                let message =
                    format!("packets of `{}` take different ways to `{one}` and `{two}`", network.name(worker));
                let hint = "with more than two levels, use one server, or servers to which all ways are the same";
                return Err(vec![Mistake::new("servers", message, hint)]);
            }
        }
        let ways = workers.iter().map(|&worker| tree.way(worker)).collect();
        Ok((tree, ways))
    }

    /// Returns the aggregators that the job may use at each of these switches.
    fn range(&self, network: &JobNetwork<'_>, switches: impl Iterator<Item = usize>) -> Result<Range<u32>, Mistake> {
        let least = switches.filter_map(|switch| Some(((network.aggregators)(switch)?, switch))).min();
        let first = self.first_aggregator;
        let Some(count) = self.aggregators.or(least.map(|(least, _)| least.saturating_sub(first))) else {
            let hint = "aggregators = 4096: as many as the program of the switches has";
            return Err(Mistake::new("aggregators", "it is not known how many aggregators the switches have", hint));
        };
        match least {
            Some((least, switch)) if first + count > least || count == 0 => {
                let message = format!(
                    "`{}` has the aggregators 0 to {}, and this job uses {first} to {}",
                    network.name(switch),
                    least - 1,
                    (first + count).saturating_sub(1)
                );
                let hint = "use fewer, or give [switch] more with `aggregators`";
                Err(Mistake::new("aggregators", message, hint))
            }
            _ => Ok(first..first + count),
        }
    }
}

/// Returns the entry by which a switch serves a job at a level.
fn level(job: u8, level: u64) -> SwitchEntry {
    SwitchEntry::Table {
        table: JOBS,
        key: vec![Key::Exact(job.into())],
        action: "aggregate",
        arguments: vec![Argument::Number(level)],
    }
}
