//! The SACK scoreboard: what the peer has selectively acknowledged, what counts as lost, and how much is in the pipe
//! (RFC 6675, section 4). The cost of an operation does not grow with the window.

use serde::{Deserialize, Serialize};

use crate::ranges::Ranges;

/// DupThresh: the number of duplicate acknowledgements, or of segments beyond a gap, after which a segment counts as
/// lost (RFC 5681, RFC 6675).
pub const DUPLICATE_THRESHOLD: u32 = 3;

/// The scoreboard of RFC 6675.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Scoreboard {
    sacked: Ranges,
    /// The number of positions of `sacked` below `retransmitted`.
    below_retransmitted: u64,
    total: u64,
    /// HighRxt: everything missing below this was retransmitted in this recovery.
    retransmitted: u64,
    /// Everything missing below this counts as lost after a timeout (RFC 6675, section 5.1).
    written_off: u64,
}

impl Scoreboard {
    /// Records that the peer has the positions from `start` to `end`, which are not below the first unacknowledged one.
    /// Returns the number of them that are new.
    pub fn insert(&mut self, start: u64, end: u64) -> u64 {
        let changed = self.sacked.insert(start, end, self.retransmitted);
        self.total += changed.all;
        self.below_retransmitted += changed.below;
        changed.all
    }

    /// Records that everything below `unacknowledged` is acknowledged.
    pub fn advance(&mut self, unacknowledged: u64) {
        let changed = self.sacked.cut_below(unacknowledged, self.retransmitted);
        self.total -= changed.all;
        self.below_retransmitted -= changed.below;
        self.retransmitted = self.retransmitted.max(unacknowledged);
    }

    /// Marks everything missing below `next` as lost, including what was retransmitted.
    pub fn write_off(&mut self, unacknowledged: u64, next: u64) {
        // The peer has reneged, since its cumulative acknowledgement would otherwise include this range (RFC 2018,
        // section 8).
        if self.sacked.first().is_some_and(|(start, _)| start <= unacknowledged) {
            self.sacked.clear();
            self.total = 0;
        }
        self.written_off = next;
        self.retransmitted = unacknowledged;
        self.below_retransmitted = 0;
    }

    /// Records that missing data was retransmitted from `start`, the first missing position after all retransmissions
    /// so far, to `end`.
    pub fn sent_again(&mut self, start: u64, end: u64) {
        // The peer has everything in between.
        self.below_retransmitted += start.saturating_sub(self.retransmitted);
        self.retransmitted = self.retransmitted.max(end);
    }

    /// Returns the first gap that was not retransmitted, as a half-open range.
    pub fn next_missing(&self) -> (u64, u64) {
        self.sacked.gap(self.retransmitted)
    }

    /// Returns the last range that the peer has.
    pub fn last(&self) -> Option<(u64, u64)> {
        self.sacked.last()
    }

    /// Returns the first gap at or after `from`.
    pub fn missing(&self, from: u64) -> (u64, u64) {
        self.sacked.gap(from)
    }

    /// IsLost for all positions at once: missing data below the returned position is lost. `segment` is SMSS.
    pub fn lost_below(&self, unacknowledged: u64, segment: u32) -> u64 {
        self.edge(unacknowledged, segment).0
    }

    /// Returns the position of [`Self::lost_below`] and the number of positions that the peer has from there on.
    fn edge(&self, unacknowledged: u64, segment: u32) -> (u64, u64) {
        let enough = u64::from(DUPLICATE_THRESHOLD - 1) * u64::from(segment);
        let floor = self.written_off.max(unacknowledged);
        let mut above = 0;
        for (count, (start, end)) in (1..).zip(self.sacked.descending()) {
            if end <= floor {
                break;
            }
            above += end - start.max(floor);
            if start <= floor {
                break;
            }
            if count == DUPLICATE_THRESHOLD || above > enough {
                return (start, above);
            }
        }
        (floor, above)
    }

    /// SetPipe: the estimated number of positions up to `next` that are in the network, counting retransmissions and
    /// excluding lost data.
    pub fn pipe(&self, unacknowledged: u64, next: u64, segment: u32) -> u64 {
        let (edge, above) = self.edge(unacknowledged, segment);
        let edge = edge.min(next);
        (next - edge - above) + (self.retransmitted - unacknowledged - self.below_retransmitted)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SEGMENT: u32 = 10;

    #[derive(Clone, Debug)]
    enum Step {
        Sack(u64, u64),
        Advance(u64),
        WriteOff,
        SendAgain,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (1..19u64, 1..4u64).prop_map(|(start, count)| Step::Sack(start * 10, (start + count) * 10)),
            1 => (0..6u64).prop_map(|count| Step::Advance(count * 10)),
            1 => Just(Step::WriteOff),
            3 => Just(Step::SendAgain),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Compares the scoreboard with the definitions of RFC 6675, position by position.
        #[test]
        fn pipe_and_loss_match_the_definitions_of_rfc_6675(steps in proptest::collection::vec(step(), 1..30)) {
            const NEXT: u64 = 220;
            let mut board = Scoreboard::default();
            let (mut una, mut again, mut written_off) = (0u64, 0u64, 0u64);
            let mut sacked = [false; NEXT as usize];
            for step in steps {
                match step {
                    Step::Sack(start, end) if start > una => {
                        board.insert(start, end);
                        sacked[start as usize..end as usize].fill(true);
                    }
                    Step::Sack(..) => {}
                    Step::Advance(by) => {
                        una = (una + by).min(NEXT - 10);
                        while sacked[una as usize] {
                            una += 10;
                        }
                        board.advance(una);
                        again = again.max(una);
                    }
                    Step::WriteOff => {
                        board.write_off(una, NEXT);
                        (again, written_off) = (una, NEXT);
                    }
                    Step::SendAgain => {
                        let (start, end) = board.next_missing();
                        if start < NEXT {
                            let end = end.min(start + 10);
                            board.sent_again(start, end);
                            again = end;
                        }
                    }
                }
                let is_lost = |place: u64| {
                    let above = &sacked[place as usize..];
                    let bytes = above.iter().filter(|&&is| is).count();
                    let ranges = above.windows(2).filter(|pair| !pair[0] && pair[1]).count();
                    place < written_off || ranges >= 3 || bytes > 2 * SEGMENT as usize
                };
                let mut pipe = 0;
                for place in (una..NEXT).filter(|&place| !sacked[place as usize]) {
                    pipe += u64::from(!is_lost(place)) + u64::from(place < again);
                    prop_assert_eq!(place < board.lost_below(una, SEGMENT), is_lost(place), "place {}", place);
                }
                prop_assert_eq!(board.pipe(una, NEXT, SEGMENT), pipe);
            }
        }
    }
}
