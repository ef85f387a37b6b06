//! Giving up what was asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use crate::message::Refusal;

/// The time between looks at whether somebody has given up.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// A flag by which somebody who has asked something gives up.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

/// The reasons why nothing came that was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenUp {
    /// Whoever waits has given up.
    Cancelled,
    /// What was to come never will, for its sender is gone.
    Gone,
}

impl Cancel {
    /// Gives up.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Returns whether somebody has given up.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Waits for a value, perhaps for ever.
    ///
    /// # Errors
    /// Fails if somebody gives up, or the sender is gone.
    pub fn wait<T>(&self, receiver: &Receiver<T>) -> Result<T, GivenUp> {
        loop {
            match receiver.recv_timeout(BETWEEN_LOOKS) {
                Ok(value) => return Ok(value),
                Err(RecvTimeoutError::Timeout) if self.is_cancelled() => return Err(GivenUp::Cancelled),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(GivenUp::Gone),
            }
        }
    }
}

impl From<GivenUp> for Refusal {
    fn from(reason: GivenUp) -> Self {
        match reason {
            GivenUp::Cancelled => Self::new("given up\n"),
            GivenUp::Gone => Self::new("what was to answer has ended\n"),
        }
    }
}
