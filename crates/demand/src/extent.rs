//! Estimates of a workload's size before any of it has run: the number of messages and the length of the longest.

use basis::Duration;

use crate::poisson::SizesToDraw;
use crate::{End, HostOf, MessageSizes, Workload, WorkloadPlan};

impl Workload {
    /// Estimates the number of messages that all hosts together ask for in a run that lasts at most `time` from its
    /// beginning, or, without such a limit, until the workload ends. The result is infinite if neither ends it.
    pub fn messages(&self, hosts: &[HostOf], time: Option<Duration>) -> f64 {
        let count = hosts.len() as f64;
        let bits: f64 = hosts.iter().map(|host| host.rate.bits_per_second() as f64).sum();
        // Messages after the end of the run are never asked for.
        let left = time.map_or(f64::INFINITY, |time| (time.seconds() - self.start.seconds()).max(0.0));
        let seconds = |until: Duration| until.seconds().min(left);
        // The number of messages of `bytes` bytes that all links together carry in `seconds`.
        let carried = |seconds: f64, bytes: f64| bits * seconds / (8.0 * bytes);
        match &self.plan {
            WorkloadPlan::Incast(incast) => f64::from(incast.senders).min(count),
            WorkloadPlan::Permutation { .. } => count,
            WorkloadPlan::AllToAll(all) => {
                let messages = count * (count - 1.0).max(0.0);
                match all.outstanding {
                    0 => messages,
                    at_once => messages.min(count * f64::from(at_once) + carried(left, all.bytes as f64)),
                }
            }
            WorkloadPlan::Poisson(poisson) => {
                let offered = |seconds: f64| carried(seconds, SizesToDraw::new(poisson.sizes).mean()) * poisson.load;
                match poisson.end {
                    End::Messages(messages) => (messages as f64).min(offered(left)),
                    End::After(until) => offered(seconds(until)),
                }
            }
            // During a burst a host asks for messages at its full link rate.
            WorkloadPlan::OnOff(plan) => {
                let share = plan.on.seconds() / (plan.on.seconds() + plan.off.seconds());
                carried(seconds(plan.until), plan.bytes as f64) * share
            }
            // A request and a response count as two messages.
            WorkloadPlan::Requests(requests) => {
                let clients = count - f64::from(requests.servers.unwrap_or(0)).min(count);
                let messages = requests.count.map_or(f64::INFINITY, |each| 2.0 * each as f64 * clients);
                let bytes = (requests.request as f64 + requests.response as f64) / 2.0;
                messages.min(2.0 * clients * f64::from(requests.outstanding) + carried(left, bytes))
            }
            WorkloadPlan::Ping(ping) => 2.0 * count * (seconds(ping.until) / ping.interval.seconds() + 1.0),
            WorkloadPlan::Matrix(matrix) => matrix.len() as f64,
        }
    }

    /// Returns the length of the longest message, in bytes.
    pub fn longest_message(&self) -> u64 {
        match &self.plan {
            WorkloadPlan::Incast(incast) => incast.bytes,
            WorkloadPlan::Permutation { bytes } => *bytes,
            WorkloadPlan::AllToAll(all) => all.bytes,
            WorkloadPlan::Poisson(poisson) => match poisson.sizes {
                MessageSizes::Fixed(bytes) => bytes,
                MessageSizes::Flows(sizes) => sizes.table().longest(),
            },
            WorkloadPlan::OnOff(plan) => plan.bytes,
            WorkloadPlan::Requests(requests) => requests.request.max(requests.response),
            WorkloadPlan::Ping(ping) => ping.bytes,
            WorkloadPlan::Matrix(matrix) => matrix.longest_message(),
        }
    }
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
