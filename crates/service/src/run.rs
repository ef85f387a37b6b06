//! Running a node while others work on it.

use std::io;
use std::ops::ControlFlow;

use basis::{Duration, Instant};
use live::{Driver, Interface};
use node::{Control, Node, Outbox};

use crate::capture::{CapturePoint, Captures};
use crate::inbox::Inbox;
use crate::share::Share;

/// The longest time for which a node that stops waits until what it holds has left.
const LONGEST_END: Duration = Duration::from_microseconds(1_000_000);
/// The time after which work makes room for packets, once what was begun is done.
const LONGEST_TURN: Duration = Duration::from_microseconds(500);
/// The time between looks at whether everything has left.
const BETWEEN_LOOKS: Duration = Duration::from_microseconds(1_000);

/// An interface of any kind.
pub type BoxedInterface = Box<dyn Interface>;

/// A node that runs, with everything that work on it sees.
pub trait Running: 'static {
    /// The node.
    type Node: Node;
    /// The points at which its packets are captured.
    type Point: CapturePoint;

    /// Returns the driver of the node.
    fn driver(&self) -> &Driver<Self::Node, BoxedInterface>;

    /// Returns the driver of the node, to call it.
    fn driver_mut(&mut self) -> &mut Driver<Self::Node, BoxedInterface>;

    /// Returns the captures that run.
    fn captures(&self) -> &Captures<Self::Point>;

    /// Begins to stop: nothing new is begun, and what is held leaves. It may be called more than once.
    fn stop(&mut self);

    /// Returns whether [`Running::stop`] was called.
    fn is_stopping(&self) -> bool;

    /// Is called in every turn of the driver: for what other threads have done for the node.
    fn turn(_node: &mut Self::Node, _now: Instant, _out: &mut Outbox) {}

    /// Returns whether nothing is held that may still leave.
    fn is_empty(&self) -> bool {
        let driver = self.driver();
        !driver.ports().any(|port| port.is_up && port.waiting > 0) && driver.delayed() == 0
    }
}

/// The reasons for which the driver's turn ended.
enum Turn {
    Work,
    Time,
}

/// Runs a node on this thread, and does the work that comes for it, until it was stopped or `time` has passed; then sends what
/// is held, for at most a second, and ends all captures.
///
/// # Errors
/// Returns the error of the system if it cannot wait.
pub fn run<R: Running>(running: &mut R, inbox: &Inbox<R>, time: Option<Duration>) -> io::Result<()> {
    let mut end = time.map(|time| running.driver().now() + time);
    let mut latest: Option<Instant> = None;
    let mut share = Share::default();
    let mut has_worked = false;
    loop {
        running.driver_mut().wake_by(end);
        let turn = running.driver_mut().run(|node, now, out| {
            if std::mem::take(&mut has_worked) {
                // The node may want to be woken for what the work has changed.
                node.control(now, Control::Time, out);
            }
            R::turn(node, now, out);
            if end.is_some_and(|end| now >= end) {
                ControlFlow::Break(Turn::Time)
            } else if inbox.waiting() > 0 {
                ControlFlow::Break(Turn::Work)
            } else {
                ControlFlow::Continue(())
            }
        })?;
        match turn {
            Turn::Work => {
                let began = running.driver().now();
                if running.driver().has_backlog() && !share.permits(began) {
                    continue;
                }
                // Work may be requests that depend on the time: the node is told when they come.
                running.driver_mut().call(|node, now, out| node.control(now, Control::Time, out))?;
                // What comes meanwhile waits for the next turn, so that those who ask without pause stop no packets.
                for _ in 0..inbox.waiting() {
                    let Some(work) = inbox.take() else { break };
                    work(running);
                    if running.driver().now().since(began) >= LONGEST_TURN {
                        break;
                    }
                }
                has_worked = true;
                share.has_worked(began, running.driver().now());
            }
            Turn::Time => running.stop(),
        }
        if running.is_stopping() {
            let now = running.driver().now();
            let latest = *latest.get_or_insert(now + LONGEST_END);
            if now >= latest || running.is_empty() {
                break;
            }
            end = Some(latest.min(now + BETWEEN_LOOKS));
        }
    }
    running.captures().end();
    running.driver_mut().observe(None);
    Ok(())
}
