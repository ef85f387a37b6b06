//! The driver of one node in real time, on real interfaces.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ops::ControlFlow;

use basis::{Duration, Instant};
use measure::Interest;
use node::{Burst, Control, Discarded, Node, Outbox, Port, Reason, Transmission};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use wire::Packet;

use crate::segments::prepare;
use crate::waits::Waits;
use crate::{Interface, RealClock, reasons};

/// The most frames that are taken from an interface before other ports have their turn.
const BURST: usize = 64;
/// The most packets that wait for room at an interface; further ones are discarded.
const MOST_WAITING: usize = 4096;
/// The longest time that the driver sleeps before its caller has a turn again.
const LONGEST_SLEEP: Duration = Duration::from_microseconds(10_000);

/// The counts of frames and packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of frames that were received. One that is cut into segments counts once.
    pub received: u64,
    /// The number of frames that were transmitted.
    pub transmitted: u64,
    /// The number of packets that the node discarded, or the driver for lack of a port, by reason.
    pub discarded: BTreeMap<Reason, u64>,
}

/// A port: its interface, and the packets for which the interface had no room yet.
struct Bound<I> {
    port: Port,
    interface: I,
    backlog: VecDeque<Packet>,
}

/// Drives one node, whose ports are bound to interfaces.
pub struct Driver<N, I> {
    node: N,
    ports: Vec<Bound<I>>,
    clock: RealClock,
    out: Outbox,
    waits: Waits,
    tally: Tally,
    /// The number of packets that the node has been given.
    numbered: u64,
    /// Buffers that are reused between calls: what an interface received, what the node gets, and what neither wants.
    arrived: Burst,
    burst: Burst,
    discarded: Vec<Discarded>,
}

impl<N: Node, I: Interface> Driver<N, I> {
    /// Returns a driver for a node that has not been called yet, with its interfaces and the port to which each is
    /// bound. The node is woken once when the driver is run.
    pub fn new(node: N, interfaces: impl IntoIterator<Item = (Port, I)>) -> Self {
        let bound = |(port, interface)| Bound { port, interface, backlog: VecDeque::new() };
        let mut out = Outbox::new(Interest::default());
        out.wake_at(Instant::ZERO);
        Self {
            node,
            ports: interfaces.into_iter().map(bound).collect(),
            clock: RealClock::new(),
            out,
            waits: Waits::default(),
            tally: Tally::default(),
            numbered: 0,
            arrived: Burst::new(),
            burst: Burst::new(),
            discarded: Vec::new(),
        }
    }

    /// Returns the node.
    pub fn node(&self) -> &N {
        &self.node
    }

    /// Returns the interface to which a port is bound.
    ///
    /// # Panics
    ///
    /// Panics if there is no such port.
    pub fn interface(&self, port: Port) -> &I {
        let bound = self.ports.iter().find(|bound| bound.port == port);
        &bound.unwrap_or_else(|| panic!("port {} is bound to no interface", port.0)).interface
    }

    /// Returns the counts so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Drives the node until `turn` breaks. `turn` is called after everything that was due has been done and before
    /// the driver sleeps, at least every 10 ms, and may call the node like the driver itself.
    ///
    /// # Errors
    ///
    /// Returns the error of an interface, or of the system if it cannot wait.
    pub fn run<R>(&mut self, mut turn: impl FnMut(&mut N, Instant, &mut Outbox) -> ControlFlow<R>) -> io::Result<R> {
        loop {
            let mut was_busy = self.do_what_is_due()?;
            for port in 0..self.ports.len() {
                was_busy |= self.receive(port)?;
            }
            let now = self.begin();
            let flow = turn(&mut self.node, now, &mut self.out);
            self.carry_out()?;
            if let ControlFlow::Break(result) = flow {
                return Ok(result);
            }
            if !was_busy {
                self.sleep()?;
            }
        }
    }

