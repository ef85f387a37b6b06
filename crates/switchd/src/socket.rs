//! The control socket: a Unix socket, JSON, one message a line (`docs/live-control.md`).

use std::path::PathBuf;

use diagnostics::Failure;
use service::socket::{Answers, Begun, Manner, Places};
use service::{Cancel, Filter};

use crate::capture::{CaptureRequest, begin};
use crate::handle::SwitchHandle;
use crate::message::{Answer, Refusal, Request};

pub use service::socket::{LONGEST_LINE, LineReader, Server, SocketFile, serve};

/// Where the control sockets of live switches are.
pub const PLACES: Places = Places { ending: "sock", what: "switch", starts: "polyplane live switch.toml" };

/// The messages of a live switch.
pub struct Messages;

impl service::Messages for Messages {
    type Request = Request;
    type Answer = Answer;
    const INSTEAD_OF_LONG: &'static str =
        "send its lines in several requests, or write them into a file of the plan's `tables` and reload";
}

/// A connection to a running switch.
pub type Client = service::socket::Client<Messages>;

/// Returns the usual path of the socket of a switch.
pub fn usual(name: &str) -> PathBuf {
    PLACES.usual(name)
}

/// Returns the socket of the only switch that runs, or of the one with a name.
///
/// # Errors
/// Fails if none runs, or several do and no name is given.
pub fn find(name: Option<&str>) -> Result<PathBuf, Failure> {
    PLACES.find(name)
}

impl Answers for SwitchHandle {
    type Messages = Messages;

    fn manner(&self, request: &Request) -> Manner {
        match request {
            Request::Capture { .. } => Manner::Stream,
            Request::Trace { .. } => Manner::Aside { waits_for_packet: true, what: "traces wait for packets" },
            Request::Reload { .. } => Manner::Aside { waits_for_packet: false, what: "reloads are being carried out" },
            _ => Manner::AtOnce,
        }
    }

    fn answer(&self, request: Request, cancel: &Cancel) -> Result<Answer, Refusal> {
        self.ask_until(request, cancel)
    }

    fn stream(&self, request: Request, notify: Box<dyn Fn() + Send + Sync>) -> Result<Begun<Answer>, Refusal> {
        let Request::Capture { at, ports, filter } = request else {
            return Err(Refusal::new("no bytes follow the answer to this request"));
        };
        let request = CaptureRequest { at, ports, filter: Filter::read(&filter)? };
        let capture = begin(self, request, notify)?;
        Ok((Answer::Capture { format: "pcapng".to_owned() }, Box::new(capture)))
    }
}
