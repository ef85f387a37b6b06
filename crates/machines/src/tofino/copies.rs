//! Copies in the traffic manager: of packets, and for mirror sessions.

use node::{Outbox, Reason};

use super::ingress::Target;
use super::item::Side;
use super::reasons;
use super::switch::{Job, Tofino};
use crate::blocks::Executor;
use crate::trace::Origin;

impl<E: Executor> Tofino<E> {
    /// Sends the copies of a packet to the queues of their ports. Without any, the packet is discarded.
    pub(super) fn spread(
        &mut self,
        packet: wire::Packet,
        side: Side,
        targets: Vec<Result<Target, Reason>>,
        drops_packet: bool,
        out: &mut Outbox,
    ) {
        let block = self.ingress_deparser();
        let Some((&last, others)) = targets.split_last() else {
            let reason = if drops_packet { Reason::PROGRAM } else { reasons::NO_DESTINATION };
            return self.discard((packet, side.pass), reason, block, out);
        };
        self.statistics.replicated += others.len() as u64;
        for &target in others {
            let side = self.copied(&packet, side, target);
            self.send(packet.clone(), side, target, block, out);
        }
        let side = if others.is_empty() { side } else { self.copied(&packet, side, last) };
        self.send(packet, side, last, block, out);
    }

    /// Makes the copies of a mirror session: data of the program, and a packet behind them.
    pub(super) fn mirror(
        &mut self,
        (session, data): (u32, &[u8]),
        packet: &wire::Packet,
        side: Side,
        origin: Origin,
        out: &mut Outbox,
    ) {
        let mut copy = wire::Packet::of_parts(data, packet.head.bytes(), packet.tail.clone(), packet.sidecar);
        let block = self.ingress_deparser();
        let pass = self.fork(side.pass, origin, &copy);
        let Some(known) = self.replication.session(session) else {
            self.count_mirrored(1);
            return self.discard((copy, pass), reasons::UNKNOWN_MIRROR_SESSION, block, out);
        };
        if let Some(most) = known.maximum_length {
            // A session cuts the packet with the data in front of it.
            copy.truncate(most as usize);
        }
        let queue = known.class_of_service as u8;
        let replicas: Vec<control::Replica> = self.replication.clones(session).collect();
        if side.rounds >= self.parameters.rounds || replicas.is_empty() {
            self.count_mirrored(1);
            let reason = if replicas.is_empty() { reasons::UNKNOWN_MULTICAST_GROUP } else { reasons::ROUND_LIMIT };
            return self.discard((copy, pass), reason, block, out);
        }
        self.count_mirrored(replicas.len() as u64);
        let side = Side { from: side.from, queue, rounds: side.rounds + 1, pass, ..Side::default() };
        for (place, replica) in replicas.iter().enumerate() {
            let target = Target { port: replica.port, replica: replica.instance, is_first: place == 0 };
            let side = if replicas.len() == 1 { side } else { self.copied(&copy, side, Ok(target)) };
            self.send(copy.clone(), side, Ok(target), block, out);
        }
    }

    /// Reports to the recorder that a copy begins, and returns what the traffic manager knows about it.
    fn copied(&mut self, packet: &wire::Packet, side: Side, target: Result<Target, Reason>) -> Side {
        let Ok(Target { port, replica: instance, .. }) = target else { return side };
        Side { pass: self.fork(side.pass, Origin::Copy { port, instance }, packet), ..side }
    }

    fn count_mirrored(&mut self, copies: u64) {
        self.statistics.mirrored += copies;
        self.statistics.replicated += copies;
    }

    fn send(
        &mut self,
        packet: wire::Packet,
        side: Side,
        target: Result<Target, Reason>,
        block: &'static str,
        out: &mut Outbox,
    ) {
        match target.and_then(|target| self.count_copy().map(|()| target)) {
            // Deferred, because the queues may be in the middle of a call.
            Ok(target) => self.jobs.push_back(Job::Queue(target.item(packet, side), target.port)),
            Err(reason) => self.discard((packet, side.pass), reason, block, out),
        }
    }
}
