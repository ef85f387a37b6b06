//! TEMPORARY
use basis::Instant;
use netsim::topology::{Role, Topology};
use traffic::demand::{Application, Wanted};
use super::section::Section;
use super::topology::Reading;

/// What.
#[derive(Clone, Debug)]
pub struct WorkloadPlan { senders: u32, bytes: u64 }

struct Once(Vec<Wanted>);
impl Application for Once {
    fn deadline(&self) -> Option<Instant> { (!self.0.is_empty()).then_some(Instant::ZERO) }
    fn wake(&mut self, _now: Instant, wanted: &mut Vec<Wanted>) { wanted.append(&mut self.0); }
    fn remaining(&self) -> Option<u64> { Some(self.0.len() as u64) }
}

impl WorkloadPlan {
    /// Endless.
    pub fn is_endless(&self) -> bool { false }
    /// Apps.
    pub fn applications(plans: &[Self], topology: &Topology, seed: u64) -> Vec<Box<dyn Application>> {
        let _ = seed;
        let addresses: Vec<u32> = topology.stations.iter().filter_map(|s| match s.role { Role::Host { address, .. } => Some(address), _ => None }).collect();
        addresses.iter().enumerate().map(|(n, _)| {
            let mut wanted = Vec::new();
            for plan in plans { if plan.senders > 0 { if n > 0 && n <= plan.senders as usize {
                wanted.push(Wanted { destination: addresses[0], bytes: plan.bytes, ..Wanted::default() });
            } } else { wanted.push(Wanted { destination: addresses[(n + addresses.len() / 2) % addresses.len()], bytes: plan.bytes, ..Wanted::default() }); } }
            Box::new(Once(wanted)) as Box<dyn Application>
        }).collect()
    }
}

pub(super) fn workloads(root: &Section<'_>, _reading: &mut Reading<'_>, plan: &mut String) -> Vec<WorkloadPlan> {
    root.sections("workload").into_iter().map(|section| {
        let w = WorkloadPlan { senders: section.count("senders", 0..=100000, 0) as u32, bytes: section.bytes("bytes", 1..=u64::MAX, 1000) };
        section.end(plan);
        w
    }).collect()
}
