//! Captures of packets at points of a node that runs, as pcapng.
//!
//! A [`Capture`] is a stream of bytes of bounded length that somebody reads: a connection of the control socket, or a thread
//! that writes a file. Packets for which a slow reader leaves no room are lost, and counted in the capture itself.

mod file;
mod queue;
mod tap;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use basis::Instant;
use node::Port;
use wire::Packet;

use crate::filter::Filter;
use crate::inbox::Handle;
use crate::message::Refusal;
use crate::run::Running;
use crate::socket::Stream;
pub use file::begin_into_file;
pub use queue::ByteQueue;
use tap::{Tap, Taps};

/// The most captures at once.
const MOST_CAPTURES: usize = 16;

/// The points of a kind of nodes at which packets are captured.
pub trait CapturePoint: Copy + PartialEq + Send + 'static {
    /// Packets as the node is given them.
    const RECEIVED: Self;
    /// Packets that an interface has taken.
    const TRANSMITTED: Self;
    /// Packets that were discarded, with the reason as a comment.
    const DISCARDED: Self;
    /// The points with their names, in the order in which a packet passes them.
    const ALL: &'static [(&'static str, Self)];

    /// Returns the point of a name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(own, _)| *own == name).map(|(_, point)| *point)
    }
}

/// What is captured.
#[derive(Clone, Debug)]
pub struct CaptureRequest<P> {
    /// The points; all if there is none.
    pub at: Vec<P>,
    /// The ports; all if there is none.
    pub ports: Vec<u16>,
    /// The filter.
    pub filter: Filter,
}

/// A capture that runs. It ends when this is dropped, or when the node ends.
pub struct Capture<R: Running> {
    queue: Arc<ByteQueue>,
    handle: Handle<R>,
}

/// The captures of a node. Clones are the same captures; the driver tells them of packets that come and go, and the node itself
/// may tell them of others.
pub struct Captures<P> {
    taps: Arc<Mutex<Vec<Tap<P>>>>,
}

impl<P> Default for Captures<P> {
    fn default() -> Self {
        Self { taps: Arc::default() }
    }
}

impl<P> Clone for Captures<P> {
    fn clone(&self) -> Self {
        Self { taps: Arc::clone(&self.taps) }
    }
}

impl<P: CapturePoint> Captures<P> {
    /// No code panics while it holds the lock.
    fn taps(&self) -> MutexGuard<'_, Vec<Tap<P>>> {
        self.taps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a capture of a point runs, so that it is worth telling.
    pub fn want(&self, point: P) -> bool {
        self.taps().iter().any(|tap| tap.is_of(point))
    }

    /// Tells the captures of a packet at a point, with a comment that may be empty.
    pub fn tell(&self, point: P, now: Instant, port: Option<Port>, packet: &Packet, comment: &str) {
        self.taps().iter_mut().for_each(|tap| tap.take(point, now, port, packet, comment));
    }

    /// Ends all captures; what they have can still be read.
    pub fn end(&self) {
        self.taps().clear();
    }
}

/// Begins a capture; `notify` is called on the node's thread when there are bytes to read after there were none.
///
/// # Errors
/// Fails if a port is not bound, there are too many captures, or the node has ended.
pub fn begin<R: Running>(
    handle: &Handle<R>,
    request: CaptureRequest<R::Point>,
    notify: impl Fn() + Send + Sync + 'static,
) -> Result<Capture<R>, Refusal> {
    let queue = Arc::new(ByteQueue::new(notify));
    let into = Arc::clone(&queue);
    handle.with(move |running| add(running, request, into))??;
    Ok(Capture { queue, handle: handle.clone() })
}

/// Adds a capture to those of a node.
fn add<R: Running>(running: &mut R, request: CaptureRequest<R::Point>, into: Arc<ByteQueue>) -> Result<(), Refusal> {
    let views = running.driver().ports();
    let ports: Vec<(u16, String)> = views.map(|view| (view.port.0, view.name.to_owned())).collect();
    if let Some(unknown) = request.ports.iter().find(|port| !ports.iter().any(|(own, _)| own == *port)) {
        return Err(Refusal::new(format!("no interface is bound to port {unknown}\n")));
    }
    let captures = running.captures().clone();
    let mut taps = captures.taps();
    taps.retain(|tap| !tap.is_unread());
    if taps.len() >= MOST_CAPTURES {
        return Err(Refusal::busy(format!("{MOST_CAPTURES} captures run already\n")));
    }
    taps.push(Tap::new(request, &ports, running.driver().now(), into));
    drop(taps);
    running.driver_mut().observe(Some(Box::new(Taps(captures))));
    Ok(())
}

impl<R: Running> Capture<R> {
    /// Waits for bytes, and returns them; `None` if the capture has ended.
    pub fn wait(&self) -> Option<Vec<u8>> {
        self.queue.wait()
    }

    /// Returns the bytes that have come since the last call, without waiting; `None` if the capture has ended.
    pub fn take(&self) -> Option<Vec<u8>> {
        self.queue.take()
    }
}

impl<R: Running> Stream for Capture<R> {
    fn take(&self) -> Option<Vec<u8>> {
        self.queue.take()
    }
}

impl<R: Running> Drop for Capture<R> {
    fn drop(&mut self) {
        self.queue.abandon();
        // If the node has ended, so have its captures.
        let _ = self.handle.with(|running| {
            let captures = running.captures().clone();
            captures.taps().retain(|tap| !tap.is_unread());
            if captures.taps().is_empty() {
                running.driver_mut().observe(None);
            }
        });
    }
}
