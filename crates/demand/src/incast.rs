//! Many hosts that send to one.

use basis::Duration;

use crate::draw::within;
use crate::scheduled::Scheduled;
use crate::workload::count_of;
use crate::{Application, Extent, Making, Unfit, WorkloadPlan};

/// A plan in which many hosts send to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incast {
    /// The number of senders, which are drawn at random.
    pub senders: u32,
    /// The number of bytes that each sender sends.
    pub bytes: u64,
    /// The interval within which each sender starts at a uniformly random time.
    pub spread: Duration,
    /// The index of the receiving host, from 0; `None` to draw it at random.
    pub receiver: Option<u32>,
}

impl WorkloadPlan for Incast {
    fn applications(&self, making: &Making<'_>) -> Result<Vec<Box<dyn Application>>, Unfit> {
        let (hosts, mut random) = (making.hosts.len(), making.random_of_all());
        let receiver = self.receiver.map_or_else(|| random.below(hosts as u64) as usize, |receiver| receiver as usize);
        if receiver >= hosts {
            return Err(Unfit(format!(
                "receiver {receiver} does not exist: there are {}, numbered from 0",
                count_of(hosts)
            )));
        }
        let mut senders: Vec<usize> = (0..hosts).filter(|&host| host != receiver).collect();
        if self.senders as usize > senders.len() {
            let (wanted, most) = (self.senders, senders.len());
            return Err(Unfit(format!(
                "{wanted} senders are too many: with {}, at most {most} can send to one",
                count_of(hosts)
            )));
        }
        random.shuffle(&mut senders);
        let mut messages = vec![Vec::new(); hosts];
        for &sender in &senders[..self.senders as usize] {
            let message = making.message.to(making.addresses[receiver]).with_length(self.bytes);
            messages[sender].push((within(making.start, self.spread, &mut random), message));
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
