//! The worker (sections 3.6 and 3.7).

mod receive;
mod send;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use node::{Counter, Reason, UnfinishedWork};
use wire::Packet;
use wire::atp::flag;

use super::AtpParameters;
use super::counters::worker::Counters;
use super::flight::{Flight, Status};
use super::index::Indices;
use super::numbering::Numbering;
use super::packet::{Opened, peek};
use super::scales::Scales;
use super::tensors::Tensors;
use super::window::Window;
use crate::aggregation::{Collective, Gradients, Member, Outcomes, Setup, Tensor, WorkerPlace};
use crate::frame::{Delivery, delivery};
use crate::round_trip::RoundTrip;
use crate::{Endpoint, reasons, timeouts};

/// By how much timeouts in a row lengthen each other at most.
const LONGEST_TIMEOUT: u64 = 64;

/// A worker of ATP: sends the fragments of tensors, and takes their sums.
#[derive(Debug)]
pub struct Worker {
    address: u32,
    parameters: AtpParameters,
    gradients: Arc<dyn Gradients>,
    setup: Arc<Setup>,
    numbering: Numbering,
    /// Where the worker is in the tree of switches; `None` if it does not take part.
    place: Option<WorkerPlace>,
    /// Whether packets have fields for more than two levels.
    has_further: bool,
    tensors: Tensors,
    flight: Flight,
    window: Window,
    indices: Indices,
    scales: Scales,
    /// What is to be sent again, in order: the fragment, and whether the server has asked for it.
    resends: VecDeque<(u64, bool)>,
    /// Fragments before the oldest one whose original values a server wants.
    originals: BTreeSet<u64>,
    servers: Vec<Heard>,
    /// Answers to later fragments in a row.
    out_of_order: u8,
    /// When the oldest fragments without an answer are lost, and the timeouts in a row.
    timeout_at: Option<Instant>,
    timeouts: u8,
    round_trip: RoundTrip,
    /// Whether the worker does not know where the job is, and asks with one packet.
    is_asking: bool,
    /// When fragments may have been found to be missed while nobody could be told.
    behind_since: Option<Instant>,
    counters: Counters,
}

/// What a worker has heard from a server.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Heard {
    /// Whether the worker was started again and has had no answer since: it has lost the answers that it had before.
    is_new: bool,
    /// Whether the server has said where it is, or has answered.
    is_known: bool,
    /// The fragment before which nothing of this server is answered any more.
    done_before: u64,
}

impl Worker {
    /// Creates the worker with an address, which is one of those in the setup unless the worker comes later.
    ///
    /// # Panics
    /// If a parameter is out of range.
    pub fn new(address: u32, setup: Arc<Setup>, gradients: Arc<dyn Gradients>, parameters: AtpParameters) -> Self {
        parameters.check();
        let distance = parameters.dynamic_scale.then_some(parameters.largest_window);
        Self {
            address,
            gradients,
            numbering: Numbering::of(&setup),
            place: setup.rank(address).map(|rank| setup.workers[rank]),
            has_further: setup.levels() > 2,
            servers: vec![Heard::default(); setup.servers.len()],
            tensors: Tensors::new(parameters.values),
            flight: Flight::default(),
            window: Window::new(parameters.initial_window, parameters.largest_window),
            indices: Indices::new(parameters.index, &setup, parameters.largest_window),
            setup,
            scales: Scales::new(parameters.scale(), distance),
            parameters,
            resends: VecDeque::new(),
            originals: BTreeSet::new(),
            out_of_order: 0,
            timeout_at: None,
            timeouts: 0,
            round_trip: RoundTrip::default(),
            is_asking: false,
            behind_since: None,
            counters: Counters::default(),
        }
    }

    /// Returns the place of the server of a fragment among the servers.
    fn server_of(&self, fragment: u64) -> usize {
        (fragment % self.servers.len().max(1) as u64) as usize
    }

    /// Returns the first fragment that is too far ahead to be sent.
    fn limit(&self) -> u64 {
        self.tensors.end().min(self.flight.first + u64::from(self.parameters.largest_window))
    }

    /// Sets the timer for the oldest fragments anew.
    fn set_timer(&mut self, now: Instant) {
        let longest = self.parameters.timeout.times(LONGEST_TIMEOUT);
        let timeout = timeouts::doubled(self.parameters.timeout, longest, self.timeouts);
        self.timeout_at = (self.flight.in_flight > 0).then(|| now + timeout);
    }
}

