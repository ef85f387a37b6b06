//! Incasts beside each other: the senders are shared out among several receivers.

use basis::Duration;

use crate::draw::within;
use crate::scheduled::Scheduled;
use crate::workload::count_of;
use crate::{Application, Extent, Making, Unfit, WorkloadPlan};

/// A plan in which host `i` of the first `senders` hosts sends one message to host `first_receiver + i mod receivers`. If
/// the first receiver is host 0, the first `receivers` senders therefore send to themselves: their packets leave by their link
/// and come back by it. This is the traffic of section 6.2 of Popa et al., "Implementing packet trimming support in hardware".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParallelIncasts {
    /// The number of senders: hosts 0 to `senders - 1`.
    pub senders: u32,
    /// The number of receivers, which are hosts one behind the other.
    pub receivers: u32,
    /// The number of the first receiver.
    pub first_receiver: u32,
    /// The number of bytes that each sender sends.
    pub bytes: u64,
    /// The interval within which each sender starts at a uniformly random time.
    pub spread: Duration,
}

impl WorkloadPlan for ParallelIncasts {
    fn applications(&self, making: &Making<'_>) -> Result<Vec<Box<dyn Application>>, Unfit> {
        let (hosts, mut random) = (making.hosts.len(), making.random_of_all());
        for (number, what) in [(self.senders, "senders"), (self.receivers, "receivers")] {
            if number as usize > hosts {
                return Err(Unfit(format!("{number} {what} are too many: there are {}", count_of(hosts))));
            }
        }
        let last = u64::from(self.first_receiver) + u64::from(self.receivers);
        if last > hosts as u64 {
            let (first, last) = (self.first_receiver, last - 1);
            return Err(Unfit(format!(
                "there is no host {last} to receive: there are {}, from 0, and receivers begin with {first}",
                count_of(hosts)
            )));
        }
        if self.receivers == 0 {
            return Err(Unfit("nobody can send to 0 receivers".to_owned()));
        }
        let mut messages = vec![Vec::new(); hosts];
        for (sender, messages) in messages.iter_mut().enumerate().take(self.senders as usize) {
            let receiver = making.addresses[self.first_receiver as usize + sender % self.receivers as usize];
            let message = making.message.to(receiver).with_length(self.bytes);
            messages.push((within(making.start, self.spread, &mut random), message));
        }
        Ok(messages.into_iter().map(|messages| Box::new(Scheduled::new(messages)) as _).collect())
    }

    fn messages(&self, extent: &Extent<'_>) -> f64 {
        f64::from(self.senders).min(extent.hosts())
    }

    fn longest_message(&self) -> u64 {
        self.bytes
    }
}
