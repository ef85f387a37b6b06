//! Access to the control plane of a device from another thread.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};

use basis::Instant;
use control::{Error, Request, Response};
use node::{Burst, Control, Node, Outbox, Port};

use crate::device::Device;

/// The outcomes of the requests of a batch, in order.
pub type Answers = Vec<Result<Response, Error>>;

/// A function that wakes the driver of a device, so that it calls [`Attended::attend`] although no packet arrives.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// A handle that sends requests to a device while another thread drives it. Clones refer to the same device; the
/// batches that one of them submits are carried out in the order of submission.
///
/// When the device gets to a batch depends on thread scheduling; runs that must be reproducible use [`Device::execute`]
/// instead.
#[derive(Clone)]
pub struct Remote {
    batches: Sender<Batch>,
    /// A lower bound on the number of batches that wait in the channel.
    waiting: Arc<AtomicUsize>,
    waker: Option<Waker>,
}

/// Requests that are carried out together, and the sender for their outcomes.
struct Batch {
    requests: Vec<Request>,
    answers: Sender<Answers>,
}

impl Remote {
    /// Submits a batch of requests. The device carries them out in order, either before the first packet of the next
    /// burst or in [`Attended::attend`]: packets see the effects of all of them or of none. A request that is refused
    /// changes nothing and does not keep the following ones from being carried out.
    ///
    /// The receiver yields the outcomes once the batch has been carried out; it fails if the device has been dropped.
    pub fn submit(&self, requests: Vec<Request>) -> Receiver<Answers> {
        let (answers, received) = mpsc::channel();
        // If the device has been dropped, the batch and its sender are dropped too, which the receiver reports.
        let _ = self.batches.send(Batch { requests, answers });
        // Count the batch after it is sent, so that whoever sees the count finds the batch in the channel.
        self.waiting.fetch_add(1, Ordering::Release);
        if let Some(waker) = &self.waker {
            waker();
        }
        received
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("waiting", &self.waiting).finish_non_exhaustive()
    }
}

/// A device that also carries out requests from other threads.
pub struct Attended<D> {
    device: D,
    /// The remote that is cloned for callers; it also keeps the channel open while there are no clones.
    remote: Remote,
    batches: Receiver<Batch>,
}

impl<D: Device> Attended<D> {
    /// Wraps a device. `waker` wakes its driver when a request arrives; it is `None` if the device is driven
    /// continuously.
    pub fn new(device: D, waker: Option<Waker>) -> Self {
        let (sender, batches) = mpsc::channel();
        Self { device, remote: Remote { batches: sender, waiting: Arc::default(), waker }, batches }
    }

    /// Returns a handle for other threads. While nobody submits anything, its only cost is one atomic load per burst.
    pub fn remote(&self) -> Remote {
        self.remote.clone()
    }

    /// Returns the device.
    pub fn device(&self) -> &D {
        &self.device
    }

    /// Returns the device for its driver.
    pub fn device_mut(&mut self) -> &mut D {
        &mut self.device
    }

    /// Carries out the batches that have been submitted so far. Every burst begins with it; call it yourself while no
    /// packets arrive, and after the last ones.
    #[inline]
    pub fn attend(&mut self, now: Instant, out: &mut Outbox) {
        // Acquire ordering: every counted batch is already in the channel.
        let waiting = self.remote.waiting.load(Ordering::Acquire);
        if waiting > 0 {
            self.device.control(now, Control::Time, out);
            self.carry_out(waiting);
            self.device.control(now, Control::Time, out);
        }
    }

    /// Carries out the given number of batches, but none that arrive meanwhile, so that a caller who submits without
    /// pause cannot hold up packets.
    #[cold]
    fn carry_out(&mut self, batches: usize) {
        for _ in 0..batches {
            let Ok(batch) = self.batches.try_recv() else { break };
            self.remote.waiting.fetch_sub(1, Ordering::Relaxed);
            let answers = self.device.execute_each(&batch.requests);
            // A caller that dropped the receiver does not want the outcomes.
            let _ = batch.answers.send(answers);
        }
    }
}

impl<D: Device> Node for Attended<D> {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.attend(now, out);
        self.device.receive(now, port, burst, out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.attend(now, out);
        self.device.wake(now, out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        self.attend(now, out);
        self.device.control(now, request, out);
    }

    fn rests_after(&self) -> Option<Instant> {
        self.device.rests_after()
    }
}
