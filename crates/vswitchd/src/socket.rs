//! The control socket: a Unix socket, JSON, one message a line (`docs/vswitch/operation.md`).

use service::capture::{CaptureRequest, begin};
use service::socket::{Answers, Begun, Manner, Places};
use service::{Cancel, Filter};

use crate::handle::SwitchHandle;
use crate::message::{Answer, Refusal, Request};

pub use service::socket::{Server, SocketFile, serve};

/// Where the control sockets of virtual switches are.
pub const PLACES: Places =
    Places { ending: "vswitch", what: "virtual switch", starts: "polyplane vswitch run host.toml" };

/// The messages of a virtual switch.
pub struct Messages;

impl service::Messages for Messages {
    type Request = Request;
    type Answer = Answer;
    const INSTEAD_OF_LONG: &'static str = "write the configuration into a file that the switch can read";
}

impl Answers for SwitchHandle {
    type Messages = Messages;

    fn manner(&self, request: &Request) -> Manner {
        match request {
            Request::Capture { .. } | Request::Events { .. } => Manner::Stream,
            Request::Trace { next: true, .. } => {
                Manner::Aside { waits_for_packet: true, what: "traces wait for packets" }
            }
            Request::Switch {}
            | Request::Ports {}
            | Request::Drops {}
            | Request::Limiters {}
            | Request::Underlay {}
            | Request::Stop { .. } => Manner::AtOnce,
            // These look at configurations or at many sessions.
            _ => Manner::Aside { waits_for_packet: false, what: "requests are being answered" },
        }
    }

    fn answer(&self, request: Request, cancel: &Cancel) -> Result<Answer, Refusal> {
        self.ask_until(request, cancel)
    }

    fn stream(&self, request: Request, notify: Box<dyn Fn() + Send + Sync>) -> Result<Begun<Answer>, Refusal> {
        match request {
            Request::Capture { at, ports, filter } => {
                let request = CaptureRequest { at, ports, filter: Filter::read(&filter)? };
                let capture = begin(self.work(), request, notify)?;
                Ok((Answer::Capture { format: "pcapng".to_owned() }, Box::new(capture)))
            }
            Request::Events { vnic } => {
                let events = self.listen(vnic, notify)?;
                Ok((Answer::Events { format: "json".to_owned() }, Box::new(events)))
            }
            _ => Err(Refusal::new("nothing follows the answer to this request")),
        }
    }
}
