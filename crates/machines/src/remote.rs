//! The control plane of a device from another thread.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};

use basis::Instant;
use control::{Error, Request, Response};
use node::{Burst, Control, Node, Outbox, Port};

use crate::device::Device;

/// What became of each request of a batch, in order.
pub type Answers = Vec<Result<Response, Error>>;

/// Wakes whoever drives a device, so that it calls [`Attended::attend`] although no packet comes.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// Asks a device for something while another thread drives it. Copies ask the same device; what one of them submits is
/// carried out in the order in which it submitted it.
///
/// When the device comes to a batch is up to the threads: a run whose results must repeat asks by [`Device::execute`].
#[derive(Clone)]
pub struct Remote {
    batches: Sender<Batch>,
    /// How many batches wait in the channel, at least.
    waiting: Arc<AtomicUsize>,
    waker: Option<Waker>,
}

/// Requests that belong together, and who waits for what becomes of them.
struct Batch {
    requests: Vec<Request>,
    answers: Sender<Answers>,
}

impl Remote {
    /// Asks for a batch of requests. The device carries them out in order, before the first packet of the next burst or
    /// in [`Attended::attend`]: packets see all of them or none. A request that is refused changes nothing, and those
    /// behind it are carried out all the same.
    ///
    /// What becomes of them comes out of the receiver, as soon as it is so; that fails if the device is gone.
    pub fn submit(&self, requests: Vec<Request>) -> Receiver<Answers> {
        let (answers, received) = mpsc::channel();
        // A device that is gone drops the batch and with it the sender, which is what the receiver then tells.
        let _ = self.batches.send(Batch { requests, answers });
        // After the batch, so that whoever sees it counted finds it in the channel.
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

/// A device that attends to requests of other threads.
pub struct Attended<D> {
    device: D,
    /// The remote whose copies are handed out; it keeps the way open while nobody has one.
    remote: Remote,
    batches: Receiver<Batch>,
}

impl<D: Device> Attended<D> {
    /// A device, and what wakes whoever drives it when a request comes; `None` if it is driven all the time.
    pub fn new(device: D, waker: Option<Waker>) -> Self {
        let (sender, batches) = mpsc::channel();
        Self { device, remote: Remote { batches: sender, waiting: Arc::default(), waker }, batches }
    }

    /// A handle for other threads. Where nobody has one, each burst costs a look at a number.
    pub fn remote(&self) -> Remote {
        self.remote.clone()
    }

    /// The device.
    pub fn device(&self) -> &D {
        &self.device
    }

    /// The device, for whoever drives it.
    pub fn device_mut(&mut self) -> &mut D {
        &mut self.device
    }

    /// Carries out what remotes have asked for by now. Every burst begins with it; call it where no packets come, and
    /// after the last ones.
    #[inline]
    pub fn attend(&mut self) {
        // Acquire: what is counted is in the channel.
        let waiting = self.remote.waiting.load(Ordering::Acquire);
        if waiting > 0 {
            self.carry_out(waiting);
        }
    }

    /// As many batches as were counted, and not all that come meanwhile: who asks without pause holds up no packet.
    #[cold]
    fn carry_out(&mut self, batches: usize) {
        for _ in 0..batches {
            let Ok(batch) = self.batches.try_recv() else { break };
            self.remote.waiting.fetch_sub(1, Ordering::Relaxed);
            let answers = batch.requests.iter().map(|request| self.device.execute(request)).collect();
            // Who does not wait for the answers does not want them.
            let _ = batch.answers.send(answers);
        }
    }
}

impl<D: Device> Node for Attended<D> {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.attend();
        self.device.receive(now, port, burst, out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.attend();
        self.device.wake(now, out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        self.attend();
        self.device.control(now, request, out);
    }
}
