//! Deadlocks of flow control: pauses that wait for each other in a cycle, so that none can ever end.
//!
//! A station ends a pause when enough of the bytes that came in have left. Bytes in a queue that a neighbour has
//! stopped do not leave before the neighbour's own pause ends. A pause can therefore end if and only if the bytes that
//! remain, once everything has left that can leave, do not exceed its resume threshold. The pauses that cannot end are
//! the greatest set in which each is kept up by others of the set. If the set is not empty, following pauses from one
//! to the next ends in a cycle.
//!
//! This is exact as long as nothing that waits is dropped, pauses are renewed before they expire, and pause frames are
//! not lost. Links with faults, on which frames may be lost, and pauses whose first frame may still be in flight are
//! therefore left out; the latter are found at the next check.

use std::collections::BTreeMap;

use basis::Instant;
use node::{AskedPause, Port};

use super::simulated_link::SimulatedLink;
use super::{LinkId, Simulation};

/// One pause of a cycle: a station that may not send, and the station that stops it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// The station that has to wait, and the port at which it waits.
    pub waiting: (usize, Port),
    /// The station that asked for the pause, and its port on the same cable.
    pub asked_by: (usize, Port),
    /// The class of packets that is paused.
    pub class: u8,
    /// The bytes that came in at that port and cannot leave, because they wait for the next pause of the cycle to end.
    pub bytes: u64,
}

/// The requester of a pause: a station, its port, and the class of packets that is paused.
type PauseRequester = (usize, Port, u8);

/// A pause that is in force.
struct Pause {
    /// The pause ends when no more bytes than these are held.
    resume: u64,
    /// The bytes that are held, each with the pause that stops them.
    kept: Vec<(PauseRequester, u64)>,
}

/// The most bytes of pause frames that can precede another frame on a link: two frames of each priority, on the wire.
const FRAMES_BEFORE: u64 = 16 * 84;

impl Simulation {
    /// Returns pauses that wait for each other in a cycle at this time, each for the next and the last for the first,
    /// or nothing if every pause can end.
    pub fn deadlock(&self, now: Instant) -> Vec<Hold> {
        let mut pauses = self.pauses(now);
        loop {
            let count = pauses.len();
            let stuck: Vec<PauseRequester> = pauses.keys().copied().collect();
            pauses.retain(|_, pause| {
                let kept = pause.kept.iter().filter(|(by, _)| stuck.binary_search(by).is_ok());
                kept.map(|(_, bytes)| bytes).sum::<u64>() > pause.resume
            });
            if pauses.len() == count {
                break;
            }
        }
        circle(&pauses).into_iter().filter_map(|(requester, bytes)| self.hold(requester, bytes)).collect()
    }

    /// Returns true if any station has asked another one to pause.
    pub(super) fn is_pausing(&self, now: Instant) -> bool {
        (0..self.stations()).any(|station| !self.station(station).backpressure(now).asked.is_empty())
    }

    /// Returns all pauses that are in force and do not end by themselves.
    fn pauses(&self, now: Instant) -> BTreeMap<PauseRequester, Pause> {
        let mut pauses = BTreeMap::new();
        for station in 0..self.stations() {
            let found = self.station(station).backpressure(now);
            for asked in found.asked.iter().filter(|asked| self.is_in_force(station, asked, now)) {
                let kept = found.stopped.iter().flat_map(|stopped| {
                    let next = self.other_end(station, stopped.port);
                    let held = stopped.held.iter().filter(|held| (held.from, held.class) == (asked.port, asked.class));
                    held.filter_map(move |held| next.map(|(other, port)| ((other, port, stopped.class), held.bytes)))
                });
                let pause = Pause { resume: asked.resume, kept: kept.collect() };
                pauses.insert((station, asked.port, asked.class), pause);
            }
        }
        pauses
    }

    /// Returns true if the first frame of a pause has certainly reached the peer, and the frames that renew it will.
    fn is_in_force(&self, station: usize, asked: &AskedPause, now: Instant) -> bool {
        let Some(link) = self.link_of(station, asked.port) else { return false };
        // The frame waits for a packet that had begun, and for frames that were made before it.
        let before = u64::from(link.plan.mtu) + u64::from(link.plan.framing) + FRAMES_BEFORE;
        link.special & SimulatedLink::FAULTY == 0
            && asked.since + link.plan.rate.time_of(before) + link.plan.delay < now
    }

    fn hold(&self, (station, port, class): PauseRequester, bytes: u64) -> Option<Hold> {
        Some(Hold { waiting: self.other_end(station, port)?, asked_by: (station, port), class, bytes })
    }

    /// Returns the station and port at the other end of a port's cable.
    fn other_end(&self, station: usize, port: Port) -> Option<(usize, Port)> {
        self.link_of(station, port).map(|link| (link.station as usize, link.port))
    }

    fn link_of(&self, station: usize, port: Port) -> Option<&SimulatedLink> {
        let LinkId(link) = self.link(station, port)?;
        let (shard, _) = &self.shards[usize::from(self.partition.shards[station])];
        Some(&shard.links[link as usize]).filter(|link| link.is_there())
    }
}

/// Returns a cycle among pauses that are each kept up by others of them. The search starts at the first pause and
/// always follows the one that holds back most bytes. Each pause comes with the bytes that the next one holds back.
fn circle(pauses: &BTreeMap<PauseRequester, Pause>) -> Vec<(PauseRequester, u64)> {
    let Some((&first, _)) = pauses.first_key_value() else { return Vec::new() };
    let mut way: Vec<(PauseRequester, u64)> = Vec::new();
    let mut at = first;
    loop {
        if let Some(begin) = way.iter().position(|(requester, _)| *requester == at) {
            return way.split_off(begin);
        }
        let mut by: BTreeMap<PauseRequester, u64> = BTreeMap::new();
        let kept = pauses.get(&at).map(|pause| &pause.kept[..]).unwrap_or_default();
        for (requester, bytes) in kept.iter().filter(|(requester, _)| pauses.contains_key(requester)) {
            *by.entry(*requester).or_default() += bytes;
        }
        // Of several that hold back equally many bytes, the first is followed.
        let Some((next, bytes)) = by.into_iter().rev().max_by_key(|(_, bytes)| *bytes) else { return Vec::new() };
        way.push((at, bytes));
        at = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requester(station: usize) -> PauseRequester {
        (station, Port(0), 3)
    }

    fn pauses(kept: &[(usize, &[(usize, u64)])]) -> BTreeMap<PauseRequester, Pause> {
        let pause = |kept: &[(usize, u64)]| Pause {
            resume: 0,
            kept: kept.iter().map(|&(station, bytes)| (requester(station), bytes)).collect(),
        };
        kept.iter().map(|&(station, kept)| (requester(station), pause(kept))).collect()
    }

    #[test]
    fn a_path_into_a_cycle_is_not_part_of_it() {
        let found = circle(&pauses(&[(1, &[(2, 10)]), (2, &[(3, 20)]), (3, &[(4, 1), (2, 30)]), (4, &[(4, 40)])]));
        assert_eq!(found, [(requester(2), 20), (requester(3), 30)]);
        assert!(circle(&pauses(&[])).is_empty());
    }
}
