//! What is written down while packets go through the switch, by number.

use std::collections::BTreeMap;

use ir::interpret::{Ending, Request, Test};
use ir::parser::StateId;
use ir::{CounterId, Expression, FunctionId, HeaderId, MeterId, ParserId, RegisterId, TableId, VariableId};
use node::Reason;
use runtime::tables::{EntryHandle, Target};
use runtime::{Bits, Color};

use super::parts::{Access, More};
use super::tree::{Origin, Step};

/// Something that happened, by number.
#[derive(Clone, Debug)]
pub(super) enum Noted {
    Begin(&'static str),
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
    /// A step that has its names.
    Named(Box<Step>),
    /// So many steps more, and the last values of the variables that they changed.
    Omit(u64, BTreeMap<VariableId, Bits>),
}

/// What a condition found in a variable.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) variable: VariableId,
    /// Nothing in a field of a header that is invalid.
    pub(super) value: Option<Bits>,
}

/// The bytes that a packet begins with.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Begins<'b> {
    /// As far as they are known.
    pub(crate) bytes: &'b [u8],
    /// How many there are in all.
    pub(crate) length: usize,
}

/// A packet from where it begins to where it ends.
#[derive(Clone, Debug)]
pub(super) struct Noting {
    pub(super) origin: Origin,
    pub(super) bytes: Vec<u8>,
    /// How many bytes it has, those of which nothing else is known among them.
    pub(super) length: usize,
    pub(super) notes: Vec<Noted>,
    /// In which round it is: how many packets around it began again.
    pub(super) round: u32,
    /// It stands for packets that are only counted.
    pub(super) more: Option<More>,
    /// Where those are that came of this one.
    pub(super) rest: Option<usize>,
}

impl Noting {
    pub(super) fn new(origin: Origin, begins: Begins<'_>, round: u32) -> Self {
        let Begins { bytes, length } = begins;
        Self { origin, bytes: bytes.to_vec(), length, notes: Vec::new(), round, more: None, rest: None }
    }
}
