//! The aggregator as a device.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use basis::Instant;
use control::{DigestQueue, Info, Plane, RefusedRequest, Register, Replication, Request, Response};
use node::{Burst, Control, Node, Outbox, Port, Reason};
use runtime::{ProgramState, RegisterFile};
use wire::Packet;

use super::{Protocol, Verdict, info, reasons, routes};
use crate::{Device, Statistics};

/// A switch that routes IPv4 and runs a protocol for aggregation. Its control plane has the table `ipv4` with the actions
/// `route(port)` and `spread(first, count)`, the table `groups` with the action `multicast(group)`, multicast groups, and
/// the tables and registers of the protocol.
#[derive(Debug)]
pub struct Aggregator<P> {
    pub(super) protocol: P,
    pub(super) plane: Plane,
    /// The tables. Registers, records and memory are in the protocol, and empty here.
    pub(super) state: ProgramState,
    pub(super) replication: Replication,
    digests: DigestQueue,
    ports: u32,
    pub(super) statistics: Statistics,
    /// The packets that were made as copies of others, and by the protocol.
    pub(super) replicated: u64,
    pub(super) generated: u64,
    pub(super) now: Instant,
    /// Scratch memory for packets that the protocol makes.
    made: Vec<Packet>,
}

impl<P: Protocol> Aggregator<P> {
    /// Creates an aggregator with so many ports, without routes and groups.
    pub fn new(mut protocol: P, ports: u32) -> Self {
        let info = info::info(&protocol);
        let state = info::state(&info);
        protocol.set_up(&info, &state);
        let digests = DigestQueue::new(&info, 0);
        Self {
            protocol,
            plane: Plane::new(Arc::new(info)),
            state,
            replication: Replication::new(),
            digests,
            ports,
            statistics: Statistics::default(),
            replicated: 0,
            generated: 0,
            now: Instant::ZERO,
            made: Vec::new(),
        }
    }

    /// Returns the protocol, for reading what it has counted.
    pub fn protocol(&self) -> &P {
        &self.protocol
    }

    fn handle(&mut self, now: Instant, mut packet: Packet, out: &mut Outbox) {
        let destination = match routes::destination(&mut packet) {
            Ok(destination) => destination,
            Err(reason) => return self.discard(packet, reason, out),
        };
        let way = routes::way(&self.state, &self.replication, destination, &packet);
        match (self.protocol.receive(now, &mut packet, way.is_some()), way) {
            (Verdict::Absorb(reason), _) => self.discard(packet, reason, out),
            (Verdict::Forward, Some(way)) if routes::present_destination(&packet) == Some(destination) => {
                let copies = routes::send(way, packet, out);
                self.sent(copies);
            }
            (Verdict::Forward, _) => self.forward(packet, out),
        }
    }

    /// Sends a packet whose destination the protocol has set.
    fn forward(&mut self, packet: Packet, out: &mut Outbox) {
        let destination = routes::present_destination(&packet);
        let way = destination.and_then(|to| routes::way(&self.state, &self.replication, to, &packet));
        match way {
            Some(way) => {
                let copies = routes::send(way, packet, out);
                self.sent(copies);
            }
            None => self.discard(packet, reasons::NO_ROUTE, out),
        }
    }

    fn sent(&mut self, copies: u64) {
        self.replicated += copies;
        self.statistics.transmitted += copies + 1;
    }

    fn discard(&mut self, packet: Packet, reason: Reason, out: &mut Outbox) {
        self.statistics.discarded.add(reason);
        out.discard(packet, reason);
    }

    fn ask_wake(&self, out: &mut Outbox) {
        match self.protocol.deadline() {
            Some(deadline) => out.wake_at(deadline),
            None => out.sleep(),
        }
    }

