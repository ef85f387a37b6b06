//! The paths of the underlay: which of them carry packets, and which flow takes which.

use std::collections::VecDeque;
use std::net::IpAddr;

use basis::Instant;
use node::Port;

use super::neighbours::{Neighbour, Neighbours, Question, Waiting};
use crate::configuration::{MacAddress, NextHop, Probes, Underlay};

/// The state of one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathState {
    /// The port of its interface.
    port: Port,
    next_hop: NextHop,
    /// Whether the interface's link carries packets, as far as a driver has said.
    pub has_carrier: bool,
    /// Whether its router has not answered so many probes one after the other as make a path dead.
    pub is_silent: bool,
    /// The probes that the router has not answered.
    pub unanswered: u32,
    /// How often the path has become alive or dead.
    pub changes: u64,
    /// The time of the next probe, if the path has a router.
    probe_at: Option<Instant>,
    /// Whether the path was alive when its changes were taken last.
    was_alive: bool,
}

/// A path that has become alive or dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathChange {
    /// The time.
    pub at: Instant,
    /// The position of the path.
    pub path: usize,
    /// Whether it is alive now.
    pub is_alive: bool,
}

impl PathState {
    fn new(port: Port, next_hop: NextHop, now: Instant) -> Self {
        let probe_at = matches!(next_hop, NextHop::Router(_)).then_some(now);
        Self {
            port,
            next_hop,
            has_carrier: true,
            is_silent: false,
            unanswered: 0,
            changes: 0,
            probe_at,
            was_alive: true,
        }
    }

    /// Returns true if packets may be sent on the path.
    pub fn is_alive(&self) -> bool {
        self.has_carrier && !self.is_silent
    }

    /// Changes something, and counts whether the path has become alive or dead by it.
    fn change(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.is_alive();
        change(self);
        self.changes += u64::from(self.is_alive() != before);
    }
}

/// The paths of the underlay, with the neighbours on them.
#[derive(Debug, Default)]
pub struct Paths {
    states: Vec<PathState>,
    probes: Probes,
    pub neighbours: Neighbours,
}

impl Paths {
    /// The paths of a configuration, all of which are taken to be alive.
    pub fn new(underlay: Option<&Underlay>) -> Self {
        let mut paths = Self::default();
        paths.apply(underlay);
        paths
    }

    /// Goes on with the paths of another configuration. A path of the same interface and next hop keeps its state. Returns the
    /// packets that have waited for neighbours on paths that are gone.
    pub fn apply(&mut self, underlay: Option<&Underlay>) -> Vec<Waiting> {
        let old = std::mem::take(&mut self.states);
        let mut renamed = vec![None; old.len()];
        for path in underlay.iter().flat_map(|underlay| &underlay.paths) {
            let kept = old.iter().position(|state| state.port == path.port);
            let state = match kept.map(|kept| (kept, &old[kept])) {
                Some((kept, state)) if state.next_hop == path.next_hop => {
                    renamed[kept] = Some(self.states.len());
                    state.clone()
                }
                // The link is the same, whatever lies behind it.
                Some((_, PathState { has_carrier, .. })) => {
                    PathState { has_carrier: *has_carrier, ..PathState::new(path.port, path.next_hop, Instant::ZERO) }
                }
                None => PathState::new(path.port, path.next_hop, Instant::ZERO),
            };
            self.states.push(state);
        }
        self.probes = underlay.map(|underlay| underlay.probes).unwrap_or_default();
        self.neighbours.rename(|path| renamed.get(path).copied().flatten())
    }

    /// Returns the states of all paths, in the order of the configuration.
    pub fn states(&self) -> &[PathState] {
        &self.states
    }

    /// Records whether the link of a port carries packets.
    pub fn link(&mut self, port: Port, is_up: bool) {
        for state in self.states.iter_mut().filter(|state| state.port == port) {
            state.change(|state| state.has_carrier = is_up);
        }
    }

    /// Returns the position of the path that a flow takes, by its hash. A flow whose path is dead is spread over those that are
    /// alive, and goes back when it is alive again; other flows stay where they are. If all are dead, none is better than that
    /// of the flow.
    pub fn choose(&self, hash: u64) -> usize {
        let count = self.states.len();
        if count < 2 {
            return 0;
        }
        // The source port of tunnels is taken from the low bits of the same hash.
        let mixed = basis::mix(hash);
        let usual = (mixed % count as u64) as usize;
        if self.states[usual].is_alive() {
            return usual;
        }
        let alive = || (0..count).filter(|path| self.states[*path].is_alive());
        match alive().count() {
            0 => usual,
            others => alive().nth((mixed / count as u64 % others as u64) as usize).unwrap_or(usual),
        }
    }

    /// Records that a neighbour has an Ethernet address, and returns the packets that have waited for it; see
    /// [`Neighbours::heard`].
    pub fn heard(&mut self, now: Instant, neighbour: Neighbour, mac: MacAddress, is_answer: bool) -> VecDeque<Waiting> {
        if is_answer {
            self.answered(neighbour.0, neighbour.1);
        }
        self.neighbours.heard(now, neighbour, mac, is_answer)
    }

    /// Records that a neighbour on a path has answered.
    fn answered(&mut self, path: usize, address: IpAddr) {
        if let Some(state) = self.states.get_mut(path)
            && state.next_hop == NextHop::Router(address)
        {
            state.change(|state| (state.is_silent, state.unanswered) = (false, 0));
        }
    }

