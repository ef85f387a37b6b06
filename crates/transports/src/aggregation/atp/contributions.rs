//! Whose values a sum contains.

use serde::{Deserialize, Serialize};
use wire::atp::Tree;

use crate::aggregation::Setup;

/// The most workers of a job: 32 switches of 32 workers each.
const WORKERS: usize = 1024;
/// The bits of a bitmap.
const BITS: usize = 32;

/// A set of workers, by rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Contributions([u64; WORKERS / 64]);

impl Contributions {
    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORKERS / 64]
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

    fn add_rank(&mut self, rank: usize) {
        self.0[rank / 64 % self.0.len()] |= 1 << (rank % 64);
    }

    /// Returns the ranks of the workers of a setup that are not in this set.
    pub fn missing<'s>(&'s self, setup: &'s Setup) -> impl Iterator<Item = usize> + 's {
        (0..setup.workers.len()).filter(|rank| self.0[rank / 64 % self.0.len()] >> (rank % 64) & 1 == 0)
    }
}

/// The switches that add up, and the workers below them, by the bits that stand for them.
#[derive(Clone, Debug)]
pub(super) struct Senders {
    /// The level of the first switch of `switches`, to which all others lead.
    top: u8,
    switches: Vec<Below>,
}

/// What is below a switch.
#[derive(Clone, Debug)]
struct Below {
    /// What a bit stands for.
    bits: [Option<Sender>; BITS],
    all: Contributions,
}

#[derive(Clone, Copy, Debug)]
enum Sender {
    Worker(u16),
    /// The switch of the level before, by its place.
    Switch(usize),
}

impl Below {
    const NOTHING: Self = Self { bits: [None; BITS], all: Contributions([0; WORKERS / 64]) };
}

impl Senders {
    /// Returns the senders of a setup.
    pub fn of(setup: &Setup) -> Self {
        let top = setup.levels() - 1;
        let mut switches = vec![Below::NOTHING];
        for (rank, worker) in setup.workers.iter().enumerate() {
            let mut at = 0;
            for level in (worker.first_level()..=top).rev() {
                switches[at].all.add_rank(rank);
                let bit = usize::from(worker.bits[usize::from(level)]) % BITS;
                if level == worker.first_level() {
                    // At most 1,024 workers.
                    switches[at].bits[bit] = Some(Sender::Worker(rank as u16));
                    break;
                }
                let next = switches.len();
                match switches[at].bits[bit] {
                    Some(Sender::Switch(known)) => at = known,
                    _ => {
                        switches[at].bits[bit] = Some(Sender::Switch(next));
                        switches.push(Below::NOTHING);
                        at = next;
                    }
                }
            }
        }
        Self { top, switches }
    }

    /// Returns all workers.
    pub fn all(&self) -> Contributions {
        self.switches[0].all
    }

    /// Returns the workers whose values a gradient packet has; `None` if a bit stands for nobody.
    ///
    /// A packet with several bits at a level comes from the switch of that level. Beyond the first level, a switch adds up
    /// nothing but what is complete at the level before, so that it has the values of all workers below these bits.
    pub fn contributions<T: AsRef<[u8]>>(&self, packet: &Tree<T>) -> Option<Contributions> {
        let (mut found, mut at) = (Contributions::default(), 0);
        for level in (0..=self.top).rev() {
            let (bits, below) = (packet.bitmap(level), &self.switches[at]);
            let is_single = bits.is_power_of_two();
            if bits == 0 {
                return None;
            }
            let mut rest = bits;
            while rest != 0 {
                match below.bits[rest.trailing_zeros() as usize]? {
                    Sender::Worker(rank) => found.add_rank(rank.into()),
                    Sender::Switch(next) if is_single => at = next,
                    Sender::Switch(next) => found.add(&self.switches[next].all),
                }
                rest &= rest - 1;
            }
            if !found.is_empty() {
                return Some(found);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use wire::Atp;
    use wire::atp::AtpLevels;

    use super::*;
    use crate::aggregation::WorkerPlace;

    fn ranks(contributions: Option<Contributions>) -> Option<Vec<usize>> {
        contributions.map(|set| (0..WORKERS).filter(|rank| set.0[rank / 64] >> (rank % 64) & 1 == 1).collect())
    }

    /// Three levels: two switches of two workers each below a switch of the second level, which is one of two senders at the third;
    /// the other is a worker.
    #[test]
    fn bits_stand_for_workers_and_for_all_below_a_switch() {
        let place = |bits: [u8; 3], fan_in: [u8; 3]| WorkerPlace {
            address: 0,
            bits: [bits[0], bits[1], bits[2], 0, 0],
            fan_in: [fan_in[0], fan_in[1], fan_in[2], 0, 0],
        };
        let deep = |first, second| place([first, second, 4], [2, 2, 2]);
        let workers = vec![deep(0, 0), deep(1, 0), deep(0, 1), deep(1, 1), place([0, 0, 9], [0, 0, 2])];
        let setup = Setup { job: 1, generation: 0, group: 0, servers: Vec::new(), workers, aggregators: 0..1 };
        let senders = Senders::of(&setup);
        let of = |bitmaps: [u32; 3]| {
            let mut bytes = [0; 32];
            let (atp, further) = bytes.split_at_mut(16);
            let mut packet = Tree { atp: Atp::new(atp).expect("long enough"), further: AtpLevels::new(further) };
            (0..).zip(bitmaps).for_each(|(level, bitmap)| packet.set_bitmap(level, bitmap));
            ranks(senders.contributions(&packet))
        };
        assert_eq!(ranks(Some(senders.all())), Some(vec![0, 1, 2, 3, 4]));
        assert_eq!(of([0b10, 0b10, 1 << 4]), Some(vec![3]), "a worker");
        assert_eq!(of([0b11, 0b01, 1 << 4]), Some(vec![0, 1]), "from the first level");
        assert_eq!(of([0b10, 0b11, 1 << 4]), Some(vec![0, 1, 2, 3]), "from the second level, whatever came last there");
        assert_eq!(of([0b10, 0b10, 1 << 4 | 1 << 9]), Some(vec![0, 1, 2, 3, 4]), "from the third level");
        assert_eq!(of([7, 7, 1 << 9]), Some(vec![4]), "a worker that begins at the third level");
        assert_eq!([of([1, 1, 1]), of([4, 1, 1 << 4]), of([0, 1, 1 << 4]), of([0; 3])], [None, None, None, None]);
        let some = senders.contributions(&Tree { atp: Atp::new([0u8; 16]).expect("long enough"), further: None });
        assert_eq!(some, None, "a packet without the fields of further levels");
    }
}
