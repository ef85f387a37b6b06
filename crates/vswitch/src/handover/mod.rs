//! Sessions, and the numbers of tunnels, as one process hands them over to another, which may be of a newer version: bytes with a version of
//! their own, which `docs/vswitch/handover.md` describes. What was decided about a session is not among them: whoever takes it over decides it
//! by its own policy tables, and keeps the back end and the port that were chosen.

mod layout;
mod read;
mod tunnels;
mod write;

use std::fmt;

use basis::Instant;

use crate::session::{Count, FlowKey, Seen, TcpState};

pub use layout::VERSION;
pub(crate) use layout::checksum;
pub use read::read;
pub(crate) use read::read_keys;
pub use tunnels::{FINGERPRINT, HandedNumbers, HandedTunnel, HandedWindow, WINDOW_WORDS};
pub(crate) use write::write_keys;
pub use write::{write, write_version};

/// Sessions that are handed over at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handover {
    /// The time at which they are, by the clock of who hands them over.
    pub now: Instant,
    /// The names of vNICs, to which sessions refer by position.
    pub vnics: Vec<String>,
    /// The sessions.
    pub sessions: Vec<HandedSession>,
    /// What has come through encrypted tunnels; nothing in versions before 3.
    pub windows: Vec<HandedWindow>,
    /// What was sent through encrypted tunnels; nothing in versions before 3.
    pub numbers: Vec<HandedNumbers>,
    /// What has come through reliable tunnels; nothing in versions before 3.
    pub tunnels: Vec<HandedTunnel>,
}

/// A session that is handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedSession {
    /// The keys of the packet that began it and of replies. They say what is translated, and which back end was chosen.
    pub keys: [FlowKey; 2],
    /// Where the packet came from that began it.
    pub origin: HandedOrigin,
    /// The VXLAN network identifier of its VPC.
    pub vni: u32,
    /// What has passed in each direction.
    pub counts: [Count; 2],
    /// The time at which it began, and that of its last packet.
    pub times: [Instant; 2],
    /// The state of its connection.
    pub tcp: TcpState,
    /// What else was seen of each direction; the default in versions before 2.
    pub seen: [Seen; 2],
}

/// The place that the packet came from which began a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandedOrigin {
    /// A vNIC, by its position among the names.
    Vnic(u32),
    /// Another switch, by the address of its tunnel endpoint as a number.
    Endpoint(u128),
}

/// The reason why bytes are not taken as sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandoverError {
    /// They do not begin as sessions that are handed over do.
    NotSessions,
    /// They are of a version that this one does not know, because it is newer, or 0.
    Version(u16),
    /// They end too early, or go on behind their end.
    Length,
    /// Their checksum is another.
    Checksum,
    /// A field has a value that it cannot have.
    Field(&'static str),
}

impl fmt::Display for HandoverError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSessions => formatter.write_str("these are no sessions of a virtual switch"),
            Self::Version(version) => write!(
                formatter,
                "the sessions are of version {version} of the format, and this switch reads 1 to {VERSION}: the switch that takes \
                 over must be at least as new as the other"
            ),
            Self::Length => formatter.write_str("the sessions are cut off, or too long"),
            Self::Checksum => formatter.write_str("the sessions are damaged: their checksum is another"),
            Self::Field(field) => write!(formatter, "the sessions are damaged: {field}"),
        }
    }
}

impl std::error::Error for HandoverError {}
