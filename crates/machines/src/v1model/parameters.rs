//! The parameters of the switch.

/// The parameters of a v1model switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V1modelParameters {
    /// The egress port that drops a packet; `None` is the greatest port that the program can name, such as 511 for a
    /// `bit<9>`.
    pub drop_port: Option<u64>,
    /// The number of ports, which are numbered from 0; `None` is as many as the program can name, without the drop port
    /// if that is the last one.
    pub ports: Option<u16>,
    /// The port of the controller: packets to it are for the controller, and packets of the controller arrive on it. It is
    /// a port like any other to the program. `None` if there is none.
    pub cpu_port: Option<u16>,
    /// The maximum number of times that a packet is resubmitted, recirculated, or cloned from a clone, taken together.
    /// BMv2 has no limit, and packets can circulate in it forever.
    pub rounds: u32,
    /// The maximum number of copies, including the packet itself, that go to egress for one arriving packet; with
    /// queues, for the packets that leave a queue in one call. Without a limit, a packet that is copied in each of its
    /// rounds would exhaust memory.
    pub copies: u32,
    /// The maximum number of digests of each kind that wait for the control plane; the oldest are lost.
    pub digests: usize,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The seed of values that the language leaves undefined; `None` makes them zero.
    pub undefined: Option<u64>,
}

impl Default for V1modelParameters {
    fn default() -> Self {
        Self {
            drop_port: None,
            ports: None,
            cpu_port: None,
            rounds: 1024,
            copies: 65_536,
            digests: 1024,
            seed: 0,
            undefined: None,
        }
    }
}
