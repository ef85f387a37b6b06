//! The choice of a path for each packet of a message (NDP, section 3.2.3).

use basis::Random;
use serde::{Deserialize, Serialize};

use crate::suspects::{self, Suspect};

/// The way in which a sender chooses a path for each data packet, among the paths that it does not suspect to be dead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathChoice {
    /// Takes each path once in a random order, then again in another order. Paths that lose or trim more packets than
    /// others are left out for a while (NDP, section 3.2.3).
    #[default]
    Permutation,
    /// Draws a path for each packet.
    Random,
    /// Draws one path for all packets of a message.
    OnePerMessage,
}

/// The number of answers after which a path is judged.
const ANSWERS: u32 = 8;
/// The number of rounds for which a bad path is left out.
const ROUNDS_LEFT_OUT: u8 = 16;
/// The number of rounds after which past results count half.
const ROUNDS_REMEMBERED: u8 = 16;

/// The outcome of a packet that took a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    Arrived,
    Trimmed,
    Returned,
    Lost,
}

/// The path state of one message.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Paths {
    /// All paths; those taken in this round come first, in the order in which they were taken. Empty before the first
    /// packet.
    order: Vec<u16>,
    taken: usize,
    /// The score of each path; empty as long as every packet arrives.
    scores: Vec<Score>,
    rounds: u8,
    /// The path on which a packet was last trimmed, returned or lost, plus 1; 0 if there is none.
    last_bad: u16,
    /// The path of all packets, plus 1, with [`PathChoice::OnePerMessage`]; 0 before it is drawn.
    only: u16,
}

/// The record of one path.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Score {
    good: u16,
    bad: u16,
    /// The number of rounds for which the path is still left out.
    left_out: u8,
}

impl Paths {
    /// Chooses the path for the next packet. Paths that are suspected to be dead are avoided unless all are. A
    /// retransmission avoids the path on which a packet was last seen to fail.
    pub fn choose(
        &mut self,
        choice: PathChoice,
        paths: u16,
        suspects: &[Suspect],
        is_retransmission: bool,
        random: &mut Random,
    ) -> u16 {
        if paths <= 1 {
            return 0;
        }
        let suspects = if suspects.len() < usize::from(paths) { suspects } else { &[] };
        match choice {
            PathChoice::Random => suspects::draw(suspects, paths, random),
            PathChoice::OnePerMessage => {
                if self.only == 0 || suspects::contains(suspects, self.only - 1) {
                    self.only = suspects::draw(suspects, paths, random) + 1;
                }
                self.only - 1
            }
            PathChoice::Permutation => loop {
                let path = self.next(paths, random);
                if suspects::contains(suspects, path) {
                    continue;
                }
                if let Some(score) = self.scores.get_mut(usize::from(path))
                    && score.left_out > 0
                {
                    // This is reached once a round for each path. At most half of the paths are left out at a time, so
                    // the loop ends.
                    score.left_out -= 1;
                    continue;
                }
                if is_retransmission && path + 1 == self.last_bad {
                    // It is avoided only once, since it may be the only path.
                    self.last_bad = 0;
                    continue;
                }
                return path;
            },
        }
    }

    /// Draws the next path of the random order. Drawing one at a time keeps short messages cheap.
    fn next(&mut self, paths: u16, random: &mut Random) -> u16 {
        if self.order.is_empty() {
            self.order.extend(0..paths);
        }
        let chosen = self.taken + random.below((self.order.len() - self.taken) as u64) as usize;
        self.order.swap(self.taken, chosen);
        let path = self.order[self.taken];
        self.taken += 1;
        if self.taken == self.order.len() {
            self.taken = 0;
            self.judge();
        }
        path
    }

    /// Records the outcome of a packet that took `path`.
    pub fn learn(&mut self, path: u16, fate: Fate) {
        let path = usize::from(path);
        if path >= self.order.len() {
            return;
        }
        // A loss weighs more than a trimmed packet, because it costs the sender more than a round trip.
        let weight = match fate {
            Fate::Arrived => 0,
            Fate::Trimmed => 1,
            Fate::Returned => 2,
            Fate::Lost => 4,
        };
        if weight > 0 {
            self.last_bad = path as u16 + 1;
            if self.scores.is_empty() {
                self.scores.resize(self.order.len(), Score::default());
            }
        }
        if let Some(score) = self.scores.get_mut(path) {
            if weight == 0 {
                score.good = score.good.saturating_add(1);
            } else {
                score.bad = score.bad.saturating_add(weight);
            }
        }
    }

