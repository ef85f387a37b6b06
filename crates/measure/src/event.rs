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
    /// Something happened to a flow: a message that one host sends to another.
    Flow {
        /// Which.
        flow: FlowId,
        /// What.
        happened: FlowEvent,
    },
}

/// A flow: a message from one host to another. Unique within a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId {
    /// The IPv4 address of the host that sends it, as a number.
    pub source: u32,
    /// Its number among the messages of that host.
    pub message: u32,
}

/// What happens to a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowEvent {
    /// An application handed the message over.
    Started {
        /// The IPv4 address of the host to which it goes, as a number.
        destination: u32,
        /// How many bytes, headers not counted.
        bytes: u64,
    },
    /// The receiver has every byte, and has given the message to its application.
    Delivered,
    /// The sender knows that the receiver has every byte.
    Completed,
    /// The transport has given the flow up.
    Abandoned,
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
    /// Wants [`Event::Flow`].
    pub flows: bool,
}
