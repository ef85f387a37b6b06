//! The driver of one node in real time, on real interfaces.

mod binding;
mod poller;
mod port;
mod rounds;
mod spin;
mod waits;

use std::collections::BTreeMap;
use std::io;

use basis::{Duration, Instant};
use measure::Interest;
use node::{Burst, Discarded, Node, Outbox, Port, Reason};

use crate::{Balance, Delays, Interface, Observer, RealClock, Tally, Waker};
use poller::Poller;
use port::Bound;
pub use port::PortView;
use spin::Spin;
use waits::Waits;

/// Drives one node, whose ports are bound to interfaces.
pub struct Driver<N, I> {
    node: N,
    ports: Vec<Bound<I>>,
    /// The position in `ports` of each port, by its number.
    positions: Vec<Option<usize>>,
    poller: Poller,
    clock: RealClock,
    out: Outbox,
    waits: Waits,
    /// Whether the node has not been called yet.
    is_new: bool,
    /// The time at which the caller wants a turn.
    turn_at: Option<Instant>,
    spin: Spin,
    /// Whether interfaces tell of packets that arrive. They are asked otherwise.
    are_told_of: bool,
    /// The number of the present round of turns.
    round: u64,
    /// The number of packets that the node has been given.
    numbered: u64,
    observer: Option<Box<dyn Observer>>,
    /// The packets that were discarded while the node worked for no port, by reason.
    discarded_elsewhere: BTreeMap<Reason, u64>,
    /// The counts of ports whose interfaces were taken away.
    earlier: Tally,
    /// The number of frames that came about because received ones were cut, or those of interfaces that were taken away.
    cut: u64,
    /// The number of frames that were discarded.
    discarded_frames: u64,
    delays: Delays,
    /// The interfaces that may have frames, that may have room again, and with packets that they were not given yet.
    readable: Vec<usize>,
    writable: Vec<usize>,
    touched: Vec<usize>,
    /// The interfaces to which something has happened.
    changed: Vec<usize>,
    buffers: Buffers,
}

/// Buffers that are reused between calls.
#[derive(Default)]
struct Buffers {
    /// The interfaces whose turn it is.
    turns: Vec<usize>,
    /// The packets that an interface received, and those that the node gets.
    arrived: Burst,
    burst: Burst,
    /// The packets that an interface has taken.
    sent: Burst,
    /// The packets that were discarded and not yet counted.
    discarded: Vec<Discarded>,
}

impl<N: Node, I: Interface> Driver<N, I> {
    /// Returns a driver for a node that has not been called yet, with its interfaces and the port to which each is
    /// bound. The node is woken once when the driver is run.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if it has no descriptors left.
    ///
    /// # Panics
    ///
    /// Panics if two interfaces are bound to one port.
    pub fn new(node: N, interfaces: impl IntoIterator<Item = (Port, I)>) -> io::Result<Self> {
        let poller = Poller::new()?;
        let mut ports = Vec::new();
        let mut positions = Vec::new();
        let mut changed = Vec::new();
        for (index, (port, interface)) in interfaces.into_iter().enumerate() {
            poller.watch(index, interface.descriptor())?;
            if let Some(events) = interface.events() {
                poller.watch_changes(index, events)?;
                // What has happened before is heard first.
                changed.push(index);
            }
            let number = usize::from(port.0);
            positions.resize(positions.len().max(number + 1), None);
            assert!(positions[number].replace(index).is_none(), "port {number} is bound to two interfaces");
            ports.push(Bound::new(port, interface));
        }
        Ok(Self {
            node,
            ports,
            positions,
            poller,
            clock: RealClock::new(),
            out: Outbox::new(Interest::default()),
            waits: Waits::default(),
            is_new: true,
            turn_at: None,
            spin: Spin::default(),
            are_told_of: true,
            round: 0,
            numbered: 0,
            observer: None,
            discarded_elsewhere: BTreeMap::new(),
            earlier: Tally::default(),
            cut: 0,
            discarded_frames: 0,
            delays: Delays::default(),
            readable: Vec::new(),
            writable: Vec::new(),
            touched: Vec::new(),
            changed,
            buffers: Buffers::default(),
        })
    }

    /// Returns the node.
    pub fn node(&self) -> &N {
        &self.node
    }

    /// Returns the node for changes that need no outbox; what it asks for is asked in the `turn` of [`Driver::run`].
    pub fn node_mut(&mut self) -> &mut N {
        &mut self.node
    }

