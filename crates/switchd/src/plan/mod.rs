//! Plans of live switches: a program, its ports and tables, queues, captures, metrics and the control socket.
//!
//! A plan is a TOML file ([`read()`]) or what a command line says; both are the same value. `docs/live.md` describes every
//! field.

mod load;
mod p4runtime;
mod ports;
mod queues;
mod read;

use std::net::SocketAddr;
use std::ops::Range;
use std::path::PathBuf;

use ::queues::{BufferPlan, DisciplinePlan};
use basis::{Duration, Rate};
use diagnostics::{Diagnostic, Diagnostics, Failure, SourceId, Sources, Span};
use service::Filter;
use service::capture::CapturePoint as _;
use workbench::LoadOptions;
use workbench::kinds::{Given, MachineKind};

pub use load::Loaded;
pub use p4runtime::{P4RuntimePlan, PROTECT, TlsFiles};
pub use ports::ExistingPorts;
pub use read::read;

use crate::capture::CapturePoint;

/// A plan of a live switch.
#[derive(Clone)]
pub struct SwitchPlan {
    /// The name of the switch, by which commands find it.
    pub name: String,
    /// The program's file; `None` if a controller brings the program.
    pub program: Option<PathBuf>,
    /// The settings of the program's language.
    pub options: LoadOptions,
    /// The kind of machine that runs the program; `None` for the usual one.
    pub machine: Option<&'static dyn MachineKind>,
    /// The options of the machine.
    pub given: Given,
    /// The files with requests that fill the tables.
    pub tables: Vec<PathBuf>,
    /// The ports, in order of the plan.
    pub ports: Vec<PortBinding>,
    /// The queues of the ports; without them, packets wait only for room at an interface.
    pub queues: Option<QueuesPlan>,
    /// The server for controllers; `None` if there is none.
    pub p4runtime: Option<P4RuntimePlan>,
    /// The captures that begin with the switch.
    pub captures: Vec<CapturePlan>,
    /// The address at which metrics are served.
    pub metrics: Option<SocketAddr>,
    /// The control socket; `None` for the usual place.
    pub socket: Option<PathBuf>,
    /// The time for which the switch waits actively before it sleeps; zero if it sleeps at once.
    pub spin: Duration,
    /// The core to which the switch's thread is pinned.
    pub core: Option<usize>,
    /// The seed of every random choice.
    pub seed: u64,
    /// The plan's file and its text, into which all places point; `None` for a command line.
    pub source: Option<(String, String)>,
    /// The places of single values.
    pub places: Places,
    /// The values that a command line has set beside a plan, which a reload does not change.
    pub fixed: Fixed,
}

/// Which values a command line has set beside a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fixed {
    /// The address of metrics.
    pub metrics: bool,
    /// The control socket.
    pub socket: bool,
    /// Anything of the server for controllers, which then stays as a whole.
    pub p4runtime: bool,
    /// The time of waiting actively.
    pub spin: bool,
    /// The core.
    pub core: bool,
}

/// The places of values in a plan; `None` for what a command line says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The address of metrics.
    pub metrics: Option<Range<usize>>,
    /// The control socket.
    pub socket: Option<Range<usize>>,
    /// The core.
    pub core: Option<Range<usize>>,
}

/// Something that is wrong: its place in the plan, what it is, and a hint, which may be empty.
pub(crate) type Found = (Option<Range<usize>>, String, String);

/// A port and the interface that is bound to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortBinding {
    /// The number of the port.
    pub port: u16,
    /// The name of the interface, or its kind and what that takes.
    pub interface: String,
    /// The name of the network namespace of the interface; `None` for that of the process.
    pub namespace: Option<String>,
    /// The rate at which the port's queue is drained; `None` for as fast as the interface takes packets.
    pub rate: Option<Rate>,
    /// The time by which packets that leave are delayed behind the queue, as on a long link.
    pub delay: Duration,
    /// The link on which packets arrive, if it holds them.
    pub arriving: Option<ArrivingPlan>,
    /// The place of the number in the plan.
    pub place: Option<Range<usize>>,
    /// The place of the interface in the plan.
    pub interface_place: Option<Range<usize>>,
}

impl PortBinding {
    /// Returns the binding of a port to an interface and nothing else, for command lines and tests.
    pub fn new(port: u16, interface: impl Into<String>) -> Self {
        let interface = interface.into();
        Self { port, interface, ..Self::default() }
    }
}

/// The direction of a link towards the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrivingPlan {
    /// The rate of the link; `None` if packets do not wait for it.
    pub rate: Option<Rate>,
    /// The time that a packet takes.
    pub delay: Duration,
    /// The most packets that wait for a link with a rate; further ones are dropped.
    pub limit: u32,
}

/// The queues of all ports.
#[derive(Clone, Debug)]
pub struct QueuesPlan {
    /// The discipline of each port's queue.
    pub discipline: DisciplinePlan,
    /// The memory that the ports share.
    pub buffer: BufferPlan,
}

/// A capture into a file.
#[derive(Clone, Debug)]
pub struct CapturePlan {
    /// The points at which packets are captured.
    pub at: Vec<CapturePoint>,
    /// The ports; all if there is none.
    pub ports: Vec<u16>,
    /// The filter.
    pub filter: Filter,
    /// The file.
    pub write: PathBuf,
    /// The place of the file in the plan.
    pub place: Option<Range<usize>>,
    /// The place of the ports in the plan.
    pub ports_place: Option<Range<usize>>,
}

impl CapturePlan {
    /// Returns the capture of everything into a file, for command lines and tests.
    pub fn new(write: PathBuf) -> Self {
        let at = CapturePoint::ALL.iter().map(|(_, point)| *point).collect();
        Self { at, ports: Vec::new(), filter: Filter::all(), write, place: None, ports_place: None }
    }
}

impl SwitchPlan {
    /// Returns the plan of a program with this name and nothing else, for command lines and tests.
    pub fn of_program(program: PathBuf) -> Self {
        let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Self { program: Some(program), ..Self::named(name) }
    }

    /// Returns the plan of a switch with this name, and nothing else: a controller brings the program.
    pub fn named(name: String) -> Self {
        Self {
            name,
            program: None,
            options: LoadOptions::default(),
            machine: None,
            given: Given::default(),
            tables: Vec::new(),
            ports: Vec::new(),
            queues: None,
            p4runtime: None,
            captures: Vec::new(),
            metrics: None,
            socket: None,
            spin: Duration::ZERO,
            core: None,
            seed: 1,
            source: None,
            places: Places::default(),
            fixed: Fixed::default(),
        }
    }

    /// Returns the sources for diagnostics at places of the plan.
    fn sources(&self) -> (Sources, Option<SourceId>) {
        let mut sources = Sources::new();
        let id = self.source.as_ref().map(|(name, text)| sources.add(name, text));
        (sources, id)
    }

    /// Returns the failure that something is wrong at places of the plan, or nothing if nothing is.
    pub(crate) fn refuse(&self, found: Vec<Found>) -> Result<(), Failure> {
        let (sources, id) = self.sources();
        let mut diagnostics = Diagnostics::new();
        for (place, message, hint) in found {
            let diagnostic = match (id, place) {
                (Some(id), Some(place)) => Diagnostic::error(Span::new(id, place.start, place.end), message),
                _ => Diagnostic::without_place(message),
            };
            diagnostics.push(if hint.is_empty() { diagnostic } else { diagnostic.hint(hint) });
        }
        diagnostics
            .at_characters(&sources)
            .into_result(())
            .map_err(|diagnostics| Failure::BadInput { sources, diagnostics })
    }
}
