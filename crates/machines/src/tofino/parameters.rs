//! The parameters of the chip.

use super::settings::ChipSettings;

/// The parameters of a chip.
#[derive(Clone, Debug, PartialEq)]
pub struct TofinoParameters {
    /// What is set of the chip; `None` for a chip with as many pipes as the program has programs for, which has every port
    /// and in which nothing takes time.
    pub chip: Option<ChipSettings>,
    /// Whether all pipes have one state, as a program means it whose author has not thought of pipes. On a chip, each pipe
    /// has a state of its own.
    pub shares_state: bool,
    /// The maximum number of times that a packet is recirculated, or mirrored from a mirrored packet, taken together. A
    /// chip has no limit; here, such a packet would never leave the call in which it arrived.
    pub rounds: u32,
    /// The maximum number of copies, including the packet itself, that one arriving packet becomes in one call.
    pub copies: u32,
    /// The maximum number of digests of each kind that wait for the control plane; the oldest are lost.
    pub digests: usize,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The seed of values that the language leaves undefined; `None` makes them zero.
    pub undefined: Option<u64>,
    /// The seed by which what egress is told of the traffic manager is drawn for each packet that does not wait: depths,
    /// times and congestion of queues, and whether it was deflected. `None` tells that the packet did not wait. With it, a
    /// check of machine code sees egress in all states of the queues, though there are none.
    pub told: Option<u64>,
}

impl Default for TofinoParameters {
    fn default() -> Self {
        Self {
            chip: None,
            shares_state: false,
            rounds: 1024,
            copies: 65_536,
            digests: 1024,
            seed: 0,
            undefined: None,
            told: None,
        }
    }
}
