//! What a driver does, round by round: what is due, what has arrived, the caller's turn, sleep.

use std::io;
use std::mem;
use std::ops::ControlFlow;

use basis::{Duration, Instant};
use node::{Control, Discarded, Node, Outbox, Reason, Transmission};

use super::Driver;
use super::poller::Wakeup;
use super::port::Bound;
use super::waits::Due;
use crate::frames::HEAD;
use crate::{Interface, InterfaceEvent, segments};

/// The most frames that are taken from an interface before other ports have their turn.
pub(super) const BURST: usize = 64;
/// The most segments in the frames of a turn, if those of the next one are like them: more than full superframes of 1,448 bytes have.
const SEGMENTS: u64 = 4096;

impl<N: Node, I: Interface> Driver<N, I> {
    /// Drives the node until `turn` breaks; then this may be called again, and goes on as if nothing had happened. `turn`
    /// is called after everything that was due has been done and before the driver sleeps, when the driver was woken by
    /// a [`crate::Waker`] or a signal, and at the time of [`Driver::wake_by`]. It may call the node like the driver itself.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if it cannot wait. An interface that fails is only given up: see
    /// [`crate::PortView::failure`].
    pub fn run<R>(&mut self, mut turn: impl FnMut(&mut N, Instant, &mut Outbox) -> ControlFlow<R>) -> io::Result<R> {
        // Even a caller whose every turn breaks learns of everything.
        self.wait(Some(Duration::ZERO))?;
        loop {
            self.do_what_is_due()?;
            self.receive_in_turns()?;
            let now = self.begin();
            let flow = turn(&mut self.node, now, &mut self.out);
            self.carry_out(None)?;
            if let ControlFlow::Break(result) = flow {
                return Ok(result);
            }
            self.sleep()?;
        }
    }

    /// Calls the node between two rounds, as the driver itself does, and does what it asks for.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if what it sends cannot be waited for.
    pub fn call<R>(&mut self, call: impl FnOnce(&mut N, Instant, &mut Outbox) -> R) -> io::Result<R> {
        let now = self.begin();
        let result = call(&mut self.node, now, &mut self.out);
        self.carry_out(None)?;
        Ok(result)
    }

    /// Reads the clock for the next call of the node.
    fn begin(&mut self) -> Instant {
        let now = self.clock.now();
        self.out.begin(now);
        now
    }

    /// Calls the node for what has happened to interfaces, and for every time that had come when this was called, in
    /// their order. What becomes due in the meantime waits until the interfaces have had their turn; otherwise a node
    /// with more to send would never receive anything.
    fn do_what_is_due(&mut self) -> io::Result<()> {
        let now = self.begin();
        if mem::take(&mut self.is_new) {
            self.node.wake(now, &mut self.out);
            self.carry_out(None)?;
            // Those that went down before the driver's first round are told of below.
            for position in 0..self.ports.len() {
                if !self.ports[position].is_up {
                    self.tell_of_link(now, position)?;
                }
            }
        }
        while let Some(position) = self.changed.pop() {
            self.hear(now, position)?;
        }
        while let Some(position) = self.writable.pop() {
            self.send(now, position, true)?;
        }
        loop {
            if let Some((at, due)) = self.waits.due(now) {
                match due {
                    Due::Retry(position) => self.send(now, position, true)?,
                    Due::Fetch(position) => {
                        let bound = &mut self.ports[position];
                        match self.out.not_before(bound.port, now) {
                            Some(later) => self.waits.add(later, due),
                            None => {
                                bound.hold(position, false, &self.poller)?;
                                note_readable(&mut self.ports, &mut self.readable, position);
                            }
                        }
                    }
                    Due::Ready(port) => {
                        let position = self.position(port);
                        if let Some(full) = position.map(|at| &mut self.ports[at]).filter(|bound| !bound.has_room()) {
                            full.owed += 1;
                            continue;
                        }
                        self.delays.readies.add(now.since(at));
                        self.node.control(now, Control::PortReady(port), &mut self.out);
                        self.carry_out(position)?;
                    }
                }
            } else if let Some(deadline) = self.out.deadline().filter(|deadline| *deadline <= now) {
                self.out.take_deadline();
                self.delays.wakes.add(now.since(deadline));
                self.node.wake(now, &mut self.out);
                self.carry_out(None)?;
            } else if self.waits.must_send(now) {
                self.carry_out(None)?;
            } else {
                return Ok(());
            }
        }
    }

