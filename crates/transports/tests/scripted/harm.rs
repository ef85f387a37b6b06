//! Random harm to packets.

use basis::{Duration, Random};
use proptest::prelude::*;

use super::Fate;

/// The probabilities with which the network harms packets, in percent, including those of changes that are specific to
/// a protocol.
#[derive(Clone, Copy, Debug)]
pub struct Harm<const CHANGES: usize> {
    pub lost: u64,
    pub late: u64,
    pub twice: u64,
    pub changed: [u64; CHANGES],
    pub seed: u64,
}

/// Up to half of all packets for each kind of harm, with the given probabilities of changes.
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

/// The delay of late packets: usually less than `usually` steps, and less than `seldom` steps for one packet in twenty.
#[derive(Clone, Copy, Debug)]
pub struct Lateness {
    pub step: Duration,
    pub usually: u64,
    pub seldom: u64,
}

/// The draws for one packet, several of which may be true.
pub struct Lot<const CHANGES: usize> {
    pub lost: bool,
    pub late: bool,
    pub twice: bool,
    pub changed: [bool; CHANGES],
    /// The extra delay of the packet or its copy, if it is late.
    pub more: Duration,
}

impl<const CHANGES: usize> Harm<CHANGES> {
    /// Returns a function that draws for each packet in turn.
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

/// A rule for a network whose only change is to mark packets.
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
