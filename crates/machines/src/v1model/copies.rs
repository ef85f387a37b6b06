//! The packet replication engine and the way to the queues: clones, and copies for multicast groups.

use arch::Instance;
use basis::Instant;
use control::Replica;
use node::{Outbox, Reason};

use super::metadata::PacketProperties;
use super::reasons;
use super::switch::{Job, Switch};
use super::trace::Origin;
use super::traveller::Traveller;
use crate::blocks::Executor;
use crate::blocks::Frame;

impl<E: Executor> Switch<E> {
    /// Makes the clones of a packet as it was at the beginning of ingress, parses them again and sends them to egress.
    pub(super) fn clone_of_ingress(
        &mut self,
        now: Instant,
        original: &Traveller<E::Packet>,
        session: u32,
        keep: Option<usize>,
        out: &mut Outbox,
    ) {
        let mut clone = self.spare();
        clone.begins_like(original);
        self.keep(keep, &original.packet, &mut clone.packet);
        self.fork(&mut clone, Origin::IngressClone { session });
        let replicas = match self.replicas(session, &mut clone) {
            Ok(replicas) => replicas,
            Err(reason) => return self.no_clone(clone, reason, out),
        };
        self.begin(&mut clone, Instance::IngressClone);
        if let Err(reason) = self.parse(now, &mut clone) {
            return self.no_clone(clone, reason, out);
        }
        // The clone's parser must not make requests on behalf of the original.
        self.requests.clear();
        // The kept fields have their final values of ingress, whatever the clone's parser assigned to them.
        self.keep(keep, &original.packet, &mut clone.packet);
        self.statistics.clones += replicas.len() as u64;
        self.statistics.replicated += replicas.len() as u64;
        self.spread(clone, &replicas, out);
    }

    /// Makes the clones of a packet as it was at the end of egress and sends them to egress again without parsing.
    pub(super) fn clone_of_egress(
        &mut self,
        original: &Traveller<E::Packet>,
        session: u32,
        keep: Option<usize>,
        out: &mut Outbox,
    ) {
        let mut clone = self.copy(original);
        self.layout.reset_metadata(&mut clone.packet);
        self.keep(keep, &original.packet, &mut clone.packet);
        clone.way.rounds += 1;
        self.fork(&mut clone, Origin::EgressClone { session });
        let replicas = match self.replicas(session, &mut clone) {
            Ok(replicas) => replicas,
            Err(reason) => return self.no_clone(clone, reason, out),
        };
        if original.way.rounds >= self.parameters.rounds {
            return self.no_clone(clone, reasons::CLONE_LIMIT, out);
        }
        self.begin(&mut clone, Instance::EgressClone);
        self.statistics.clones += replicas.len() as u64;
        self.statistics.replicated += replicas.len() as u64;
        self.spread(clone, &replicas, out);
    }

    /// Makes a copy for each member of a multicast group; the packet itself goes nowhere else.
    pub(super) fn multicast(&mut self, mut traveller: Box<Traveller<E::Packet>>, group: u32, out: &mut Outbox) {
        self.note(traveller.way.pass, |recorder| recorder.multicast(group));
        let Some(replicas) = self.replication.group(group) else {
            return self.discard(traveller, reasons::UNKNOWN_MULTICAST_GROUP, out);
        };
        if replicas.is_empty() {
            return self.discard(traveller, reasons::EMPTY_MULTICAST_GROUP, out);
        }
        let replicas = replicas.to_vec();
        self.statistics.replicated += replicas.len() as u64 - 1;
        let known = PacketProperties { instance: Instance::Replicated, ..PacketProperties::default() };
        self.assign_metadata(&self.layout.intrinsics.metadata.after_ingress, &mut traveller, known);
        self.spread(traveller, &replicas, out);
    }

    /// Sends a packet to the queue of a port.
    fn enqueue(&mut self, mut traveller: Box<Traveller<E::Packet>>, port: u64, out: &mut Outbox) {
        if self.buffer.is_some() {
            // Defer this, because the queues may be in the middle of a call.
            return self.queue.push_back(Job::Queue(traveller, port));
        }
        match self.admit(&mut traveller, port) {
            Ok(port) => self.queue.push_back(Job::Egress(traveller, port)),
            Err(reason) => self.discard(traveller, reason, out),
        }
    }

