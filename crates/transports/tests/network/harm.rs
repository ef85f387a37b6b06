//! Random harm in a network that can trim and return packets.

use basis::Duration;
use proptest::prelude::*;

use super::scripted::harm::{self, Lateness, Lot};
use super::{Fate, Seen, trim, turn_back};

/// Harm whose changes are the trimming and the returning of data packets.
pub type Harm = harm::Harm<2>;

pub fn harm() -> impl Strategy<Value = Harm> {
    harm::harm([0..=50u64, 0..=30])
}

pub fn rule(harm: Harm) -> impl FnMut(&Seen) -> Fate {
    // Late packets are up to ten round trips late, and sometimes later than a timeout.
    let lateness = Lateness { step: Duration::from_nanoseconds(1), usually: 100_000, seldom: 3_000_000 };
    let mut lots = harm.lots(lateness);
    move |seen| {
        let Lot { lost, late, twice, changed: [trimmed, returned], more } = lots();
        match () {
            () if lost => Fate::Drop,
            () if seen.is_data() && returned => Fate::Change(turn_back),
            () if seen.is_data() && trimmed => Fate::Change(trim),
            () if twice => Fate::Twice(more),
            () if late => Fate::Late(more),
            () => Fate::Pass,
        }
    }
}
