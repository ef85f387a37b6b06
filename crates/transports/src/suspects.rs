//! Paths that are suspected to be dead.

use std::collections::BTreeMap;

use basis::{Duration, Instant, Random};
use serde::{Deserialize, Serialize};

/// The paths to other hosts that are suspected to be dead, because a packet was lost on them and no answer has arrived
/// by them since.
///
/// All messages to a host share this knowledge, so that a short one need not rediscover it. A suspected path is avoided
/// until an answer by it shows that it is alive. To find out, a copy of a packet that takes another path is sent on it
/// now and then; nothing waits for the copy, so that its loss delays nothing. The first copy is sent after a timeout,
/// and the time to the next one doubles.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Suspects {
    /// The suspected paths by host address, in ascending order; hosts without suspected paths have no entry.
    by_destination: BTreeMap<u32, Vec<Suspect>>,
}

/// A path that is suspected to be dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspect {
    path: u16,
    /// The earliest time at which the next copy may be sent.
    probe_at: Instant,
    /// The time from the last copy, or from the suspicion, to `probe_at`.
    wait: Duration,
}

impl Suspects {
    /// Records that a packet to a host was lost on a path, as a timeout of the given length has shown.
    pub fn lost(&mut self, now: Instant, destination: u32, path: u16, timeout: Duration) {
        let suspects = self.by_destination.entry(destination).or_default();
        if let Err(place) = suspects.binary_search_by_key(&path, |suspect| suspect.path) {
            suspects.insert(place, Suspect { path, probe_at: now + timeout, wait: timeout });
        }
    }

    /// Records that an answer to a packet that took a path has arrived.
    #[inline]
    pub fn alive(&mut self, destination: u32, path: u16) {
        if self.by_destination.is_empty() {
            return;
        }
        let Some(suspects) = self.by_destination.get_mut(&destination) else { return };
        suspects.retain(|suspect| suspect.path != path);
        if suspects.is_empty() {
            self.by_destination.remove(&destination);
        }
    }

    /// Returns the suspected paths to a host, in ascending order.
    #[inline]
    pub fn of(&self, destination: u32) -> &[Suspect] {
        if self.by_destination.is_empty() {
            return &[];
        }
        self.by_destination.get(&destination).map_or(&[], Vec::as_slice)
    }

    /// Returns the suspected path to a host on which a copy is to be sent now, if any. The time to the next copy
    /// doubles, up to `longest`.
    pub fn probe(&mut self, now: Instant, destination: u32, longest: Duration) -> Option<u16> {
        if self.by_destination.is_empty() {
            return None;
        }
        let suspects = self.by_destination.get_mut(&destination)?;
        let suspect = suspects.iter_mut().find(|suspect| suspect.probe_at <= now)?;
        suspect.wait = suspect.wait.times(2).min(longest.max(suspect.wait));
        suspect.probe_at = now + suspect.wait;
        Some(suspect.path)
    }
}

/// Returns true if a path is suspected.
#[inline]
pub fn contains(suspects: &[Suspect], path: u16) -> bool {
    suspects.binary_search_by_key(&path, |suspect| suspect.path).is_ok()
}

/// Draws one of `paths` paths, excluding the suspected ones unless all are suspected.
pub fn draw(suspects: &[Suspect], paths: u16, random: &mut Random) -> u16 {
    if paths <= 1 {
        return 0;
    }
    let good = usize::from(paths).saturating_sub(suspects.len());
    if good == 0 {
        return random.below(u64::from(paths)) as u16;
    }
    let mut path = random.below(good as u64) as u16;
    for suspect in suspects {
        path += u16::from(suspect.path <= path);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_microseconds(50);
    const LONGEST: Duration = Duration::from_microseconds(300);

    fn at(microseconds: u64) -> Instant {
        Instant::from_microseconds(microseconds)
    }

    #[test]
    fn suspected_paths_are_probed_with_backoff() {
        let mut suspects = Suspects::default();
        suspects.lost(at(100), 9, 3, TIMEOUT);
        suspects.lost(at(101), 9, 3, TIMEOUT);
        assert!(contains(suspects.of(9), 3) && !contains(suspects.of(9), 2) && suspects.of(8).is_empty());
        let probes: Vec<u64> = (100..2000).filter(|&now| suspects.probe(at(now), 9, LONGEST) == Some(3)).collect();
        assert_eq!(probes, [150, 250, 450, 750, 1050, 1350, 1650, 1950]);
        suspects.alive(9, 2);
        assert_eq!(suspects.of(9).len(), 1);
        suspects.alive(9, 3);
        assert!(suspects.of(9).is_empty() && suspects.probe(at(9000), 9, LONGEST).is_none());
    }

    #[test]
    fn draws_exclude_suspected_paths() {
        let (mut suspects, mut random) = (Suspects::default(), Random::new(1));
        for path in [0, 3, 4, 7] {
            suspects.lost(at(0), 9, path, TIMEOUT);
        }
        let mut drawn: Vec<u16> = (0..200).map(|_| draw(suspects.of(9), 8, &mut random)).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn, [1, 2, 5, 6]);
        let mut all: Vec<u16> = (0..200).map(|_| draw(suspects.of(9), 4, &mut random)).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all, [0, 1, 2, 3], "where all are suspected, any is as good");
    }
}
