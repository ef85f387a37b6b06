//! What the other side has selectively acknowledged, what is lost by that account, and how much is in the pipe
//! (RFC 6675, section 4). Nothing here takes longer the larger the window is.

use serde::{Deserialize, Serialize};

use crate::ranges::Ranges;

/// So many duplicate acknowledgements, or segments beyond a gap, say that a segment is lost (RFC 5681, RFC 6675).
pub const DUPLICATE_THRESHOLD: u32 = 3;

/// The scoreboard of RFC 6675.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Scoreboard {
    sacked: Ranges,
    /// How many places of `sacked` there are below `retransmitted`.
    below_retransmitted: u64,
    total: u64,
    /// HighRxt: all below that was missing has been sent again in this recovery.
    retransmitted: u64,
    /// After a timeout all below that is missing is lost (RFC 6675, section 5.1).
    written_off: u64,
}

impl Scoreboard {
    /// The other side has the places from `start` to `end`, which are not below the first that is unacknowledged. Says
    /// how many of them are news.
    pub fn insert(&mut self, start: u64, end: u64) -> u64 {
        let changed = self.sacked.insert(start, end, self.retransmitted);
        self.total += changed.all;
        self.below_retransmitted += changed.below;
        changed.all
    }

    /// Everything below `unacknowledged` is acknowledged.
    pub fn advance(&mut self, unacknowledged: u64) {
        let changed = self.sacked.cut_below(unacknowledged, self.retransmitted);
        self.total -= changed.all;
        self.below_retransmitted -= changed.below;
        self.retransmitted = self.retransmitted.max(unacknowledged);
    }

    /// All that is missing below `next` is lost, also what was sent again.
    pub fn write_off(&mut self, unacknowledged: u64, next: u64) {
        // The other side has gone back on its word: what it acknowledges would otherwise include this
        // (RFC 2018, section 8).
        if self.sacked.first().is_some_and(|(start, _)| start <= unacknowledged) {
            self.sacked.clear();
            self.total = 0;
        }
        self.written_off = next;
        self.retransmitted = unacknowledged;
        self.below_retransmitted = 0;
    }

    /// What was missing at `start`, the first such place behind all that was sent again, has been sent again to `end`.
    pub fn sent_again(&mut self, start: u64, end: u64) {
        // Between lie only places that the other side has.
        self.below_retransmitted += start.saturating_sub(self.retransmitted);
        self.retransmitted = self.retransmitted.max(end);
    }

    /// The first places that are missing and were not sent again, and the first behind them that is not missing.
    pub fn next_missing(&self) -> (u64, u64) {
        self.sacked.gap(self.retransmitted)
    }

    /// The last range that the other side has.
    pub fn last(&self) -> Option<(u64, u64)> {
        self.sacked.last()
    }

    /// The first places that are missing at or behind `from`.
    pub fn missing(&self, from: u64) -> (u64, u64) {
        self.sacked.gap(from)
    }

    /// IsLost for all places at once: what is missing below this is lost. `segment` is SMSS.
    pub fn lost_below(&self, unacknowledged: u64, segment: u32) -> u64 {
        self.edge(unacknowledged, segment).0
    }

    /// That, and how many places the other side has from there on.
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

    /// SetPipe: how many of the places up to `next` are thought to be in the network; what was sent again counts, and
    /// what is lost does not.
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

        /// Held against RFC 6675's own words, place by place.
        #[test]
        fn pipe_and_loss_are_as_the_rfc_defines_them(steps in proptest::collection::vec(step(), 1..30)) {
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
