//! `switchml`: sums by one switch, in a pool of slots that a job has for itself: `docs/transports/switchml.md`.

use std::ops::Range;
use std::sync::Arc;

use basis::Duration;
use plans::Section;
use transports::aggregation::switchml::{SwitchMl, SwitchMlParameters, ValuesPerPacket};
use transports::aggregation::{FixedPoint, Setup, WorkerPlace};
use transports::jobs::Arithmetic;

use super::participant::participant;
use crate::jobs::{
    Argument, Deployment, JobNetwork, JobPlan, JobTree, Key, MemberParts, MemberPlan, Mistake, OnHost, SchemeKind,
    SchemePlan, SwitchEntry, Tenure, switch_address,
};
use crate::transports::HostAttachment;

/// What a packet has beside its values, in bytes: headers and trailer.
const HEADERS: u32 = 52;
/// The most workers: a bitmap has so many bits.
const MOST_WORKERS: usize = 32;
/// The largest number of slots that a packet can name.
const MOST_SLOTS: u64 = 16_384;

pub(in crate::jobs) struct SwitchMlKind;

#[derive(Debug)]
struct SwitchMlPlan {
    parameters: SwitchMlParameters,
    slots: Range<u32>,
    /// The name of the switch that adds up; `None` for that of the first worker.
    switch: Option<String>,
}

impl SchemeKind for SwitchMlKind {
    fn name(&self) -> &'static str {
        "switchml"
    }

    fn read(&self, section: &Section<'_>) -> Arc<dyn SchemePlan> {
        let sizes = [("64", ValuesPerPacket::Few), ("256", ValuesPerPacket::Many)];
        let timeout = section.duration("timeout", Duration::from_microseconds(1000));
        let first = section.count("first_slot", 0..=MOST_SLOTS - 1, 0);
        let count = section.count("slots", 1..=MOST_SLOTS, 512);
        if first + count > MOST_SLOTS {
            let hint = format!("use slots below {MOST_SLOTS}, which is as many as a packet can name");
            section.error(
                &section.span_of("slots"),
                format!("slots {first} to {} are too many", first + count - 1),
                hint,
            );
        }
        Arc::new(SwitchMlPlan {
            parameters: SwitchMlParameters {
                values: section.choice("values_per_packet", &sizes, "64"),
                timeout: (timeout > Duration::ZERO).then_some(timeout),
            },
            slots: first as u32..(first + count) as u32,
            switch: section.text("switch").map(|(name, _)| name),
        })
    }
}

impl SchemePlan for SwitchMlPlan {
    fn packet_bytes(&self) -> Option<u32> {
        Some(HEADERS + 4 * self.parameters.values.count() as u32)
    }

    fn exclusive(&self) -> Option<(&'static str, Range<u32>)> {
        Some(("first_slot", self.slots.clone()))
    }

    fn deploy(&self, job: &JobPlan, network: &JobNetwork<'_>) -> Result<Deployment, Vec<Mistake>> {
        let mut mistakes = Vec::new();
        if !job.servers.is_empty() {
            mistakes.push(Mistake::new("servers", "SwitchML has no servers", "leave `servers` out: a switch adds up"));
        }
        if job.workers.len() > MOST_WORKERS {
            let message = format!("{} workers are too many: a bitmap has {MOST_WORKERS} bits", job.workers.len());
            mistakes.push(Mistake::new("workers", message, "use fewer workers, or another scheme"));
        }
        if let Some(failure) = job.failures.first() {
            let message = format!(
                "a process of this job fails at `{}`, and SwitchML cannot go on without it",
                network.name(failure.host)
            );
            mistakes.push(Mistake::new("scheme", message, "use a scheme whose workers can fail, such as atp"));
        }
        if let Arithmetic::Floats { size, point } = job.arithmetic {
            // Sums of this switch wrap around.
            let most = FixedPoint::without_overflow(job.workers.len() as u32, size.max(f64::MIN_POSITIVE)).scale;
            if point.scale > most {
                let message = format!(
                    "with the scale {} the sum of {} numbers of up to {size} can exceed 32 bits",
                    point.scale,
                    job.workers.len()
                );
                mistakes.push(Mistake::new("scale", message, format!("use a scale of at most {}", most.floor())));
            }
        }
        let root = network.switch(self.switch.as_deref(), &job.workers);
        let tree = root.and_then(|root| Ok((root, JobTree::new(network, root, &job.workers, job.number)?)));
        let (root, tree) = match tree {
            Ok(tree) if mistakes.is_empty() => tree,
            Ok(_) => return Err(mistakes),
            Err(found) => {
                mistakes.extend(found);
                return Err(mistakes);
            }
        };
        if let Some(slots) = (network.aggregators)(root).filter(|&slots| slots < self.slots.end) {
            let message = format!(
                "`{}` has {slots} slots, and this job uses {} to {}",
                network.name(root),
                self.slots.start,
                self.slots.end - 1
            );
            return Err(vec![Mistake::new("slots", message, "use fewer, or give [switch] more with `slots`")]);
        }
        let address = switch_address(root);
        let worker = |&host: &usize| WorkerPlace::with_two_levels(network.address(host), [0; 2], [1; 2]);
        let setup = Arc::new(Setup {
            job: job.number,
            generation: 0,
            group: tree.group(),
            servers: vec![address],
            workers: job.workers.iter().map(worker).collect(),
            aggregators: self.slots.clone(),
        });
        let mut entries = tree.entries(network);
        entries.extend(tree.routes_to_root(network, address));
        for (rank, &host) in job.workers.iter().enumerate() {
            let key = [network.address(host), address, job.number.into()].map(|field| Key::Exact(field.into()));
            let numbers = [1 << rank, job.workers.len() as u64, tree.group().into()];
            let (action, arguments) = ("contribute", numbers.map(Argument::Number).to_vec());
            entries.push((root, SwitchEntry::Table { table: "workers", key: key.to_vec(), action, arguments }));
        }
        let mut deployment = Deployment { members: Deployment::members(job, &[setup]), ..Deployment::default() };
        for (switch, entry) in entries {
            let tenure = Tenure { entry, from: job.schedule.start, until: job.schedule.end };
            deployment.switches.entry(switch).or_default().push(tenure);
        }
        Ok(deployment)
    }

    fn build(&self, member: &MemberPlan, parts: MemberParts, host: HostAttachment) -> OnHost {
        let MemberParts { job: Some(job), gradients: Some(gradients), .. } = parts else {
            unreachable!("SwitchML has no servers")
        };
        let worker = SwitchMl::new(host.address, Arc::clone(&member.setup), gradients, self.parameters);
        participant(member, job, Box::new(worker))
    }
}
