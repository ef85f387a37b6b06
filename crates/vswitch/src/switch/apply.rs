//! Another configuration in the place of the present one, while packets pass.
//!
//! Sessions are decided anew at their next packets, and all of them soon: a walk goes over the table in turns that are so short
//! that packets do not wait for it.

use std::sync::Arc;

use basis::{Duration, Instant};
use node::Outbox;

use super::core::Core;
use super::edge::Edge;
use super::made::Made;
use super::{Verdict, VirtualSwitch, VnicCounts, lock};
use crate::configuration::Configuration;
use crate::flow_log::FlowLogger;
use crate::policy::{Decided, Denied, Known, Policy};
use crate::preprocessor::FlowIndex;
use crate::session::{FlowId, Session};

/// The most sessions that are decided anew in one turn of the walk, and the most slots that are looked at.
const DECIDED_AT_ONCE: usize = 32;
const LOOKED_AT_ONCE: u32 = 4096;
/// The time between the end of a turn of the walk and the beginning of the next one, which is left to packets.
const BETWEEN_TURNS: Duration = Duration::from_microseconds(100);

/// A walk over all sessions, which decides those anew that other tables have decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    /// The number of the core whose table it goes over.
    core: usize,
    /// The number of the next slot in it.
    next: u32,
    /// The time of the next turn.
    at: Instant,
}

impl Walk {
    /// A walk that begins at once.
    pub const FIRST: Self = Self { core: 0, next: 0, at: Instant::ZERO };
}

/// What became of the sessions that were there when other tables were put in place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The number of times that a configuration was applied.
    pub times: u64,
    /// The number of sessions that have ended because the tables do not allow them any more, since the switch began.
    pub ended: u64,
    /// Whether some sessions are still to be decided by the present tables.
    pub is_walking: bool,
}

impl VirtualSwitch {
    /// Puts another configuration into the place of the present one. vNICs are known by their names, and VPCs by their VXLAN
    /// network identifiers. Sessions that it does not allow end soon, and no packet of theirs passes from now on.
    pub fn apply(&mut self, configuration: Configuration) {
        let policy = self.policy().succeeded_by(configuration, self.walk.is_none());
        self.replace_policy(Arc::new(policy));
    }

    /// Puts policy tables into the place of the present ones, which [`Policy::succeeded_by`] has made from these. Records of
    /// the flow log and events that were not taken yet mean vNICs of the present ones. Packets that wait for cores are to be
    /// worked on before. The number of cores stays as it is; [`Self::set_cores`] changes it.
    ///
    /// # Panics
    /// If the tables do not come next.
    pub fn replace_policy(&mut self, policy: Arc<Policy>) {
        let earlier = Arc::clone(self.policy());
        assert_eq!(policy.epoch(), earlier.epoch().wrapping_add(1), "tables are replaced by the next ones");
        let (new, old) = (policy.configuration(), earlier.configuration());
        {
            let mut core = lock(&self.cores[0]);
            core.limiters.with(|limiters| limiters.apply(&new.limiters));
            core.budgets.with(|budgets| budgets.apply(&old.vnics, &new.vnics));
        }
        self.cores.iter().for_each(|core| lock(core).apply(Arc::clone(&policy)));
        self.edge.apply(&earlier, policy);
        self.applied.times += 1;
        self.walk = Some(Walk::FIRST);
    }

    /// Returns what became of sessions that other tables had decided.
    pub fn applied(&self) -> Applied {
        let ended = self.cores.iter().map(|core| lock(core).ended_by_apply).sum::<u64>() + self.gone.ended_by_apply;
        Applied { is_walking: self.walk.is_some(), ended, ..self.applied }
    }

