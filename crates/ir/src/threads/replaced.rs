//! Operations whose operands are replaced by something else, such as the place of an operand in an encoded instruction.

use super::{Data, Destination, HeadBytes, Operation, Transaction};

impl<E> Operation<E> {
    /// Returns the same operation with each operand replaced by what `replace` makes of it, in the order of the text
    /// ([`Operation::expressions`]).
    ///
    /// # Errors
    /// Returns the first error of `replace`.
    pub fn replaced<F, X>(&self, mut replace: impl FnMut(&E) -> Result<F, X>) -> Result<Operation<F>, X> {
        let replace = &mut replace;
        Ok(match self {
            Self::Read { address, bytes } => Operation::Read { address: replace(address)?, bytes: *bytes },
            Self::Write { address, data } => {
                Operation::Write { address: replace(address)?, data: data.replaced(replace)? }
            }
            Self::Count { address, bytes } => Operation::Count { address: replace(address)?, bytes: replace(bytes)? },
            Self::Police { address, bytes, before } => Operation::Police {
                address: replace(address)?,
                bytes: replace(bytes)?,
                before: before.as_ref().map(replace).transpose()?,
            },
            Self::Fetch { operator, address, operand } => {
                Operation::Fetch { operator: *operator, address: replace(address)?, operand: replace(operand)? }
            }
            Self::WriteMasked { address, value, mask } => {
                Operation::WriteMasked { address: replace(address)?, value: replace(value)?, mask: replace(mask)? }
            }
            Self::Add { address, data } => Operation::Add { address: replace(address)?, data: data.replaced(replace)? },
            Self::Find { records, key } => Operation::Find { records: *records, key: key.replaced(replace)? },
            Self::Insert { records, key, contents } => Operation::Insert {
                records: *records,
                key: key.replaced(replace)?,
                contents: contents.replaced(replace)?,
            },
            Self::Delete { records, key } => Operation::Delete { records: *records, key: key.replaced(replace)? },
            Self::Remove { records, address } => Operation::Remove { records: *records, address: replace(address)? },
            Self::Scan { records, first, count } => {
                Operation::Scan { records: *records, first: replace(first)?, count: replace(count)? }
            }
            Self::Filter { table, keys } => Operation::Filter { table: *table, keys: list(keys, replace)? },
            Self::Hash { data, seed } => Operation::Hash { data: data.replaced(replace)?, seed: replace(seed)? },
            Self::Digest { digest, values } => Operation::Digest { digest: *digest, values: list(values, replace)? },
            Self::StartTimer { timer, period } => Operation::StartTimer { timer: *timer, period: replace(period)? },
            Self::StopTimer { timer } => Operation::StopTimer { timer: *timer },
            Self::Time => Operation::Time,
            Self::ReadTail { packet, offset, bytes } => {
                Operation::ReadTail { packet: replace(packet)?, offset: replace(offset)?, bytes: *bytes }
            }
            Self::WriteTail { packet, offset, data } => Operation::WriteTail {
                packet: replace(packet)?,
                offset: replace(offset)?,
                data: data.replaced(replace)?,
            },
            Self::CutTail { packet, bytes } => Operation::CutTail { packet: replace(packet)?, bytes: replace(bytes)? },
            Self::Make { tail_of } => Operation::Make { tail_of: tail_of.as_ref().map(replace).transpose()? },
            Self::Send { packet, port, queue, head } => Operation::Send {
                packet: replace(packet)?,
                port: replace(port)?,
                queue: replace(queue)?,
                head: head.replaced(replace)?,
            },
            Self::Multicast { packet, group, head } => {
                Operation::Multicast { packet: replace(packet)?, group: replace(group)?, head: head.replaced(replace)? }
            }
            Self::Drop { packet, reason } => Operation::Drop { packet: replace(packet)?, reason: *reason },
        })
    }
}

impl<E> Transaction<E> {
    /// Returns the same transaction with each operand replaced: those of the operation, then the address of the reply.
    ///
    /// # Errors
    /// Returns the first error of `replace`.
    pub fn replaced<F, X>(&self, mut replace: impl FnMut(&E) -> Result<F, X>) -> Result<Transaction<F>, X> {
        Ok(Transaction {
            is_asynchronous: self.is_asynchronous,
            operation: self.operation.replaced(&mut replace)?,
            reply: match &self.reply {
                Destination::Nothing => Destination::Nothing,
                Destination::Variables(variables) => Destination::Variables(variables.clone()),
                Destination::Memory(address) => Destination::Memory(replace(address)?),
            },
        })
    }
}

impl<E> Data<E> {
    fn replaced<F, X>(&self, replace: &mut impl FnMut(&E) -> Result<F, X>) -> Result<Data<F>, X> {
        Ok(match self {
            Self::Values(values) => Data::Values(list(values, replace)?),
            Self::Memory { address, bytes } => Data::Memory { address: replace(address)?, bytes: *bytes },
        })
    }
}

impl<E> HeadBytes<E> {
    fn replaced<F, X>(&self, replace: &mut impl FnMut(&E) -> Result<F, X>) -> Result<HeadBytes<F>, X> {
        Ok(HeadBytes { address: replace(&self.address)?, bytes: replace(&self.bytes)? })
    }
}

fn list<E, F, X>(operands: &[E], replace: &mut impl FnMut(&E) -> Result<F, X>) -> Result<Vec<F>, X> {
    operands.iter().map(replace).collect()
}
