//! Choosing a back end by a consistent hash: Maglev (Eisenbud et al., NSDI 2016, section 3.4).

/// The size of the table: a prime, so that every back end's steps go through all places; a hundred times as many places as
/// back ends keep the shares within a hundredth (section 3.4 of the paper).
const SIZE: usize = 65_537;
/// The most back ends of a load balancer.
pub const MOST_BACK_ENDS: usize = 600;

/// A table from hashes to back ends. If a back end goes, nearly all hashes of the others stay where they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balance {
    places: Vec<u16>,
}

impl Balance {
    /// Makes the table of back ends, each with a name that stays the same while it is there, and a weight of at least 1.
    ///
    /// # Panics
    /// If there is no back end, or more than [`MOST_BACK_ENDS`].
    pub fn new(back_ends: &[(u64, u32)]) -> Self {
        assert!((1..=MOST_BACK_ENDS).contains(&back_ends.len()), "a load balancer has back ends");
        const FREE: u16 = u16::MAX;
        let mut places = vec![FREE; SIZE];
        let steps: Vec<(usize, usize)> = back_ends.iter().map(|(name, _)| steps(*name)).collect();
        let mut next = vec![0; back_ends.len()];
        let mut left = SIZE;
        while left > 0 {
            for (number, (_, weight)) in back_ends.iter().enumerate() {
                // Each takes as many places in a round as its weight says.
                for _ in 0..(*weight).min(left as u32) {
                    let (offset, skip) = steps[number];
                    let place = loop {
                        let place = (offset + next[number] * skip) % SIZE;
                        next[number] += 1;
                        if places[place] == FREE {
                            break place;
                        }
                    };
                    places[place] = number as u16;
                    left -= 1;
                }
                if left == 0 {
                    break;
                }
            }
        }
        Self { places }
    }

    /// Returns the position of the back end for a hash.
    pub fn choose(&self, hash: u64) -> usize {
        self.places[(hash % SIZE as u64) as usize].into()
    }
}

/// Returns the first place that a back end wants, and the step to the next ones.
fn steps(name: u64) -> (usize, usize) {
    let (offset, skip) = (basis::mix(name), basis::mix(!name));
    ((offset % SIZE as u64) as usize, (skip % (SIZE as u64 - 1)) as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(balance: &Balance, count: usize) -> Vec<usize> {
        (0..count).map(|number| balance.places.iter().filter(|place| usize::from(**place) == number).count()).collect()
    }

    #[test]
    fn shares_follow_the_weights() {
        let back_ends: Vec<(u64, u32)> = (0..100).map(|name| (name, 1)).collect();
        let shares_of_equals = shares(&Balance::new(&back_ends), 100);
        assert!(shares_of_equals.iter().all(|share| (SIZE / 100..=SIZE / 100 + 1).contains(share)));
        let weighted = shares(&Balance::new(&[(1, 1), (2, 3), (3, 6)]), 3);
        for (share, weight) in weighted.iter().zip([1, 3, 6]) {
            assert!(share.abs_diff(SIZE * weight / 10) <= 10, "{weighted:?}");
        }
    }

    #[test]
    fn a_back_end_that_goes_takes_few_others_with_it() {
        let back_ends: Vec<(u64, u32)> = (0..20).map(|name| (name, 1)).collect();
        let all = Balance::new(&back_ends);
        let fewer = Balance::new(&back_ends[..19]);
        let moved = (0..SIZE as u64).filter(|&hash| all.choose(hash) != 19 && all.choose(hash) != fewer.choose(hash));
        let share = moved.count() as f64 / SIZE as f64;
        // The paper sees about one in a hundred for a change of one among some hundred back ends.
        assert!(share < 0.05, "{share}");
    }
}
