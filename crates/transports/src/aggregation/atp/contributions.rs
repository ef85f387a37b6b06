//! Whose values a sum contains.

use serde::{Deserialize, Serialize};
use wire::Atp;

use crate::aggregation::Setup;

/// The senders that a second edge switch can tell apart.
const RACKS: usize = 32;

/// A set of workers: for each bit at the second edge switch, the bits at the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Contributions([u32; RACKS]);

impl Contributions {
    /// Returns all workers of a setup.
    pub fn all(setup: &Setup) -> Self {
        let mut all = Self::default();
        for worker in &setup.workers {
            let [bit, rack] = worker.bits;
            all.0[usize::from(rack) % RACKS] |= 1 << (bit % 32);
        }
        all
    }

    /// Returns the workers whose values a gradient packet has. A packet with several bits in bitmap1 comes from the second edge
    /// switch, which adds up nothing but what is complete at the first.
    pub fn of(header: &Atp<&[u8]>, all: &Self) -> Self {
        let racks = header.bitmap1();
        let mut own = Self::default();
        for (rack, bits) in own.0.iter_mut().enumerate().filter(|(rack, _)| racks >> rack & 1 == 1) {
            *bits = if racks.count_ones() > 1 { all.0[rack] } else { header.bitmap0() };
        }
        own
    }

    pub fn is_empty(&self) -> bool {
        self.0 == [0; RACKS]
    }

    /// Returns true if all of these workers are among others.
    pub fn is_within(&self, others: &Self) -> bool {
        self.0.iter().zip(others.0).all(|(own, other)| own & !other == 0)
    }

    /// Returns true if there is a worker in both.
    pub fn overlaps(&self, others: &Self) -> bool {
        self.0.iter().zip(others.0).any(|(own, other)| own & other != 0)
    }

    pub fn add(&mut self, others: &Self) {
        self.0.iter_mut().zip(others.0).for_each(|(own, other)| *own |= other);
    }

    /// Returns the ranks of the workers of a setup that are not in this set.
    pub fn missing<'s>(&'s self, setup: &'s Setup) -> impl Iterator<Item = usize> + 's {
        let is_here = |[bit, rack]: [u8; 2]| self.0[usize::from(rack) % RACKS] >> (bit % 32) & 1 == 1;
        let workers = setup.workers.iter().enumerate();
        workers.filter(move |(_, worker)| !is_here(worker.bits)).map(|(rank, _)| rank)
    }
}
