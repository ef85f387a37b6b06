//! `atp`: in-network aggregation with best effort, and a server that adds up the rest: `docs/transports/atp.md`.

use std::ops::Range;
use std::sync::Arc;

use basis::Instant;
use plans::Section;
use transports::aggregation::atp::{Arithmetic, AtpParameters, Index, Server, Worker};
use transports::aggregation::{self, Setup, WorkerPlace};

use super::participant::{participant, timetable};
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
/// The headers before the values of a packet, in bytes.
const HEADERS: u32 = 58;
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
    is_rack_only: bool,
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
        if is_exclusive {
            section.require("aggregators", "how many aggregators the job has for itself: aggregators = 660");
        }
        Arc::new(AtpPlan {
            parameters,
            is_exclusive,
            first_aggregator: section.count("first_aggregator", 0..=65_535, 0) as u32,
            aggregators: section.optional_count("aggregators", 1..=65_536).map(|count| count as u32),
            is_rack_only: section.flag("rack_only", false),
        })
    }
}

impl SchemePlan for AtpPlan {
    fn packet_bytes(&self) -> Option<u32> {
        Some(HEADERS + 4 * self.parameters.values as u32)
    }

    fn exclusive(&self) -> Option<(&'static str, Range<u32>)> {
        let count = self.aggregators.filter(|_| self.is_exclusive)?;
        Some(("first_aggregator", self.first_aggregator..self.first_aggregator + count))
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
    /// Places the workers of an epoch: edge switches of workers add up what comes from below (the first level), and the edge
    /// switch of the server adds up the sums of the others with what comes from workers at itself (the second level).
    fn epoch(&self, job: &JobPlan, network: &JobNetwork<'_>, epoch: &Epoch) -> Result<Placed, Vec<Mistake>> {
        let second = edge_switch(network, epoch.servers[0], "servers").map_err(|mistake| vec![mistake])?;
        for &server in &epoch.servers {
            let own = edge_switch(network, server, "servers").map_err(|mistake| vec![mistake])?;
            if own != second {
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
        let tree = JobTree::new(network, second, &epoch.workers, job.number)?;
        let has_second_level =
            !self.is_rack_only && racks.by_switch.keys().any(|&switch| switch != second) && racks.by_switch.len() > 1;
        let mut mistakes = Vec::new();
        if let Some((switch, count)) = racks.too_many(BITS) {
            let message =
                format!("{count} workers below `{}` are too many: a bitmap has {BITS} bits", network.name(switch));
            mistakes.push(Mistake::new("workers", message, "spread them over more switches"));
        }
        let is_direct = |switch: usize| has_second_level && switch == second;
        let second_bits: usize =
            racks.by_switch.iter().map(|(&switch, ranks)| if is_direct(switch) { ranks.len() } else { 1 }).sum();
        if second_bits > BITS {
            let message = format!(
                "{second_bits} switches and workers at `{}`, the switch of the server, are too many: a bitmap has {BITS} bits",
                network.name(second)
            );
            mistakes.push(Mistake::new("workers", message, "use fewer switches, with at most 32 workers below each"));
        }
        let aggregators = self.range(network, racks.by_switch.keys().copied().chain([second]));
        let (true, Ok(aggregators)) = (mistakes.is_empty(), aggregators.clone()) else {
            mistakes.extend(aggregators.err());
            return Err(mistakes);
        };
        let nowhere = WorkerPlace { address: 0, bits: [0; 2], fan_in: [1; 2] };
        let (mut workers, mut entries) = (vec![nowhere; epoch.workers.len()], tree.entries(network));
        let fan_in_of_second = if has_second_level { second_bits as u8 } else { 1 };
        let mut bit_of_second = 0;
        for (&switch, ranks) in &racks.by_switch {
            for (bit, &rank) in (0..).zip(ranks) {
                let address = network.address(epoch.workers[usize::from(rank)]);
                let (bits, first) = match is_direct(switch) {
                    true => ([0, bit_of_second + bit], 0),
                    false => ([bit, bit_of_second], ranks.len() as u8),
                };
                workers[usize::from(rank)] = WorkerPlace { address, bits, fan_in: [first, fan_in_of_second] };
            }
            bit_of_second += if is_direct(switch) { ranks.len() as u8 } else { 1 };
            if !is_direct(switch) {
                entries.push((switch, level(job.number, 0)));
            }
        }
        if has_second_level {
            entries.push((second, level(job.number, 1)));
        }
        let servers = epoch.servers.iter().map(|&server| network.address(server)).collect();
        let setup = Setup { job: job.number, generation: 0, group: tree.group(), servers, workers, aggregators };
        Ok(Placed { setup, entries })
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