    /// Decides some sessions anew if it is time to. Returns the time of the next call.
    pub(super) fn walk(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let Walk { core: number, next, at } = self.walk?;
        if at > now {
            return Some(at);
        }
        let policy = Arc::clone(self.policy());
        let Self { edge, cores, .. } = self;
        let further = match cores.get(number) {
            Some(core) => lock(core).walk(next, &mut |made| edge.finish(now, &policy, made, out)),
            None => None,
        };
        let at = now + BETWEEN_TURNS;
        self.walk = match further {
            Some(next) => Some(Walk { core: number, next, at }),
            None => (number + 1 < cores.len()).then_some(Walk { core: number + 1, next: 0, at }),
        };
        self.walk.map(|walk| walk.at)
    }
}

impl Edge {
    /// Goes on by the next policy tables.
    fn apply(&mut self, earlier: &Policy, policy: Arc<Policy>) {
        let (configuration, old) = (policy.configuration(), earlier.configuration());
        self.reader.is_believed = configuration.path.xdp;
        if configuration.path.flow_index != old.path.flow_index {
            self.flow_index = FlowIndex::of(configuration.path);
        }
        let congestion = self.congestion.take().unwrap_or_default();
        self.congestion = configuration.path.congestion.then_some(congestion);
        self.in_vain.extend(self.paths.apply(configuration.underlay.as_ref()));
        self.associations.apply(&configuration.encryptions);
        self.reliable.apply(configuration.reliable.clone());
        self.flow_log = match (self.flow_log.take(), &configuration.flow_log) {
            (Some(mut running), Some(log)) => {
                running.apply(log, &old.vnics, &configuration.vnics);
                Some(running)
            }
            (None, Some(log)) => Some(FlowLogger::new(log, &configuration.vnics)),
            (_, None) => None,
        };
        self.of_vnics.resize(configuration.vnics.len(), VnicCounts::default());
        for (counts, (new, old)) in self.of_vnics.iter_mut().zip(configuration.vnics.iter().zip(&old.vnics)) {
            if new.name != old.name {
                *counts = VnicCounts::default();
            }
        }
        self.policy = policy;
    }
}

impl Core {
    /// Decides some sessions anew, from the slot of a number on. Returns the number of the next slot, if there is another one.
    fn walk(&mut self, mut next: u32, made: &mut impl FnMut(Made)) -> Option<u32> {
        let policy = Arc::clone(&self.policy);
        let end = self.sessions.slots().min(next.saturating_add(LOOKED_AT_ONCE));
        let mut decided = 0;
        while next < end && decided < DECIDED_AT_ONCE {
            if let Some(flow) = self.sessions.in_slot(next)
                && self.sessions.get(flow).is_some_and(|session| session.epoch != policy.epoch())
            {
                // A session that is not allowed any more has ended then.
                let _ = self.decide_anew(&policy, flow, made);
                decided += 1;
            }
            next += 1;
        }
        (next < self.sessions.slots()).then_some(next)
    }

    /// Decides a session by today's tables. It ends if they do not allow it.
    pub(super) fn decide_anew(
        &mut self,
        policy: &Policy,
        flow: FlowId,
        made: &mut impl FnMut(Made),
    ) -> Result<FlowId, Denied> {
        let Some(session) = self.sessions.get(flow) else { return Ok(flow) };
        match policy.decide_anew(&self.known(session)) {
            Ok(Decided { actions, ends, .. }) => {
                let actions = actions.map(|actions| self.lists.hold(&actions));
                if let Some(decision) = self.sessions.decision_mut(flow, policy.epoch()) {
                    decision.ends = ends;
                    let old = std::mem::replace(&mut decision.actions, actions);
                    old.into_iter().for_each(|list| self.lists.release(list));
                }
                Ok(flow)
            }
            Err(denied) => {
                self.ended_by_apply += 1;
                self.end(flow, made);
                Err(denied)
            }
        }
    }

    /// Returns what the policy tables must know of a session to decide it anew.
    pub(super) fn known(&self, session: &Session<Verdict>) -> Known {
        let Verdict { origin, vpc, .. } = session.decision;
        let hash = self.sessions.hash(&session.keys[0]);
        Known { origin, vpc, keys: session.keys, owner: session.owner, hash }
    }
}
