//! The virtual switch: one path for every packet, in three parts (Triton, sections 4.2 and 8.1).
//!
//! The pre-processor reads packets and brings each to the core that has its session ([`VirtualSwitch::prepare`]), cores find or
//! begin sessions and do what was decided ([`Core`]), and the post-processor sends what they have made
//! ([`VirtualSwitch::finish`]). As a [`Node`], the switch does all three at once; whoever runs cores on threads calls the parts.

mod apply;
mod arrive;
mod bind;
mod congest;
mod core;
mod cores;
mod depart;
mod edge;
mod forward;
mod hand_over;
mod headers;
mod join;
mod leave;
mod made;
mod mirror;
mod notify;
mod peek;
mod reliably;
mod report;
mod resolve;
mod revive;
mod station;
mod tell;
mod unreachable;
mod vectors;
mod view;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use basis::{Duration, Instant};
use measure::Counts;
use node::{Burst, Control, Node, Outbox, Port, Reason};
use wire::{Layers, Packet, SegmentationKind, Tunnel};

use crate::action_lists::ListNumber;
use crate::configuration::Configuration;
use crate::congestion::{Congestion, Rings};
use crate::encryption::Associations;
use crate::events::Events;
use crate::flow_log::FlowLogger;
use crate::fragments::Fragments;
use crate::limiters::LimiterCounts;
use crate::policy::{Origin, Policy};
use crate::preprocessor::headers::{HeaderReader, Mark};
use crate::preprocessor::{FlowIndex, Ways};
use crate::reasons;
use crate::reliable::Reliable;
use crate::session::{Count, FlowHasher};
use crate::underlay::Paths;
use apply::Walk;
use edge::Edge;

pub use self::core::Core;
pub use apply::Applied;
pub use arrive::{OUTSIDE, Parsed};
pub use cores::{CoreView, MOST_CORES};
pub use hand_over::TakenOver;
pub use made::Made;
pub use peek::{Found, Peeked, before_sessions};
pub use view::SessionView;

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
    edge: Edge,
    /// At least one. Nobody else holds one for longer than it takes to work on some packets.
    cores: Vec<Arc<Mutex<Core>>>,
    /// The core, and the number of the slot in it, from which on sessions are still to be recorded when the window of the flow log
    /// is over.
    recorded: (usize, usize),
    applied: Applied,
    walk: Option<Walk>,
    /// The time at which several cores are looked at next, for sessions whose time has come.
    look_at: Instant,
    /// What cores that are gone have counted.
    gone: Gone,
}

/// The counts of cores that are gone.
#[derive(Clone, Copy, Debug, Default)]
struct Gone {
    matches: Matches,
    generated: u64,
    replicated: u64,
    ended_by_apply: u64,
}

/// The time between two looks at several cores for sessions whose time has come. Sessions end up to a second late anyway.
const BETWEEN_LOOKS: Duration = Duration::from_microseconds(100_000);

/// Waits for a core and takes it. Code that has panicked while it worked on packets leaves nothing that others could not use.
fn lock(core: &Mutex<Core>) -> MutexGuard<'_, Core> {
    core.lock().unwrap_or_else(PoisonError::into_inner)
}

