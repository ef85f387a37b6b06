//! Counters that only MP5 has.

use serde::{Deserialize, Serialize};

/// The name of the number of cycles that stages spent on removing phantoms of packets that took the other branch.
pub const WASTED_CYCLES: &str = "wasted_cycles";

/// The name of the number of register indices that were moved between pipelines.
pub const MOVES: &str = "moves";

/// The values of the counters.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Counters {
    /// See [`WASTED_CYCLES`].
    pub wasted_cycles: u64,
    /// See [`MOVES`].
    pub moves: u64,
}

impl Counters {
    /// Returns the counters with their names.
    pub fn by_name(self) -> Vec<(&'static str, u64)> {
        vec![(WASTED_CYCLES, self.wasted_cycles), (MOVES, self.moves)]
    }
}
