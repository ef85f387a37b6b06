//! `trio-ml`: sums by a hierarchy of switches that give up on stragglers: `docs/transports/trio-ml.md`.

use std::collections::BTreeMap;
use std::sync::Arc;

use basis::Duration;
use plans::Section;
use transports::aggregation::trio_ml::{TrioMl, TrioMlParameters};
use transports::aggregation::{Setup, WorkerPlace};
use wire::trio_ml::JobRecord;

use super::participant::participant;
use crate::jobs::racks::Racks;
use crate::jobs::{
    Deployment, Epoch, JobNetwork, JobPlan, JobTree, MemberParts, MemberPlan, MemberRole, Mistake, OnHost, SchemeKind,
    SchemePlan, SwitchEntry, Tenure, switch_address,
};
use crate::transports::HostAttachment;

/// The greatest number of blocks under way that the record of a job can say (figure 17).
const MOST_BLOCKS: u16 = 4095;

/// The headers before the gradients of a packet, in bytes: Ethernet, IPv4, UDP and that of Trio-ML.
const HEADERS: u32 = 54;

pub(in crate::jobs) struct TrioMlKind;

#[derive(Debug)]
struct TrioMlPlan {
    parameters: TrioMlParameters,
    /// After how many milliseconds switches give up on a block; 0 for never.
    expiry: u8,
    /// The name of the switch at the top; `None` to choose one.
    switch: Option<String>,
}

impl SchemeKind for TrioMlKind {
    fn name(&self) -> &'static str {
        "trio-ml"
    }

    fn read(&self, section: &Section<'_>) -> Arc<dyn SchemePlan> {
        let usual = TrioMlParameters::default();
        let timeout = section.duration("timeout", usual.timeout.unwrap_or(Duration::ZERO));
        Arc::new(TrioMlPlan {
            parameters: TrioMlParameters {
                gradients: section.count("gradients", 1..=1024, usual.gradients.into()) as u16,
                window: section.count("window", 1..=4095, usual.window.into()) as u16,
                timeout: (timeout > Duration::ZERO).then_some(timeout),
            },
            expiry: section.count("expiry", 0..=255, 0) as u8,
            switch: section.text("switch").map(|(name, _)| name),
        })
    }
}

impl SchemePlan for TrioMlPlan {
    fn packet_bytes(&self) -> Option<u32> {
        Some(HEADERS + 4 * u32::from(self.parameters.gradients))
    }