impl Endpoint<Outcomes> for Worker {
    fn accepts(&self, packet: &Packet) -> bool {
        peek(packet).is_some_and(|(flags, job, destination)| {
            flags & flag::ACK != 0
                && job == self.numbering.job
                && (destination == self.setup.group || destination == self.address)
        })
    }

    fn receive(&mut self, now: Instant, packet: Packet, reports: &mut Outcomes) -> Result<(), (Packet, Reason)> {
        if delivery(&packet, self.address) == Delivery::Malformed {
            return Err((packet, Reason::MALFORMED));
        }
        let Some(opened) = Opened::new(&packet, self.parameters.values, self.has_further) else {
            return Err((packet, Reason::MALFORMED));
        };
        if self.parameter(now, &opened, reports) {
            return Ok(());
        }
        self.counters.strays += 1;
        Err((packet, reasons::UNEXPECTED))
    }

    fn wake(&mut self, now: Instant, reports: &mut Outcomes) {
        if self.behind_since.take().is_some() {
            self.advance(now, reports);
        }
        if self.timeout_at.is_some_and(|at| at <= now) {
            self.time_out(now);
        }
    }

    fn transmit(&mut self, now: Instant) -> Option<Packet> {
        self.next_packet(now)
    }

    fn is_ready(&self, _at: Instant) -> bool {
        self.place.is_some() && (!self.resends.is_empty() || self.may_send_new())
    }

    fn deadline(&self) -> Option<Instant> {
        self.behind_since.into_iter().chain(self.timeout_at).min()
    }

    fn waiting(&self, _now: Instant) -> Vec<UnfinishedWork> {
        let open = self.tensors.end() - self.flight.first;
        if open == 0 {
            return Vec::new();
        }
        let job = self.numbering.job;
        let first = self.flight.first;
        let why = match self.flight.status(first) {
            _ if self.place.is_none() => "the worker does not take part in the present setup of the job".to_owned(),
            Status::Sent => {
                format!("fragment {first} has no answer from its server; {} timeouts in a row", self.timeouts)
            }
            _ => format!("fragment {first} was not sent"),
        };
        vec![UnfinishedWork { what: format!("the sums of {open} fragments of job {job}"), why }]
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.counters.tell(tell);
    }
}

impl Member for Worker {
    fn set_up(&mut self, now: Instant, setup: Arc<Setup>) {
        self.numbering = Numbering::of(&setup);
        self.place = setup.rank(self.address).map(|rank| setup.workers[rank]);
        self.has_further = setup.levels() > 2;
        self.servers.resize(setup.servers.len(), Heard::default());
        self.setup = setup;
        self.window = Window::new(self.parameters.initial_window, self.parameters.largest_window);
        self.indices = Indices::new(self.parameters.index, &self.setup, self.parameters.largest_window);
        self.resends.clear();
        self.originals.clear();
        self.flight.begin_again();
        (self.out_of_order, self.timeouts) = (0, 0);
        self.set_timer(now);
    }

    fn restart(&mut self, now: Instant) {
        self.tensors = Tensors::new(self.parameters.values);
        self.flight = Flight::default();
        self.scales.clear();
        self.round_trip = RoundTrip::default();
        self.servers.fill(Heard { is_new: true, ..Heard::default() });
        (self.is_asking, self.behind_since) = (true, None);
        self.set_up(now, Arc::clone(&self.setup));
    }
}

impl Collective for Worker {
    fn begin(&mut self, now: Instant, tensor: Tensor) {
        self.tensors.begin(tensor);
        // A worker that is told of tensors later than of where the job is has missed them; it reports that when it is woken.
        if self.servers.iter().any(|heard| heard.done_before > self.flight.first) {
            self.behind_since.get_or_insert(now);
        }
    }
}

/// The setup is saved because it changes while the network runs.
impl Snapshot for Worker {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&*self.setup)?;
        into.put(&(&self.tensors, &self.flight, &self.window, &self.indices, &self.scales))?;
        into.put(&(&self.resends, &self.originals))?;
        into.put(&(&self.servers, self.out_of_order, self.timeout_at, self.timeouts, &self.round_trip))?;
        into.put(&(self.is_asking, self.behind_since, &self.counters))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.set_up(Instant::ZERO, Arc::new(from.take()?));
        (self.tensors, self.flight, self.window, self.indices, self.scales) = from.take()?;
        (self.resends, self.originals) = from.take()?;
        (self.servers, self.out_of_order, self.timeout_at, self.timeouts, self.round_trip) = from.take()?;
        (self.is_asking, self.behind_since, self.counters) = from.take()?;
        Ok(())
    }
}
