//! `parameter-servers`: servers that add up over the transports of the hosts, one for all workers or one at each.

use std::sync::Arc;

use plans::Section;
use transports::aggregation::messages::{MessageMember, ParameterServers};

use super::messages;
use crate::jobs::{
    Deployment, JobNetwork, JobPlan, MemberParts, MemberPlan, MemberRole, Mistake, OnHost, SchemeKind, SchemePlan,
};
use crate::transports::HostAttachment;

pub(in crate::jobs) struct ParameterServersKind;

#[derive(Debug)]
struct ParameterServersPlan;

impl SchemeKind for ParameterServersKind {
    fn name(&self) -> &'static str {
        "parameter-servers"
    }

    fn read(&self, _section: &Section<'_>) -> Arc<dyn SchemePlan> {
        Arc::new(ParameterServersPlan)
    }
}

impl SchemePlan for ParameterServersPlan {
    fn deploy(&self, job: &JobPlan, network: &JobNetwork<'_>) -> Result<Deployment, Vec<Mistake>> {
        if job.servers.is_empty() {
            let hint = "servers = [\"host-8\"] for one server, or the hosts of the workers for one at each";
            return Err(vec![Mistake::new("servers", "parameter servers without a server", hint)]);
        }
        let longest = job.schedule.length.div_ceil(job.servers.len() as u64).saturating_mul(4) + messages::HEADER;
        let mut deployment = messages::deploy(job, network, longest)?;
        // A worker's host that is a server, too, has one member for both.
        deployment
            .members
            .retain(|member| matches!(member.role, MemberRole::Worker(_)) || !job.workers.contains(&member.host));
        Ok(deployment)
    }

    fn build(&self, member: &MemberPlan, parts: MemberParts, host: HostAttachment) -> OnHost {
        let scheme = ParameterServers::new(&member.setup, host.address, messages::parameters(member, &parts));
        let service = messages::service(member.setup.job);
        OnHost::Application(service, Box::new(MessageMember::new(parts.job, Box::new(scheme))))
    }
}
