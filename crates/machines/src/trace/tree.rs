//! The structure of a trace.

use ir::CloneKind;
use serde::{Serialize, Serializer};

use super::Value;
use super::parts::{Access, Action, Argument, Case, Choice, Condition, Ended, Field, Hex, Key, More};

/// The record of what happened to an arriving packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// The number that the packet's source gave it ([`wire::Sidecar::id`]).
    pub packet: u64,
    /// The time of arrival in picoseconds.
    pub time: u64,
    /// The ingress port.
    pub port: u16,
    /// The outcome for the packet.
    pub pass: Pass,
}

/// The record of one packet from its beginning to its end, or to the beginning of its next round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pass {
    /// The origin of the packet.
    pub origin: Origin,
    /// The total number of bytes at the beginning, if not all of them are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<usize>,
    /// The known bytes at the beginning.
    pub bytes: Hex,
    /// The steps in order.
    pub steps: Vec<Step>,
}

/// The origin of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The packet arrived from outside.
    Arrival,
    /// A clone of the packet as it was at the beginning of ingress.
    IngressClone {
        /// The clone session.
        session: u32,
    },
    /// A clone of the packet as it was at the end of egress.
    EgressClone {
        /// The clone session.
        session: u32,
    },
    /// One of several copies of a clone or for a multicast group.
    Copy {
        /// The egress port.
        port: u32,
        /// The number that distinguishes the copy in egress.
        instance: u32,
    },
    /// The packet was resubmitted to the parser as it arrived.
    Resubmitted,
    /// The packet was recirculated to the parser as the deparser emitted it.
    Recirculated,
}

