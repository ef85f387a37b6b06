//! Random damage.

use basis::{Duration, Random};
use proptest::prelude::*;

use super::Fate;

/// How often the network does what, in percent, and so many changes that are a protocol's own.
#[derive(Clone, Copy, Debug)]
pub struct Harm<const CHANGES: usize> {
    pub lost: u64,
    pub late: u64,
    pub twice: u64,
    pub changed: [u64; CHANGES],
    pub seed: u64,
}

/// Up to a half of all packets each, and changes as often as is said.
pub fn harm<const CHANGES: usize>(
    changed: impl Strategy<Value = [u64; CHANGES]>,
) -> impl Strategy<Value = Harm<CHANGES>> {
    (0..=50u64, 0..=50u64, 0..=50u64, changed, any::<u64>()).prop_map(|(lost, late, twice, changed, seed)| Harm {
        lost,
        late,
        twice,
        changed,
        seed,
    })
}

/// How late what is late comes: less than so many steps, and less than more of them for one in twenty.
#[derive(Clone, Copy, Debug)]
pub struct Lateness {
    pub step: Duration,
    pub usually: u64,
    pub seldom: u64,
}

/// What has been drawn for a packet. More than one thing may be true.
pub struct Lot<const CHANGES: usize> {
    pub lost: bool,
    pub late: bool,
    pub twice: bool,
    pub changed: [bool; CHANGES],
    /// How late it or its copy is, if it is.
    pub more: Duration,
}

impl<const CHANGES: usize> Harm<CHANGES> {
    /// Draws for one packet after the other.
    pub fn lots(self, lateness: Lateness) -> impl FnMut() -> Lot<CHANGES> {
        let mut random = Random::new(self.seed);
        move || {
            let mut is = |percent: u64| random.below(100) < percent;
            let (lost, late, twice) = (is(self.lost), is(self.late), is(self.twice));
            let changed = self.changed.map(is);
            let most = if random.below(20) == 0 { lateness.seldom } else { lateness.usually };
            Lot { lost, late, twice, changed, more: lateness.step.times(random.below(most)) }
        }
    }
}

/// The rule of a network whose change is to mark.
pub fn marking<Seen>(harm: Harm<1>, lateness: Lateness) -> impl FnMut(&Seen) -> Fate {
    let mut lots = harm.lots(lateness);
    move |_| {
        let Lot { lost, late, twice, changed: [marked], more } = lots();
        match () {
            () if lost => Fate::Drop,
            () if twice => Fate::Twice(more),
            () if late => Fate::Late(more),
            () if marked => Fate::Mark,
            () => Fate::Pass,
        }
    }
}
