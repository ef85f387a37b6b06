//! The node that the driver drives: a device with the queues behind its ports, and a look at packets before it.

use basis::Instant;
use machines::Device;
use netsim::switch::ProgramSwitch;
use node::{Account, Burst, Control, Node, Outbox, Port, Reason};
use queues::OutputPlan;
use wire::Packet;

use crate::trace::Watch;
use crate::wires::Wires;

/// The reasons for which a live switch discards packets.
pub mod reasons {
    node::reasons! { "live switch":
        /// The packet arrived after the switch had been told to stop.
        STOPPING = (830, "the switch is stopping");
        /// The packet had not left when the time was over that a switch which stops has for what it holds.
        NOT_SENT = (832, "still held when the switch ended");
        /// The packet arrived before a controller had brought a program.
        NO_PROGRAM = (840, "no program yet");
        /// Too many packets wait for the link on which the packet was to arrive, whose rate the plan limits.
        LINK_FULL = (831, "the link to the switch is full");
    }
}

/// A device as a live switch runs it.
pub struct Station {
    body: Body,
    /// Those who wait for a packet to trace.
    pub(crate) watches: Vec<Watch>,
    /// Why all packets that arrive are discarded; `None` if they are not.
    discards: Option<Reason>,
    /// The links on which packets are held, if there are any.
    wires: Option<Box<Wires>>,
    /// Whether the device behind such links was woken for the first time.
    was_woken: bool,
    /// The packets of a burst behind one that is traced; kept to reuse its memory.
    rest: Burst,
}

enum Body {
    /// A device that holds its queues, or has none.
    Device(Box<dyn Device>),
    /// A device with queues behind its ports.
    Queued(Box<ProgramSwitch<Box<dyn Device>>>),
}

impl Station {
    /// Returns the node of a device that holds its queues, or has none.
    pub fn new(device: Box<dyn Device>) -> Self {
        Self::of(Body::Device(device))
    }

    /// Returns the node of a device with queues behind its ports.
    pub fn with_queues(device: Box<dyn Device>, OutputPlan { ports, buffer, seed }: OutputPlan) -> Self {
        Self::of(Body::Queued(Box::new(ProgramSwitch::new(device, ports, &buffer, seed))))
    }

    fn of(body: Body) -> Self {
        Self { body, watches: Vec::new(), discards: None, wires: None, was_woken: false, rest: Burst::new() }
    }

    /// Returns the station with links that hold packets.
    #[must_use]
    pub(crate) fn with_wires(self, wires: Option<Wires>) -> Self {
        Self { wires: wires.map(Box::new), ..self }
    }

    /// Takes over the links of the station that this one replaces, with the packets on them.
    pub(crate) fn take_wires(&mut self, old: &mut Self) {
        self.wires = old.wires.take();
        if let Some(wires) = &mut self.wires {
            wires.forget_deadline();
        }
    }

    /// Returns the device.
    pub fn device(&self) -> &dyn Device {
        match &self.body {
            Body::Device(device) => &**device,
            Body::Queued(switch) => &**switch.machine(),
        }
    }

    /// Returns the device, for requests of the control plane.
    pub fn device_mut(&mut self) -> &mut dyn Device {
        match &mut self.body {
            Body::Device(device) => &mut **device,
            Body::Queued(switch) => &mut **switch.machine_mut(),
        }
    }

    /// Returns the station as whoever drives it sees it.
    pub fn as_station(&self) -> &dyn node::Station {
        match &self.body {
            Body::Device(device) => device,
            Body::Queued(switch) => &**switch,
        }
    }

    /// Returns the packets that were made, consumed or are held inside.
    pub fn account(&self) -> Account {
        let mut account = self.as_station().account();
        account.held += self.wires.as_ref().map_or(0, |wires| wires.held());
        account
    }

    /// Discards packets that arrive from now on, so that what is held can leave.
    pub fn stop(&mut self) {
        self.discards = Some(reasons::STOPPING);
    }

    /// Discards packets until another node takes the place of this one, since its program is not the one to run.
    pub(crate) fn wait_for_program(&mut self) {
        self.discards = Some(reasons::NO_PROGRAM);
    }

    /// Returns whether a program is still to come.
    pub(crate) fn waits_for_program(&self) -> bool {
        self.discards == Some(reasons::NO_PROGRAM)
    }

    /// Hands the device a burst that has arrived.
    fn give(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        if let Some(reason) = self.discards {
            return burst.drain(..).for_each(|packet| out.discard(packet, reason));
        }
        if !self.watches.is_empty() {
            return self.receive_watched(now, port, burst, out);
        }
        self.node().receive(now, port, burst, out);
    }

    fn node(&mut self) -> &mut dyn Node {
        match &mut self.body {
            Body::Device(device) => device,
            Body::Queued(switch) => &mut **switch,
        }
    }

    /// Hands the device a burst in which somebody may wait for a packet: those before it first, so that the state that is
    /// copied for the trace is the one that the packet meets.
    #[cold]
    fn receive_watched(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.watches.retain(|watch| !watch.is_given_up());
        let mut rest = std::mem::take(&mut self.rest);
        while let Some(at) = burst.iter().position(|packet| self.watches.iter().any(|watch| watch.wants(port, packet)))
        {
            rest.extend(burst.drain(at..));
            if !burst.is_empty() {
                self.node().receive(now, port, burst, out);
            }
            let watched = self.watches.iter().position(|watch| watch.wants(port, &rest[0]));
            if let Some(number) = watched {
                let watch = self.watches.swap_remove(number);
                watch.caught(self.device_mut(), now, port, &rest[0]);
            }
            burst.append(&mut rest);
        }
        self.rest = rest;
        if !burst.is_empty() {
            self.node().receive(now, port, burst, out);
        }
    }
}

/// Calls the node behind links that hold packets.
fn through(wires: &mut Wires, out: &mut Outbox, call: impl FnOnce(&mut Outbox)) {
    let earlier = out.transmissions.len();
    wires.before(out);
    call(out);
    wires.after(earlier, out);
}

impl Node for Station {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        if let Some(reason) = self.discards {
            return burst.drain(..).for_each(|packet| out.discard(packet, reason));
        }
        let Some(mut wires) = self.wires.take() else { return self.give(now, port, burst, out) };
        wires.take(now, port, burst, out);
        if !burst.is_empty() {
            through(&mut wires, out, |out| self.give(now, port, burst, out));
        }
        wires.ask(out);
        self.wires = Some(wires);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        let Some(mut wires) = self.wires.take() else { return self.node().wake(now, out) };
        // A node is woken once before anything else, without having asked.
        if wires.is_due(now) || !std::mem::replace(&mut self.was_woken, true) {
            through(&mut wires, out, |out| self.node().wake(now, out));
        }
        let mut arrived = Burst::new();
        while let Some(port) = wires.arrived(now, &mut arrived) {
            through(&mut wires, out, |out| self.give(now, port, &mut arrived, out));
        }
        wires.ask(out);
        self.wires = Some(wires);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        let Some(mut wires) = self.wires.take() else { return self.node().control(now, request, out) };
        through(&mut wires, out, |out| self.node().control(now, request, out));
        wires.ask(out);
        self.wires = Some(wires);
    }

    /// While somebody waits for a packet, none is handed over whole: a trace is of a packet as it is on a link. Where packets
    /// are held on links, they reach the device later, when it may treat segments differently.
    fn takes_whole(&mut self, packet: &Packet) -> bool {
        self.watches.is_empty() && self.wires.is_none() && self.node().takes_whole(packet)
    }
}
