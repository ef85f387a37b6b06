//! The members of jobs at their hosts, and what switches must know for the jobs.

use std::collections::BTreeMap;

use demand::{Application, Beside};
use diagnostics::Failure;
use transports::Host;

use crate::jobs::{Deployment, MemberPlan, MemberRole, OnHost, Tenure};
use crate::plan::NetworkPlan;
use crate::transports::HostAttachment;

/// Everything that the jobs of a plan need.
#[derive(Default)]
pub struct JobMembers {
    /// For each host, by its index in the topology: the numbers of the jobs in the plan, and their members there.
    at_hosts: BTreeMap<usize, Vec<(usize, MemberPlan)>>,
    /// What switches must know, by their indices in the topology, and when.
    pub at_switches: BTreeMap<usize, Vec<Tenure>>,
}

impl JobMembers {
    /// Plans all jobs.
    ///
    /// # Errors
    /// If one of them cannot be in the network of the plan.
    pub fn of(plan: &NetworkPlan) -> Result<Self, Failure> {
        let mut all = Self::default();
        for (number, job) in plan.jobs.iter().enumerate() {
            let deployed = plan.with_job_network(|network| job.scheme.1.deploy(job, network));
            let Deployment { members, switches } = deployed.map_err(|mistakes| {
                let found: Vec<(String, String)> =
                    mistakes.into_iter().map(|mistake| (mistake.message, mistake.hint)).collect();
                plan.mistakes(&job.place, &found)
            })?;
            for member in members {
                all.at_hosts.entry(member.host).or_default().push((number, member));
            }
            for (switch, tenures) in switches {
                all.at_switches.entry(switch).or_default().extend(tenures);
            }
        }
        Ok(all)
    }

    /// Makes what runs at a host for the jobs: calls `host` with its application, which has those of the jobs beside it,
    /// and adds the protocols of the jobs to the host.
    pub fn join(
        &mut self,
        plan: &NetworkPlan,
        (index, place): (usize, HostAttachment),
        application: Box<dyn Application>,
        host: impl FnOnce(Box<dyn Application>) -> Host,
    ) -> Host {
        let (mut applications, mut participants) = (Vec::new(), Vec::new());
        for (number, member) in self.at_hosts.remove(&index).unwrap_or_default() {
            let job = &plan.jobs[number];
            let parts = match member.role {
                MemberRole::Worker(rank) => job.of_worker(rank, plan.seed),
                MemberRole::Server(_) => job.of_server(),
            };
            match job.scheme.1.build(&member, parts, place) {
                OnHost::Participant(participant) => participants.push(participant),
                OnHost::Application(service, application) => applications.push((service, application)),
            }
        }
        let application = match applications.is_empty() {
            true => application,
            false => Box::new(Beside::new(application, applications)),
        };
        participants.into_iter().fold(host(application), Host::with_participant)
    }
}