    /// Carries out something on the state with the registers, records and memory that `requests` are about, and tells the
    /// protocol what became of it.
    fn carry_out<T>(
        &mut self,
        requests: &[Request],
        work: impl FnOnce(&mut Plane, &mut control::Device<'_>) -> T,
    ) -> T {
        let registers: BTreeSet<usize> = requests.iter().filter_map(register_of).collect();
        self.state.registers = self.registers(|register| registers.contains(&register));
        let shared = requests.iter().any(|request| matches!(request, Request::Memory(..) | Request::Records(..)));
        if shared {
            self.protocol.show(self.plane.info(), &mut self.state);
        }
        let Self { plane, state, replication, digests, now, .. } = self;
        let states = std::slice::from_mut(state);
        let done = work(plane, &mut control::Device { states, replication, digests, now: *now });
        for register in registers {
            for (at, value) in self.state.registers.array(register).iter().enumerate() {
                self.protocol.write(register, at, *value);
            }
        }
        self.state.registers = self.registers(|_| false);
        if shared {
            if requests.iter().any(|request| !request.is_read()) {
                self.protocol.take(self.plane.info(), &self.state);
            }
            info::clear_shared(self.plane.info(), &mut self.state);
        }
        for (event, argument) in self.plane.take_raised() {
            self.protocol.happen(self.now, event.index(), argument);
        }
        if requests.iter().any(|request| !request.is_read()) {
            self.protocol.set_up(self.plane.info(), &self.state);
        }
        done
    }

    /// Returns the registers: those that are wanted with their values, and the others empty.
    fn registers(&self, is_wanted: impl Fn(usize) -> bool) -> RegisterFile {
        let values = |(number, register): (usize, &Register)| {
            let size = if is_wanted(number) { register.size as usize } else { 0 };
            (0..size).map(|at| self.protocol.read(number, at)).collect()
        };
        RegisterFile::new(self.plane.info().registers.iter().enumerate().map(values).collect())
    }
}

/// Returns the number of the register that a request is about.
fn register_of(request: &Request) -> Option<usize> {
    match request.without_pipe() {
        Request::Register(register, _) => Some(register.index()),
        _ => None,
    }
}

impl<P: Protocol> Node for Aggregator<P> {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.now = now;
        self.statistics.received += burst.len() as u64;
        let is_port = u32::from(port.0) < self.ports;
        for packet in burst.drain(..) {
            if is_port {
                self.handle(now, packet, out);
            } else {
                self.discard(packet, Reason::NO_SUCH_PORT, out);
            }
        }
        self.ask_wake(out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.now = now;
        let mut made = std::mem::take(&mut self.made);
        self.protocol.wake(now, &mut made);
        self.generated += made.len() as u64;
        made.drain(..).for_each(|packet| self.forward(packet, out));
        self.made = made;
        self.ask_wake(out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        self.now = now;
        if let Control::Link { port, up } = request {
            self.replication.set_port(port.0.into(), up);
        }
        self.ask_wake(out);
    }

    fn rests_after(&self) -> Option<Instant> {
        self.protocol.rests().then_some(Instant::ZERO)
    }
}

impl<P: Protocol> Device for Aggregator<P> {
    fn info(&self) -> &Arc<Info> {
        self.plane.info()
    }

    fn ports(&self) -> Option<u32> {
        Some(self.ports)
    }

    fn execute(&mut self, request: &Request) -> Result<Response, control::Error> {
        self.carry_out(std::slice::from_ref(request), |plane, device| plane.execute(request, device))
    }

    fn execute_each(&mut self, requests: &[Request]) -> Vec<Result<Response, control::Error>> {
        // Records and memory are shown and taken over once for all requests: a switch that is cleared has one for each word.
        self.carry_out(requests, |plane, device| {
            requests.iter().map(|request| plane.execute(request, device)).collect()
        })
    }

    fn execute_together(&mut self, requests: &[Request]) -> Result<Vec<Response>, RefusedRequest> {
        self.carry_out(requests, |plane, device| plane.execute_together(requests, device))
    }

    fn state(&self) -> Cow<'_, ProgramState> {
        let mut state = self.state.with_registers(self.registers(|_| true));
        self.protocol.show(self.plane.info(), &mut state);
        Cow::Owned(state)
    }

    fn statistics(&self) -> Statistics {
        self.statistics.clone()
    }
}
