//! What a trace is.

use ir::CloneKind;
use serde::{Serialize, Serializer};

use super::Value;

/// What happened to one packet that came in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// Its place in the order of arrival, from 0.
    pub packet: u64,
    /// When it came in, in picoseconds.
    pub time: u64,
    /// Where it came in.
    pub port: u16,
    /// What became of it.
    pub pass: Pass,
}

/// One packet from where it begins to where it ends, or begins again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pass {
    /// Where it comes from.
    pub origin: Origin,
    /// The bytes that it begins with.
    pub bytes: Hex,
    /// What happened, in order.
    pub steps: Vec<Step>,
}

/// Where a packet comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// From outside.
    Arrival,
    /// A clone, as the packet was when ingress began.
    IngressClone {
        /// The clone session.
        session: u32,
    },
    /// A clone, as the packet was when egress ended.
    EgressClone {
        /// The clone session.
        session: u32,
    },
    /// One of several copies of a clone, or for a multicast group.
    Copy {
        /// Where it goes.
        port: u32,
        /// What tells it from the others: `egress_rid`.
        instance: u32,
    },
    /// Again from the parser on, as it was.
    Resubmitted,
    /// Again from the parser on, as the deparser wrote it.
    Recirculated,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Step {
    /// A block of the architecture ran.
    Block {
        /// Its name: `parser`, `ingress`, ...
        block: &'static str,
        /// What happened in it.
        steps: Vec<Step>,
        /// How it ended.
        ended: Ended,
    },
    /// A parser entered a state.
    State {
        /// The parser.
        parser: String,
        /// The state.
        state: String,
    },
    /// A header was extracted.
    Extract {
        /// Which one.
        header: String,
        /// Where it begins in the packet, in bits.
        from: usize,
        /// How many bits it has.
        bits: usize,
        /// Its fields, in the order of the wire.
        fields: Vec<Field>,
    },
    /// A table was applied.
    Apply {
        /// Which one.
        table: String,
        /// True if an entry matched.
        hit: bool,
        /// What was looked up.
        keys: Vec<Key>,
        /// The priority of the entry that matched, if entries have one.
        #[serde(skip_serializing_if = "Option::is_none")]
        priority: Option<u32>,
        /// What an entry of a table with a profile names.
        #[serde(skip_serializing_if = "Option::is_none")]
        choice: Option<Choice>,
        /// What ran; nothing if a member is gone.
        #[serde(skip_serializing_if = "Option::is_none")]
        action: Option<Action>,
        /// What happened in the action.
        steps: Vec<Step>,
    },
    /// A control, an action that no table chose, or a function was called.
    Call {
        /// Which one.
        function: String,
        /// `control`, `action` or `function`.
        kind: &'static str,
        /// What happened in it.
        steps: Vec<Step>,
    },
    /// A variable was given another value.
    Change {
        /// Which one.
        name: String,
        /// What it was.
        old: Value,
        /// What it is now.
        new: Value,
    },
    /// A header became valid or invalid.
    Validity {
        /// Which one.
        header: String,
        /// What it is now.
        valid: bool,
    },
    /// A register was read or written.
    Register {
        /// Which one.
        register: String,
        /// At which place.
        index: usize,
    },
    /// A header was emitted.
    Emit {
        /// Which one.
        header: String,
        /// How many bits it has.
        bits: usize,
    },
    /// The program said something.
    Log {
        /// What.
        text: String,
    },
    /// The program asked for clones, when the block is done.
    AskClone {
        /// The session.
        session: u32,
        /// Of which packet.
        #[serde(serialize_with = "clone_kind")]
        kind: CloneKind,
        /// What they keep.
        keep: Vec<String>,
    },
    /// The program asked that the packet be resubmitted.
    AskResubmit {
        /// What it keeps.
        keep: Vec<String>,
    },
    /// The program asked that the packet be recirculated.
    AskRecirculate {
        /// What it keeps.
        keep: Vec<String>,
    },
    /// The program asked that at most so many bytes leave.
    AskTruncate {
        /// How many.
        length: u32,
    },
    /// The program told its control plane something.
    Digest {
        /// Which kind of message.
        digest: String,
        /// What it holds.
        fields: Vec<Field>,
    },
    /// Copies were made for a multicast group.
    Multicast {
        /// Which one.
        group: u32,
    },
    /// The packet went into the queue of a port.
    Queue {
        /// Which one.
        port: u64,
        /// What tells it from other copies: `egress_rid`.
        instance: u64,
    },
    /// Another packet begins here.
    Fork {
        /// What happened to it.
        pass: Pass,
    },
    /// The packet left.
    Transmit {
        /// Where.
        port: u32,
        /// How many bytes it has.
        length: usize,
        /// Its bytes, but for a tail that came in and is as it was.
        bytes: Hex,
    },
    /// The packet went no further.
    Discard {
        /// Why.
        reason: String,
    },
}

/// How a block ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// As it should; a parser accepted.
    Done,
    /// A parser rejected, with this error.
    Rejected(String),
    /// An `assert` or `assume` did not hold.
    AssertionFailed,
    /// It took too many steps.
    Unfinished,
}

/// A name with a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// One of the things that a table looks up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// What the entry that matched asks of it: `0xa000000/8`, `0x10 &&& 0xf0`, `0x1..0x5`, `0x1` or `_`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
}

/// What an entry of a table with a profile names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// A member of the profile.
    Member(u32),
    /// A group, of which a hash chose a member.
    Group(u32),
}

/// An action with what it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Action {
    /// Which one.
    pub name: String,
    /// What the entry, or the default, gives it.
    pub arguments: Vec<Argument>,
}

/// What an action is given.
pub type Argument = Field;

/// Bytes; serialises to hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Hex(pub Vec<u8>);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_str(&digits)
    }
}

fn clone_kind<S: Serializer>(kind: &CloneKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match kind {
        CloneKind::IngressToEgress => "ingress_to_egress",
        CloneKind::EgressToEgress => "egress_to_egress",
    })
}
