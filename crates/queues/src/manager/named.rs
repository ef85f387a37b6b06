//! The queues of schedulers by their numbers: what is known of them, and changes of them while they run.

use basis::Instant;
use node::Port;

use super::TrafficManager;
use crate::disciplines::Scheduler;
use crate::{ChangeError, Depth, PoolStatus, QueueChange, QueueStatus, Queued, ShaperPlan};

impl<Q: Queued> TrafficManager<Q> {
    fn scheduler(&self, port: Port) -> Option<&Scheduler<Q>> {
        self.ports.get(usize::from(port.0))?.queue.scheduler()
    }

    fn scheduler_mut(&mut self, port: Port) -> Result<&mut Scheduler<Q>, ChangeError> {
        let port = self.ports.get_mut(usize::from(port.0));
        port.and_then(|port| port.queue.scheduler_mut()).ok_or(ChangeError::NoScheduler)
    }

    /// Returns how many queues `port` has whose numbers a sender can name; 0 if there is no such port, or if its
    /// discipline is not a scheduler.
    pub fn queues(&self, port: Port) -> usize {
        self.scheduler(port).map_or(0, Scheduler::queues)
    }

    /// Returns how much waits in a queue of `port`; `None` if there is no such queue.
    #[inline]
    pub fn depth(&self, port: Port, queue: u8) -> Option<Depth> {
        self.scheduler(port)?.depth(queue)
    }

    /// Returns what a queue of `port` may hold at most at present, in the unit of [`Depth::cells`], if its packets are
    /// green: what it has reserved, and its static limit or dynamic threshold, or else what is free of its pool. `u64::MAX`
    /// stands for no limit at all, and `None` is returned if there is no such queue.
    #[inline]
    pub fn limit(&self, port: Port, queue: u8) -> Option<u64> {
        self.scheduler(port)?.limit(queue, &self.memory)
    }

    /// Returns everything that is known of a queue of `port`; `None` if there is no such queue.
    pub fn queue_status(&self, port: Port, queue: u8) -> Option<QueueStatus> {
        self.scheduler(port)?.status(queue)
    }

    /// Returns how much of a pool is used; `None` if there is no such pool, or if memory is not divided into cells.
    pub fn pool_status(&self, pool: u8) -> Option<PoolStatus> {
        self.memory.cells.as_ref()?.status(pool)
    }

    /// Changes a queue of `port` from the time `now` on. A packet that may go because of it goes when the port is served
    /// next: see [`OutputQueues::change`](crate::OutputQueues::change).
    ///
    /// # Errors
    /// Fails if there is no such queue or if a value is out of range. Then nothing has changed.
    pub fn change_queue(
        &mut self,
        now: Instant,
        port: Port,
        queue: u8,
        change: QueueChange,
    ) -> Result<(), ChangeError> {
        self.scheduler_mut(port)?.change(now, queue, change)
    }

    /// Replaces the shaper of `port` from the time `now` on.
    ///
    /// # Errors
    /// Fails if there is no such port, or if its discipline is not a scheduler.
    pub fn shape_port(&mut self, now: Instant, port: Port, shaper: Option<ShaperPlan>) -> Result<(), ChangeError> {
        self.scheduler_mut(port)?.shape(now, shaper);
        Ok(())
    }

    /// Starts or ends the record of queues of schedulers whose depths change, which [`TrafficManager::report_changes`]
    /// reports. In the beginning nothing is recorded, which costs nothing.
    pub fn record_changes(&mut self, is_wanted: bool) {
        self.report_changes(&mut |_, _, _| {});
        self.memory.changes = is_wanted.then(Vec::new);
    }

    /// Reports each queue whose depth has changed since the last report, once, with its depth now. The queue that has
    /// changed first comes first.
    pub fn report_changes(&mut self, tell: &mut dyn FnMut(Port, u8, Depth)) {
        let Some(changes) = &mut self.memory.changes else { return };
        for (port, queue) in changes.drain(..) {
            let scheduler = self.ports.get_mut(usize::from(port.0)).and_then(|port| port.queue.scheduler_mut());
            if let Some(depth) = scheduler.and_then(|scheduler| scheduler.report(queue)) {
                tell(port, queue, depth);
            }
        }
    }

    /// Returns true if [`TrafficManager::report_changes`] would report anything.
    #[inline]
    pub fn has_changes(&self) -> bool {
        self.memory.changes.as_ref().is_some_and(|changes| !changes.is_empty())
    }
}
