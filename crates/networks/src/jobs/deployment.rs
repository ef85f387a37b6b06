//! Who takes part in a job, and what every switch must know for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use basis::Instant;
use transports::aggregation::{Change, Setup};

use super::{Epoch, JobPlan, Tenure};

/// Who takes part in a job, and what every switch must know for it.
#[derive(Clone, Debug, Default)]
pub struct Deployment {
    /// The members, in the order in which they are added to their hosts.
    pub members: Vec<MemberPlan>,
    /// What switches must know, by their indices in the topology, and when.
    pub switches: BTreeMap<usize, Vec<Tenure>>,
}

/// A worker or a server of a job at one host.
#[derive(Clone, Debug)]
pub struct MemberPlan {
    /// The host, as an index into the stations of the topology.
    pub host: usize,
    /// What it does.
    pub role: MemberRole,
    /// Who takes part at first.
    pub setup: Arc<Setup>,
    /// What changes, in the order of time.
    pub changes: Vec<(Instant, Change)>,
    /// Whether it is only there once it is started.
    pub is_absent: bool,
}

/// What a member of a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberRole {
    /// The worker of this rank.
    Worker(u16),
    /// The server of this number.
    Server(u16),
}

/// Something that is wrong with a job in a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The entry of the job's section at which it is wrong.
    pub entry: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Mistake {
    /// A mistake at an entry.
    pub fn new(entry: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { entry, message: message.into(), hint: hint.into() }
    }
}

impl Deployment {
    /// Returns the members of a job whose setup in each epoch is `setups`, which are as many as the job has epochs.
    ///
    /// A process that is started again elsewhere is a member of its own there, and the one before has failed for good.
    pub fn members(job: &JobPlan, setups: &[Arc<Setup>]) -> Vec<MemberPlan> {
        Self::members_by(job, |epoch, _| Arc::clone(&setups[epoch]))
    }

    /// Returns the members of a job as [`Deployment::members`] does, where members of one epoch have setups of their own.
    pub fn members_by(job: &JobPlan, setup: impl Fn(usize, MemberRole) -> Arc<Setup>) -> Vec<MemberPlan> {
        let epochs = job.epochs();
        let mut members: Vec<MemberPlan> = Vec::new();
        let places = |epoch: usize| {
            let workers = (0..).zip(&epochs[epoch].workers).map(|(rank, &host)| (MemberRole::Worker(rank), host));
            workers.chain((0..).zip(&epochs[epoch].servers).map(|(number, &host)| (MemberRole::Server(number), host)))
        };
        for (epoch, Epoch { from, .. }) in epochs.iter().enumerate() {
            for (role, host) in places(epoch) {
                let setup = setup(epoch, role);
                let at = members.iter().position(|member| (member.role, member.host) == (role, host));
                let is_new = at.is_none();
                let at = at.unwrap_or_else(|| {
                    let setup = Arc::clone(&setup);
                    members.push(MemberPlan { host, role, setup, changes: Vec::new(), is_absent: epoch > 0 });
                    members.len() - 1
                });
                let changes = &mut members[at].changes;
                if epoch > 0 && !is_new {
                    changes.push((*from, Change::SetUp(setup)));
                }
            }
        }
        for member in &mut members {
            let own = job.failures.iter().filter(|failure| failure.host == member.host);
            member.changes.extend(own.flat_map(|failure| {
                let moves = failure.again.filter(|(_, to)| *to != failure.host);
                std::iter::once((failure.at, Change::Fail)).chain(moves.map(|(at, _)| (at, Change::Leave)))
            }));
            let started = job.failures.iter().filter_map(|failure| failure.again);
            member.changes.extend(started.filter(|(_, to)| *to == member.host).map(|(at, _)| (at, Change::Start)));
            member.changes.extend(job.schedule.end.map(|end| (end, Change::Leave)));
            // Of one time, the setup comes first, so that a process that is started has the new one.
            member.changes.sort_by_key(|(at, change)| (*at, matches!(change, Change::Start)));
        }
        members
    }
}
