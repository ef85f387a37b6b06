//! A core: the software between pre- and post-processor, with its share of the sessions.

use std::sync::Arc;

use basis::Instant;
use runtime::meter::{Meter, MeterRates};

use super::arrive::Parsed;
use super::made::{Made, Outcome};
use super::vectors::Waiting;
use super::{Matches, Verdict};
use crate::action::Action;
use crate::action_lists::ActionLists;
use crate::common::Common;
use crate::configuration::{Configuration, PathOptions};
use crate::limiters::Limiters;
use crate::policy::Policy;
use crate::preprocessor::{PayloadPool, Queues};
use crate::session::{FlowHasher, FlowId, FlowKey, Session, SessionTable};
use crate::slow_path::Budgets;

/// The rate of ICMP errors that the switch sends, and how many it sends at once (RFC 1812, section 4.3.2.8; RFC 4443, section
/// 2.4, f).
const NOTICES: MeterRates = MeterRates { committed_rate: 1000, committed_burst: 100, peak_rate: 1000, peak_burst: 100 };

/// A session on its way to another core, with its lists of actions.
pub(super) type Moving = (Session<Verdict>, [Arc<[Action]>; 2]);

/// The meter of ICMP errors.
#[derive(Debug)]
pub(super) struct Notices(pub Meter);

impl Default for Notices {
    fn default() -> Self {
        Self(Meter::new(NOTICES).expect("the rates are above 0"))
    }
}

/// One core of a switch: it finds the sessions of packets, or begins them, and does what was decided. Whatever leaves it is a
/// [`Made`], which the post-processor carries out. It draws no random numbers, and knows no time but that of packets.
#[derive(Debug)]
pub struct Core {
    pub(super) number: u16,
    pub(super) policy: Arc<Policy>,
    /// The queues of all cores; `None` if this is the only one.
    pub(super) queues: Option<Arc<Queues>>,
    pub(super) sessions: SessionTable<Verdict>,
    pub(super) lists: ActionLists,
    pub(super) waiting: Waiting,
    /// The time at which the packets came that are sorted into vectors.
    pub(super) gathered_at: Instant,
    payloads: Option<PayloadPool>,
    pub(super) matches: Matches,
    /// The packets that the core has made itself, and those that it has made of others.
    pub(super) generated: u64,
    pub(super) replicated: u64,
    /// The number of packets that it was given.
    pub(super) packets: u64,
    /// The number of sessions that have ended because the tables do not allow them any more.
    pub(super) ended_by_apply: u64,
    /// The further cost of packets since it was taken, in packets that find their session.
    pub(super) further_cost: u64,
    pub(super) limiters: Common<Limiters>,
    pub(super) budgets: Common<Budgets>,
    pub(super) notices: Common<Notices>,
}

impl Core {
    /// The first core of a switch.
    pub(super) fn new(policy: Arc<Policy>, hasher: FlowHasher) -> Self {
        let configuration = policy.configuration();
        let sessions = SessionTable::new(configuration.limits, configuration.timeouts, hasher);
        let limiters = Common::Own(Limiters::new(&configuration.limiters));
        let budgets = Common::Own(Budgets::new(&configuration.vnics));
        Self::with(0, Arc::clone(&policy), sessions, (limiters, budgets, Common::Own(Notices::default())))
    }

    /// Another core of the same switch, of `cores` in all.
    pub(super) fn another(&mut self, number: u16, cores: u16) -> Self {
        let sessions = self.sessions.another(cores.into());
        let common = (self.limiters.share(), self.budgets.share(), self.notices.share());
        Self::with(number, Arc::clone(&self.policy), sessions, common)
    }

    fn with(
        number: u16,
        policy: Arc<Policy>,
        sessions: SessionTable<Verdict>,
        (limiters, budgets, notices): (Common<Limiters>, Common<Budgets>, Common<Notices>),
    ) -> Self {
        let PathOptions { slicing, .. } = policy.configuration().path;
        Self {
            number,
            policy,
            queues: None,
            sessions,
            lists: ActionLists::default(),
            waiting: Waiting::default(),
            gathered_at: Instant::ZERO,
            payloads: slicing.then(PayloadPool::default),
            matches: Matches::default(),
            generated: 0,
            replicated: 0,
            packets: 0,
            ended_by_apply: 0,
            further_cost: 0,
            limiters,
            budgets,
            notices,
        }
    }

