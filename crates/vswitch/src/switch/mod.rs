//! The virtual switch: one path for every packet.

mod apply;
mod arrive;
mod congest;
mod forward;
mod hand_over;
mod leave;
mod mirror;
mod notify;
mod peek;
mod preprocess;
mod reliably;
mod report;
mod resolve;
mod revive;
mod station;
mod vectors;
mod view;

use std::collections::VecDeque;
use std::sync::Arc;

use basis::Instant;
use measure::Counts;
use node::{Burst, Control, Node, Outbox, Port, Reason};
use runtime::meter::{Meter, MeterRates};
use wire::Packet;

use crate::action_lists::{ActionLists, ListNumber};
use crate::configuration::Configuration;
use crate::congestion::Congestion;
use crate::encryption::Associations;
use crate::events::Events;
use crate::flow_log::FlowLogger;
use crate::fragments::Fragments;
use crate::limiters::{LimiterCounts, Limiters};
use crate::policy::{Origin, Policy};
use crate::preprocessor::headers::Mark;
use crate::reliable::Reliable;
use crate::session::{Count, FlowHasher, FlowId, Session, SessionTable};
use crate::slow_path::Budgets;
use crate::underlay::{PathChange, Paths, Waiting as WaitingPacket};
use apply::Walk;
use preprocess::Hardware;
use vectors::Waiting;

pub use apply::Applied;
pub use peek::{Found, Peeked};
pub use view::SessionView;

/// The rate of ICMP errors that the switch sends, and how many it sends at once (RFC 1812, section 4.3.2.8; RFC 4443, section
/// 2.4, f).
const NOTICES: MeterRates = MeterRates { committed_rate: 1000, committed_burst: 100, peak_rate: 1000, peak_burst: 100 };

pub use hand_over::TakenOver;

/// The decision about a session.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// Where the packet that began it came from.
    pub origin: Origin,
    /// The position of its VPC.
    pub vpc: u32,
    /// The positions of the vNICs of this switch at the two ends of the session.
    pub ends: [Option<u32>; 2],
    actions: [ListNumber; 2],
}

/// The packets that have passed between the switch and a vNIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VnicCounts {
    /// What the guest has sent.
    pub sent: Count,
    /// What the guest has been given.
    pub received: Count,
    /// What was discarded of what the guest has sent.
    pub dropped: Count,
}

/// How packets have found their sessions, in the order in which it is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// The packets behind the first of a vector, which were not matched themselves.
    pub by_vector: u64,
    /// Those for which the flow index had the right flow id.
    pub by_flow_id: u64,
    /// Those for which the flow index had the flow id of another flow, or of a session that had ended; they are counted below too.
    pub stale: u64,
    /// Those whose key was found by its hash.
    pub by_hash: u64,
    /// Those that the policy tables have decided about.
    pub by_policy: u64,
}

/// A virtual switch. It draws no random numbers; whoever makes it gives it the key of its hash.
#[derive(Debug)]
pub struct VirtualSwitch {
    policy: Arc<Policy>,
    sessions: SessionTable<Verdict>,
    lists: ActionLists,
    fragments: Fragments,
    of_vnics: Vec<VnicCounts>,
    drops: Counts<Reason>,
    /// The packets that the switch has made itself, those that it has made of others, and those that were for it.
    generated: u64,
    replicated: u64,
    consumed: u64,
    matches: Matches,
    budgets: Budgets,
    /// The further cost of the present burst, in packets that find their session.
    further_cost: u64,
    hardware: Hardware,
    waiting: Waiting,
    notices: Meter,
    limiters: Limiters,
    associations: Associations,
    reliable: Reliable,
    congestion: Option<Congestion>,
    events: Events,
    flow_log: Option<FlowLogger>,
    paths: Paths,
    path_changes: VecDeque<PathChange>,
    /// Packets that have waited in vain for neighbours on the underlay, and are still to be discarded.
    in_vain: Vec<WaitingPacket>,
    /// The number of the slot from which on sessions are still to be recorded when the window of the flow log is over.
    recorded: usize,
    applied: Applied,
    walk: Option<Walk>,
}

