//! The pre-processor and the post-processor: what is done with packets before a core works on them, and behind it.

use std::collections::VecDeque;
use std::sync::Arc;

use basis::Instant;
use measure::Counts;
use node::{Burst, Outbox, Port, Reason};
use wire::Packet;

use super::arrive::Parsed;
use super::leave::Way;
use super::made::{Made, Outcome};
use super::{VnicCounts, add};
use crate::action::Action;
use crate::bindings::BindingChange;
use crate::configuration::Underlay;
use crate::congestion::{Congestion, Rings};
use crate::encryption::Associations;
use crate::events::Events;
use crate::flow_log::{FarEnd, FlowLogger, FlowPart, RecordedSession};
use crate::fragments::Fragments;
use crate::metadata::{Metadata, Subject};
use crate::policy::{Origin, Policy};
use crate::preprocessor::headers::HeaderReader;
use crate::preprocessor::{FlowIndex, Queues, Ways};
use crate::reasons;
use crate::reliable::Reliable;
use crate::session::FlowHasher;
use crate::underlay::{PathChange, Paths, Waiting as WaitingPacket};

/// Everything of a switch that is not of a core. It is one, whatever the number of cores: order, numbers and counts that tenants
/// share are made here.
#[derive(Debug)]
pub(super) struct Edge {
    pub policy: Arc<Policy>,
    pub hasher: FlowHasher,
    pub fragments: Fragments,
    pub of_vnics: Vec<VnicCounts>,
    pub drops: Counts<Reason>,
    /// The packets that were made here, those that were made of others, and those that were for the switch.
    pub generated: u64,
    pub replicated: u64,
    pub consumed: u64,
    pub reader: HeaderReader,
    pub flow_index: Option<FlowIndex>,
    pub associations: Associations,
    pub reliable: Reliable,
    pub congestion: Option<Congestion>,
    /// The levels of the rings of cores, if whoever runs them brings packets to rings.
    pub rings: Rings,
    pub events: Events,
    /// The changes of bindings that nobody has taken yet, if somebody keeps them.
    pub bindings: Option<Vec<BindingChange>>,
    pub flow_log: Option<FlowLogger>,
    pub paths: Paths,
    pub path_changes: VecDeque<PathChange>,
    /// Packets that have waited in vain for neighbours on the underlay, and are still to be discarded.
    pub in_vain: Vec<WaitingPacket>,
    /// The cores of flows, if there are several.
    pub queues: Option<Arc<Queues>>,
    pub ways: Ways,
    /// The cost of packets that begin datagrams of fragments, until a burst is charged with it.
    pub further_cost: u64,
}

/// The interface that a burst came from.
#[derive(Clone, Copy)]
pub(super) enum Source<'p> {
    /// A vNIC, by its position.
    Vnic(u32),
    /// A path of the underlay, by its position.
    Underlay(&'p Underlay, usize),
    /// No port that the switch has.
    Unknown,
}

impl<'p> Source<'p> {
    pub fn of(policy: &'p Policy, port: Port) -> Self {
        match (policy.vnic_at(port.0), policy.configuration().underlay_at(port)) {
            (Some(vnic), _) => Self::Vnic(vnic),
            (None, Some((underlay, path))) => Self::Underlay(underlay, path),
            (None, None) => Self::Unknown,
        }
    }
}

impl Edge {
    /// Reads the packets of a burst in their order, and gives each that a core has to work on to `work`, with the number of the core. It
    /// answers and discards others itself.
    #[inline]
    pub(super) fn each(
        &mut self,
        now: Instant,
        port: Port,
        burst: &mut Burst,
        out: &mut Outbox,
        work: &mut impl FnMut(&mut Self, &Policy, (u16, Parsed), &mut Outbox),
    ) {
        self.reliable.now = now;
        let policy = Arc::clone(&self.policy);
        let source = Source::of(&policy, port);
        for mut packet in burst.drain(..) {
            packet.sidecar.port = port.0;
            if let Some(prepared) = self.prepare(now, &policy, source, packet, out) {
                work(self, &policy, prepared, out);
            }
        }
    }

    /// Reads a packet, and finds the core that works on it. Returns `None` if no core does: it was answered, taken or discarded.
    #[inline]
    fn prepare(
        &mut self,
        now: Instant,
        policy: &Policy,
        source: Source<'_>,
        packet: Packet,
        out: &mut Outbox,
    ) -> Option<(u16, Parsed)> {
        let mut parsed = match source {
            Source::Vnic(vnic) => self.guest_sends(now, policy, vnic, packet, out)?,
            Source::Underlay(underlay, path) => self.underlay_brings(now, policy, (underlay, path), packet, out)?,
            Source::Unknown => {
                self.discard(None, packet, Reason::NO_SUCH_PORT, out);
                return None;
            }
        };
        if !self.has_first_fragment(now, &mut parsed.metadata) {
            self.discard_parsed(parsed, reasons::FRAGMENT, out);
            return None;
        }
        parsed.metadata.flow = self.flow_index.as_ref().and_then(|index| index.find(parsed.metadata.hash));
        Some((self.core_of(now, policy, &parsed), parsed))
    }

