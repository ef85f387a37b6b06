//! The rings of cores: how much waits in each, and whose packets those are.

use std::collections::VecDeque;

use crate::policy::Origin;

/// The most packets that wait for a core; more are dropped.
pub const RING: usize = 1024;
/// The high water: who has more in a ring than others is to be slowed while at least so many packets wait there.
const HIGH_WATER: usize = RING / 2;
/// The level above which a ring has room only for those who have less in it than others, so that who fills it takes no room from them.
const RESERVE: usize = RING / 4 * 3;
/// The number of places at which senders are counted that are no guests of this switch. Two of them may have the same one.
const PLACES: u32 = 1024;

/// The water levels of all rings.
#[derive(Debug)]
pub struct Rings {
    rings: Vec<Ring>,
}

/// What waits for one core.
#[derive(Clone, Debug, Default)]
struct Ring {
    /// The place of the sender of each packet, in the order in which they came.
    waiting: VecDeque<u32>,
    /// The number of packets at each place, and the number of places that have any.
    of: Vec<u16>,
    senders: usize,
}

/// What became of a packet at a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entered {
    /// Whether it is in the ring.
    pub is_in: bool,
    /// Whether its sender is to be slowed.
    pub is_noisy: bool,
}

impl Rings {
    /// The rings of so many cores, which are empty.
    pub fn new(cores: u16) -> Self {
        Self { rings: vec![Ring::default(); cores.into()] }
    }

    /// Returns the number of packets that wait for a core.
    pub fn waiting(&self, core: u16) -> usize {
        self.rings[usize::from(core)].waiting.len()
    }

    /// Brings a packet of a sender, with its place of origin and its address as a number, to a ring. With `has_congestion`, who fills
    /// it is found out: who has at least as many packets in it as senders have on average.
    pub fn enter(&mut self, core: u16, (origin, address): (Origin, u128), has_congestion: bool) -> Entered {
        let ring = &mut self.rings[usize::from(core)];
        let place = place_of(origin, address);
        let number = place as usize;
        if ring.of.len() <= number {
            ring.of.resize(number + 1, 0);
        }
        let (own, level) = (&mut ring.of[number], ring.waiting.len());
        let is_noisy = has_congestion && level >= HIGH_WATER && usize::from(*own) * ring.senders >= level;
        let is_in = level < if is_noisy { RESERVE } else { RING };
        if is_in {
            ring.senders += usize::from(*own == 0);
            *own += 1;
            ring.waiting.push_back(place);
        }
        Entered { is_in, is_noisy }
    }

    /// Records that a core has worked on so many packets of its ring.
    pub fn leave(&mut self, core: u16, packets: usize) {
        let Ring { waiting, of, senders } = &mut self.rings[usize::from(core)];
        for place in waiting.drain(..packets.min(waiting.len())) {
            let own = &mut of[place as usize];
            *own -= 1;
            *senders -= usize::from(*own == 0);
        }
    }
}

/// Returns the place at which the packets of a sender are counted. Each guest of this switch has one of its own.
fn place_of(origin: Origin, address: u128) -> u32 {
    match origin {
        Origin::Vnic(vnic) => PLACES + vnic,
        _ => (basis::mix((address >> 64) as u64 ^ basis::mix(address as u64)) % u64::from(PLACES)) as u32,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const IN: Entered = Entered { is_in: true, is_noisy: false };

    fn guest(vnic: u32) -> (Origin, u128) {
        (Origin::Vnic(vnic), 0)
    }

    #[test]
    fn who_fills_a_ring_is_found_out_and_leaves_room_for_others() {
        let mut rings = Rings::new(2);
        assert!((0..HIGH_WATER).all(|_| rings.enter(1, guest(0), true) == IN));
        let noisy = Entered { is_in: true, is_noisy: true };
        assert_eq!((rings.enter(1, guest(1), true), rings.enter(1, guest(0), true)), (IN, noisy));
        assert_eq!(rings.enter(0, guest(0), true), IN, "another ring is another matter");
        while rings.enter(1, guest(0), true).is_in {}
        assert_eq!(rings.waiting(1), RESERVE);
        assert_eq!(rings.enter(1, guest(0), true), Entered { is_in: false, is_noisy: true });
        assert!((0..RING - RESERVE).all(|_| rings.enter(1, guest(1), true) == IN));
        assert_eq!(rings.enter(1, guest(1), true), Entered { is_in: false, is_noisy: false }, "it is full");
        rings.leave(1, RING);
        assert_eq!((rings.waiting(1), rings.enter(1, guest(0), true)), (0, IN));
    }

    #[test]
    fn without_congestion_control_a_ring_is_whoever_comes_first() {
        let mut rings = Rings::new(1);
        assert!((0..RING).all(|_| rings.enter(0, guest(0), false) == IN));
        assert_eq!(rings.enter(0, guest(1), false), Entered { is_in: false, is_noisy: false });
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// Packets are counted as a plain list of them would say.
        #[test]
        fn senders_are_counted_as_a_list_says(
            steps in prop::collection::vec((0..6u32, 1..200usize, 0..150usize), 1..60),
        ) {
            let (mut rings, mut list) = (Rings::new(1), VecDeque::new());
            for (vnic, come, go) in steps {
                for _ in 0..come {
                    let of = |vnic: u32| list.iter().filter(|one| **one == vnic).count();
                    let senders = (0..6).filter(|vnic| list.contains(vnic)).count();
                    let is_noisy = list.len() >= HIGH_WATER && of(vnic) * senders >= list.len();
                    let is_in = list.len() < if is_noisy { RESERVE } else { RING };
                    prop_assert_eq!(rings.enter(0, guest(vnic), true), Entered { is_in, is_noisy });
                    if is_in {
                        list.push_back(vnic);
                    }
                }
                rings.leave(0, go);
                list.drain(..go.min(list.len()));
                prop_assert_eq!(rings.waiting(0), list.len());
            }
        }
    }
}