impl VirtualSwitch {
    /// Creates the switch of a configuration, with the key of its hash.
    pub fn new(configuration: Configuration, keys: [u64; 2]) -> Self {
        let hasher = FlowHasher::new(keys);
        let (path, cores) = (configuration.path, configuration.path.cores);
        let policy = Arc::new(Policy::of(configuration, 0));
        let configuration = policy.configuration();
        let flow_log = configuration.flow_log.as_ref().map(|log| FlowLogger::new(log, &configuration.vnics));
        let edge = Edge {
            hasher,
            fragments: Fragments::new(hasher),
            of_vnics: vec![VnicCounts::default(); configuration.vnics.len()],
            drops: Counts::default(),
            generated: 0,
            replicated: 0,
            consumed: 0,
            reader: HeaderReader::new(Mark::of(keys), path.xdp),
            flow_index: FlowIndex::of(path),
            associations: Associations::new(&configuration.encryptions),
            reliable: Reliable::new(configuration.reliable.clone(), basis::mix(keys[0] ^ keys[1].rotate_left(32))),
            congestion: path.congestion.then(Congestion::default),
            rings: Rings::new(1),
            events: Events::default(),
            bindings: None,
            flow_log,
            paths: Paths::new(configuration.underlay.as_ref()),
            path_changes: VecDeque::new(),
            in_vain: Vec::new(),
            queues: None,
            ways: Ways::new(hasher),
            further_cost: 0,
            policy: Arc::clone(&policy),
        };
        let core = Core::new(policy, hasher);
        let mut switch = Self {
            edge,
            cores: vec![Arc::new(Mutex::new(core))],
            recorded: (0, 0),
            applied: Applied::default(),
            walk: None,
            look_at: Instant::ZERO,
            gone: Gone::default(),
        };
        switch.set_cores(Instant::ZERO, cores);
        switch
    }

    /// Returns the policy tables, which other threads may share.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.edge.policy
    }

    /// Returns what has passed between the switch and a vNIC, by its position.
    pub fn counts_of(&self, vnic: u32) -> VnicCounts {
        self.edge.of_vnics[vnic as usize]
    }

    /// Returns what a limiter has counted, by its position.
    pub fn limiter_counts(&self, limiter: u32) -> LimiterCounts {
        lock(&self.cores[0]).limiters.look(|limiters| limiters.counts(limiter))
    }

    /// Returns the number of discarded packets by reason.
    pub fn drops(&self) -> &Counts<Reason> {
        &self.edge.drops
    }

    /// Returns the number of packets that were decided by the policy tables, and not by a session.
    pub fn slow_path_packets(&self) -> u64 {
        self.matches().by_policy
    }

    /// Returns how packets have found their sessions.
    pub fn matches(&self) -> Matches {
        self.cores.iter().fold(self.gone.matches, |sum, core| sum.and(&lock(core).matches))
    }

    /// The pre-processor: reads the packets of a burst in their order, and gives those that a core has to work on to `bring`, with
    /// the number of the core. It answers and discards others itself, and those for a core that [`RING`](crate::RING) packets wait for
    /// already: whoever calls this tells what cores have worked on ([`Self::worked`]).
    #[inline]
    pub fn prepare(
        &mut self,
        now: Instant,
        port: Port,
        burst: &mut Burst,
        out: &mut Outbox,
        bring: &mut impl FnMut(u16, Parsed),
    ) {
        self.edge.each(now, port, burst, out, &mut |edge, policy, (core, parsed), out| {
            if edge.enters_ring(now, policy, (core, &parsed), out) {
                bring(core, parsed);
            } else {
                edge.discard_parsed(parsed, reasons::RING_FULL, out);
            }
        });
    }

    /// Records that a core has worked on so many packets that it was brought, so that they do not wait for it any more.
    pub fn worked(&mut self, core: u16, packets: usize) {
        self.edge.rings.leave(core, packets);
    }

    /// Returns the number of packets that a core was brought and has not worked on yet.
    pub fn waiting(&self, core: u16) -> usize {
        self.edge.rings.waiting(core)
    }

    /// The post-processor: carries out what a core has made of a packet. What one core has made is to come in its order.
    #[inline]
    pub fn finish(&mut self, now: Instant, made: Made, out: &mut Outbox) {
        self.edge.reliable.now = now;
        let policy = Arc::clone(&self.edge.policy);
        self.edge.finish(now, &policy, made, out);
    }

    /// Does what a burst of a port is followed by: charges the port with what its packets have cost beside what every packet costs,
    /// and slows it if its guest is to be slowed.
    pub fn end_burst(&mut self, port: Port, further_cost: u64, out: &mut Outbox) {
        let further_cost = further_cost + std::mem::take(&mut self.edge.further_cost);
        let Some(vnic) = self.edge.policy.vnic_at(port.0) else {
            // Behind the interface of the underlay are many tenants, who should not wait for what one of them costs.
            return;
        };
        out.charge(further_cost);
        if let Some(at) = self.edge.congestion.as_ref().and_then(|congestion| congestion.senders.not_before(vnic)) {
            // Its packets wait in its own queue, as far as the driver can let them.
            out.receive_after(port, at);
        }
    }

    /// Ends the sessions whose time has come, does what else is due, and asks for the next call.
    pub fn rest(&mut self, now: Instant, out: &mut Outbox) {
        let policy = Arc::clone(&self.edge.policy);
        let mut next: Option<Instant> = None;
        let has_several = self.cores.len() > 1;
        // Those that work meanwhile are not waited for behind every burst.
        let looked_at = if has_several && now < self.look_at { &[] } else { &self.cores[..] };
        if has_several {
            if !looked_at.is_empty() {
                self.look_at = now + BETWEEN_LOOKS;
            }
            next = Some(self.look_at);
        }
        for core in looked_at {
            let edge = &mut self.edge;
            let ends = lock(core).expire(now, &mut |made| edge.finish(now, &policy, made, out));
            next = [next, ends].into_iter().flatten().min();
        }
        let (report, walk) = (self.report(now, out), self.walk(now, out));
        let (tend, underlay) = (self.edge.tend(now, out), self.edge.ask_neighbours(now, out));
        self.give_up(now, out);
        match [next, report, walk, tend, underlay].into_iter().flatten().min() {
            Some(deadline) => out.wake_at(deadline.max(now)),
            None => out.sleep(),
        }
    }
}

