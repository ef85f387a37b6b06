//! The operations of transactions: what a thread can ask of what lies outside of it.

use serde::{Deserialize, Serialize};

use super::{Data, HeadBytes, ReasonId, RecordTableId, TimerId};
use crate::{DigestId, Expression, TableId};

/// What a transaction asks for. Each is atomic: no other transaction takes effect between its parts.
///
/// All numbers in memory, and in replies, are in network order (big-endian). An access to shared memory begins at a multiple
/// of 8, unless it says otherwise, its bytes lie in one segment of words, and in one line of 64 bytes that begins at a
/// multiple of 64. Addresses, packets, records and lengths that are not what an operation allows are found when the
/// transaction is issued: the thread ends with an error, and the operation has no effect.
///
/// Packets are numbered for each thread: 0 is the packet that the thread began for, and those that it makes are 1, 2, …. A
/// packet that was sent or dropped is gone.
///
/// An operand is an expression, or whatever stands for one where the operation has been encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation<E = Expression> {
    /// Reads shared memory. The reply is the bytes.
    Read {
        /// The address.
        address: E,
        /// The number of bytes: a multiple of 8 from 8 to 64.
        bytes: u32,
    },
    /// Writes shared memory. The reply is empty.
    Write {
        /// The address.
        address: E,
        /// The bytes: a multiple of 8 from 8 to 64.
        data: Data<E>,
    },
    /// Counts a packet: adds 1 to the 8 bytes at the address and `bytes` to the 8 bytes behind them; both wrap around. The
    /// reply is empty.
    Count {
        /// The address.
        address: E,
        /// The length of the packet.
        bytes: E,
    },
    /// Measures a packet by a policer (RFC 2698) at the time at which the operation takes effect. The reply is the colour
    /// in 8 bytes: 0 for green, 1 for yellow, 2 for red. A policer that is not configured leaves the colour as it is, which is
    /// green in the colour-blind mode.
    Police {
        /// The address of the policer, in a segment of policers: a multiple of [`super::POLICER_BYTES`].
        address: E,
        /// The length of the packet.
        bytes: E,
        /// The colour that the packet already has, for the colour-aware mode: 0 is green, 1 yellow, and all others red.
        /// `None` stands for the colour-blind mode.
        before: Option<E>,
    },
    /// Changes 8 bytes of shared memory. The reply is what was there before.
    Fetch {
        /// The change.
        operator: FetchOperator,
        /// The address.
        address: E,
        /// The operand.
        operand: E,
    },
    /// Writes those bits of 8 bytes of shared memory that are set in a mask. The reply is empty.
    WriteMasked {
        /// The address.
        address: E,
        /// The bits.
        value: E,
        /// The mask.
        mask: E,
    },
    /// Adds numbers of 32 bits to as many successive ones in shared memory; each wraps around. The reply is what was there
    /// before.
    Add {
        /// The address: a multiple of 4.
        address: E,
        /// The numbers: a multiple of 4 bytes from 4 to 64.
        data: Data<E>,
    },
    /// Finds a record by its key, and sets its flag. The reply is 16 bytes: 1 if there is one and 0 otherwise, and its
    /// address or 0.
    Find {
        /// The table.
        records: RecordTableId,
        /// The key, of the table's size.
        key: Data<E>,
    },
    /// Makes a record, and sets its flag. The reply is 16 bytes: 1 if the record was made, 0 if there was one of this key,
    /// whose flag is set then, and 2 if the table is full; and the address of the record, or 0 if the table is full.
    Insert {
        /// The table.
        records: RecordTableId,
        /// The key, of the table's size.
        key: Data<E>,
        /// What a new record begins with: at most 64 bytes, and no more than a record has; zeros follow.
        contents: Data<E>,
    },
    /// Deletes a record. Its bytes stay in memory until another record takes its place. The reply is 8 bytes: 1 if there
    /// was one and 0 otherwise.
    Delete {
        /// The table.
        records: RecordTableId,
        /// The key, of the table's size.
        key: Data<E>,
    },
    /// Deletes the record at an address. The reply is 8 bytes: 1 if there was one and 0 otherwise.
    Remove {
        /// The table.
        records: RecordTableId,
        /// The address of the record: the beginning of a place of the table.
        address: E,
    },
    /// Looks at successive places of a table and clears the flags there. The reply is 16 bytes: which of the places have a
    /// record whose flag was clear, and which have a record. The least significant bit stands for the first place; bits of
    /// places behind the table's last are 0.
    Scan {
        /// The table.
        records: RecordTableId,
        /// The number of the first place; the place `n` is `n * record_bytes` behind the beginning of the segment.
        first: E,
        /// The number of places, at most 64.
        count: E,
    },
    /// Looks a key up in a filter. The reply is 8 bytes for each of these: 1 if an entry matched and 0 if the default
    /// answers; the place of the action in the table's list; and the action's parameters in order. It is as long as for the
    /// action with the most parameters; zeros stand for those that others lack.
    Filter {
        /// The filter.
        table: TableId,
        /// The key, in words as in [`crate::Lookup::keys`], at most 8.
        keys: Vec<E>,
    },
    /// Hashes bytes ([`runtime::hash::of_bytes`]). The reply is the hash in 8 bytes.
    Hash {
        /// The bytes, 1 to 64.
        data: Data<E>,
        /// A number that chooses among independent hashes.
        seed: E,
    },
    /// Reads the tail of a packet. The reply is the bytes; those behind the end of the tail are 0.
    ReadTail {
        /// The packet.
        packet: E,
        /// The distance of the first byte from the beginning of the tail.
        offset: E,
        /// The number of bytes, 1 to 64.
        bytes: u32,
    },
    /// Writes the tail of a packet. A tail that is shorter grows; bytes between its end and the first one written become 0.
    /// The reply is empty.
    WriteTail {
        /// The packet.
        packet: E,
        /// The distance of the first byte from the beginning of the tail. The last byte is within [`super::MAX_TAIL`].
        offset: E,
        /// The bytes, 1 to 64.
        data: Data<E>,
    },
    /// Cuts the tail of a packet to so many bytes, if it is longer. The reply is empty.
    CutTail {
        /// The packet.
        packet: E,
        /// The number of bytes that stay.
        bytes: E,
    },
    /// Makes a packet. The reply is its number in 8 bytes. A packet that is never sent is discarded without a trace when the
    /// thread ends.
    Make {
        /// The packet whose tail is also the tail of the new one; `None` if the new one has an empty tail.
        tail_of: Option<E>,
    },
    /// Sends a packet: these bytes of local memory, followed by its tail. The reply is empty.
    Send {
        /// The packet.
        packet: E,
        /// The port.
        port: E,
        /// The queue of the port.
        queue: E,
        /// The head.
        head: HeadBytes<E>,
    },
    /// Sends a copy of a packet to each port of a group, which the control plane configures. The reply is empty.
    Multicast {
        /// The packet.
        packet: E,
        /// The group.
        group: E,
        /// The head.
        head: HeadBytes<E>,
    },
    /// Drops a packet. The reply is empty.
    Drop {
        /// The packet.
        packet: E,
        /// The reason.
        reason: ReasonId,
    },
    /// Sends a message to the control plane. The reply is empty.
    Digest {
        /// The kind of message.
        digest: DigestId,
        /// The values of its fields, at most 8, of at most 64 bits each.
        values: Vec<E>,
    },
    /// Starts a timer, or starts it anew: it fires after one period, and then again after each. The reply is empty.
    StartTimer {
        /// The timer.
        timer: TimerId,
        /// The period in nanoseconds, not 0.
        period: E,
    },
    /// Stops a timer. The reply is empty.
    StopTimer {
        /// The timer.
        timer: TimerId,
    },
    /// Tells the time at which the operation takes effect. The reply is the time in nanoseconds in 8 bytes.
    Time,
}

/// A change of 8 bytes of shared memory, whose old value is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FetchOperator {
    /// Keeps the bits that are set in the operand.
    And,
    /// Sets the bits that are set in the operand.
    Or,
    /// Inverts the bits that are set in the operand.
    Xor,
    /// Clears the bits that are set in the operand.
    Clear,
    /// Replaces the value by the operand.
    Swap,
}

impl FetchOperator {
    /// All operators.
    pub const ALL: [Self; 5] = [Self::And, Self::Or, Self::Xor, Self::Clear, Self::Swap];

    /// Applies the operator to a value.
    #[inline]
    pub const fn apply(self, value: u64, operand: u64) -> u64 {
        match self {
            Self::And => value & operand,
            Self::Or => value | operand,
            Self::Xor => value ^ operand,
            Self::Clear => value & !operand,
            Self::Swap => operand,
        }
    }

    /// Returns the word of the operator in the text form.
    pub const fn word(self) -> &'static str {
        match self {
            Self::And => "fetch_and",
            Self::Or => "fetch_or",
            Self::Xor => "fetch_xor",
            Self::Clear => "fetch_clear",
            Self::Swap => "fetch_swap",
        }
    }
}
