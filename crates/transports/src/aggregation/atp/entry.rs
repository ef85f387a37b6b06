//! What a server knows of a fragment: the paper's `<bitmap, value>` (section 3.6).

use basis::Instant;
use serde::{Deserialize, Serialize};
use wire::atp::flag;

use super::contributions::Contributions;
use super::packet::Opened;
use super::parameters::Arithmetic;

/// What a server says about a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Reply {
    /// The sums.
    Answer,
    /// All workers are asked to send it again.
    Resend,
    /// All workers are asked for its original values.
    Originals,
}

/// What has become of a gradient packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// Its values were added.
    Added,
    /// All of its values were part of the sums already.
    Duplicate,
    /// It has all that was here and more, and took the place of that.
    Replaced,
    /// Some of its values were part of the sums already, and others were not, so that it cannot be used.
    Overlaps,
    /// It has integers, and nothing but original values can be used; these are wanted from now on if they were not before.
    Unusable,
}

/// A fragment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Entry {
    pub fragment: u64,
    /// Whose values are part of the sums.
    pub have: Contributions,
    /// The sums of integers.
    integers: Vec<i64>,
    /// The sums of floating-point numbers that came as they are.
    floats: Vec<f64>,
    /// The bits of the sums once these are complete; empty until then.
    pub answer: Vec<u32>,
    /// Whether only original values are taken.
    pub is_original: bool,
    /// The aggregator of the latest packet.
    pub aggregator: u16,
    /// Whether a switch could not aggregate a packet.
    pub has_collided: bool,
    /// What the answer says about the index of the fragment one largest window later.
    pub next_aggregator: Option<u16>,
    /// Whether a packet has met congestion.
    pub has_met_congestion: bool,
    /// When the first packet came.
    pub began_at: Instant,
    /// When something was said about it for the last time, and how often workers were asked for something.
    pub replied_at: Option<Instant>,
    pub asked: u8,
    /// What is to be said about it, once the link is free.
    pub pending: Option<Reply>,
}

impl Entry {
    /// Makes this the entry of a fragment of which nothing is known.
    pub fn begin(&mut self, now: Instant, fragment: u64) {
        let Self { mut integers, mut floats, mut answer, .. } = std::mem::take(self);
        integers.clear();
        floats.clear();
        answer.clear();
        *self = Self { fragment, integers, floats, answer, began_at: now, ..Self::default() };
    }

    pub fn is_complete(&self) -> bool {
        !self.answer.is_empty()
    }

    /// Returns true if the values of some worker have come, but not those of all.
    pub fn is_partial(&self) -> bool {
        !self.is_complete() && !self.have.is_empty()
    }

    /// Takes a packet with the values of some workers. `can_use_integers` says whether it is known what integers stand for.
    pub fn take(
        &mut self,
        contributions: &Contributions,
        opened: &Opened<'_>,
        arithmetic: Arithmetic,
        can_use_integers: bool,
    ) -> Taken {
        let header = opened.header();
        self.aggregator = header.aggregator();
        self.has_collided |= header.has(flag::COLLISION);
        self.has_met_congestion |= opened.has_met_congestion();
        let is_original = header.has(flag::OVERFLOW);
        // Section 3.8: the sum of a switch is saturated if a value is, so original values are needed of everybody.
        let is_saturated = |bits: u32| [i32::MAX, i32::MIN].contains(&bits.cast_signed());
        if !is_original && (self.is_original || !can_use_integers || opened.values().any(is_saturated)) {
            if !self.is_original {
                self.want_originals();
            }
            return Taken::Unusable;
        }
        if !self.have.overlaps(contributions) {
            match (is_original, arithmetic) {
                (true, Arithmetic::Floats(_)) => self.add_floats(contributions, opened.values()),
                _ => self.add(contributions, opened.values()),
            }
            return Taken::Added;
        }
        if contributions.is_within(&self.have) {
            return Taken::Duplicate;
        }
        // The paper says nothing of bitmaps that overlap in part.
        if !is_original && self.have.is_within(contributions) {
            self.drop_sums();
            self.add(contributions, opened.values());
            return Taken::Replaced;
        }
        Taken::Overlaps
    }

    /// Forgets the sums, and takes only original values from now on.
    pub fn want_originals(&mut self) {
        self.drop_sums();
        self.is_original = true;
    }

    fn drop_sums(&mut self) {
        self.have = Contributions::default();
        self.integers.clear();
        self.floats.clear();
    }

    fn add(&mut self, contributions: &Contributions, values: impl Iterator<Item = u32>) {
        self.have.add(contributions);
        if self.integers.is_empty() {
            self.integers.extend(values.map(|bits| i64::from(bits.cast_signed())));
        } else {
            // At most 1,024 workers.
            self.integers.iter_mut().zip(values).for_each(|(own, bits)| *own += i64::from(bits.cast_signed()));
        }
    }

    fn add_floats(&mut self, contributions: &Contributions, values: impl Iterator<Item = u32>) {
        self.have.add(contributions);
        let values = values.map(|bits| f64::from(f32::from_bits(bits)));
        if self.floats.is_empty() {
            self.floats.extend(values);
        } else {
            self.floats.iter_mut().zip(values).for_each(|(own, value)| *own += value);
        }
    }

    /// Makes the answer of sums that are complete.
    pub fn complete(&mut self, values: usize, arithmetic: Arithmetic, scale: f64) {
        let Self { integers, floats, answer, .. } = self;
        let integer = |at: usize| integers.get(at).copied().unwrap_or_default();
        answer.extend((0..values).map(|at| match arithmetic {
            Arithmetic::Integers => (integer(at).clamp(i32::MIN.into(), i32::MAX.into()) as i32).cast_unsigned(),
            Arithmetic::Floats(_) => {
                let float = floats.get(at).copied().unwrap_or_default();
                ((integer(at) as f64 / scale + float) as f32).to_bits()
            }
        }));
    }
}