impl VirtualSwitch {
    /// Creates the switch of a configuration, with the key of its hash.
    pub fn new(configuration: Configuration, keys: [u64; 2]) -> Self {
        let sessions = SessionTable::new(configuration.limits, configuration.timeouts, FlowHasher::new(keys));
        let of_vnics = vec![VnicCounts::default(); configuration.vnics.len()];
        let hardware = Hardware::new(configuration.path, Mark::of(keys));
        let congestion = configuration.path.congestion.then(Congestion::default);
        let associations = Associations::new(&configuration.encryptions);
        let reliable = Reliable::new(configuration.reliable.clone(), basis::mix(keys[0] ^ keys[1].rotate_left(32)));
        let limiters = Limiters::new(&configuration.limiters);
        let flow_log = configuration.flow_log.as_ref().map(|log| FlowLogger::new(log, &configuration.vnics));
        let budgets = Budgets::new(&configuration.vnics);
        let paths = Paths::new(configuration.underlay.as_ref());
        Self {
            policy: Arc::new(Policy::of(configuration, 0)),
            sessions,
            lists: ActionLists::default(),
            fragments: Fragments::new(FlowHasher::new(keys)),
            of_vnics,
            drops: Counts::default(),
            generated: 0,
            replicated: 0,
            consumed: 0,
            matches: Matches::default(),
            budgets,
            further_cost: 0,
            hardware,
            waiting: Waiting::default(),
            notices: Meter::new(NOTICES).expect("the rates are above 0"),
            limiters,
            associations,
            reliable,
            congestion,
            events: Events::default(),
            flow_log,
            paths,
            path_changes: VecDeque::new(),
            in_vain: Vec::new(),
            recorded: 0,
            applied: Applied::default(),
            walk: None,
        }
    }

    /// Returns the policy tables, which other threads may share.
    pub fn policy(&self) -> &Arc<Policy> {
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

    /// Returns what a limiter has counted, by its position.
    pub fn limiter_counts(&self, limiter: u32) -> LimiterCounts {
        self.limiters.counts(limiter)
    }

    /// Returns the number of discarded packets by reason.
    pub fn drops(&self) -> &Counts<Reason> {
        &self.drops
    }

    /// Returns the number of packets that were decided by the policy tables, and not by a session.
    pub fn slow_path_packets(&self) -> u64 {
        self.matches.by_policy
    }

    /// Returns how packets have found their sessions.
    pub fn matches(&self) -> Matches {
        self.matches
    }

    /// Ends the sessions whose time has come, and asks for the next call.
    fn rest(&mut self, now: Instant, out: &mut Outbox) {
        let mut ended = Vec::new();
        self.sessions.expire(now, &mut |session, _| ended.push(session));
        ended.into_iter().for_each(|session| self.retire(session));
        let (report, walk, tend) = (self.report(now), self.walk(now), self.tend(now, out));
        let underlay = self.ask_neighbours(now, out);
        match [self.sessions.deadline(), report, walk, tend, underlay].into_iter().flatten().min() {
            Some(deadline) => out.wake_at(deadline.max(now)),
            None => out.sleep(),
        }
    }

    fn discard(&mut self, origin: Option<Origin>, packet: Packet, reason: Reason, out: &mut Outbox) {
        if let Some(Origin::Vnic(vnic)) = origin {
            add(&mut self.of_vnics[vnic as usize].dropped, &packet);
        }
        self.drops.add(reason);
        out.discard(packet, reason);
    }
}

impl Node for VirtualSwitch {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.reliable.now = now;
        let policy = Arc::clone(&self.policy);
        let vnic = policy.vnic_at(port.0);
        let underlay = policy.configuration().underlay_at(port);
        for packet in burst.drain(..) {
            let parsed = match (vnic, underlay) {
                (Some(vnic), _) => self.guest_sends(now, &policy, vnic, packet, out),
                (None, Some(underlay)) => self.underlay_brings(now, &policy, underlay, packet, out),
                (None, None) => {
                    self.discard(None, packet, Reason::NO_SUCH_PORT, out);
                    continue;
                }
            };
            let Some(mut parsed) = parsed else { continue };
            self.preprocess(now, &mut parsed);
            if self.hardware.has_vectors() {
                self.gather(now, &policy, parsed, out);
            } else {
                self.forward(now, &policy, &mut parsed, out);
            }
        }
        self.forward_vectors(now, &policy, out);
        let further_cost = std::mem::take(&mut self.further_cost);
        if vnic.is_some() {
            // Behind the interface of the underlay are many tenants, who should not wait for what one of them costs.
            out.charge(further_cost);
        }
        if let (Some(vnic), Some(congestion)) = (vnic, &self.congestion)
            && let Some(at) = congestion.senders.not_before(vnic)
        {
            // Its packets wait in its own queue, as far as the driver can let them.
            out.receive_after(port, at);
        }
        self.rest(now, out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.reliable.now = now;
        self.rest(now, out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        self.reliable.now = now;
        if let Control::Link { port, up } = request {
            self.paths.link(port, up);
        }
        self.rest(now, out);
    }

    /// Sessions that time out are nothing that anybody waits for.
    fn rests_after(&self) -> Option<Instant> {
        Some(Instant::ZERO)
    }

    /// Superframes are cut behind the switch, or in it where they go into a tunnel.
    fn takes_whole(&mut self, _packet: &Packet) -> bool {
        true
    }
}

/// Counts a packet; a superframe counts as the frames that it will be cut into.
fn add(count: &mut Count, packet: &Packet) {
    count.add(&packet.segments());
}
