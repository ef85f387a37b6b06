//! The virtual switch: one path for every packet.

use std::sync::Arc;

use basis::Instant;
use measure::Counts;
use node::{Account, Burst, Control, Node, Outbox, Port, Reason};
use wire::{Layers, Packet};

use crate::action::Action;
use crate::action_lists::{ActionLists, ListNumber};
use crate::configuration::{Configuration, Underlay, address, number};
use crate::metadata::Metadata;
use crate::overlay::{Outer, decapsulate, encapsulate};
use crate::policy::{Decided, Hop, Origin, Policy};
use crate::reasons;
use crate::responder::{Answered, answer, answer_echo};
use crate::rewrite::{decrement_time_to_live, set_ethernet};
use crate::session::{Count, Ended, FlowHasher, FlowId, Judged, NewSession, Session, SessionTable};

/// What was decided about a session.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// Where the packet that began it came from.
    pub origin: Origin,
    /// The position of its VPC.
    pub vpc: u32,
    actions: [ListNumber; 2],
}

/// What has passed between the switch and a vNIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VnicCounts {
    /// What the guest has sent.
    pub sent: Count,
    /// What the guest has been given.
    pub received: Count,
    /// What was discarded of what the guest has sent, or was to be given.
    pub dropped: Count,
}

/// A virtual switch. It draws no random numbers; whoever makes it gives it the key of its hash.
#[derive(Debug)]
pub struct VirtualSwitch {
    policy: Arc<Policy>,
    sessions: SessionTable<Verdict>,
    lists: ActionLists,
    of_vnics: Vec<VnicCounts>,
    drops: Counts<Reason>,
    generated: u64,
    consumed: u64,
    /// The number of packets that were decided by the policy tables, and not by a session.
    slow: u64,
}

impl VirtualSwitch {
    /// Creates the switch of a configuration.
    pub fn new(configuration: Configuration, keys: [u64; 2]) -> Self {
        let sessions = SessionTable::new(configuration.limits, configuration.timeouts, FlowHasher::new(keys));
        let of_vnics = vec![VnicCounts::default(); configuration.vnics.len()];
        Self {
            policy: Arc::new(Policy::of(configuration, 0)),
            sessions,
            lists: ActionLists::default(),
            of_vnics,
            drops: Counts::default(),
            generated: 0,
            consumed: 0,
            slow: 0,
        }
    }

    /// Returns the policy tables.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the sessions.
    pub fn sessions(&self) -> impl Iterator<Item = (FlowId, &Session<Verdict>)> {
        self.sessions.iter()
    }

    /// Returns what has passed between the switch and a vNIC, by its position.
    pub fn counts_of(&self, vnic: u32) -> VnicCounts {
        self.of_vnics[vnic as usize]
    }

    /// Returns the number of discarded packets by reason.
    pub fn drops(&self) -> &Counts<Reason> {
        &self.drops
    }

    /// Returns the number of packets that were decided by the policy tables, and not by a session.
    pub fn slow_path_packets(&self) -> u64 {
        self.slow
    }

    /// Handles a packet that a guest sends.
    fn guest_sends(&mut self, now: Instant, vnic: u32, packet: Packet, out: &mut Outbox) {
        let bytes = packet.len() as u64;
        let policy = Arc::clone(&self.policy);
        let own = &policy.configuration().vnics[vnic as usize];
        add(&mut self.of_vnics[vnic as usize].sent, bytes);
        let layers = Layers::of(&packet);
        match answer(&policy, vnic, &packet, &layers) {
            None => {}
            Some(Answered::With(reply)) => {
                self.consumed += 1;
                self.generated += 1;
                return self.deliver(vnic, reply, out);
            }
            Some(Answered::WithNothing) => return self.consumed += 1,
            Some(Answered::Spoofed) => return self.discard(Some(vnic), packet, reasons::SPOOFED, out),
            Some(Answered::Malformed) => return self.discard(Some(vnic), packet, Reason::MALFORMED, out),
        }
        let head = packet.head.bytes();
        let is_group = head.first().is_some_and(|first| first & 1 != 0);
        if is_group || layers.outer_vlan.is_some() {
            return self.discard(Some(vnic), packet, reasons::NOT_UNICAST_IP, out);
        }
        let vpc = own.vpc as u32;
        let metadata = match Metadata::read(&packet, layers, policy.vni(vpc)) {
            Ok(metadata) => metadata,
            Err(reason) => return self.discard(Some(vnic), packet, reason, out),
        };
        let is_own = own.addresses.iter().any(|address| number(*address) == metadata.key.source);
        if head[6..12] != own.mac || !is_own {
            return self.discard(Some(vnic), packet, reasons::SPOOFED, out);
        }
        self.forward(now, Origin::Vnic(vnic), vpc, &metadata, packet, out);
    }