    /// Appends the questions that are to be asked now, and the packets that have waited in vain. The probes of routers are
    /// questions for their Ethernet addresses: who answers is there.
    pub fn due(&mut self, now: Instant, questions: &mut Vec<Question>, in_vain: &mut Vec<Waiting>) {
        let Self { states, probes, neighbours } = self;
        for (path, state) in states.iter_mut().enumerate() {
            let (Some(at), NextHop::Router(address)) = (state.probe_at, state.next_hop) else { continue };
            if at > now {
                continue;
            }
            let neighbour = (path, address);
            if state.unanswered >= probes.count {
                state.change(|state| state.is_silent = true);
            }
            state.unanswered = state.unanswered.saturating_add(1);
            state.probe_at = Some(now + probes.interval);
            // A router that is silent may have another Ethernet address now.
            neighbours.add(now, neighbour);
            let to = neighbours.mac(&neighbour).filter(|_| !state.is_silent);
            questions.push(Question { neighbour, to });
        }
        neighbours.due(now, questions, in_vain);
    }

    /// Returns the paths that are alive or dead and were not so at the last call.
    pub fn take_changes(&mut self, now: Instant) -> impl Iterator<Item = PathChange> {
        self.states.iter_mut().enumerate().filter_map(move |(path, state)| {
            let is_alive = state.is_alive();
            let has_changed = std::mem::replace(&mut state.was_alive, is_alive) != is_alive;
            has_changed.then_some(PathChange { at: now, path, is_alive })
        })
    }

    /// Returns the time of the next call of [`Self::due`].
    pub fn next(&self) -> Option<Instant> {
        self.states.iter().filter_map(|state| state.probe_at).chain(self.neighbours.next()).min()
    }
}

#[cfg(test)]
mod tests {
    use basis::Duration;

    use super::*;

    fn underlay(next_hops: &[NextHop]) -> Underlay {
        let path = |(number, next_hop): (usize, &NextHop)| crate::configuration::UnderlayPath {
            interface: format!("eth{number}"),
            port: Port(100 + number as u16),
            mac: [2, 0, 0, 1, 0, number as u8],
            next_hop: *next_hop,
        };
        Underlay {
            paths: next_hops.iter().enumerate().map(path).collect(),
            addresses: vec![router(1)],
            mtu: 1500,
            probes: Probes { interval: Duration::from_microseconds(100_000), count: 3 },
        }
    }

    fn router(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    fn at(milliseconds: u64) -> Instant {
        Instant::ZERO + Duration::from_microseconds(1000 * milliseconds)
    }

    /// The paths of a thousand flows.
    fn chosen(paths: &Paths) -> Vec<usize> {
        (0..1000).map(|hash| paths.choose(hash)).collect()
    }

    #[test]
    fn flows_are_spread_and_those_of_a_dead_path_alone_move() {
        let mut paths = Paths::new(Some(&underlay(&[NextHop::Neighbours; 3])));
        let before = chosen(&paths);
        for path in 0..3 {
            let share = before.iter().filter(|chosen| **chosen == path).count();
            assert!((250..420).contains(&share), "{share} of 1,000 flows");
        }
        paths.link(Port(101), false);
        let during = chosen(&paths);
        for (before, during) in before.iter().zip(&during) {
            assert!(*during != 1 && (*before == 1 || before == during));
        }
        assert!(before.iter().zip(&during).any(|(before, during)| *before == 1 && *during == 0));
        assert!(before.iter().zip(&during).any(|(before, during)| *before == 1 && *during == 2));
        paths.link(Port(101), true);
        assert_eq!((chosen(&paths), paths.states()[1].changes), (before.clone(), 2));
        (100..103).for_each(|port| paths.link(Port(port), false));
        assert_eq!(chosen(&paths), before, "if all are dead, none is better");
    }

    #[test]
    fn a_router_that_does_not_answer_makes_its_path_dead_until_it_does() {
        let mut paths = Paths::new(Some(&underlay(&[NextHop::Router(router(2)), NextHop::Router(router(3))])));
        let due = |paths: &mut Paths, now| {
            let (mut questions, mut in_vain) = (Vec::new(), Vec::new());
            paths.due(now, &mut questions, &mut in_vain);
            questions.iter().map(|question| question.neighbour.0).collect::<Vec<_>>()
        };
        for time in [0, 100, 200] {
            assert_eq!(due(&mut paths, at(time)), [0, 1]);
            paths.answered(1, router(3));
            assert!(paths.states().iter().all(PathState::is_alive), "after {time} ms");
        }
        due(&mut paths, at(300));
        let alive = |paths: &Paths| [0, 1].map(|path| paths.states()[path].is_alive());
        assert_eq!((alive(&paths), paths.next()), ([false, true], Some(at(400))));
        paths.answered(0, router(9));
        assert_eq!(alive(&paths), [false, true], "somebody else");
        paths.answered(0, router(2));
        assert_eq!(alive(&paths), [true, true]);
        assert_eq!(paths.states()[0].changes, 2);
    }

    #[test]
    fn another_configuration_leaves_what_is_known_of_its_paths() {
        let mut paths = Paths::new(Some(&underlay(&[NextHop::Neighbours; 2])));
        paths.link(Port(101), false);
        let mut next = underlay(&[NextHop::Neighbours, NextHop::Router(router(2)), NextHop::Neighbours]);
        next.paths.remove(0);
        paths.apply(Some(&next));
        assert_eq!(paths.states().iter().map(PathState::is_alive).collect::<Vec<_>>(), [false, true]);
        paths.apply(None);
        assert_eq!((paths.states().len(), paths.choose(7)), (0, 0));
    }
}
