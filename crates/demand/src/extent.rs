//! How much a workload comes to, before any of it has run: so many messages, and how long the longest is.

use basis::Duration;

use crate::poisson::SizesToDraw;
use crate::{End, HostOf, MessageSizes, Workload, WorkloadPlan};

impl Workload {
    /// About how many messages the hosts want in all, if the run goes on for at most `time` after its start; without such a
    /// time, until the workload ends by itself. Infinite if it never does.
    pub fn messages(&self, hosts: &[HostOf], time: Option<Duration>) -> f64 {
        let count = hosts.len() as f64;
        let bits: f64 = hosts.iter().map(|host| host.rate.bits_per_second() as f64).sum();
        // What follows is cut off by the end of the run.
        let left = time.map_or(f64::INFINITY, |time| (time.seconds() - self.start.seconds()).max(0.0));
        let seconds = |until: Duration| until.seconds().min(left);
        // What all lines carry in so many seconds, of messages of so many bytes.
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
            // At full rate a burst is as many messages as its time holds.
            WorkloadPlan::OnOff(plan) => {
                let share = plan.on.seconds() / (plan.on.seconds() + plan.off.seconds());
                carried(seconds(plan.until), plan.bytes as f64) * share
            }
            // A request and a response.
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

    /// The bytes of its longest message.
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
    fn messages_are_counted_before_they_are_made() {
        assert_eq!(messages("incast:4x10kB", None), 4.0);
        assert_eq!(messages("permutation:10kB", None), 10.0);
        assert_eq!(messages("all-to-all:10kB", None), 90.0);
        // Ten hosts with 1 GB/s each, half of it, for a second, or for a tenth of one.
        assert_eq!(messages("poisson:1MB:0.5:1s", None).round(), 5000.0);
        assert_eq!(messages("poisson:1MB:0.5:1s", Some(100_000)).round(), 500.0);
        assert_eq!(messages("ping:1ms:10ms", None).round(), 220.0);
        // One at a time, cut off after ten of 1 ms each.
        assert_eq!(messages("all-to-all:1MB:outstanding=1", Some(10_000)).round(), 90.0);
        assert_eq!(messages("all-to-all:1MB:outstanding=1", Some(1_000)).round(), 20.0);
    }
}
