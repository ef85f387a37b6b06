//! The notes that a recorder takes while packets pass through a machine, by number.

use std::collections::BTreeMap;

use ir::interpret::{Ending, Request, Test};
use ir::parser::StateId;
use ir::{
    CounterId, Expression, FilterId, FunctionId, HeaderId, MeterId, ParserId, RegisterId, TableId, VariableId, WredId,
};
use node::Reason;
use runtime::tables::{EntryHandle, Target};
use runtime::{Bits, Color};

use super::parts::{Access, More};
use super::tree::{Origin, Step};

/// A recorded event, by number.
#[derive(Clone, Debug)]
pub(super) enum Noted {
    Begin(&'static str),
    /// The bytes that the parser reads from here on, if something lies in front of the packet's own.
    Reads(Vec<u8>),
    End(Ending),
    State(ParserId, StateId),
    Select {
        parser: ParserId,
        state: StateId,
        keys: Vec<Bits>,
        case: Option<usize>,
    },
    Extract {
        header: HeaderId,
        from: usize,
        bits: usize,
    },
    Lookahead {
        variables: Vec<VariableId>,
        from: usize,
    },
    Test {
        test: Test,
        condition: Expression,
        holds: bool,
        seen: Vec<Seen>,
    },
    Apply {
        table: TableId,
        keys: Vec<Bits>,
        entry: Option<EntryHandle>,
        target: Target,
    },
    Enter(FunctionId),
    Leave,
    Change {
        variable: VariableId,
        old: Bits,
        new: Bits,
    },
    Validity(HeaderId, bool),
    Register {
        register: RegisterId,
        place: usize,
        access: Access,
        value: Bits,
    },
    Count(CounterId, Option<u64>),
    Measure(MeterId, Option<u64>, Color),
    /// A filter with the index, the value and the output.
    Filter(FilterId, [u64; 3]),
    /// A detector with the index, the value, and whether the packet is to be dropped.
    Detect(WredId, [u64; 2], bool),
    Emit(HeaderId, usize),
    Log(String),
    Ask(Request),
    Ignore(&'static str),
    Multicast(u32),
    Queue {
        port: u64,
        instance: u64,
    },
    Fork(usize),
    Transmit {
        port: u32,
        length: usize,
        bytes: Vec<u8>,
    },
    Discard(Reason, Option<String>),
    /// A step that already has its names.
    Named(Box<Step>),
    /// The number of omitted steps, and the final values of the variables that they changed.
    Omit(u64, BTreeMap<VariableId, Bits>),
}

/// The value of a variable in a condition.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) variable: VariableId,
    /// The value, or `None` for a field of an invalid header.
    pub(super) value: Option<Bits>,
}

/// The initial bytes of a packet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Begins<'b> {
    /// The bytes that are known.
    pub(crate) bytes: &'b [u8],
    /// The total number of bytes.
    pub(crate) length: usize,
}

/// The record of one packet, from its beginning to its end.
#[derive(Clone, Debug)]
pub(super) struct Noting {
    pub(super) origin: Origin,
    pub(super) bytes: Vec<u8>,
    /// The total number of bytes, including those that are not known.
    pub(super) length: usize,
    pub(super) notes: Vec<Noted>,
    /// The number of enclosing packets that began another round.
    pub(super) round: u32,
    /// The packets that this entry stands for, if they are only counted.
    pub(super) more: Option<More>,
    /// The entry that stands for the packets that came of this one and are only counted.
    pub(super) rest: Option<usize>,
    /// The index of the arriving packet of which it came.
    pub(super) root: usize,
}

impl Noting {
    pub(super) fn new(origin: Origin, begins: Begins<'_>, round: u32) -> Self {
        let Begins { bytes, length } = begins;
        Self { origin, bytes: bytes.to_vec(), length, notes: Vec::new(), round, more: None, rest: None, root: 0 }
    }
}