    /// Takes what all cores have in common to itself, when it has become the only one.
    pub(super) fn be_alone(&mut self) {
        self.sessions.be_alone();
        self.limiters.own();
        self.budgets.own();
        self.notices.own();
    }

    /// Goes on by the next policy tables.
    pub(super) fn apply(&mut self, policy: Arc<Policy>) {
        let Configuration { path, limits, timeouts, .. } = policy.configuration();
        if path.slicing != self.payloads.is_some() {
            self.payloads = path.slicing.then(PayloadPool::default);
        }
        self.sessions.set_limits(*limits, *timeouts);
        self.policy = policy;
    }

    /// Works on a packet that the pre-processor has brought, at the time at which it came; with vectors, when [`Core::finish`] is
    /// called, or this with a packet that came at another time.
    #[inline]
    pub fn work(&mut self, now: Instant, mut parsed: Parsed, made: &mut impl FnMut(Made)) {
        self.packets += 1;
        // A core on a thread of its own may find bursts of different times in its ring. A burst that is worked on at the time of
        // a later one would find that its payload has waited for too long.
        if now != self.gathered_at {
            self.finish(made);
            self.gathered_at = now;
        }
        if let (Some(pool), Some(packet)) = (&mut self.payloads, &mut parsed.packet) {
            parsed.metadata.payload = pool.store(now, &mut packet.tail);
        }
        let policy = Arc::clone(&self.policy);
        if policy.configuration().path.vectors {
            self.gather(now, &policy, parsed, made);
        } else {
            self.forward(now, &policy, &mut parsed, made);
        }
    }

    /// Works on the packets that were sorted into vectors, at the time at which they came. It is called behind those that came at
    /// once.
    #[inline]
    pub fn finish(&mut self, made: &mut impl FnMut(Made)) {
        if !self.waiting.is_empty() {
            let policy = Arc::clone(&self.policy);
            self.forward_vectors(self.gathered_at, &policy, made);
        }
    }

    /// Ends the sessions whose time has come. Returns the time at which another one may end.
    pub(super) fn expire(&mut self, now: Instant, made: &mut impl FnMut(Made)) -> Option<Instant> {
        let mut ended = Vec::new();
        self.sessions.expire(now, &mut |session, _| ended.push(session));
        ended.into_iter().for_each(|session| self.retire(session, made));
        self.sessions.deadline()
    }

    /// Takes the further cost of packets since the last call: what packets have cost beside what every packet costs, in packets
    /// that find their session.
    pub fn take_further_cost(&mut self) -> u64 {
        std::mem::take(&mut self.further_cost)
    }

    /// Returns the payload pool, if there is one.
    pub(super) fn payloads(&mut self) -> Option<&mut PayloadPool> {
        self.payloads.as_mut()
    }

    /// Returns true if replies with a key come to this core by their hash.
    pub(super) fn is_home_of(&self, key: &FlowKey) -> bool {
        self.queues.as_ref().is_none_or(|queues| queues.core(key) == self.number)
    }

    /// Tells the pre-processor to bring the packets of a session here that do not come by their hash, or no longer to.
    pub(super) fn tell_way(&self, keys: &[FlowKey; 2], is_there: bool, made: &mut impl FnMut(Made)) {
        let [key, reply] = keys;
        if self.queues.is_none() || key.reversed() == *reply {
            return;
        }
        // A load balancer could choose another back end for the next packet if nobody knew.
        let is_balanced = key.destination != reply.source;
        if is_balanced || !self.is_home_of(key) {
            let core = is_there.then_some(self.number);
            made(Made(Outcome::Way { key: *key, hash: self.sessions.hash(key), core }));
        }
    }

    /// Takes a session with its whole state out, for another core.
    pub(super) fn give(&mut self, flow: FlowId) -> Option<Moving> {
        let session = self.sessions.remove(flow)?;
        let lists = session.decision.actions.map(|list| self.lists.shared(list));
        session.decision.actions.into_iter().for_each(|list| self.lists.release(list));
        Some((session, lists))
    }

    /// Goes on with a session that another core had.
    pub(super) fn take(&mut self, now: Instant, (mut session, lists): Moving) {
        session.decision.actions = lists.map(|list| self.lists.hold(&list));
        self.sessions.adopt(now, session);
    }
}