    /// Gives each interface that may have frames one turn. Those that have more have another one in the next round, except for
    /// those whose packets have cost the node more than a turn is worth: they wait for as many rounds as pay for it, unless
    /// nobody else wants them (deficit round robin, Shreedhar and Varghese, SIGCOMM 1995, with debts in place of credits).
    fn receive_in_turns(&mut self) -> io::Result<()> {
        let mut turns = mem::take(&mut self.buffers.turns);
        turns.append(&mut self.readable);
        let soonest = turns.iter().map(|position| self.ports[*position].next_round).min();
        self.round = soonest.map_or(self.round, |soonest| soonest.max(self.round + 1));
        for (number, position) in turns.iter().copied().enumerate() {
            self.ports[position].is_readable = false;
            if self.ports[position].next_round > self.round {
                note_readable(&mut self.ports, &mut self.readable, position);
                continue;
            }
            // What becomes due while other interfaces have their turns should not be late by all of them.
            if number > 0 {
                self.do_what_is_due()?;
            }
            if self.receive(position)? {
                note_readable(&mut self.ports, &mut self.readable, position);
            }
        }
        turns.clear();
        self.buffers.turns = turns;
        Ok(())
    }

    /// Hands the node the frames that have arrived on a port. Returns true if there may be more.
    fn receive(&mut self, position: usize) -> io::Result<bool> {
        let now = self.begin();
        let Self { ports, buffers, observer, round, numbered, cut, node, out, waits, poller, .. } = self;
        let bound = &mut ports[position];
        if !bound.is_watched {
            return Ok(false);
        }
        if let Some(at) = out.not_before(bound.port, now) {
            // What has arrived stays in the interface's queue until then.
            if !bound.is_held {
                bound.hold(position, true, poller)?;
                waits.add(at, Due::Fetch(position));
            }
            return Ok(false);
        }
        let most = bound.most;
        let outcome = bound.interface.receive(most, &mut buffers.arrived, &mut buffers.discarded);
        let frames = buffers.arrived.len() + buffers.discarded.len();
        if frames == 0 {
            return outcome.or_else(|error| self.fail(now, position, error)).map(|()| false);
        }
        let received = &mut bound.tally.received;
        received.frames += frames as u64;
        received.bytes += buffers.discarded.iter().map(|Discarded { packet, .. }| packet.len() as u64).sum::<u64>();
        for packet in buffers.arrived.drain(..) {
            received.bytes += packet.len() as u64;
            if segments::has_work(&packet) && !node.takes_whole(&packet) {
                let before = buffers.burst.len();
                // The node may take the checksums of segments as they are.
                let takes_partial = |segment: &wire::Packet| node.takes_whole(segment);
                *cut += segments::finish(packet, takes_partial, &mut buffers.burst, &mut buffers.discarded);
                // Each has as much in its head as if it had been received by itself.
                for packet in &mut buffers.burst[before..] {
                    packet.lengthen_head(HEAD);
                }
            } else {
                buffers.burst.push(packet);
            }
        }
        let packets = buffers.burst.iter().chain(buffers.discarded.iter().map(|Discarded { packet, .. }| packet));
        let segments = packets.map(|packet| packet.segments().count).sum::<u64>();
        received.packets += segments;
        bound.most = next_turn(most, segments);
        for packet in &mut buffers.burst {
            packet.sidecar.id = *numbered;
            packet.sidecar.arrival = now;
            *numbered += 1;
        }
        if let Some(observer) = observer {
            buffers.burst.iter().for_each(|packet| observer.received(now, bound.port, packet));
        }
        if !buffers.burst.is_empty() {
            node.receive(now, bound.port, &mut buffers.burst, out);
        }
        bound.has_cost(frames as u64 + out.take_charge(), *round, BURST as u64);
        self.settle(now, Some(position));
        self.carry_out(Some(position))?;
        match outcome {
            Ok(()) => Ok(frames >= most),
            Err(error) => self.fail(now, position, error).map(|()| false),
        }
    }

    /// Hands the node what waits at all interfaces now, at most `most` frames of each.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if what the node sends cannot be waited for.
    pub fn receive_waiting(&mut self, most: usize) -> io::Result<()> {
        for position in 0..self.ports.len() {
            let mut left = most.div_ceil(BURST);
            while left > 0 && self.receive(position)? {
                left -= 1;
            }
        }
        Ok(())
    }

