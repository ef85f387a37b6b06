//! The control plane from another thread.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};

use control::{Error, Request, Response};

use super::executor::Executor;
use super::switch::Switch;

/// What became of each request of a batch, in order.
pub type Answers = Vec<Result<Response, Error>>;

/// Asks a switch for something while another thread drives it. Copies ask the same switch; what one of them submits is
/// carried out in the order in which it submitted it.
///
/// When the switch comes to a batch is up to the threads: a run whose results must repeat asks by [`Switch::control`].
#[derive(Clone)]
pub struct Remote {
    batches: Sender<Batch>,
    /// How many batches wait in the channel, at least.
    waiting: Arc<AtomicUsize>,
}

/// Requests that belong together, and who waits for what becomes of them.
struct Batch {
    requests: Vec<Request>,
    answers: Sender<Answers>,
}

/// Where the batches of all remotes of a switch come in.
pub(super) struct Inbox {
    /// The remote whose copies are handed out; it keeps the way open while nobody has one.
    remote: Remote,
    batches: Receiver<Batch>,
}

impl Remote {
    /// Asks for a batch of requests. The switch carries them out in order, before the first packet of the next burst or
    /// in [`Switch::attend`]: packets see all of them or none. A request that is refused changes nothing, and those
    /// behind it are carried out all the same.
    ///
    /// What becomes of them comes out of the receiver, as soon as it is so; that fails if the switch is gone.
    pub fn submit(&self, requests: Vec<Request>) -> Receiver<Answers> {
        let (answers, received) = mpsc::channel();
        // A switch that is gone drops the batch and with it the sender, which is what the receiver then tells.
        let _ = self.batches.send(Batch { requests, answers });
        // After the batch, so that whoever sees it counted finds it in the channel.
        self.waiting.fetch_add(1, Ordering::Release);
        received
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("waiting", &self.waiting).finish_non_exhaustive()
    }
}

impl Inbox {
    pub(super) fn new() -> Self {
        let (sender, batches) = mpsc::channel();
        Self { remote: Remote { batches: sender, waiting: Arc::default() }, batches }
    }
}

impl<E: Executor> Switch<E> {
    /// A handle for other threads. Who has none pays nothing but a look at a number for each burst.
    pub fn remote(&self) -> Remote {
        self.inbox.remote.clone()
    }

    /// Carries out what remotes have asked for by now. Every burst begins with it; call it where no packets come, and
    /// after the last ones.
    #[inline]
    pub fn attend(&mut self) {
        // Acquire: what is counted is in the channel.
        let waiting = self.inbox.remote.waiting.load(Ordering::Acquire);
        if waiting > 0 {
            self.carry_out(waiting);
        }
    }

    /// As many batches as were counted, and not all that come meanwhile: who asks without pause holds up no packet.
    #[cold]
    fn carry_out(&mut self, batches: usize) {
        for _ in 0..batches {
            let Ok(batch) = self.inbox.batches.try_recv() else { break };
            self.inbox.remote.waiting.fetch_sub(1, Ordering::Relaxed);
            let answers = batch.requests.iter().map(|request| self.control(request)).collect();
            // Who does not wait for the answers does not want them.
            let _ = batch.answers.send(answers);
        }
    }
}
