//! Transactions that a thread asks for, with all operands evaluated.

use serde::{Deserialize, Serialize};

use runtime::memory::LINE_BYTES;

use super::Bytes;
use crate::threads::{FetchOperator, ReasonId, RecordTableId, TimerId};
use crate::{DigestId, TableId};

/// The number of a transaction of a thread, in the order in which the thread asked for them, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Ticket(pub u64);

/// A transaction with all operands evaluated and found to be right: it always takes effect. See [`crate::threads::Operation`]
/// for what each does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // the fields are the operands of the operation of the same name
pub enum Request {
    Read {
        segment: u32,
        address: u64,
        bytes: u32,
    },
    Write {
        segment: u32,
        address: u64,
        data: Bytes,
    },
    Count {
        segment: u32,
        address: u64,
        bytes: u64,
    },
    /// `array` is the number of the array of meters, `index` that of the policer there.
    Police {
        address: u64,
        array: u32,
        index: u64,
        bytes: u64,
        before: u64,
    },
    Fetch {
        segment: u32,
        operator: FetchOperator,
        address: u64,
        operand: u64,
    },
    WriteMasked {
        segment: u32,
        address: u64,
        value: u64,
        mask: u64,
    },
    Add {
        segment: u32,
        address: u64,
        data: Bytes,
    },
    Find {
        #[serde(with = "number")]
        records: RecordTableId,
        key: Bytes,
    },
    Insert {
        #[serde(with = "number")]
        records: RecordTableId,
        key: Bytes,
        contents: Bytes,
    },
    Delete {
        #[serde(with = "number")]
        records: RecordTableId,
        key: Bytes,
    },
    /// `place` is the place of the record in its table.
    Remove {
        #[serde(with = "number")]
        records: RecordTableId,
        place: u32,
    },
    Scan {
        #[serde(with = "number")]
        records: RecordTableId,
        first: u64,
        count: u32,
    },
    /// The words of the key.
    Filter {
        #[serde(with = "number")]
        table: TableId,
        keys: Bytes,
        reply: u32,
    },
    Hash {
        data: Bytes,
        seed: u64,
    },
    ReadTail {
        packet: u64,
        offset: u64,
        bytes: u32,
    },
    WriteTail {
        packet: u64,
        offset: u64,
        data: Bytes,
    },
    CutTail {
        packet: u64,
        bytes: u64,
    },
    /// `number` is the number of the new packet.
    Make {
        number: u64,
        tail_of: Option<u64>,
    },
    /// The head lies with the packet ([`super::Packets`]).
    Send {
        packet: u64,
        port: u64,
        queue: u64,
    },
    Multicast {
        packet: u64,
        group: u64,
    },
    Drop {
        packet: u64,
        #[serde(with = "number")]
        reason: ReasonId,
    },
    /// The values as words.
    Digest {
        #[serde(with = "number")]
        digest: DigestId,
        values: Bytes,
    },
    StartTimer {
        #[serde(with = "number")]
        timer: TimerId,
        period: u64,
    },
    StopTimer {
        #[serde(with = "number")]
        timer: TimerId,
    },
    Time,
}

/// What a transaction touches: two of one thread that touch the same keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touched {
    /// A line of shared memory, by its number.
    Line(u64),
    /// A table of records.
    Records(RecordTableId),
    /// The packets of the thread.
    Packets,
    /// A timer.
    Timer(TimerId),
    /// Messages to the control plane.
    Messages,
    /// Nothing that another transaction of the thread changes.
    Nothing,
}

impl Request {
    /// Returns what the transaction touches.
    pub const fn touches(&self) -> Touched {
        match *self {
            Self::Read { address, .. }
            | Self::Write { address, .. }
            | Self::Count { address, .. }
            | Self::Fetch { address, .. }
            | Self::WriteMasked { address, .. }
            | Self::Add { address, .. }
            | Self::Police { address, .. } => Touched::Line(address / LINE_BYTES),
            Self::Find { records, .. }
            | Self::Insert { records, .. }
            | Self::Delete { records, .. }
            | Self::Remove { records, .. }
            | Self::Scan { records, .. } => Touched::Records(records),
            Self::ReadTail { .. } | Self::WriteTail { .. } | Self::CutTail { .. } | Self::Make { .. } => {
                Touched::Packets
            }
            Self::Send { .. } | Self::Multicast { .. } | Self::Drop { .. } => Touched::Packets,
            Self::StartTimer { timer, .. } | Self::StopTimer { timer } => Touched::Timer(timer),
            Self::Digest { .. } => Touched::Messages,
            Self::Filter { .. } | Self::Hash { .. } | Self::Time => Touched::Nothing,
        }
    }

    /// Returns the name of the operation, as in the text of programs.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Read { .. } => "read",
            Self::Write { .. } => "write",
            Self::Count { .. } => "count",
            Self::Police { .. } => "police",
            Self::Fetch { operator, .. } => operator.word(),
            Self::WriteMasked { .. } => "write_masked",
            Self::Add { .. } => "add",
            Self::Find { .. } => "find",
            Self::Insert { .. } => "insert",
            Self::Delete { .. } => "delete",
            Self::Remove { .. } => "remove",
            Self::Scan { .. } => "scan",
            Self::Filter { .. } => "filter",
            Self::Hash { .. } => "hash",
            Self::ReadTail { .. } => "read_tail",
            Self::WriteTail { .. } => "write_tail",
            Self::CutTail { .. } => "cut_tail",
            Self::Make { .. } => "make",
            Self::Send { .. } => "send",
            Self::Multicast { .. } => "multicast",
            Self::Drop { .. } => "drop",
            Self::Digest { .. } => "digest",
            Self::StartTimer { .. } => "start_timer",
            Self::StopTimer { .. } => "stop_timer",
            Self::Time => "time",
        }
    }
}

/// Typed ids as numbers, for states that are written down.
pub(super) mod number {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::{DigestId, ReasonId, RecordTableId, TableId, TimerId};

    pub(in crate::interpret::threads) trait Number: Copy {
        fn number(self) -> u32;
        fn of(number: u32) -> Self;
    }

    macro_rules! numbers {
        ($($id:ident)*) => {
            $(impl Number for $id {
                fn number(self) -> u32 {
                    self.0
                }

                fn of(number: u32) -> Self {
                    Self(number)
                }
            })*
        };
    }

    numbers!(DigestId ReasonId RecordTableId TableId TimerId);

    pub(in crate::interpret::threads) fn serialize<T: Number, S: Serializer>(
        id: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(id.number())
    }

    pub(in crate::interpret::threads) fn deserialize<'de, T: Number, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        u32::deserialize(deserializer).map(T::of)
    }
}
