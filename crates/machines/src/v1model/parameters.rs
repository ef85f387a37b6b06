//! What can be set.

/// The parameters of a v1model switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The destination that drops a packet; `None` is the greatest that the program can name, 511 of a `bit<9>`.
    pub drop_port: Option<u64>,
    /// How many ports there are, from 0; `None` is as many as the program can name, but for the drop port if
    /// that is the last one.
    pub ports: Option<u16>,
    /// How often at most a packet is resubmitted, recirculated or a clone of a clone, all together. BMv2 has no bound,
    /// and a packet can go round in it for ever.
    pub rounds: u32,
    /// How many copies at most go to egress for one packet that arrives, itself among them; or, behind queues, for what
    /// leaves a queue at one time. Without a bound, a packet that is copied in each of its rounds would be more packets
    /// than there is memory for.
    pub copies: u32,
    /// How many digests of each kind wait for the control plane; the oldest are lost.
    pub digests: usize,
    /// Where everything random is drawn from.
    pub seed: u64,
    /// What values that the language leaves open are drawn from; `None` makes them zero.
    pub undefined: Option<u64>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { drop_port: None, ports: None, rounds: 1024, copies: 65_536, digests: 1024, seed: 0, undefined: None }
    }
}
