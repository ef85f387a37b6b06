//! The parameters of the chip.

/// The parameters of a chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TofinoParameters {
    /// The number of ports, which are numbered from 0. A pipe of Tofino has 72: 64 of them lead outside, 64 to 67 can
    /// lead to a CPU, and 68 to 71 recirculate.
    pub ports: u16,
    /// The port to which copies for the CPU go.
    pub cpu_port: u16,
    /// The first of the ports whose packets begin again in ingress; those behind it do so, too. If it is not less than
    /// `ports`, there are none.
    pub first_recirculation_port: u16,
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
}

impl Default for TofinoParameters {
    fn default() -> Self {
        Self {
            ports: 72,
            cpu_port: 64,
            first_recirculation_port: 68,
            rounds: 1024,
            copies: 65_536,
            digests: 1024,
            seed: 0,
            undefined: None,
        }
    }
}