/// A step of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Step {
    /// A block of the architecture ran.
    Block {
        /// The name of the block, such as `parser` or `ingress`.
        block: &'static str,
        /// The steps inside.
        steps: Vec<Step>,
        /// The way in which the block ended.
        ended: Ended,
    },
    /// The machine read fields of the packet by name, or wrote them back.
    Fields {
        /// Whether fields were read or written.
        access: Access,
        /// The fields with their values.
        fields: Vec<Field>,
    },
    /// The program does not apply to the packet, because the packet lacks headers of its fields.
    Bypass,
    /// The packet passed through a stage of a pipeline.
    Stage {
        /// The number of the pipeline, from 0.
        pipeline: usize,
        /// The number of the stage, from 0.
        stage: usize,
        /// The clock cycle in which the stage processed the packet, if known.
        #[serde(skip_serializing_if = "Option::is_none")]
        cycle: Option<u64>,
        /// The steps inside.
        steps: Vec<Step>,
    },
    /// A stage looked keys up in a table. Stages do this for every packet; later operations decide whether the result
    /// is used.
    LookUp {
        /// The name of the table.
        table: String,
        /// Whether an entry matched.
        hit: bool,
        /// The keys.
        keys: Vec<Key>,
        /// The action in the result; absent if a member no longer exists.
        #[serde(skip_serializing_if = "Option::is_none")]
        action: Option<Action>,
    },
    /// A parser entered a state.
    State {
        /// The name of the parser.
        parser: String,
        /// The name of the state.
        state: String,
    },
    /// A header was extracted.
    Extract {
        /// The name of the header.
        header: String,
        /// The offset in the packet in bits.
        from: usize,
        /// The length in bits.
        bits: usize,
        /// The fields in the order of the packet.
        fields: Vec<Field>,
    },
    /// A parser looked ahead at the next bits.
    Lookahead {
        /// The offset in the packet in bits.
        from: usize,
        /// The length in bits.
        bits: usize,
        /// The values in the order of the packet.
        fields: Vec<Field>,
    },
    /// A parser compared values to choose its next state.
    Select {
        /// The compared values.
        keys: Vec<Field>,
        /// The case that was taken; absent if none matched.
        #[serde(skip_serializing_if = "Option::is_none")]
        case: Option<Case>,
    },
    /// A condition was evaluated to choose a branch.
    If(Condition),
    /// A condition was evaluated before an iteration of a loop.
    Loop(Condition),
    /// A thread executed an instruction.
    Instruction {
        /// The name of the instruction.
        instruction: String,
        /// The cycle in which it began.
        cycle: u64,
        /// What it wrote.
        steps: Vec<Step>,
    },
    /// An instruction wrote a bit field of local memory.
    Store {
        /// The byte in which the field begins.
        address: u64,
        /// The bit in this byte; 0 is the most significant one.
        bit: u8,
        /// The value.
        value: Value,
    },
    /// A thread asked for a transaction.
    Transaction {
        /// The number of the transaction in its thread.
        number: u64,
        /// The operation.
        operation: &'static str,
        /// What it is given, for people.
        operands: String,
    },
    /// The reply to a transaction came.
    Reply {
        /// The number of the transaction in its thread.
        number: u64,
        /// The cycle.
        cycle: u64,
        /// The reply.
        bytes: Hex,
        /// What changed by it.
        steps: Vec<Step>,
    },
    /// A packet of a thread left it.
    Send {
        /// The number of the packet in its thread: 0 for the one that the thread began for.
        packet: u64,
        /// Where it goes, for people.
        to: String,
        /// The total length in bytes.
        length: usize,
        /// The head.
        bytes: Hex,
    },
    /// A thread was stopped by an error.
    Stop {
        /// The error.
        error: String,
    },
    /// A table was applied.
    Apply {
        /// The name of the table.
        table: String,
        /// Whether an entry matched.
        hit: bool,
        /// The keys.
        keys: Vec<Key>,
        /// The priority of the matching entry, if entries have priorities.
        #[serde(skip_serializing_if = "Option::is_none")]
        priority: Option<u32>,
        /// The target of the entry, for a table with an action profile.
        #[serde(skip_serializing_if = "Option::is_none")]
        choice: Option<Choice>,
        /// The action that ran; absent if a member no longer exists.
        #[serde(skip_serializing_if = "Option::is_none")]
        action: Option<Action>,
        /// The steps of the direct counter and the direct meter.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        direct: Vec<Step>,
        /// The steps inside the action.
        steps: Vec<Step>,
    },
    /// A control, an action that no table chose, or a function was called.
    Call {
        /// The name of the callee.
        function: String,
        /// `control`, `action` or `function`.
        kind: &'static str,
        /// The arguments.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        arguments: Vec<Argument>,
        /// The steps inside.
        steps: Vec<Step>,
    },
    /// A variable changed its value.
    Change {
        /// The name of the variable.
        name: String,
        /// The previous value.
        old: Value,
        /// The new value.
        new: Value,
    },
    /// A header became valid or invalid.
    Validity {
        /// The name of the header.
        header: String,
        /// Whether it is now valid.
        valid: bool,
    },
    /// A register was read or written.
    Register {
        /// The name of the register.
        register: String,
        /// The index.
        index: usize,
        /// Whether the register was read or written.
        access: Access,
        /// The value that was read or written.
        value: Value,
    },
    /// A counter counted the packet.
    Count {
        /// The name of the counter.
        counter: String,
        /// The index; absent for a direct counter.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
        /// False if the index is out of bounds, so that nothing was counted.
        inside: bool,
    },
    /// A meter measured the packet.
    Meter {
        /// The name of the meter.
        meter: String,
        /// The index; absent for a direct meter.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
        /// False if the index is out of bounds, so that the result is green.
        inside: bool,
        /// `green`, `yellow` or `red`.
        color: &'static str,
    },
    /// A low-pass filter took a value.
    Filter {
        /// The name of the filter.
        filter: String,
        /// The index.
        index: u64,
        /// False if the index is out of bounds, so that the output is the value.
        inside: bool,
        /// The value.
        value: u64,
        /// The output.
        output: u64,
    },
    /// A random early detector took a value.
    Detect {
        /// The name of the detector.
        wred: String,
        /// The index.
        index: u64,
        /// False if the index is out of bounds, so that nothing is dropped.
        inside: bool,
        /// The value.
        value: u64,
        /// Whether the packet is to be dropped.
        drops: bool,
    },
    /// A header was emitted.
    Emit {
        /// The name of the header.
        header: String,
        /// The length in bits.
        bits: usize,
    },
    /// The program logged a message.
    Log {
        /// The message.
        text: String,
    },
    /// The program requested a clone, which is made at the end of the block.
    AskClone {
        /// The clone session.
        session: u32,
        /// The form of the packet that is cloned.
        #[serde(serialize_with = "clone_kind")]
        kind: CloneKind,
        /// The metadata that the clone keeps.
        keep: Vec<String>,
    },
    /// The program requested a mirror copy, which is made at the end of the block.
    AskMirror {
        /// The mirror session.
        session: u32,
        /// The bytes that lie in front of the copy.
        data: Hex,
    },
    /// The program requested that the packet is resubmitted.
    AskResubmit {
        /// The metadata that the packet keeps.
        keep: Vec<String>,
        /// The bytes that lie in front of the packet when it begins again; absent if there are none.
        #[serde(skip_serializing_if = "Hex::is_empty")]
        data: Hex,
    },
    /// The program requested that the packet is recirculated.
    AskRecirculate {
        /// The metadata that the packet keeps.
        keep: Vec<String>,
    },
    /// The program requested that the packet is truncated.
    AskTruncate {
        /// The maximum length in bytes.
        length: u32,
    },
    /// The program made a request that is not possible in this block.
    Ignore {
        /// The request: `recirculate` or `resubmit`.
        request: &'static str,
    },
    /// The program sent a digest to its control plane.
    Digest {
        /// The name of the digest.
        digest: String,
        /// The fields of the digest.
        fields: Vec<Field>,
    },
    /// Copies were made for a multicast group.
    Multicast {
        /// The multicast group.
        group: u32,
    },
    /// The packet entered the queue of a port.
    Queue {
        /// The egress port.
        port: u64,
        /// The number that distinguishes the copy in egress.
        instance: u64,
    },
    /// Another packet begins here.
    Fork {
        /// The record of the other packet.
        pass: Pass,
    },
    /// The packet was transmitted.
    Transmit {
        /// The egress port.
        port: u32,
        /// The total length in bytes.
        length: usize,
        /// The bytes, except for a tail that arrived with the packet and was not changed.
        bytes: Hex,
    },
    /// The packet was discarded.
    Discard {
        /// The reason.
        reason: String,
        /// Details about the reason.
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// More steps happened in the block than a trace records.
    Omit {
        /// The number of steps that are not recorded.
        steps: u64,
    },
    /// More packets were made from this one than a trace records.
    More(More),
}

fn clone_kind<S: Serializer>(kind: &CloneKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match kind {
        CloneKind::IngressToEgress => "ingress_to_egress",
        CloneKind::EgressToEgress => "egress_to_egress",
    })
}
