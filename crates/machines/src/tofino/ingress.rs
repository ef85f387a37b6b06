//! Ingress: a packet is parsed, its destinations are determined, and it becomes bytes again.

use arch::{IntrinsicValue, Points};
use basis::Instant;
use ir::interpret::Request;
use ir::{ErrorId, VariableId};
use node::{Outbox, Port, Reason};
use queues::PacketColor;

use super::front::{self, Known};
use super::ghost::AtStage;
use super::gress::{Failed, Pass};
use super::item::{Side, untraced};
use super::layout::Layout;
use super::mirroring::{Direction, Directions};
use super::ports::pipe_of;
use super::reasons;
use super::settings::Selection;
use super::switch::{Arrival, Job, Tofino};
use super::target::Target;
use crate::blocks::send_digest;
use crate::blocks::{Executor, Frame};
use crate::trace::{Begins, Origin};

/// The decision of ingress about one packet.
struct Decided {
    /// The packet as the deparser has written it.
    packet: wire::Packet,
    side: Side,
    /// The bits by which the program drops.
    drops: u64,
    port: Option<u32>,
    selection: Selection,
    /// The class of service of a copy for the CPU, if there is one.
    to_cpu: Option<u8>,
    /// The settings of mirroring that the program gives in place of those of the session.
    directions: Directions,
}

impl<E: Executor> Tofino<E> {
    /// Processes a packet that arrives from outside.
    pub(super) fn arrive(&mut self, now: Instant, port: Port, packet: wire::Packet, out: &mut Outbox) {
        self.statistics.received += 1;
        self.copies = 0;
        self.enter(now, self.device_port(port), packet, out);
    }

    /// Processes a packet that enters ingress at a device port, and all that it becomes.
    pub(super) fn enter(&mut self, now: Instant, device: u16, packet: wire::Packet, out: &mut Outbox) {
        let mut pass = untraced();
        if let Some(recorder) = &mut self.recorder {
            let begins = Begins { bytes: packet.head.bytes(), length: packet.len() };
            pass = recorder.arrive(now, Port(device), packet.sidecar.id, begins);
        }
        match self.admits(device) {
            Err(reason) => self.discard((packet, pass), reason, "", out),
            Ok(()) => {
                self.ingress(now, Arrival { packet, port: device, rounds: 0, resubmitted: None, pass }, out);
                self.work(now, out);
            }
        }
        self.finish_traces();
    }

    /// Ends the traces of all packets that have arrived, if none is inside.
    pub(super) fn finish_traces(&mut self) {
        let Some(recorder) = &mut self.recorder else { return };
        let in_queues = self.queues.as_ref().map_or(0, |queues| queues.held());
        if self.jobs.is_empty() && self.agenda.len() == 0 && in_queues == 0 {
            recorder.finish(self.executor.program(), &self.states[0]);
        }
    }

    /// Runs ingress and sends the packet on.
    pub(super) fn ingress(&mut self, now: Instant, arrival: Arrival, out: &mut Outbox) {
        let taken = match self.enter_ingress(now, arrival.port) {
            Ok(taken) => taken,
            Err(reason) => return self.discard((arrival.packet, arrival.pass), reason, "", out),
        };
        match self.reaches_stage(arrival.port, taken) {
            Some(at) => {
                let came = now;
                self.plan(at, Job::Stage(AtStage { arrival, came, taken, passed: self.passed }));
            }
            None => self.run_ingress([now, taken], arrival, out),
        }
    }

    /// Runs the blocks of ingress on a packet that has come at a time and was taken in a cycle.
    pub(super) fn run_ingress(&mut self, times: [Instant; 2], arrival: Arrival, out: &mut Outbox) {
        let mut frame = self.frame.take().unwrap_or_else(|| self.executor.packet());
        self.requests.clear();
        let ran = self.pass_ingress(times, &arrival, &mut frame);
        self.frame = Some(frame);
        let mut requests = std::mem::take(&mut self.requests);
        self.send_digests(&mut requests, out);
        match ran {
            Ok(decided) => self.settle(arrival, decided, &requests, out),
            Err((reason, block)) => self.discard((arrival.packet, arrival.pass), reason, block, out),
        }
        requests.clear();
        self.requests = requests;
    }

