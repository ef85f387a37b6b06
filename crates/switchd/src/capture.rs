//! Captures of packets at points of a running switch, as pcapng.

use std::sync::Arc;
use std::thread::JoinHandle;

use diagnostics::Failure;
use serde::{Deserialize, Serialize};
use service::capture as floor;

use crate::handle::SwitchHandle;
use crate::message::Refusal;
use crate::switch::Running;

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

impl floor::CapturePoint for CapturePoint {
    const RECEIVED: Self = Self::In;
    const TRANSMITTED: Self = Self::Out;
    const DISCARDED: Self = Self::Dropped;
    const ALL: &'static [(&'static str, Self)] = &[("in", Self::In), ("out", Self::Out), ("dropped", Self::Dropped)];
}

/// What is captured.
pub type CaptureRequest = floor::CaptureRequest<CapturePoint>;

/// A capture that runs. It ends when this is dropped, or when the switch ends.
pub type Capture = floor::Capture<Running>;

/// Begins a capture; `notify` is called on the switch's thread when there are bytes to read after there were none.
///
/// # Errors
/// Fails if a port is not bound, there are too many captures, or the switch has ended.
pub fn begin(
    handle: &SwitchHandle,
    request: CaptureRequest,
    notify: impl Fn() + Send + Sync + 'static,
) -> Result<Capture, Refusal> {
    floor::begin(handle.work(), request, notify)
}

/// Begins the captures of the switch's plan. Returns the threads that write the files; they end with the captures.
///
/// # Errors
/// Fails if a file cannot be made, or a capture is of a port that is not bound.
pub(crate) fn begin_all(running: &mut Running) -> Result<Vec<JoinHandle<()>>, Failure> {
    let plan = Arc::clone(&running.plan);
    let begin = |capture: &crate::plan::CapturePlan| {
        let request =
            CaptureRequest { at: capture.at.clone(), ports: capture.ports.clone(), filter: capture.filter.clone() };
        floor::begin_into_file(running, request, &capture.write)
    };
    plan.captures.iter().map(begin).collect()
}