    /// Returns whether more frames wait at an interface than it could hand over in its last turn: the driver has more to do
    /// than it gets done.
    pub fn has_backlog(&self) -> bool {
        !self.readable.is_empty()
    }

    /// Puts another node into the place of the present one, and returns that. Packets that the old node has sent still go
    /// out, at their times; nothing else that it asked for is done. The new node is woken once, and told of links that
    /// are down.
    pub fn replace_node(&mut self, node: N) -> N {
        self.out.sleep();
        self.waits.forget_readies();
        self.ports.iter_mut().for_each(|bound| bound.owed = 0);
        self.is_new = true;
        std::mem::replace(&mut self.node, node)
    }

    /// Returns the present time, as the node is told it.
    pub fn now(&self) -> Instant {
        self.clock.now()
    }

    /// Puts the clock forward, so that it is at least a time now: that of another driver, whose work this one takes over.
    pub fn advance_clock(&mut self, to: Instant) {
        self.clock.advance(to);
    }

    /// Returns a handle that ends the driver's sleep.
    pub fn waker(&self) -> Waker {
        self.poller.waker().clone()
    }

    /// Says when `turn` is to be called even if nothing else is due; `None` for not at all. Once it was called at that
    /// time or later, this must be asked again.
    pub fn wake_by(&mut self, at: Option<Instant>) {
        self.turn_at = at;
    }

    /// Sets for how long the driver asks again and again for frames before it sleeps. It does so only where it helps:
    /// each time that nothing comes, it is tried more rarely. At first, the driver sleeps at once.
    pub fn spin(&mut self, longest: Duration) {
        self.spin = Spin::new(longest);
    }

    /// Sets who is told of every packet from now on.
    pub fn observe(&mut self, observer: Option<Box<dyn Observer>>) {
        self.observer = observer;
    }

    /// Returns the interface to which a port is bound.
    ///
    /// # Panics
    ///
    /// Panics if there is no such port.
    pub fn interface(&self, port: Port) -> &I {
        let position = self.position(port).unwrap_or_else(|| panic!("port {} is bound to no interface", port.0));
        &self.ports[position].interface
    }

    /// Returns what is known of each port, in the order in which they were given.
    pub fn ports(&self) -> impl Iterator<Item = PortView<'_>> {
        self.ports.iter().map(Bound::view)
    }

    /// Returns the number of packets that the node has sent and no interface has taken yet: those that are to be sent later,
    /// and those that wait for room at an interface, or until it is up. A packet that is to be cut counts as its segments.
    pub fn held(&self) -> u64 {
        self.waits.held() + self.ports.iter().map(Bound::held).sum::<u64>()
    }

    /// Returns the number of packets that the node has sent for a later time.
    pub fn delayed(&self) -> u64 {
        self.waits.held()
    }

    /// Returns the counts so far.
    pub fn tally(&self) -> Tally {
        let mut tally = self.earlier.clone();
        for (reason, count) in &self.discarded_elsewhere {
            *tally.discarded.entry(*reason).or_default() += count;
        }
        for bound in &self.ports {
            tally.received += bound.tally.received.frames;
            tally.transmitted += bound.tally.transmitted.frames;
            for (reason, count) in &bound.tally.discarded {
                *tally.discarded.entry(*reason).or_default() += count;
            }
        }
        tally
    }

    /// Returns the packets that were discarded at interfaces that were taken away ([`Driver::unbind`]), by reason. They are in
    /// [`Driver::tally`] too.
    pub fn discarded_at_gone(&self) -> &BTreeMap<Reason, u64> {
        &self.earlier.discarded
    }

    /// Returns what became of all frames so far.
    pub fn balance(&self) -> Balance {
        let Tally { received, transmitted, .. } = self.tally();
        Balance {
            received,
            cut: self.cut + self.ports.iter().map(|bound| bound.cut).sum::<u64>(),
            transmitted,
            discarded: self.discarded_frames,
            held: self.waits.frames() + self.ports.iter().map(|bound| bound.view().waiting as u64).sum::<u64>(),
        }
    }

    /// Returns how late the driver was so far.
    pub fn delays(&self) -> &Delays {
        &self.delays
    }

    /// Returns the position of a port in `ports`.
    fn position(&self, port: Port) -> Option<usize> {
        self.positions.get(usize::from(port.0)).copied().flatten()
    }
}