    fn pass_ingress(
        &mut self,
        [now, taken]: [Instant; 2],
        arrival: &Arrival,
        frame: &mut E::Packet,
    ) -> Result<Decided, Failed> {
        let length = arrival.packet.len();
        let pass = Pass { taken, pipe: pipe_of(arrival.port), length, traced: arrival.pass };
        let Layout { ingress: gress, in_front, sees_parser_error, decisions: own, .. } = *self.layout(pass.pipe);
        let known = Known {
            now,
            resubmitted: arrival.resubmitted.is_some(),
            arrival_port: arrival.port,
            length,
            ..Known::default()
        };
        self.front.clear();
        front::write(in_front.ingress, &known, &mut self.front);
        let port_metadata = self.front.len() + in_front.port_metadata.div_ceil(8) as usize;
        match &arrival.resubmitted {
            Some(data) => self.front.extend_from_slice(data),
            // What a port has of its own is set with the port; ports and their settings are in the same order.
            None => {
                let own =
                    self.ports.place(arrival.port).and_then(|place| self.settings.ports.get(usize::from(place.0)));
                self.front.extend(own.iter().flat_map(|own| &own.metadata));
            }
        }
        self.front.resize(port_metadata, 0);
        self.load(frame, &arrival.packet);
        self.tell(frame, pass, |points| &points.before_parser, ErrorId::NO_ERROR);
        self.tell_last_update(frame, pass.pipe);
        let error = self.parse(pass, gress, frame)?;
        if error != ErrorId::NO_ERROR && !sees_parser_error {
            return Err((reasons::PARSER_ERROR, gress.parser.0));
        }
        self.tell(frame, pass, |points| &points.after_parser, error);
        self.run(pass, gress.control, frame)?;
        self.run(pass, gress.deparser, frame)?;
        let decided = |variable| Self::decided(frame, variable);
        let port = own.port.map(|port| frame.low(port)).filter(|&port| port != own.no_port);
        let side = Side {
            from: arrival.port,
            queue: decided(own.queue) as u8,
            class_of_service: decided(own.class_of_service) as u8,
            color: color(self.architecture().colors, decided(own.color)),
            bypasses_egress: decided(own.bypass_egress) != 0,
            deflects: decided(own.deflect_on_drop) != 0,
            rounds: arrival.rounds,
            pass: arrival.pass,
            ..Side::default()
        };
        let mut packet = self.written(frame, &arrival.packet);
        Self::cut(frame, own.greatest_lengths[0], &mut packet);
        Ok(Decided {
            packet,
            directions: Self::directions(frame, own.mirrors[0].as_ref()),
            side,
            drops: decided(own.ingress_drop),
            port: port.map(|port| port as u32),
            selection: Self::selection(frame, &own.multicast),
            to_cpu: (decided(own.copy_to_cpu) != 0).then(|| decided(own.cpu_class_of_service) as u8),
        })
    }

    /// Sets what the chip tells the program at a point of the way.
    pub(super) fn tell(
        &self,
        frame: &mut E::Packet,
        pass: Pass,
        point: impl FnOnce(&Points<Vec<(VariableId, IntrinsicValue)>>) -> &[(VariableId, IntrinsicValue)],
        error: ErrorId,
    ) {
        let layout = self.layout(pass.pipe);
        for &(variable, value) in point(&layout.metadata) {
            let value = match value {
                IntrinsicValue::Nanoseconds => front::nanoseconds(pass.taken),
                IntrinsicValue::Constant(value) => value,
                IntrinsicValue::ParserErrorBits(bits) => {
                    let name = self.executor.program().errors.get(error.0 as usize);
                    let known = bits.iter().find(|(known, _)| name.is_some_and(|name| name == known));
                    known.map_or(0, |(_, bit)| *bit)
                }
                // Architectures that pass bytes to egress have no others.
                _ => 0,
            };
            frame.set(variable, value & runtime::arithmetic::mask(layout.width(variable).min(64)));
        }
    }

    /// Carries out what ingress decided: mirrored packets first, then a resubmission, or else the copies of the packet.
    fn settle(&mut self, arrival: Arrival, decided: Decided, requests: &[Request], out: &mut Outbox) {
        for request in requests {
            if let Request::Mirror { session, data } = request {
                // What is mirrored in ingress is the packet as it arrived, unless the program asks for what it has written.
                let directions = &decided.directions;
                let leaves = directions.as_they_leave == Some(true);
                let packet = if leaves { &decided.packet } else { &arrival.packet };
                let origin = Origin::IngressClone { session: *session };
                self.mirror((*session, data), (Direction::Ingress, directions), packet, decided.side, origin, out);
            }
        }
        let resubmits = requests.iter().rev().find_map(|request| match request {
            Request::Resubmit { data, .. } => Some(data.clone()),
            _ => None,
        });
        let drops_packet = decided.drops & 1 != 0;
        if let (Some(data), false) = (resubmits, drops_packet) {
            if arrival.resubmitted.is_some() {
                let block = self.ingress_deparser();
                return self.discard((arrival.packet, arrival.pass), reasons::RESUBMIT_LIMIT, block, out);
            }
            self.statistics.resubmissions += 1;
            let pass = self.fork(arrival.pass, Origin::Resubmitted, &arrival.packet);
            return self.plan(self.passed, Job::Ingress(Arrival { resubmitted: Some(data), pass, ..arrival }));
        }
        let targets = self.targets(&decided, drops_packet);
        self.spread(decided.packet, decided.side, targets, drops_packet, out);
    }

    /// Returns the copies of a packet: to its port, to the replicas of its groups, and to the CPU; or the reason why one
    /// of them fails.
    fn targets(&mut self, decided: &Decided, drops_packet: bool) -> Vec<Result<Target, Reason>> {
        let mut targets = Vec::new();
        if !drops_packet {
            targets.extend(decided.port.map(|port| Ok(Target::to(port))));
            self.replicate(&decided.selection, &mut targets);
        }
        if let (Some(class), 0) = (decided.to_cpu, decided.drops & 2) {
            targets.push(Ok(self.to_cpu(class)));
        }
        targets
    }

    /// Sends digests, and removes them from the requests.
    pub(super) fn send_digests(&mut self, requests: &mut Vec<Request>, out: &mut Outbox) {
        requests.retain_mut(|request| {
            let Request::Digest { digest, values } = request else { return true };
            self.statistics.digests += 1;
            send_digest(&mut self.digests, *digest, std::mem::take(values), out);
            false
        });
    }
}

/// Returns a colour by its number in the architecture.
fn color([green, yellow, _]: [u64; 3], number: u64) -> PacketColor {
    match number {
        number if number == green => PacketColor::Green,
        number if number == yellow => PacketColor::Yellow,
        _ => PacketColor::Red,
    }
}