    /// Sends a packet to the queue of a port when nothing else is enqueued after it. If nothing waits, it goes through
    /// egress at once.
    #[inline(always)]
    pub(super) fn pass_queue(
        &mut self,
        now: Instant,
        mut traveller: Box<Traveller<E::Packet>>,
        port: u64,
        out: &mut Outbox,
    ) {
        if !self.queue.is_empty() {
            return self.enqueue(traveller, port, out);
        }
        if self.buffer.is_some() {
            return self.offer(now, traveller, port, out);
        }
        match self.admit(&mut traveller, port) {
            Ok(port) => self.egress_at_once(now, traveller, port, out),
            Err(reason) => self.discard(traveller, reason, out),
        }
    }

    /// Accounts for a packet that reaches the queue of a port. Returns the port, or the reason why the packet is
    /// discarded.
    #[inline(always)]
    fn admit(&mut self, traveller: &mut Traveller<E::Packet>, port: u64) -> Result<u32, Reason> {
        if self.recorder.is_some() {
            let instance = self.layout.intrinsics.copy.get(&traveller.packet);
            self.note(traveller.way.pass, |recorder| recorder.queued(port, instance));
        }
        let port = match u32::try_from(port) {
            Ok(port) if port < self.layout.ports.usable => port,
            _ => return Err(Reason::NO_SUCH_PORT),
        };
        self.count_copy()?;
        let waiting = self.waiting[port as usize].into();
        let known = PacketProperties { port: port.into(), waiting, ..PacketProperties::default() };
        self.assign_metadata(&self.layout.intrinsics.metadata.before_queue, traveller, known);
        self.waiting[port as usize] += 1;
        Ok(port)
    }

    /// Counts a copy that goes to egress; fails if there are too many.
    #[inline]
    pub(super) fn count_copy(&mut self) -> Result<(), Reason> {
        if self.copies > self.parameters.copies {
            return Err(reasons::COPY_LIMIT);
        }
        self.copies += 1;
        Ok(())
    }

    /// Copies the variables of a field list from one packet to another.
    pub(super) fn keep(&self, list: Option<usize>, from: &E::Packet, to: &mut E::Packet) {
        let Some(list) = list.and_then(|list| self.executor.program().field_lists.get(list)) else { return };
        to.copy_variables(from, &list.variables);
    }

    /// Returns the replicas of a clone session, or the reason why there are none. Sets the maximum length of the clone.
    fn replicas(&self, session: u32, clone: &mut Traveller<E::Packet>) -> Result<Vec<Replica>, Reason> {
        let known = self.replication.session(session).ok_or(reasons::UNKNOWN_CLONE_SESSION)?;
        clone.way.most = known.maximum_length.unwrap_or(u32::MAX);
        if let (1.., Some(queue)) = (known.class_of_service, self.layout.queue) {
            clone.packet.set(queue, known.class_of_service.into());
        }
        let replicas: Vec<Replica> = self.replication.clones(session).collect();
        let lacks_group = known.group.is_some_and(|group| self.replication.group(group).is_none());
        if replicas.is_empty() && lacks_group { Err(reasons::UNKNOWN_MULTICAST_GROUP) } else { Ok(replicas) }
    }

    /// Discards a clone that goes nowhere; it still counts as a clone that the program requested.
    fn no_clone(&mut self, clone: Box<Traveller<E::Packet>>, reason: Reason, out: &mut Outbox) {
        self.statistics.clones += 1;
        self.statistics.replicated += 1;
        self.discard(clone, reason, out);
    }

    /// Sends a copy to the port of each replica, in order.
    fn spread(&mut self, traveller: Box<Traveller<E::Packet>>, replicas: &[Replica], out: &mut Outbox) {
        let Some((last, others)) = replicas.split_last() else { return self.give_back(traveller) };
        for replica in others {
            let copy = self.copy(&traveller);
            self.send_copy(copy, *replica, true, out);
        }
        self.send_copy(traveller, *last, !others.is_empty(), out);
    }

    fn send_copy(&mut self, mut copy: Box<Traveller<E::Packet>>, replica: Replica, is_fork: bool, out: &mut Outbox) {
        if is_fork {
            self.fork(&mut copy, Origin::Copy { port: replica.port, instance: replica.instance });
        }
        self.layout.intrinsics.copy.set(&mut copy.packet, replica.instance.into());
        self.enqueue(copy, replica.port.into(), out);
    }

    /// Returns a copy of a packet with the same headers, metadata and bytes.
    fn copy(&mut self, traveller: &Traveller<E::Packet>) -> Box<Traveller<E::Packet>> {
        let mut copy = self.spare();
        copy.packet.copy_from(&traveller.packet);
        copy.way = traveller.way.copy();
        copy
    }
}
