//! Which path the next packet of a message takes (NDP, section 3.2.3).

use basis::Random;
use serde::{Deserialize, Serialize};

use crate::suspects::{self, Suspect};

/// How a sender chooses a path for each data packet, among those that it does not suspect to be dead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathChoice {
    /// Each path once, in random order, then again in another; paths that lose or trim more than others are left out
    /// for a while (NDP, section 3.2.3).
    #[default]
    Permutation,
    /// Any, for each packet anew.
    Random,
    /// Any, but one for all packets of a message.
    OnePerMessage,
}

/// A path is judged after so many answers.
const ANSWERS: u32 = 8;
/// For so many rounds a bad path is left out.
const ROUNDS_LEFT_OUT: u8 = 16;
/// After so many rounds the past counts half.
const ROUNDS_REMEMBERED: u8 = 16;

/// What became of a packet that took a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    Arrived,
    Trimmed,
    Returned,
    Lost,
}

/// The paths of one message's packets.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Paths {
    /// All paths; those of this round stand first, in the order in which they are taken. Empty before the first.
    order: Vec<u16>,
    taken: usize,
    /// By path; empty while every packet arrives.
    scores: Vec<Score>,
    rounds: u8,
    /// Where a packet was last trimmed, returned or lost, plus 1.
    last_bad: u16,
    /// The one path, plus 1, where a message has one only.
    only: u16,
}

/// What is known of a path.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Score {
    good: u16,
    bad: u16,
    /// For how many more rounds it is left out.
    left_out: u8,
}

impl Paths {
    /// The path for the next packet: none of those that are suspected to be dead, unless all are. A retransmission does
    /// not take the path where a packet was last seen to fail.
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
                    // Once a round, for each path comes once a round. Never more than half of them are left out.
                    score.left_out -= 1;
                    continue;
                }
                if is_retransmission && path + 1 == self.last_bad {
                    // Once only, for it may be the only one.
                    self.last_bad = 0;
                    continue;
                }
                return path;
            },
        }
    }

    /// The next path of the random order; it is drawn only now, so that short messages draw few.
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

    /// What became of a packet that took `path`.
    pub fn learn(&mut self, path: u16, fate: Fate) {
        let path = usize::from(path);
        if path >= self.order.len() {
            return;
        }
        // A loss weighs more than a trimmed packet, for it costs the sender more than a round trip.
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

    /// Leaves out the outliers: paths on which more than one packet in eight fared badly, and more than half as many
    /// again as on all paths together. An incast harms all paths alike, and leaves out none.
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
    fn each_round_takes_each_path_once_and_rounds_differ() {
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
    fn a_path_that_loses_more_than_others_is_left_out_for_a_while() {
        let (mut paths, mut random) = (Paths::default(), Random::new(1));
        let mut taken = [0; 8];
        for _ in 0..100 {
            let path = paths.choose(PathChoice::Permutation, 8, &[], false, &mut random);
            taken[usize::from(path)] += 1;
            paths.learn(path, if path == 3 { Fate::Lost } else { Fate::Arrived });
        }
        assert!(taken[3] <= 4, "{taken:?}");
        // Tried again later: it may have become good.
        for _ in 0..200 {
            let path = paths.choose(PathChoice::Permutation, 8, &[], false, &mut random);
            taken[usize::from(path)] += 1;
            paths.learn(path, Fate::Arrived);
        }
        assert!(taken[3] >= 6, "{taken:?}");
    }

    #[test]
    fn a_suspected_path_is_taken_by_nobody_unless_all_are_suspected() {
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
    fn an_incast_that_harms_all_paths_alike_leaves_out_none() {
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
    fn at_most_half_of_all_paths_are_left_out() {
        let (mut paths, mut random) = (Paths::default(), Random::new(1));
        for _ in 0..1000 {
            let path = paths.choose(PathChoice::Permutation, 8, &[], false, &mut random);
            paths.learn(path, if path < 6 { Fate::Lost } else { Fate::Arrived });
            assert!(paths.scores.iter().filter(|score| score.left_out > 0).count() <= 4);
        }
    }

    #[test]
    fn a_retransmission_takes_another_path_than_the_one_that_failed() {
        let (mut paths, mut random) = (Paths::default(), Random::new(1));
        for _ in 0..200 {
            let path = paths.choose(PathChoice::Permutation, 2, &[], false, &mut random);
            paths.learn(path, Fate::Returned);
            assert_ne!(paths.choose(PathChoice::Permutation, 2, &[], true, &mut random), path);
            // Forgotten, for this is not about the scoreboard.
            paths.scores.clear();
        }
    }
}
