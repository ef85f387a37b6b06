//! Random early detection (Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM
//! Transactions on Networking 1(4), 1993): marks with a probability that grows with the average length.
//!
//! A packet that cannot be marked is dropped. The names in comments are those of the paper's figure 2.

use basis::{Duration, Instant, Random, Rate};

use crate::discipline::{Arriving, Decision, Discipline, DisciplineParameters, Lanes, Leaving};
use crate::plan::NO_ROOM;
use crate::reasons;
use crate::{RedPlan, Spacing};

impl DisciplineParameters for RedPlan {
    fn discipline(&self, rate: Rate) -> Box<dyn Discipline> {
        Box::new(Red {
            plan: self.clone(),
            average: 0.0,
            unmarked: 0,
            empty_since: Instant::ZERO,
            usual_time: rate.time_of(u64::from(self.usual_packet)),
        })
    }

    fn problems(&self) -> Vec<String> {
        let problems = [
            (self.limit == 0, NO_ROOM),
            (self.minimum >= self.maximum, "the minimum of random early detection must be below its maximum"),
            (!(0.0..=1.0).contains(&self.probability), "a probability must be from 0 to 1"),
            (!(self.weight > 0.0 && self.weight <= 1.0), "the weight of the average must be above 0 and at most 1"),
        ];
        problems.into_iter().filter(|(is_wrong, _)| *is_wrong).map(|(_, problem)| problem.to_owned()).collect()
    }
}

#[derive(Debug)]
struct Red {
    plan: RedPlan,
    /// avg: the average length, in bytes.
    average: f64,
    /// count: the packets that were not marked since the last mark, or since the average passed the minimum.
    unmarked: u32,
    /// q_time: while the queue is empty, the time since which it has been, or since which the average has been decaying.
    empty_since: Instant,
    usual_time: Duration,
}

impl Discipline for Red {
    fn room(&self, _lane: usize) -> u64 {
        self.plan.limit
    }

    fn arrives(&mut self, packet: &Arriving, lanes: &dyn Lanes, random: &mut Random) -> Decision {
        let length = lanes.length(0);
        self.update_average(packet.now, (length.packets > 0).then_some(length.bytes));
        match self.chooses(random) {
            true => Decision::MarkOrDrop(reasons::RANDOM_EARLY_DETECTION),
            false => Decision::Pass,
        }
    }

    fn leaves(&mut self, packet: &Leaving, lanes: &dyn Lanes, _random: &mut Random) -> Decision {
        if lanes.length(0).packets == 0 {
            self.empty_since = packet.now;
        }
        Decision::Pass
    }
}

impl Red {
    /// avg <- (1 - w_q) avg + w_q q, where q is `waiting`. If the queue is empty, the average decays as if m typical packets
    /// had found it so.
    fn update_average(&mut self, now: Instant, waiting: Option<u64>) {
        let keep = 1.0 - self.plan.weight;
        match waiting {
            None => {
                let missed = now.since(self.empty_since).picoseconds() / self.usual_time.picoseconds().max(1);
                self.average *= power(keep, missed);
                // If this packet does not stay, the next one counts from here.
                self.empty_since = now;
            }
            Some(bytes) => self.average = keep * self.average + self.plan.weight * bytes as f64,
        }
    }

    /// Decides whether the arriving packet is to be marked.
    fn chooses(&mut self, random: &mut Random) -> bool {
        let probability = self.plan.probability_at(self.average);
        if self.average < self.plan.minimum as f64 {
            self.unmarked = 0;
            return false;
        }
        if probability >= 1.0 {
            self.unmarked = 0;
            return true;
        }
        let probability = match self.plan.spacing {
            Spacing::Geometric => probability,
            // Section 7: p_a <- p_b / (1 - count p_b), which reaches 1 at packet 1 / p_b. (Figure 2 counts the packet
            // itself too, which makes the gaps shorter by one; the text and its formula do not.)
            Spacing::Uniform => {
                let rest = 1.0 - f64::from(self.unmarked) * probability;
                if rest <= probability { 1.0 } else { probability / rest }
            }
        };
        let is_chosen = random.chance(probability);
        self.unmarked = if is_chosen { 0 } else { self.unmarked.saturating_add(1) };
        is_chosen
    }
}

/// Returns `base` to the power of `exponent`, by multiplications only, so that every machine computes the same bits.
fn power(mut base: f64, mut exponent: u64) -> f64 {
    let mut result = 1.0;
    while exponent > 0 && result > 0.0 {
        if exponent & 1 != 0 {
            result *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    result
}

basis::snapshot!(Red { values average, unmarked, empty_since; });