impl Matches {
    fn and(self, other: &Self) -> Self {
        Self {
            by_vector: self.by_vector + other.by_vector,
            by_flow_id: self.by_flow_id + other.by_flow_id,
            stale: self.stale + other.stale,
            by_hash: self.by_hash + other.by_hash,
            by_policy: self.by_policy + other.by_policy,
        }
    }
}

impl Node for VirtualSwitch {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        let Self { edge, cores, .. } = self;
        let mut only = if let [core] = &cores[..] { Some(lock(core)) } else { None };
        edge.each(now, port, burst, out, &mut |edge, policy, (number, parsed), out| {
            let mut finish = |made| edge.finish(now, policy, made, out);
            match &mut only {
                Some(core) => core.work(now, parsed, &mut finish),
                None => lock(&cores[usize::from(number)]).work(now, parsed, &mut finish),
            }
        });
        drop(only);
        let policy = Arc::clone(&edge.policy);
        let mut further_cost = 0;
        for core in &*cores {
            let mut core = lock(core);
            core.finish(&mut |made| edge.finish(now, &policy, made, out));
            further_cost += core.take_further_cost();
        }
        self.end_burst(port, further_cost, out);
        self.rest(now, out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.edge.reliable.now = now;
        self.rest(now, out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        self.edge.reliable.now = now;
        if let Control::Link { port, up } = request {
            self.edge.paths.link(port, up);
        }
        self.rest(now, out);
    }

    /// Sessions that time out are nothing that anybody waits for.
    fn rests_after(&self) -> Option<Instant> {
        Some(Instant::ZERO)
    }

    /// Superframes are cut behind the switch, or in it where they go into a tunnel. Several datagrams of a tunnel have a frame each.
    fn takes_whole(&mut self, packet: &Packet) -> bool {
        let are_datagrams = packet.sidecar.segmentation.is_some_and(|it| it.kind == SegmentationKind::Udp);
        !are_datagrams
            || packet.is_cut_within_tunnel()
            || Tunnel::of(&Layers::of(packet), packet.head.bytes(), packet.len()).is_none()
    }
}

/// Counts a packet; a superframe counts as the frames that it will be cut into.
fn add(count: &mut Count, packet: &Packet) {
    count.add(&packet.segments());
}
