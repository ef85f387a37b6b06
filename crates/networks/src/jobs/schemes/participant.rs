//! Members whose protocol has packets of its own.

use transports::aggregation::{Collective, Job, Timetable, Worker};

use crate::jobs::{MemberPlan, OnHost};

/// Returns the changes to a member.
pub fn timetable(member: &MemberPlan) -> Timetable {
    let timetable = Timetable::new(member.changes.iter().cloned());
    if member.is_absent { timetable.absent() } else { timetable }
}

/// Returns a worker that runs beside the transport of its host.
pub fn participant(member: &MemberPlan, job: Box<dyn Job>, collective: Box<dyn Collective>) -> OnHost {
    OnHost::Participant(Box::new(Worker::new(job, collective, timetable(member))))
}