    /// Handles a packet that another switch sends.
    fn underlay_brings(&mut self, now: Instant, underlay: &Underlay, mut packet: Packet, out: &mut Outbox) {
        let tunnel = match decapsulate(&mut packet) {
            Ok(tunnel) => tunnel,
            Err(reason) => return self.discard(None, packet, reason, out),
        };
        let [remote, own] = tunnel.addresses;
        let vpc = self.policy.vpc(tunnel.vni).filter(|&vpc| self.policy.knows_endpoint(vpc, number(remote)));
        let Some(vpc) = vpc.filter(|_| underlay.addresses.contains(&own)) else {
            return self.discard(None, packet, reasons::UNKNOWN_TUNNEL, out);
        };
        match Metadata::read(&packet, tunnel.layers, tunnel.vni) {
            Ok(metadata) => self.forward(now, Origin::Endpoint(number(remote)), vpc, &metadata, packet, out),
            Err(reason) => self.discard(None, packet, reason, out),
        }
    }

    /// Finds the session of a packet, or begins it, and does what was decided.
    fn forward(
        &mut self,
        now: Instant,
        origin: Origin,
        vpc: u32,
        metadata: &Metadata,
        mut packet: Packet,
        out: &mut Outbox,
    ) {
        let sender = match origin {
            Origin::Vnic(vnic) => Some(vnic),
            Origin::Endpoint(_) => None,
        };
        if sender.is_some()
            && self.policy.hop(vpc, metadata.key.destination) == Some(Hop::Gateway)
            && answer_echo(&mut packet, &metadata.layers)
        {
            self.consumed += 1;
            self.generated += 1;
            return self.deliver(sender.unwrap_or_default(), packet, out);
        }
        let hash = self.sessions.hash(&metadata.key);
        let flow = match self.flow(now, origin, vpc, metadata, hash) {
            Ok(flow) => flow,
            Err(reason) => return self.discard(sender, packet, reason, out),
        };
        let judged = self.sessions.packet(now, flow, packet.len() as u64, metadata.segment.as_ref());
        if judged == Judged::ResetOutOfWindow {
            return self.discard(sender, packet, reasons::OUT_OF_WINDOW, out);
        }
        let Some(session) = self.sessions.get(flow) else { return };
        let list = session.decision.actions[flow.direction()];
        self.act(list, sender, vpc, metadata, hash, packet, out);
    }

    /// Returns the flow of a packet: that of its session, if the session was decided by today's tables, and else one that the
    /// tables allow.
    fn flow(
        &mut self,
        now: Instant,
        origin: Origin,
        vpc: u32,
        metadata: &Metadata,
        hash: u64,
    ) -> Result<FlowId, Reason> {
        if let Some(flow) = self.sessions.find(&metadata.key, hash) {
            let Some(session) = self.sessions.get(flow) else { return Err(reasons::NO_ROUTE) };
            let is_over = metadata.segment.as_ref().is_some_and(|segment| session.tcp.is_replaced_by(segment));
            if session.epoch == self.policy.epoch() && !is_over {
                return Ok(flow);
            }
            if !is_over {
                return self.decide_anew(flow);
            }
            self.end(flow);
        }
        self.slow += 1;
        let decided = self.policy.decide(origin, vpc, metadata.key).map_err(|denied| denied.reason)?;
        self.begin(now, origin, vpc, decided)
    }

    fn begin(&mut self, now: Instant, origin: Origin, vpc: u32, decided: Decided) -> Result<FlowId, Reason> {
        let Decided { keys, actions, owner } = decided;
        let actions = actions.map(|actions| self.lists.hold(&actions));
        let decision = Verdict { origin, vpc, actions };
        let new = NewSession { keys, decision, owner, epoch: self.policy.epoch() };
        let mut ended = Vec::new();
        let begun = self.sessions.insert(now, new, &mut |session, _| ended.push(session.decision));
        ended.into_iter().for_each(|decision| self.release(decision));
        begun.map_err(|(_, decision)| {
            self.release(decision);
            reasons::TOO_MANY_SESSIONS
        })
    }

    /// Decides a session of an older epoch by today's tables. It ends if they do not allow it.
    fn decide_anew(&mut self, flow: FlowId) -> Result<FlowId, Reason> {
        self.slow += 1;
        let Some(session) = self.sessions.get(flow) else { return Err(reasons::NO_ROUTE) };
        let Verdict { origin, vpc, .. } = session.decision;
        let decided = self.policy.decide(origin, vpc, session.keys[0]);
        match decided {
            Ok(Decided { actions, .. }) => {
                let actions = actions.map(|actions| self.lists.hold(&actions));
                let epoch = self.policy.epoch();
                if let Some(decision) = self.sessions.decision_mut(flow, epoch) {
                    let old = std::mem::replace(&mut decision.actions, actions);
                    old.into_iter().for_each(|list| self.lists.release(list));
                }
                Ok(flow)
            }
            Err(denied) => {
                self.end(flow);
                Err(denied.reason)
            }
        }
    }