    /// Carries out the requests of the node, which worked for a port, if for any.
    fn carry_out(&mut self, position: Option<usize>) -> io::Result<()> {
        self.out.events.clear();
        // Reading the clock takes as long as a look-up: it is read again only for what waits for a time or tells of one.
        let tells_time = self.observer.is_some() || self.waits.frames() > 0;
        let now = if tells_time { self.clock.now() } else { self.out.now() };
        let Self { waits, out, ports, positions, buffers, touched, delays, .. } = self;
        let discarded = &mut buffers.discarded;
        discarded.append(&mut out.discarded);
        waits.take(now, out, &mut delays.transmissions, |Transmission { port, packet, .. }| {
            let Some(at) = positions.get(usize::from(port.0)).copied().flatten() else {
                return discarded.push(Discarded::new(packet, Reason::NO_SUCH_PORT));
            };
            let bound = &mut ports[at];
            if !mem::replace(&mut bound.is_touched, true) {
                touched.push(at);
            }
            bound.push(packet);
        });
        self.settle(now, position);
        while let Some(touched) = self.touched.pop() {
            self.ports[touched].is_touched = false;
            self.send(now, touched, false)?;
        }
        Ok(())
    }

    /// Passes an interface the packets that wait for it, unless it is known to have no room; `has_changed` says that this
    /// may be over.
    fn send(&mut self, now: Instant, position: usize, has_changed: bool) -> io::Result<()> {
        let Self { ports, poller, buffers, waits, out, observer, .. } = self;
        let bound = &mut ports[position];
        buffers.discarded.append(&mut bound.refused);
        let lists = (&mut buffers.sent, &mut buffers.discarded);
        let outcome = bound.send(position, has_changed, poller, lists);
        let retries = *outcome.as_ref().unwrap_or(&false);
        bound.ask(position, now, retries, waits);
        out.set_room(bound.port, bound.has_room());
        bound.count_sent(&buffers.sent);
        if let Some(observer) = observer {
            buffers.sent.iter().for_each(|packet| observer.transmitted(now, bound.port, packet));
        }
        buffers.sent.clear();
        self.settle(now, Some(position));
        outcome.map(|_| ()).or_else(|error| self.fail(now, position, error))
    }

    /// Counts discarded packets by reason and drops them, each for the port that it says it came by, else for one that is given, if it is.
    pub(super) fn settle(&mut self, now: Instant, position: Option<usize>) {
        let Self { ports, positions, buffers, observer, discarded_elsewhere, .. } = self;
        self.discarded_frames += buffers.discarded.len() as u64;
        for Discarded { packet, reason, port } in buffers.discarded.drain(..) {
            let position = port.map_or(position, |port| positions.get(usize::from(port.0)).copied().flatten());
            let mut bound = position.map(|at| &mut ports[at]);
            let counts = bound.as_mut().map_or(&mut *discarded_elsewhere, |bound| &mut bound.tally.discarded);
            *counts.entry(reason).or_default() += packet.segments().count;
            if let Some(observer) = observer {
                observer.discarded(now, bound.as_ref().map(|bound| bound.port), &packet, reason);
            }
        }
    }

    /// Hears what has happened to an interface, and tells the node of its link.
    fn hear(&mut self, now: Instant, position: usize) -> io::Result<()> {
        loop {
            let event = match self.ports[position].interface.next_event() {
                Ok(None) => return Ok(()),
                Ok(Some(event)) => event,
                Err(error) => return self.fail(now, position, error),
            };
            let bound = &mut self.ports[position];
            match event {
                InterfaceEvent::Up => self.set_link(now, position, true)?,
                InterfaceEvent::Down => self.set_link(now, position, false)?,
                InterfaceEvent::Removed => {
                    bound.give_up(position, &self.poller)?;
                    self.send(now, position, true)?;
                    self.set_link(now, position, false)?;
                }
                InterfaceEvent::Returned => bound.take_up(position, &self.poller)?,
                InterfaceEvent::LongestFrame(_) => {}
                InterfaceEvent::Warning(warning) => bound.warning = warning,
            }
        }
    }

    /// Gives an interface up because of an error. The driver goes on with the others.
    fn fail(&mut self, now: Instant, position: usize, error: io::Error) -> io::Result<()> {
        let bound = &mut self.ports[position];
        bound.failure = Some(error);
        bound.give_up(position, &self.poller)?;
        self.send(now, position, true)?;
        self.set_link(now, position, false)
    }

    /// Sets whether a port's link carries packets, and tells the node if that is new.
    fn set_link(&mut self, now: Instant, position: usize, is_up: bool) -> io::Result<()> {
        let bound = &mut self.ports[position];
        if std::mem::replace(&mut bound.is_up, is_up && bound.is_watched) == bound.is_up {
            return Ok(());
        }
        self.tell_of_link(now, position)
    }

    /// Tells the node whether a port's link carries packets.
    fn tell_of_link(&mut self, now: Instant, position: usize) -> io::Result<()> {
        let bound = &self.ports[position];
        self.node.control(now, Control::Link { port: bound.port, up: bound.is_up }, &mut self.out);
        self.carry_out(Some(position))
    }