    fn deploy(&self, job: &JobPlan, network: &JobNetwork<'_>) -> Result<Deployment, Vec<Mistake>> {
        let problems = self.parameters.problems(job.workers.len()).into_iter();
        let mut mistakes: Vec<Mistake> =
            problems.map(|problem| Mistake::new("workers", problem, "docs/transports/trio-ml.md says why")).collect();
        if !job.servers.is_empty() {
            mistakes.push(Mistake::new("servers", "Trio-ML has no servers", "leave `servers` out: switches add up"));
        }
        let epochs = job.epochs();
        let mut placed = Vec::new();
        for (generation, epoch) in epochs.iter().enumerate() {
            match self.epoch(job, network, (generation as u16, epoch)) {
                Ok(epoch) => placed.push(epoch),
                Err(found) => mistakes.extend(found),
            }
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let mut deployment = Deployment::default();
        for (at, (epoch, placed)) in epochs.iter().zip(&placed).enumerate() {
            let until = epochs.get(at + 1).map(|next| next.from).or(job.schedule.end);
            for (switch, entry) in placed.entries.iter().cloned() {
                deployment.switches.entry(switch).or_default().push(Tenure { entry, from: epoch.from, until });
            }
        }
        deployment.members = Deployment::members_by(job, |epoch, role| match role {
            MemberRole::Worker(rank) => Arc::clone(&placed[epoch].setups[usize::from(rank)]),
            MemberRole::Server(_) => unreachable!("Trio-ML has no servers"),
        });
        Ok(deployment)
    }

    fn build(&self, member: &MemberPlan, parts: MemberParts, host: HostAttachment) -> OnHost {
        let MemberParts { job: Some(job), gradients: Some(gradients), .. } = parts else {
            unreachable!("Trio-ML has no servers")
        };
        let worker = TrioMl::new(host.address, Arc::clone(&member.setup), gradients, self.parameters);
        participant(member, job, Box::new(worker))
    }
}

/// Who takes part from one time on, by rank, and what switches must know.
struct Placed {
    setups: Vec<Arc<Setup>>,
    entries: Vec<(usize, SwitchEntry)>,
}

impl TrioMlPlan {
    /// Places the workers of an epoch: the switch of each rack adds up for its workers, and the switch at the top for the
    /// racks and for workers of its own.
    fn epoch(
        &self,
        job: &JobPlan,
        network: &JobNetwork<'_>,
        (generation, epoch): (u16, &Epoch),
    ) -> Result<Placed, Vec<Mistake>> {
        let racks = Racks::of(network, &epoch.workers)?;
        let top = match (&self.switch, racks.by_switch.len()) {
            (None, 2..) => network.highest_switch(&epoch.workers, job.number),
            (name, _) => network.switch(name.as_deref(), &epoch.workers)?,
        };
        let tree = JobTree::new(network, top, &epoch.workers, job.number)?;
        let (mut entries, mut at_top) = (tree.entries(network), Vec::new());
        entries.extend(tree.routes_to_root(network, switch_address(top)));
        let record = |address: usize, sources: &[u16], destination: u32, own_source: u16| JobRecord {
            // A window, and another one after a loss of memory: blocks that some workers have the results of, and begin no more.
            most_blocks: (2 * self.parameters.window).min(MOST_BLOCKS),
            most_gradients: self.parameters.gradients,
            timeout: self.expiry,
            address: switch_address(address),
            destination,
            // 8 bits, of which 0 stands for 256.
            source_count: sources.len() as u8,
            sources: mask(sources),
            job: job.number,
            own_source: own_source as u8,
            generation,
            window: self.parameters.window,
            ..JobRecord::default()
        };
        let mut first_switches: BTreeMap<u16, usize> = BTreeMap::new();
        let mut records = Vec::new();
        for (&switch, ranks) in &racks.by_switch {
            first_switches.extend(ranks.iter().map(|&rank| (rank, switch)));
            if switch == top {
                at_top.extend(ranks);
            } else {
                at_top.push(ranks[0]);
                records.push((switch, record(switch, ranks, switch_address(top), ranks[0])));
            }
        }
        at_top.sort_unstable();
        records.push((top, record(top, &at_top, tree.group(), 0)));
        for (switch, record) in records {
            let contents = record.words().into_iter().flat_map(u64::to_be_bytes).collect();
            entries.push((switch, SwitchEntry::Record { records: "jobs", key: vec![job.number], contents }));
        }
        let place = |(rank, &host): (usize, &usize)| {
            WorkerPlace::with_two_levels(network.address(host), [rank as u8, 0], [1; 2])
        };
        let workers: Vec<WorkerPlace> = epoch.workers.iter().enumerate().map(place).collect();
        let setup = |rank: usize| {
            let servers = vec![switch_address(first_switches[&(rank as u16)])];
            let (group, workers) = (tree.group(), workers.clone());
            Arc::new(Setup { job: job.number, generation, group, servers, workers, aggregators: 0..0 })
        };
        Ok(Placed { setups: (0..workers.len()).map(setup).collect(), entries })
    }
}

/// Returns the mask of these sources; source `s` is bit `s` of 256, the most significant one first.
fn mask(sources: &[u16]) -> [u64; 4] {
    let mut mask = [0; 4];
    for &source in sources {
        mask[usize::from(source / 64) % 4] |= 1 << (63 - source % 64);
    }
    mask
}
