//! `ring`: ring all-reduce over the transports of the hosts.

use std::sync::Arc;

use plans::Section;
use transports::aggregation::messages::{MessageMember, Ring};

use super::messages;
use crate::jobs::{
    Deployment, JobNetwork, JobPlan, MemberParts, MemberPlan, MemberRole, Mistake, OnHost, SchemeKind, SchemePlan,
};
use crate::transports::HostAttachment;

pub(in crate::jobs) struct RingKind;

#[derive(Debug)]
struct RingPlan;

impl SchemeKind for RingKind {
    fn name(&self) -> &'static str {
        "ring"
    }

    fn read(&self, _section: &Section<'_>) -> Arc<dyn SchemePlan> {
        Arc::new(RingPlan)
    }
}

impl SchemePlan for RingPlan {
    fn deploy(&self, job: &JobPlan, network: &JobNetwork<'_>) -> Result<Deployment, Vec<Mistake>> {
        if !job.servers.is_empty() {
            return Err(vec![Mistake::new("servers", "a ring has no servers", "leave `servers` out")]);
        }
        let longest = job.schedule.length.div_ceil(job.workers.len() as u64).saturating_mul(4) + messages::HEADER;
        messages::deploy(job, network, longest)
    }

    fn build(&self, member: &MemberPlan, parts: MemberParts, _host: HostAttachment) -> OnHost {
        let MemberRole::Worker(rank) = member.role else { unreachable!("a ring has no servers") };
        let scheme = Ring::new(&member.setup, rank, messages::parameters(member, &parts));
        let service = messages::service(member.setup.job);
        OnHost::Application(service, Box::new(MessageMember::new(parts.job, Box::new(scheme))))
    }
}