    /// Leaves out the outliers: paths on which more than one packet in eight fared badly, and whose rate of bad
    /// outcomes exceeds that of all paths together by more than half. An incast harms all paths alike, and none are
    /// left out.
    fn judge(&mut self) {
        let (mut good, mut bad, mut left_out) = (0, 0, 0);
        for score in &self.scores {
            good += u64::from(score.good);
            bad += u64::from(score.bad);
            left_out += usize::from(score.left_out > 0);
        }
        if bad == 0 {
            return;
        }
        self.rounds += 1;
        let forget = self.rounds >= ROUNDS_REMEMBERED;
        if forget {
            self.rounds = 0;
        }
        let most = self.scores.len() / 2;
        for score in &mut self.scores {
            let answers = u32::from(score.good) + u32::from(score.bad);
            let path_bad = u64::from(score.bad);
            if score.left_out == 0
                && left_out < most
                && answers >= ANSWERS
                && path_bad * 8 > u64::from(answers)
                && path_bad * (good + bad) * 2 > bad * u64::from(answers) * 3
            {
                *score = Score { left_out: ROUNDS_LEFT_OUT, ..Score::default() };
                left_out += 1;
            } else if forget {
                score.good /= 2;
                score.bad /= 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use basis::{Duration, Instant};

    use super::*;
    use crate::suspects::Suspects;

    fn round(paths: &mut Paths, random: &mut Random, count: u16) -> Vec<u16> {
        (0..count).map(|_| paths.choose(PathChoice::Permutation, count, &[], false, random)).collect()
    }

    #[test]
    fn each_round_takes_each_path_once_in_a_new_order() {
        let (mut paths, mut random) = (Paths::default(), Random::new(1));
        let rounds: Vec<_> = (0..4).map(|_| round(&mut paths, &mut random, 16)).collect();
        for round in &rounds {
            let mut sorted = round.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..16).collect::<Vec<_>>());
        }
        assert_ne!(rounds[0], rounds[1]);
    }

    #[test]
    fn lossy_paths_are_left_out_for_a_while() {
        let (mut paths, mut random) = (Paths::default(), Random::new(1));
        let mut taken = [0; 8];
        for _ in 0..100 {
            let path = paths.choose(PathChoice::Permutation, 8, &[], false, &mut random);
            taken[usize::from(path)] += 1;
            paths.learn(path, if path == 3 { Fate::Lost } else { Fate::Arrived });
        }
        assert!(taken[3] <= 4, "{taken:?}");
        // The path is tried again later, since it may have recovered.
        for _ in 0..200 {
            let path = paths.choose(PathChoice::Permutation, 8, &[], false, &mut random);
            taken[usize::from(path)] += 1;
            paths.learn(path, Fate::Arrived);
        }
        assert!(taken[3] >= 6, "{taken:?}");
    }

    #[test]
    fn suspected_paths_are_avoided_unless_all_are_suspected() {
        let (mut paths, mut random) = (Paths::default(), Random::new(1));
        let mut suspects = Suspects::default();
        let timeout = Duration::from_microseconds(50);
        for path in [0, 1, 3] {
            suspects.lost(Instant::ZERO, 9, path, timeout);
        }
        for choice in [PathChoice::Permutation, PathChoice::Random, PathChoice::OnePerMessage] {
            for turn in 0..50 {
                assert_eq!(paths.choose(choice, 4, suspects.of(9), turn % 3 == 0, &mut random), 2, "{choice:?}");
            }
        }
        suspects.lost(Instant::ZERO, 9, 2, timeout);
        let mut taken: Vec<u16> =
            (0..4).map(|_| paths.choose(PathChoice::Permutation, 4, suspects.of(9), false, &mut random)).collect();
        taken.sort_unstable();
        assert_eq!(taken, [0, 1, 2, 3]);
    }

    #[test]
    fn no_path_is_left_out_if_all_are_equally_bad() {
        let (mut paths, mut random) = (Paths::default(), Random::new(1));
        for _ in 0..50 {
            let mut sorted = round(&mut paths, &mut random, 8);
            for &path in &sorted {
                paths.learn(path, Fate::Trimmed);
            }
            sorted.sort_unstable();
            assert_eq!(sorted, (0..8).collect::<Vec<_>>());
        }
    }

    #[test]
    fn at_most_half_of_the_paths_are_left_out() {
        let (mut paths, mut random) = (Paths::default(), Random::new(1));
        for _ in 0..1000 {
            let path = paths.choose(PathChoice::Permutation, 8, &[], false, &mut random);
            paths.learn(path, if path < 6 { Fate::Lost } else { Fate::Arrived });
            assert!(paths.scores.iter().filter(|score| score.left_out > 0).count() <= 4);
        }
    }

    #[test]
    fn a_retransmission_avoids_the_path_that_failed() {
        let (mut paths, mut random) = (Paths::default(), Random::new(1));
        for _ in 0..200 {
            let path = paths.choose(PathChoice::Permutation, 2, &[], false, &mut random);
            paths.learn(path, Fate::Returned);
            assert_ne!(paths.choose(PathChoice::Permutation, 2, &[], true, &mut random), path);
            // This test is not about the scores.
            paths.scores.clear();
        }
    }
}
