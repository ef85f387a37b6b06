//! What a node can tell about itself while it runs.

/// Something that happened inside a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A packet accessed state: the `unit` of registers that are placed together, the `index` inside it.
    Access {
        /// Which group of registers, as the program's access list numbers them.
        unit: u32,
        /// Which index of the group, after reduction to the register's length.
        index: u32,
        /// The packet's place in the order of arrival.
        sequence: u64,
    },
    /// A packet left the program; its variables' final values, by declared field in the order of the program.
    Completed {
        /// The packet's place in the order of arrival.
        sequence: u64,
        /// Final values of the program's fields, as raw bits.
        fields: Box<[u64]>,
    },
    /// A program told its control plane something.
    Digest {
        /// Which kind of message, as the program numbers them.
        digest: u32,
        /// Its values, in 64-bit limbs, the least significant first.
        values: Box<[Box<[u64]>]>,
    },
}

/// Which events somebody wants. All are off at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interest {
    /// Wants [`Event::Access`].
    pub accesses: bool,
    /// Wants [`Event::Completed`].
    pub completions: bool,
    /// Wants [`Event::Digest`].
    pub digests: bool,
}