    /// Finds out which datagram a fragment belongs to, and writes the key of its flow into the metadata. Returns false if that is
    /// not known, or if another datagram has its name.
    fn has_first_fragment(&mut self, now: Instant, metadata: &mut Metadata) -> bool {
        match &mut metadata.subject {
            Subject::Flow { key, first_of: Some(identification), .. } => {
                self.further_cost += crate::slow_path::NOTE_COST;
                self.fragments.first(now, *key, *identification)
            }
            Subject::Datagram { key, identification } => {
                let Some(found) = self.fragments.key(now, *key, *identification) else { return false };
                *key = found;
                metadata.hash = self.hasher.hash(&found);
                true
            }
            _ => true,
        }
    }

    /// Returns the number of the core that has the session of a packet, or is to begin it.
    pub(super) fn core_of(&mut self, now: Instant, policy: &Policy, parsed: &Parsed) -> u16 {
        let Some(queues) = &self.queues else { return 0 };
        let Parsed { vpc, ref metadata, .. } = *parsed;
        let key = match metadata.subject {
            Subject::Flow { key, .. } | Subject::Datagram { key, .. } => key,
            Subject::Error { about } => about.reversed(),
        };
        let own = self.ways.find(now, &key, metadata.hash);
        let balanced = || match parsed.origin {
            Origin::Outside => key,
            _ => policy.balanced(vpc, &key),
        };
        own.unwrap_or_else(|| queues.core(&balanced()))
    }

    /// Carries out what a core has made of a packet.
    #[inline]
    pub(super) fn finish(&mut self, now: Instant, policy: &Policy, made: Made, out: &mut Outbox) {
        match made.0 {
            Outcome::Send { origin, sender, way, packet } => {
                if let (Way::Vnic(vnic), Some(sender)) = (way, sender)
                    && self.congestion.is_some()
                    && self.is_congested(now, policy, (origin, sender), (vnic, &packet), out)
                {
                    return self.discard(origin, packet, reasons::NOT_READ, out);
                }
                self.send(policy, origin, way, packet, out);
            }
            Outcome::Discard { origin, packet, reason } => self.discard(origin, packet, reason, out),
            Outcome::Index { hash, update } => {
                if let Some(index) = &mut self.flow_index {
                    index.update(hash, update);
                }
            }
            Outcome::Happened { vnic, kind } => self.events.happens(now, vnic, kind),
            Outcome::Recorded { flow: FlowPart { key, vnic, course, .. }, unlogged, began, peer, goes } => {
                let far = self.far(goes);
                if let Some(log) = &mut self.flow_log {
                    log.record_session(vnic, (key, course), unlogged, RecordedSession { began, peer, far });
                }
            }
            Outcome::Refused { flow, packets } => {
                if let Some(log) = &mut self.flow_log {
                    log.refuse(now, flow, packets);
                }
            }
            Outcome::Way { key, hash, core } => match core {
                Some(core) => self.ways.enter(key, hash, core),
                None => self.ways.end(now, key, hash),
            },
            Outcome::Bound(change) => self.bindings.iter_mut().for_each(|changes| changes.push(change)),
        }
    }

    /// Returns where packets go by the last action on them, and the hash of their flow.
    fn far(&self, (last, hash): (Option<Action>, u64)) -> FarEnd {
        match last {
            Some(Action::Deliver { vnic }) => FarEnd::Vnic(vnic),
            Some(Action::Encapsulate { remote, .. }) => FarEnd::Endpoint(remote, self.paths.choose(hash)),
            Some(Action::Leave { .. }) => FarEnd::Outside(self.paths.choose(hash)),
            _ => FarEnd::Unknown,
        }
    }

    /// Forgets the ways of flows, and brings each to the core that its hash gives, of those that there are now.
    pub(super) fn sort_anew(&mut self, queues: Option<Arc<Queues>>) {
        (self.queues, self.ways) = (queues, Ways::new(self.hasher));
        // Flow ids of one core mean nothing to another one.
        if let Some(index) = &mut self.flow_index {
            index.clear();
        }
    }

    /// Discards a packet that was read.
    pub(super) fn discard_parsed(&mut self, parsed: Parsed, reason: Reason, out: &mut Outbox) {
        let origin = Some(parsed.origin);
        parsed.packet.into_iter().for_each(|packet| self.discard(origin, packet, reason, out));
    }

    pub(super) fn discard(&mut self, origin: Option<Origin>, packet: Packet, reason: Reason, out: &mut Outbox) {
        if let Some(Origin::Vnic(vnic)) = origin {
            add(&mut self.of_vnics[vnic as usize].dropped, &packet);
        }
        self.drops.add(reason);
        match origin {
            // A core may have worked on it for longer than the call that it came in.
            Some(_) => out.discard_from(Port(packet.sidecar.port), packet, reason),
            None => out.discard(packet, reason),
        }
    }
}
