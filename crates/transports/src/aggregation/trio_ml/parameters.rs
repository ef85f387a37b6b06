//! What a plan says about the workers of a job.

use basis::Duration;
use wire::trio_ml::MOST_GRADIENTS;

/// How a worker sends. All workers of a job have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrioMlParameters {
    /// How many gradients a packet carries, 1 to 1,024.
    pub gradients: u16,
    /// How many blocks may be under way, 1 to 4,095: a block is sent when all that lie so far behind it have results.
    pub window: u16,
    /// After which time without a result a block is sent again; `None` if it is never, as in the paper. It doubles with each
    /// time, up to 16 times.
    pub timeout: Option<Duration>,
}

impl Default for TrioMlParameters {
    /// 1,024 gradients a packet as in section 6.1, a window of 1,024 packets, and the timeout that SwitchML has there (1 ms).
    fn default() -> Self {
        Self { gradients: 1024, window: 1024, timeout: Some(Duration::from_microseconds(1000)) }
    }
}

/// The greatest window: `block_cnt_max` has 12 bits (figure 17).
pub(super) const MOST_BLOCKS: u16 = 4095;
/// The greatest number of workers: `src_cnt` and `src_id` have 8 bits, of which 0 stands for 256 in the former.
pub(super) const MOST_WORKERS: usize = 256;

impl TrioMlParameters {
    /// Returns what is wrong with the parameters of a job of so many workers, each item a sentence that says what to do.
    pub fn problems(&self, workers: usize) -> Vec<String> {
        let mut problems = Vec::new();
        if !(1..=MOST_GRADIENTS).contains(&self.gradients) {
            problems.push(format!(
                "a packet of Trio-ML has 1 to {MOST_GRADIENTS} gradients, not {}, because the buffer of a block has 4,096 bytes",
                self.gradients
            ));
        }
        if !(1..=MOST_BLOCKS).contains(&self.window) {
            problems.push(format!(
                "a window of {} blocks is not possible: a switch counts the blocks of a job in 12 bits, so a window has 1 to \
                 {MOST_BLOCKS} blocks",
                self.window
            ));
        }
        if !(1..=MOST_WORKERS).contains(&workers) {
            problems.push(format!(
                "a job of Trio-ML has 1 to {MOST_WORKERS} workers, not {workers}, because sources are numbered in 8 bits"
            ));
        }
        if self.timeout == Some(Duration::ZERO) {
            problems.push("a timeout of 0 would send blocks again at once; leave it out to send none again".to_owned());
        }
        problems
    }
}