    /// Reads the clock for the next call of the node.
    fn begin(&mut self) -> Instant {
        let now = self.clock.now();
        self.out.begin(now);
        now
    }

    /// Calls the node for every time that had come when this was called, in their order. Returns true if there was
    /// one. What becomes due in the meantime waits until the interfaces have had their turn; otherwise a node with
    /// more to send would never receive anything.
    fn do_what_is_due(&mut self) -> io::Result<bool> {
        let mut was_busy = false;
        let now = self.begin();
        loop {
            if let Some(port) = self.waits.ready(now) {
                self.node.control(now, Control::PortReady(port), &mut self.out);
            } else if self.out.deadline().is_some_and(|deadline| deadline <= now) {
                self.out.take_deadline();
                self.node.wake(now, &mut self.out);
            } else {
                return Ok(was_busy);
            }
            was_busy = true;
            self.carry_out()?;
        }
    }

    /// Hands the node the frames that have arrived on a port. Returns true if there was one.
    fn receive(&mut self, port: usize) -> io::Result<bool> {
        let now = self.begin();
        self.ports[port].interface.receive(BURST, &mut self.arrived, &mut self.discarded)?;
        self.tally.received += self.arrived.len() as u64 + self.discarded.len() as u64;
        for packet in self.arrived.drain(..) {
            prepare(packet, &mut self.burst, &mut self.discarded);
        }
        count(&mut self.tally, &mut self.discarded);
        for packet in &mut self.burst {
            packet.sidecar.id = self.numbered;
            packet.sidecar.arrival = now;
            self.numbered += 1;
        }
        if self.burst.is_empty() {
            return Ok(false);
        }
        self.node.receive(now, self.ports[port].port, &mut self.burst, &mut self.out);
        self.carry_out()?;
        Ok(true)
    }

    /// Carries out the requests of the node.
    fn carry_out(&mut self) -> io::Result<()> {
        self.out.events.clear();
        count(&mut self.tally, &mut self.out.discarded);
        let now = self.clock.now();
        let Self { waits, out, ports, discarded, tally, .. } = self;
        waits.take(now, out, |Transmission { port, packet, .. }| {
            let reason = match ports.iter_mut().find(|bound| bound.port == port) {
                Some(bound) if bound.backlog.len() < MOST_WAITING => return bound.backlog.push_back(packet),
                Some(_) => reasons::INTERFACE_FULL,
                None => Reason::NO_SUCH_PORT,
            };
            discarded.push(Discarded { packet, reason });
        });
        for bound in ports.iter_mut().filter(|bound| !bound.backlog.is_empty()) {
            tally.transmitted += bound.interface.send(&mut bound.backlog, discarded)?;
        }
        count(tally, discarded);
        Ok(())
    }

    /// Waits for a frame, for room for one, or for the next time at which something is due.
    fn sleep(&mut self) -> io::Result<()> {
        let now = self.clock.now();
        let next = self.waits.next().into_iter().chain(self.out.deadline()).min();
        let longest = now + LONGEST_SLEEP;
        let sleep = next.map_or(longest, |next| next.min(longest)).since(now);
        // The time is rounded up, because waking too early would mean to wake twice.
        let nanoseconds = sleep.picoseconds().div_ceil(1000);
        let timeout = Timespec { tv_sec: 0, tv_nsec: nanoseconds as _ };
        let wanted = |bound: &Bound<I>| match bound.backlog.is_empty() {
            true => PollFlags::IN,
            false => PollFlags::IN | PollFlags::OUT,
        };
        let mut descriptors: Vec<_> = self
            .ports
            .iter()
            .map(|bound| PollFd::from_borrowed_fd(bound.interface.descriptor(), wanted(bound)))
            .collect();
        match poll(&mut descriptors, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Counts discarded packets by reason, and drops them.
fn count(tally: &mut Tally, discarded: &mut Vec<Discarded>) {
    for Discarded { reason, .. } in discarded.drain(..) {
        *tally.discarded.entry(reason).or_default() += 1;
    }
}
