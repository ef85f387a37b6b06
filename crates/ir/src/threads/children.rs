//! The expressions of a program of threads, for code that looks at all of them.

use super::{Branch, Data, Destination, Instruction, Next, Operation, Place, Threads};
use crate::Expression;

impl<E> Operation<E> {
    /// Returns the operands, in the order of the text.
    pub fn expressions(&self) -> Vec<&E> {
        match self {
            Self::Read { address, .. } | Self::Remove { address, .. } => vec![address],
            Self::Write { address, data } | Self::Add { address, data } => with([address], data),
            Self::Count { address, bytes } => vec![address, bytes],
            Self::Police { address, bytes, before } => [address, bytes].into_iter().chain(before).collect(),
            Self::Fetch { address, operand, .. } => vec![address, operand],
            Self::WriteMasked { address, value, mask } => vec![address, value, mask],
            Self::Find { key, .. } | Self::Delete { key, .. } => key.expressions(),
            Self::Insert { key, contents, .. } => with(key.expressions(), contents),
            Self::Scan { first, count, .. } => vec![first, count],
            Self::Filter { keys, .. } => keys.iter().collect(),
            Self::Hash { data, seed } => data.expressions().into_iter().chain([seed]).collect(),
            Self::ReadTail { packet, offset, .. } => vec![packet, offset],
            Self::WriteTail { packet, offset, data } => with([packet, offset], data),
            Self::CutTail { packet, bytes } => vec![packet, bytes],
            Self::Send { packet, port, queue, head } => vec![packet, port, queue, &head.address, &head.bytes],
            Self::Multicast { packet, group, head } => vec![packet, group, &head.address, &head.bytes],
            Self::Drop { packet, .. } => vec![packet],
            Self::Digest { values, .. } => values.iter().collect(),
            Self::StartTimer { period, .. } => vec![period],
            Self::Make { tail_of } => tail_of.iter().collect(),
            Self::StopTimer { .. } | Self::Time => vec![],
        }
    }
}

impl<E> Operation<E> {
    /// Returns the data that the operation takes with it.
    pub fn data(&self) -> Vec<&Data<E>> {
        match self {
            Self::Write { data, .. }
            | Self::Add { data, .. }
            | Self::Hash { data, .. }
            | Self::WriteTail { data, .. } => {
                vec![data]
            }
            Self::Find { key, .. } | Self::Delete { key, .. } => vec![key],
            Self::Insert { key, contents, .. } => vec![key, contents],
            _ => vec![],
        }
    }
}

fn with<'e, E>(first: impl IntoIterator<Item = &'e E>, data: &'e Data<E>) -> Vec<&'e E> {
    first.into_iter().chain(data.expressions()).collect()
}

impl<E> Data<E> {
    /// Returns the values, or the address.
    pub fn expressions(&self) -> Vec<&E> {
        match self {
            Self::Values(values) => values.iter().collect(),
            Self::Memory { address, .. } => vec![address],
        }
    }
}

impl Place {
    /// Returns the address of a place in local memory.
    pub fn address(&self) -> Option<&Expression> {
        match self {
            Self::Memory(field) => Some(&field.address),
            Self::Variable(_) | Self::Bits { .. } => None,
        }
    }
}

impl Branch {
    /// Returns the conditions and the targets of jumps, in the order of the text.
    pub fn expressions(&self) -> Vec<&Expression> {
        let cases = self.cases.iter().flat_map(|(condition, next)| jump(next).into_iter().chain([condition]));
        cases.chain(jump(&self.otherwise)).collect()
    }
}

impl Instruction {
    /// Returns all operands, in the order of the text.
    pub fn expressions(&self) -> Vec<&Expression> {
        let moves = self
            .moves
            .iter()
            .flat_map(|step| step.place.address().into_iter().chain([&step.value]).chain(&step.condition));
        let transaction = self.transaction.iter().flat_map(|transaction| {
            let reply = match &transaction.reply {
                Destination::Memory(address) => Some(address),
                Destination::Nothing | Destination::Variables(_) => None,
            };
            transaction.operation.expressions().into_iter().chain(reply)
        });
        moves.chain(transaction).chain(self.branch.expressions()).collect()
    }
}

impl Threads {
    /// Returns all operands of the program.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.flow.iter().chain(self.instructions.iter().flat_map(Instruction::expressions))
    }
}

/// Returns the number of the instruction to which a way jumps.
fn jump(next: &Next) -> Option<&Expression> {
    match next {
        Next::Jump(to) => Some(to),
        _ => None,
    }
}