    /// Waits until something happens or is due.
    fn sleep(&mut self) -> io::Result<()> {
        // That of the caller's turn, which was a moment ago.
        let began = self.out.now();
        let due = [self.waits.next(), self.out.deadline(), self.turn_at].into_iter().flatten().min();
        self.turn_at = self.turn_at.filter(|at| *at > began);
        if self.is_new || !(self.readable.is_empty() && self.changed.is_empty()) {
            self.wait(Some(Duration::ZERO))?;
            return Ok(());
        }
        if due.is_none_or(|due| due > began)
            && let Some(longest) = self.spin.before_sleep()
        {
            let end = due.map_or(began + longest, |due| due.min(began + longest));
            if self.spin_until(end)? {
                self.spin.has_ended(true);
                if self.spin.goes_well() {
                    self.tell_of_arrivals(false)?;
                }
                return Ok(());
            }
            // What was due in the meantime says nothing about frames.
            if end == began + longest {
                self.spin.has_ended(false);
            }
        }
        self.tell_of_arrivals(true)?;
        let now = self.clock.now();
        self.wait(due.map(|due| due.since(now)))?;
        Ok(())
    }

    /// Says whether interfaces are to tell of packets by their descriptors.
    fn tell_of_arrivals(&mut self, wanted: bool) -> io::Result<()> {
        if mem::replace(&mut self.are_told_of, wanted) == wanted {
            return Ok(());
        }
        for position in 0..self.ports.len() {
            // One that is gone now may return.
            if let Err(error) = self.ports[position].interface.tell_of_arrivals(wanted) {
                self.fail(self.clock.now(), position, error)?;
            }
        }
        Ok(())
    }

    /// Asks interfaces whether packets have arrived. Returns true if each of them knows by itself.
    fn ask_interfaces(&mut self) -> bool {
        let mut all_know = true;
        for position in 0..self.ports.len() {
            let bound = &self.ports[position];
            match bound.interface.has_arrived() {
                _ if !bound.is_watched || bound.is_held => {}
                Some(true) => note_readable(&mut self.ports, &mut self.readable, position),
                Some(false) => {}
                None => all_know = false,
            }
        }
        all_know
    }

    /// Asks again and again whether something has happened, until a time. Interfaces that tell by themselves are asked without the
    /// system, which is asked about everything else: each time if there is an interface that does not tell, otherwise now and then.
    /// Returns true if something happened.
    fn spin_until(&mut self, end: Instant) -> io::Result<bool> {
        loop {
            let asks_system = self.spin.asks_system();
            let asks_system = !self.ask_interfaces() || asks_system;
            if (asks_system && self.wait(Some(Duration::ZERO))?) || !self.readable.is_empty() {
                return Ok(true);
            }
            if self.spin.reads_clock() && self.clock.now() >= end {
                return Ok(false);
            }
        }
    }

    /// Waits for at most a time, or until something happens, and notes what did. Returns true if something did that descriptors tell of.
    fn wait(&mut self, longest: Option<Duration>) -> io::Result<bool> {
        if !self.are_told_of {
            self.ask_interfaces();
        }
        let Self { poller, ports, readable, writable, changed, .. } = self;
        poller.wait(longest, |wakeup| match wakeup {
            Wakeup::Readable(position) => note_readable(ports, readable, position),
            Wakeup::Writable(position) => writable.push(position),
            Wakeup::Changed(position) => changed.push(position),
        })
    }
}

/// Returns the most frames of an interface's next turn, behind one of so many frames at most that were so many segments. A sender of superframes
/// with tiny segments has shorter turns, in which others do not wait longer than for anybody else.
fn next_turn(most: usize, segments: u64) -> usize {
    match segments {
        ..=SEGMENTS => (2 * most).min(BURST),
        _ => (most as u64 * SEGMENTS / segments).max(1) as usize,
    }
}

/// Puts an interface on the list of those that may have frames, unless it is there.
fn note_readable<I>(ports: &mut [Bound<I>], readable: &mut Vec<usize>, position: usize) {
    if !mem::replace(&mut ports[position].is_readable, true) {
        readable.push(position);
    }
}

#[cfg(test)]
mod tests {
    use super::{BURST, next_turn};

    #[test]
    fn a_turn_has_fewer_frames_behind_one_of_many_segments_and_as_many_as_before_some_turns_later() {
        // Small frames, and superframes of 64 KB with segments of 1,448 bytes.
        assert_eq!([64, 64 * 46].map(|segments| next_turn(BURST, segments)), [BURST; 2]);
        let short = next_turn(BURST, 64 * 256);
        assert_eq!((short, next_turn(short, 16 * 256), next_turn(1, 1 << 20)), (16, 32, 1));
        assert_eq!((0..6).fold(1, |most, _| next_turn(most, 1)), BURST);
    }
}
