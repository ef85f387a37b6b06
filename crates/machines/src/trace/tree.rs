//! What a trace is.

use ir::CloneKind;
use serde::{Serialize, Serializer};

use super::Value;
use super::parts::{Access, Action, Argument, Case, Choice, Condition, Ended, Field, Hex, Key, More};

/// What happened to one packet that came in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// Its number, as whoever sent it gave it ([`wire::Sidecar::id`]).
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
    /// How many bytes it has there, if not all of them are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<usize>,
    /// The bytes that it begins with, as far as they are known.
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
        /// What tells it from the others in egress.
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
    /// The machine read fields of the packet, by their names, or wrote them back into it.
    Fields {
        /// Which of both.
        access: Access,
        /// The fields with their values.
        fields: Vec<Field>,
    },
    /// The program does not apply to the packet, which has not the headers of its fields.
    Bypass,
    /// The packet went through a stage of a pipeline.
    Stage {
        /// The pipeline, from 0.
        pipeline: usize,
        /// The stage, from 0.
        stage: usize,
        /// The clock cycle in which the stage worked on it, if the machine tells.
        #[serde(skip_serializing_if = "Option::is_none")]
        cycle: Option<u64>,
        /// What happened there.
        steps: Vec<Step>,
    },
    /// A stage looked keys up in a table. Stages do so for every packet; whether the answer counts is decided by later
    /// operations.
    LookUp {
        /// Which one.
        table: String,
        /// True if an entry matched.
        hit: bool,
        /// What was looked up.
        keys: Vec<Key>,
        /// The action that the table answers with; nothing if a member is gone.
        #[serde(skip_serializing_if = "Option::is_none")]
        action: Option<Action>,
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
    /// A parser looked at what comes next.
    Lookahead {
        /// Where that begins in the packet, in bits.
        from: usize,
        /// How many bits it has.
        bits: usize,
        /// What was seen, in the order of the wire.
        fields: Vec<Field>,
    },
    /// A parser compared values to choose its next state.
    Select {
        /// What was compared.
        keys: Vec<Field>,
        /// The case that was taken; nothing if none matched.
        #[serde(skip_serializing_if = "Option::is_none")]
        case: Option<Case>,
    },
    /// A condition was evaluated to choose one of two ways.
    If(Condition),
    /// A condition was evaluated before a turn of a loop.
    Loop(Condition),
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
        /// The counter and the meter of the entry.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        direct: Vec<Step>,
        /// What happened in the action.
        steps: Vec<Step>,
    },
    /// A control, an action that no table chose, or a function was called.
    Call {
        /// Which one.
        function: String,
        /// `control`, `action` or `function`.
        kind: &'static str,
        /// What it was given.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        arguments: Vec<Argument>,
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
        /// Which of both.
        access: Access,
        /// What was there, or is there now.
        value: Value,
    },
    /// A counter counted the packet.
    Count {
        /// Which one.
        counter: String,
        /// At which place; nothing for that of an entry.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
        /// False if there is no such place, so that nothing was counted.
        inside: bool,
    },
    /// A meter measured the packet.
    Meter {
        /// Which one.
        meter: String,
        /// At which place; nothing for that of an entry.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
        /// False if there is no such place, so that everything is green.
        inside: bool,
        /// `green`, `yellow` or `red`.
        color: &'static str,
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
    /// The program asked for something that this block cannot have.
    Ignore {
        /// What: `recirculate` or `resubmit`.
        request: &'static str,
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
        /// What tells it from other copies in egress.
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
        /// More about that.
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// More happened in this block than a trace holds.
    Omit {
        /// How many steps more.
        steps: u64,
    },
    /// More packets came of this one than a trace holds.
    More(More),
}

fn clone_kind<S: Serializer>(kind: &CloneKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match kind {
        CloneKind::IngressToEgress => "ingress_to_egress",
        CloneKind::EgressToEgress => "egress_to_egress",
    })
}
