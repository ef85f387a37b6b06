//! What schemes have in common whose sums are messages of the hosts' transports.

use std::sync::Arc;

use demand::Wanted;
use transports::aggregation::messages::MessageParameters;
use transports::aggregation::{Setup, WorkerPlace};

use crate::jobs::{Deployment, JobNetwork, JobPlan, MemberParts, MemberPlan, Mistake};

/// The first of the services of jobs; those of workloads are counted from 0.
const SERVICES: u16 = 0x2000;

/// The bytes of a message before its values.
pub const HEADER: u64 = transports::aggregation::messages::HEADER as u64;

/// Returns the service of the messages of a job.
pub fn service(job: u8) -> u16 {
    SERVICES | u16::from(job)
}

/// Returns who takes part in a job over messages.
///
/// # Errors
/// Transports that do not carry the longest message of the job, which has so many bytes, and processes that fail.
pub fn deploy(job: &JobPlan, network: &JobNetwork<'_>, longest: u64) -> Result<Deployment, Vec<Mistake>> {
    let mut mistakes = Vec::new();
    let unfit = |host: &&usize| (network.longest_content)(**host) < longest;
    if let Some(&host) = job.workers.iter().chain(&job.servers).find(unfit) {
        let name = network.name(host);
        let hint = "use TCP or RoCEv2 in [transport], which carry what is in a message";
        mistakes.push(match (network.longest_content)(host) {
            0 => {
                Mistake::new("scheme", format!("the transport of `{name}` carries only the lengths of messages"), hint)
            }
            most => {
                let message = format!(
                    "the transport of `{name}` carries at most {most} B, and a message of this job has {longest} B"
                );
                Mistake::new("bytes", message, "use shorter tensors, or more workers or servers")
            }
        });
    }
    if let Some(failure) = job.failures.first() {
        let message = format!(
            "a process of this job fails at `{}`, and `{}` cannot go on without it",
            network.name(failure.host),
            job.scheme.0
        );
        mistakes.push(Mistake::new(
            "scheme",
            message,
            "use a scheme whose workers can fail, such as atp, or leave the fault out",
        ));
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let worker = |&host: &usize| WorkerPlace::with_two_levels(network.address(host), [0; 2], [1; 2]);
    let setup = Arc::new(Setup {
        job: job.number,
        generation: 0,
        group: 0,
        servers: job.servers.iter().map(|&host| network.address(host)).collect(),
        workers: job.workers.iter().map(worker).collect(),
        aggregators: 0..0,
    });
    Ok(Deployment { members: Deployment::members(job, &[setup]), ..Deployment::default() })
}

/// Returns what a member has beside who takes part.
pub fn parameters(member: &MemberPlan, parts: &MemberParts) -> MessageParameters {
    let message = Wanted { service: service(member.setup.job), ..Wanted::default() };
    MessageParameters { gradients: parts.gradients.clone(), sums_floats: parts.point.is_some(), message }
}
