//! What only MP5 counts.

use serde::{Deserialize, Serialize};

/// Cycles that a stage spent to remove a phantom whose packet took the other branch.
pub const WASTED_CYCLES: &str = "wasted_cycles";

/// Register indices moved between pipelines.
pub const MOVES: &str = "moves";

/// The numbers themselves.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Counters {
    /// See [`WASTED_CYCLES`].
    pub wasted_cycles: u64,
    /// See [`MOVES`].
    pub moves: u64,
}

impl Counters {
    /// By name.
    pub fn by_name(self) -> Vec<(&'static str, u64)> {
        vec![(WASTED_CYCLES, self.wasted_cycles), (MOVES, self.moves)]
    }
}