    fn end(&mut self, flow: FlowId) {
        if let Some(session) = self.sessions.remove(flow) {
            self.release(session.decision);
        }
    }

    fn release(&mut self, decision: Verdict) {
        decision.actions.into_iter().for_each(|list| self.lists.release(list));
    }

    /// Carries out a list of actions.
    #[expect(clippy::too_many_arguments, reason = "everything that is known of a packet")]
    fn act(
        &mut self,
        list: ListNumber,
        sender: Option<u32>,
        vpc: u32,
        metadata: &Metadata,
        hash: u64,
        mut packet: Packet,
        out: &mut Outbox,
    ) {
        for place in 0.. {
            let Some(&action) = self.lists.get(list).get(place) else { break };
            match action {
                Action::DecrementTimeToLive => {
                    if let Err(reason) = decrement_time_to_live(&mut packet, &metadata.layers) {
                        return self.discard(sender, packet, reason, out);
                    }
                }
                Action::Deliver { vnic } => {
                    let configuration = self.policy.configuration();
                    let (gateway, own) =
                        (configuration.vpcs[vpc as usize].gateway_mac, &configuration.vnics[vnic as usize]);
                    set_ethernet(&mut packet, gateway, own.mac);
                    return self.deliver(vnic, packet, out);
                }
                Action::Encapsulate { vni, remote, mac, mtu } => {
                    let policy = Arc::clone(&self.policy);
                    let configuration = policy.configuration();
                    set_ethernet(&mut packet, configuration.vpcs[vpc as usize].gateway_mac, mac);
                    if metadata.ip_length() > mtu as usize {
                        return self.discard(sender, packet, reasons::TOO_LONG, out);
                    }
                    let underlay = configuration.underlay.as_ref();
                    let own = underlay.and_then(|underlay| underlay.own(address(remote)));
                    let (Some(underlay), Some(own)) = (underlay, own) else {
                        return self.discard(sender, packet, reasons::NO_ROUTE, out);
                    };
                    if !packet.complete_checksum() {
                        return self.discard(sender, packet, Reason::MALFORMED, out);
                    }
                    let outer = Outer {
                        ethernet: [underlay.mac, underlay.next_hop],
                        addresses: [own, address(remote)],
                        vni,
                        hash,
                    };
                    if encapsulate(&mut packet, &metadata.layers, &outer) {
                        out.transmit(underlay.port, packet);
                        return;
                    }
                    break;
                }
            }
        }
        self.discard(sender, packet, reasons::NO_ROUTE, out);
    }

    fn deliver(&mut self, vnic: u32, packet: Packet, out: &mut Outbox) {
        add(&mut self.of_vnics[vnic as usize].received, packet.len() as u64);
        out.transmit(self.policy.configuration().vnics[vnic as usize].port, packet);
    }

    fn discard(&mut self, vnic: Option<u32>, packet: Packet, reason: Reason, out: &mut Outbox) {
        if let Some(vnic) = vnic {
            add(&mut self.of_vnics[vnic as usize].dropped, packet.len() as u64);
        }
        self.drops.add(reason);
        out.discard(packet, reason);
    }

    /// Ends the sessions whose time has come, and asks for the next call.
    fn rest(&mut self, now: Instant, out: &mut Outbox) {
        let mut ended = Vec::new();
        self.sessions.expire(now, &mut |session: Session<Verdict>, _: Ended| ended.push(session.decision));
        ended.into_iter().for_each(|decision| self.release(decision));
        match self.sessions.deadline() {
            Some(deadline) => out.wake_at(deadline.max(now)),
            None => out.sleep(),
        }
    }
}

impl Node for VirtualSwitch {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        let policy = Arc::clone(&self.policy);
        let underlay = policy.configuration().underlay.as_ref().filter(|underlay| underlay.port == port);
        for packet in burst.drain(..) {
            match (policy.vnic_at(port.0), underlay) {
                (Some(vnic), _) => self.guest_sends(now, vnic, packet, out),
                (None, Some(underlay)) => self.underlay_brings(now, underlay, packet, out),
                (None, None) => self.discard(None, packet, Reason::NO_SUCH_PORT, out),
            }
        }
        self.rest(now, out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.rest(now, out);
    }

    fn control(&mut self, now: Instant, _request: Control, out: &mut Outbox) {
        self.rest(now, out);
    }
}

impl VirtualSwitch {
    /// Returns what became of packets inside the switch, none of which waits there.
    pub fn account(&self) -> Account {
        Account { generated: self.generated, replicated: 0, consumed: self.consumed, held: 0 }
    }
}

fn add(count: &mut Count, bytes: u64) {
    count.packets += 1;
    count.bytes += bytes;
}
