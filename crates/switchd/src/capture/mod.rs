//! Captures of packets at points of a running switch, as pcapng.
//!
//! A [`Capture`] is a stream of bytes of bounded length that somebody reads: a connection of the control socket, or a thread
//! that writes a file. Packets for which a slow reader leaves no room are lost, and counted in the capture itself.

mod file;
mod queue;
mod tap;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::filter::Filter;
use crate::handle::SwitchHandle;
use crate::message::Refusal;
pub(crate) use file::begin_all;
use queue::ByteQueue;
use tap::{Tap, Taps};

/// The most captures at once.
const MOST_CAPTURES: usize = 16;

/// A point of a switch at which packets are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CapturePoint {
    /// Packets as the program is given them.
    In,
    /// Packets that an interface has taken.
    Out,
    /// Packets that were discarded, with the reason as a comment.
    Dropped,
}

impl CapturePoint {
    /// The points with their names.
    pub const ALL: [(&'static str, Self); 3] = [("in", Self::In), ("out", Self::Out), ("dropped", Self::Dropped)];

    /// Returns the point of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(own, _)| *own == name).map(|(_, point)| point)
    }
}

/// What is captured.
#[derive(Clone, Debug)]
pub struct CaptureRequest {
    /// The points; all if there is none.
    pub at: Vec<CapturePoint>,
    /// The ports; all if there is none.
    pub ports: Vec<u16>,
    /// The filter.
    pub filter: Filter,
}

/// A capture that runs. It ends when this is dropped, or when the switch ends.
pub struct Capture {
    queue: Arc<ByteQueue>,
    handle: SwitchHandle,
}

/// The captures of a switch, on its thread.
#[derive(Default)]
pub(crate) struct Captures {
    taps: Rc<RefCell<Vec<Tap>>>,
}

/// Begins a capture; `notify` is called on the switch's thread when there are bytes to read after there were none.
///
/// # Errors
/// Fails if a port is not bound, there are too many captures, or the switch has ended.
pub fn begin(
    handle: &SwitchHandle,
    request: CaptureRequest,
    notify: impl Fn() + Send + Sync + 'static,
) -> Result<Capture, Refusal> {
    let queue = Arc::new(ByteQueue::new(notify));
    let into = Arc::clone(&queue);
    handle.with(move |running| {
        let ports: Vec<(u16, String)> =
            running.driver.ports().map(|view| (view.port.0, view.name.to_owned())).collect();
        if let Some(unknown) = request.ports.iter().find(|port| !ports.iter().any(|(own, _)| own == *port)) {
            return Err(Refusal::new(format!("no interface is bound to port {unknown}\n")));
        }
        let taps = Rc::clone(&running.captures.taps);
        taps.borrow_mut().retain(|tap| !tap.is_unread());
        if taps.borrow().len() >= MOST_CAPTURES {
            return Err(Refusal::new(format!("{MOST_CAPTURES} captures run already\n")));
        }
        let now = running.driver.now();
        taps.borrow_mut().push(Tap::new(request, &ports, now, into));
        running.driver.observe(Some(Box::new(Taps::new(taps))));
        Ok(())
    })??;
    Ok(Capture { queue, handle: handle.clone() })
}

impl Capture {
    /// Returns the bytes that have come since the last call, without waiting; `None` if the capture has ended.
    pub fn take(&self) -> Option<Vec<u8>> {
        self.queue.take()
    }

    /// Waits for bytes, and returns them; `None` if the capture has ended.
    pub fn wait(&self) -> Option<Vec<u8>> {
        self.queue.wait()
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.queue.abandon();
        // If the switch has ended, so have its captures.
        let _ = self.handle.with(|running| {
            running.captures.taps.borrow_mut().retain(|tap| !tap.is_unread());
            if running.captures.taps.borrow().is_empty() {
                running.driver.observe(None);
            }
        });
    }
}

impl Captures {
    /// Ends all captures; what they have can still be read.
    pub(crate) fn end(&self) {
        self.taps.borrow_mut().clear();
    }
}
