//! Work that other threads have for the thread of a node.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};

use live::Waker;

use crate::message::Refusal;

/// The most pieces of work that wait for the node's thread; whoever has more waits until there is room.
const MOST_WAITING: usize = 64;

/// Work for the node's thread, done between two bursts.
type Work<R> = Box<dyn FnOnce(&mut R) + Send>;

/// A handle by which other threads work on a node that runs. Clones refer to the same node; `R` is what work sees.
///
/// What takes long should be done on the thread that asks; work on the node's thread only copies values, between two bursts of
/// packets.
pub struct Handle<R> {
    work: SyncSender<Work<R>>,
    /// The number of pieces of work that wait in the channel, so that a node nobody asks reads one number.
    waiting: Arc<AtomicUsize>,
    waker: Waker,
}

impl<R> Clone for Handle<R> {
    fn clone(&self) -> Self {
        Self { work: self.work.clone(), waiting: Arc::clone(&self.waiting), waker: self.waker.clone() }
    }
}

/// The error that a node has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended;

impl From<Ended> for Refusal {
    fn from(_: Ended) -> Self {
        Self::new("the switch has ended")
    }
}

/// The end of the channel at the node.
pub struct Inbox<R> {
    work: Receiver<Work<R>>,
    waiting: Arc<AtomicUsize>,
}

/// Returns a handle and the inbox of its node, which `waker` wakes.
pub fn channel<R>(waker: Waker) -> (Handle<R>, Inbox<R>) {
    let (sender, work) = mpsc::sync_channel(MOST_WAITING);
    let waiting = Arc::new(AtomicUsize::new(0));
    (Handle { work: sender, waiting: Arc::clone(&waiting), waker }, Inbox { work, waiting })
}

impl<R> Inbox<R> {
    /// Returns the number of pieces of work that wait now, as far as they are counted yet.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Acquire)
    }

    /// Takes the next piece of work.
    pub(crate) fn take(&self) -> Option<Work<R>> {
        let work = self.work.try_recv().ok()?;
        self.waiting.fetch_sub(1, Ordering::AcqRel);
        Some(work)
    }
}

impl<R: 'static> Handle<R> {
    /// Does work on the node's thread, between two bursts of packets, and returns its result.
    ///
    /// # Errors
    /// Fails if the node has ended.
    pub fn with<T: Send + 'static>(&self, work: impl FnOnce(&mut R) -> T + Send + 'static) -> Result<T, Ended> {
        let (answer, answered) = mpsc::sync_channel(1);
        let work: Work<R> = Box::new(move |running| {
            // A caller that has gone away wants no answer.
            let _ = answer.send(work(running));
        });
        // It is counted first, so that the node never counts below zero; it looks again until it finds it.
        self.waiting.fetch_add(1, Ordering::AcqRel);
        if self.work.send(work).is_err() {
            return Err(Ended);
        }
        self.waker.wake();
        answered.recv().map_err(|_| Ended)
    }
}
