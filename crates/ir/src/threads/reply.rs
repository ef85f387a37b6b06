//! How long the replies to transactions are.

use super::Operation;
use crate::{Program, TableId};

impl<E> Operation<E> {
    /// Returns the number of bytes of the reply, given the number of bits of each operand.
    ///
    /// # Panics
    /// It may panic if the operation is not one of this program's.
    pub fn reply_bytes(&self, program: &Program, bits: impl FnMut(&E) -> u32) -> u32 {
        match self {
            Self::Read { bytes, .. } | Self::ReadTail { bytes, .. } => *bytes,
            Self::Add { data, .. } => data.bytes(bits),
            Self::Find { .. } | Self::Insert { .. } | Self::Scan { .. } => 16,
            Self::Police { .. } | Self::Fetch { .. } | Self::Delete { .. } | Self::Remove { .. } => 8,
            Self::Hash { .. } | Self::Make { .. } | Self::Time => 8,
            Self::Filter { table, .. } => 16 + 8 * parameters(program, *table),
            Self::Write { .. } | Self::WriteMasked { .. } | Self::Count { .. } => 0,
            Self::WriteTail { .. } | Self::CutTail { .. } => 0,
            Self::Send { .. } | Self::Multicast { .. } | Self::Drop { .. } | Self::Digest { .. } => 0,
            Self::StartTimer { .. } | Self::StopTimer { .. } => 0,
        }
    }
}

/// Returns the greatest number of parameters that an action of a filter has.
pub(crate) fn parameters(program: &Program, table: TableId) -> u32 {
    let actions = program.tables.get(table.index()).into_iter().flat_map(|table| &table.actions);
    let functions = actions.filter_map(|action| program.functions.get(action.function.index()));
    functions.map(|function| function.parameters.len()).max().unwrap_or(0) as u32
}
