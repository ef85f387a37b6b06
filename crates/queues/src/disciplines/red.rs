//! Random early detection (Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM
//! Transactions on Networking 1(4), 1993): marks with a probability that grows with the average length.
//!
//! A packet that cannot be marked is dropped. The names in comments are those of the paper's figure 2.

use basis::{Duration, Instant, Rate};
use node::QueueLength;

use super::drop_tail::DropTail;
use super::ecn::mark;
use crate::Queued;
use crate::counts::Totals;
use crate::fifo::Fifo;
use crate::reasons;
use crate::surroundings::{Note, Surroundings};
use crate::{RedPlan, Spacing};

#[derive(Debug)]
pub(crate) struct Red<Q> {
    tail: DropTail<Q>,
    plan: RedPlan,
    /// avg: the average length, in bytes.
    average: f64,
    /// count: the packets that were not marked since the last mark, or since the average passed the minimum.
    unmarked: u32,
    /// q_time: the time since which the queue has been empty, if it is empty.
    empty_since: Option<Instant>,
    usual_time: Duration,
}

impl<Q: Queued> Red<Q> {
    pub fn new(plan: &RedPlan, rate: Rate) -> Self {
        Self {
            tail: DropTail::new(plan.limit),
            plan: plan.clone(),
            average: 0.0,
            unmarked: 0,
            empty_since: Some(Instant::ZERO),
            usual_time: rate.time_of(u64::from(plan.usual_packet)),
        }
    }

    pub fn offer(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) {
        self.update_average(around.now);
        let is_chosen = self.chooses(around);
        let Some(mut item) = self.tail.admit(item, note, around) else { return };
        if is_chosen {
            if mark(&mut item) {
                self.tail.counts.rare().marked += 1;
            } else if !note.is_lossless {
                self.tail.counts.rare().early_dropped += 1;
                return self.tail.drop(item, note, reasons::RANDOM_EARLY_DETECTION, around);
            }
        }
        self.empty_since = None;
        self.tail.fifo.push(item, note, around);
    }

    /// avg <- (1 - w_q) avg + w_q q. If the queue was empty, the average decays as if m typical packets had found it
    /// so.
    fn update_average(&mut self, now: Instant) {
        let keep = 1.0 - self.plan.weight;
        match self.empty_since {
            Some(since) => {
                let missed = now.since(since).picoseconds() / self.usual_time.picoseconds().max(1);
                self.average *= power(keep, missed);
                // If this packet does not stay, the next one counts from here.
                self.empty_since = Some(now);
            }
            None => self.average = keep * self.average + self.plan.weight * self.tail.fifo.bytes() as f64,
        }
    }

    /// Decides whether the arriving packet is to be marked.
    fn chooses(&mut self, around: &mut Surroundings<Q>) -> bool {
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
        let is_chosen = around.random.chance(probability);
        self.unmarked = if is_chosen { 0 } else { self.unmarked.saturating_add(1) };
        is_chosen
    }

    pub fn take(&mut self, paused: u8, around: &mut Surroundings<Q>) -> Option<Q> {
        let item = self.tail.take(paused, around)?;
        if self.tail.fifo.is_empty() {
            self.empty_since = Some(around.now);
        }
        Some(item)
    }

    pub fn can_go(&self, paused: u8) -> bool {
        self.tail.can_go(paused)
    }

    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo<Q>)) {
        self.tail.each_fifo(look);
    }

    pub fn length(&self) -> QueueLength {
        self.tail.length()
    }

    pub fn add_to(&self, totals: &mut Totals) {
        self.tail.add_to(totals);
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

basis::snapshot!([Q: Queued] Red<Q> { values average, unmarked, empty_since; parts tail; });
