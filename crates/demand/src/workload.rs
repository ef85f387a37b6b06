//! Workloads: plans for all hosts of a network, and the applications that carry them out.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use basis::{Duration, Instant, Random};

use crate::together::{SERVICES, Together};
use crate::{Application, Extent, HostOf, Making, Wanted};

/// A traffic plan for the hosts of a network, with its start time and priority.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The traffic that the hosts ask for.
    pub plan: Arc<dyn WorkloadPlan>,
    /// The time from the beginning of the run to the start of the plan; all times in the plan count from that start.
    pub start: Duration,
    /// The priority of its messages; 0 is the least urgent.
    pub priority: u8,
}

/// A traffic plan for the hosts of a network.
pub trait WorkloadPlan: Any + fmt::Debug + Send + Sync {
    /// Makes one application for each host, in the order of the hosts. The result depends only on the plan and on `making`.
    ///
    /// # Errors
    /// If the hosts are too few for the plan, or do not include those that it names.
    fn applications(&self, making: &Making<'_>) -> Result<Vec<Box<dyn Application>>, Unfit>;

    /// Estimates the number of messages that all hosts together ask for. The result is infinite if nothing ends the plan
    /// or the run.
    fn messages(&self, extent: &Extent<'_>) -> f64;

    /// Returns the length of the longest message, in bytes.
    fn longest_message(&self) -> u64;

    /// Returns true if the plan never ends by itself.
    fn is_endless(&self) -> bool {
        false
    }
}

/// The reason why a plan does not fit the given hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub String);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}

impl Workload {
    /// Creates a workload that starts at once with the lowest priority.
    pub fn new(plan: impl WorkloadPlan) -> Self {
        Self { plan: Arc::new(plan), start: Duration::ZERO, priority: 0 }
    }

    /// Makes one application for each host, in the order of `hosts`. The result depends only on the plan, the hosts and
    /// the seed.
    ///
    /// # Errors
    /// If the hosts are too few for the plan, or do not include those that it names.
    pub fn applications(&self, hosts: &[HostOf], seed: u64) -> Result<Vec<Box<dyn Application>>, Unfit> {
        self.applications_of_service(hosts, seed, 0)
    }

    /// Makes one application for each host that carries out several plans at once. Each plan draws from its own random
    /// stream, so that its traffic does not depend on the plans after it in the list.
    ///
    /// # Errors
    /// If there are too many plans, or the hosts are too few for one of them or do not include those that it names.
    pub fn combined(workloads: &[Self], hosts: &[HostOf], seed: u64) -> Result<Vec<Box<dyn Application>>, Unfit> {
        if workloads.len() > usize::from(u16::MAX / SERVICES) {
            return Err(Unfit(format!(
                "{} workloads are too many: at most {} can be combined",
                workloads.len(),
                u16::MAX / SERVICES
            )));
        }
        if let [workload] = workloads {
            return workload.applications(hosts, seed);
        }
        let mut together: Vec<Vec<Box<dyn Application>>> = hosts.iter().map(|_| Vec::new()).collect();
        for (number, workload) in workloads.iter().enumerate() {
            // The first plan draws the same numbers as it would alone.
            let seed = if number == 0 { seed } else { Random::for_part(seed, number as u64).bits() };
            let applications = workload.applications_of_service(hosts, seed, number as u16 * SERVICES)?;
            for (host, application) in together.iter_mut().zip(applications) {
                host.push(application);
            }
        }
        Ok(together.into_iter().map(|applications| Box::new(Together(applications)) as _).collect())
    }

    /// Estimates the number of messages that all hosts together ask for in a run that lasts at most `time` from its
    /// beginning, or, without such a limit, until the workload ends. The result is infinite if neither ends it.
    pub fn messages(&self, hosts: &[HostOf], time: Option<Duration>) -> f64 {
        self.plan.messages(&Extent::new(hosts, time, self.start))
    }

    fn applications_of_service(
        &self,
        hosts: &[HostOf],
        seed: u64,
        service: u16,
    ) -> Result<Vec<Box<dyn Application>>, Unfit> {
        if hosts.len() < 2 {
            return Err(Unfit(format!("{} is too few: a workload needs at least two", count_of(hosts.len()))));
        }
        let addresses = hosts.iter().map(|host| host.address).collect();
        let message = Wanted { priority: self.priority, service, ..Wanted::default() };
        self.plan.applications(&Making { hosts, addresses, seed, message, start: Instant::ZERO + self.start })
    }
}

pub(crate) fn count_of(hosts: usize) -> String {
    if hosts == 1 { "1 host".to_owned() } else { format!("{hosts} hosts") }
}

#[cfg(test)]
mod tests {
    use basis::Rate;

    use super::*;

    fn messages(text: &str, time: Option<u64>) -> f64 {
        let hosts = vec![HostOf { address: 1, rate: Rate::from_gigabits_per_second(8) }; 10];
        let (_, found) = match Workload::parse(text) {
            Ok(workload) => return workload.messages(&hosts, time.map(Duration::from_microseconds)),
            Err(found) => found,
        };
        panic!("{text}: {} findings", found.iter().count());
    }

    #[test]
    fn estimates_the_number_of_messages() {
        assert_eq!(messages("incast:4x10kB", None), 4.0);
        assert_eq!(messages("permutation:10kB", None), 10.0);
        assert_eq!(messages("all-to-all:10kB", None), 90.0);
        // Ten hosts send at 1 GB/s each, at half load: for one second, or cut off after a tenth of one.
        assert_eq!(messages("poisson:1MB:0.5:1s", None).round(), 5000.0);
        assert_eq!(messages("poisson:1MB:0.5:1s", Some(100_000)).round(), 500.0);
        assert_eq!(messages("ping:1ms:10ms", None).round(), 220.0);
        // One message of 1 ms at a time, cut off after 10 ms or 1 ms.
        assert_eq!(messages("all-to-all:1MB:outstanding=1", Some(10_000)).round(), 90.0);
        assert_eq!(messages("all-to-all:1MB:outstanding=1", Some(1_000)).round(), 20.0);
    }
}
