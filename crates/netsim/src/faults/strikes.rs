//! The choice of the packets that a rule strikes.

use basis::Random;
use serde::{Deserialize, Serialize};

/// The packets that a rule strikes, of those on which it acts. Each link counts packets separately, from 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Strikes {
    /// All packets.
    #[default]
    Always,
    /// Each packet with this probability, 0 to 1, independently of others.
    Probability(f64),
    /// Every n-th packet; at least 1.
    Every(u64),
    /// The packets with these numbers.
    Numbers(Vec<u64>),
    /// Packets in bursts.
    Burst(Burst),
}

/// Two states, good and bad, in which packets are struck with different probabilities: the model of Gilbert ("Capacity
/// of a burst-noise channel", 1960) and Elliott ("Estimates of error rates for codes on burst-noise channels", 1963).
/// It starts in the good state. Each packet finds the link in a state, which may change after it. All four numbers are
/// probabilities, 0 to 1; tc-netem calls them p, r, 1-k and 1-h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burst {
    /// The probability that the state becomes bad after a packet that found the good one.
    pub begins: f64,
    /// The probability that the state becomes good after a packet that found the bad one: the mean length of a burst
    /// is 1 / `ends` packets.
    pub ends: f64,
    /// The probability that a packet is struck in the good state.
    pub in_good: f64,
    /// The probability that a packet is struck in the bad state.
    pub in_bad: f64,
}

impl Burst {
    /// Returns the share of packets that is struck in the long run, according to the stationary distribution of the
    /// chain, or `None` if the state never changes.
    pub fn mean(&self) -> Option<f64> {
        let sum = self.begins + self.ends;
        (sum > 0.0).then(|| (self.ends * self.in_good + self.begins * self.in_bad) / sum)
    }
}

/// The state of a rule on one link.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Chooser {
    random: Random,
    /// The number of packets on which the rule has acted.
    pub seen: u64,
    /// The number of packets that it has struck.
    pub struck: u64,
    /// True in the bad state.
    is_bad: bool,
}

impl Chooser {
    pub fn new(random: Random) -> Self {
        Self { random, seen: 0, struck: 0, is_bad: false }
    }

    /// Decides whether the next packet is struck.
    pub fn choose(&mut self, strikes: &Strikes) -> bool {
        self.seen += 1;
        let is_struck = match strikes {
            Strikes::Always => true,
            Strikes::Probability(probability) => self.random.chance(*probability),
            Strikes::Every(every) => self.seen.is_multiple_of(*every),
            Strikes::Numbers(numbers) => numbers.contains(&self.seen),
            Strikes::Burst(burst) => {
                let (struck, changes) =
                    if self.is_bad { (burst.in_bad, burst.ends) } else { (burst.in_good, burst.begins) };
                let is_struck = self.random.chance(struck);
                self.is_bad ^= self.random.chance(changes);
                is_struck
            }
        };
        self.struck += u64::from(is_struck);
        is_struck
    }

    /// Returns the random generator for the rule's other draws.
    pub fn random(&mut self) -> &mut Random {
        &mut self.random
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn struck(strikes: &Strikes, packets: usize) -> Vec<bool> {
        let mut chooser = Chooser::new(Random::new(1));
        let struck: Vec<bool> = (0..packets).map(|_| chooser.choose(strikes)).collect();
        assert_eq!(chooser.seen, packets as u64);
        assert_eq!(chooser.struck, struck.iter().filter(|struck| **struck).count() as u64);
        struck
    }

    /// Returns the numbers of the struck packets, from 1.
    fn numbers(strikes: &Strikes, packets: usize) -> Vec<usize> {
        struck(strikes, packets).iter().zip(1..).filter_map(|(struck, number)| struck.then_some(number)).collect()
    }

    #[test]
    fn packets_are_counted_from_1() {
        assert_eq!(numbers(&Strikes::Every(3), 10), [3, 6, 9]);
        assert_eq!(numbers(&Strikes::Numbers(vec![4, 1, 40]), 10), [1, 4]);
        assert_eq!(numbers(&Strikes::Always, 3), [1, 2, 3]);
        assert_eq!(numbers(&Strikes::Probability(0.0), 1000), []);
        assert_eq!(numbers(&Strikes::Probability(1.0), 3), [1, 2, 3]);
    }

    #[test]
    fn a_probability_is_the_share_of_struck_packets() {
        // For 100,000 draws with probability 0.05 the standard deviation is 69.
        let count = numbers(&Strikes::Probability(0.05), 100_000).len();
        assert!((4_650..5_350).contains(&count), "{count}");
    }

    #[test]
    fn bursts_match_the_frequency_and_length_of_the_chain() {
        let burst = Burst { begins: 0.01, ends: 0.2, in_good: 0.0, in_bad: 1.0 };
        let mean = burst.mean().expect("it changes");
        assert!((mean - 0.01 / 0.21).abs() < 1e-12);
        let struck = struck(&Strikes::Burst(burst), 1_000_000);
        let count = struck.iter().filter(|struck| **struck).count() as f64;
        let bursts = struck.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        // There are about 9,500 bursts, whose lengths deviate by about their mean: 1 % of either is one standard
        // deviation.
        assert!((count / 1e6 / mean - 1.0).abs() < 0.06, "{count} struck");
        assert!((count / bursts / 5.0 - 1.0).abs() < 0.05, "{bursts} bursts");
    }

    #[test]
    fn each_state_strikes_with_its_own_probability() {
        let burst = Burst { begins: 0.1, ends: 0.3, in_good: 0.02, in_bad: 0.5 };
        let count = numbers(&Strikes::Burst(burst), 1_000_000).len() as f64;
        let mean = burst.mean().expect("it changes");
        assert!((mean - (0.3 * 0.02 + 0.1 * 0.5) / 0.4).abs() < 1e-12);
        assert!((count / 1e6 / mean - 1.0).abs() < 0.02, "{count} struck, {mean}");
        assert_eq!(Burst { begins: 0.0, ends: 0.0, ..burst }.mean(), None);
    }
}
