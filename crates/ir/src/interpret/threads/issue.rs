//! How a thread asks for a transaction: operands are evaluated, and whatever can be wrong with them is found.

use std::ops::Range;

use super::declarations::RecordSegment;
use super::{Bytes, Declarations, Fault, Request, Thread, memory};
use crate::threads::{Data, Destination, HeadBytes, MAX_PACKETS, MAX_TAIL, Operation, RecordTableId, Transaction};

/// The operands of a transaction, whatever stands for one where the instruction is executed.
pub trait Operands<E> {
    /// Returns the number of bits of an operand, 1 to 64.
    fn width(&self, operand: &E) -> u32;

    /// Returns the value of an operand.
    ///
    /// # Errors
    /// If it reads outside of local memory.
    fn value(&mut self, operand: &E) -> Result<u64, Fault>;
}

/// A transaction that a thread asks for.
pub(super) struct Asked {
    pub request: Request,
    /// The address in local memory to which the reply goes, if it goes there.
    pub reply_to: u64,
    /// Where the head of the packet lies that the transaction sends.
    pub head: Option<Range<usize>>,
    /// Whether the thread goes on without waiting for the reply.
    pub is_asynchronous: bool,
}

/// Evaluates a transaction.
pub(super) fn evaluate<E, O: Operands<E>>(
    thread: &Thread,
    declarations: &Declarations,
    transaction: &Transaction<E>,
    operands: &mut O,
) -> Result<Asked, Fault> {
    let mut issuer = Issuer { thread, declarations, operands, head: None };
    let request = issuer.request(&transaction.operation)?;
    let reply_to = match &transaction.reply {
        Destination::Memory(address) => {
            let address = issuer.operands.value(address)?;
            let bytes = u64::from(issuer.reply_bytes(&transaction.operation));
            memory::range(&thread.memory, address, bytes).ok_or(Fault::LocalMemory)?;
            address
        }
        Destination::Nothing | Destination::Variables(_) => 0,
    };
    Ok(Asked { request, reply_to, head: issuer.head, is_asynchronous: transaction.is_asynchronous })
}

struct Issuer<'a, O> {
    thread: &'a Thread,
    declarations: &'a Declarations,
    operands: &'a mut O,
    head: Option<Range<usize>>,
}

impl<O> Issuer<'_, O> {
    fn reply_bytes<E>(&self, operation: &Operation<E>) -> u32
    where
        O: Operands<E>,
    {
        operation.reply_bytes(self.declarations.program(), |operand| self.operands.width(operand))
    }

    /// Returns the segment of an access to words and its address.
    #[inline]
    fn words<E>(&mut self, address: &E, bytes: usize, unit: u64) -> Result<(u32, u64), Fault>
    where
        O: Operands<E>,
    {
        let address = self.operands.value(address)?;
        let segment = self.declarations.map.words(address, bytes as u64, unit)?;
        Ok((segment as u32, address))
    }

    fn data<E>(&mut self, data: &Data<E>) -> Result<Bytes, Fault>
    where
        O: Operands<E>,
    {
        match data {
            Data::Values(values) => {
                let mut bits = 0;
                let mut bytes = Bytes::zeros(data.bytes(|value| self.operands.width(value)) as usize);
                for operand in values {
                    let width = self.operands.width(operand);
                    memory::write(&mut bytes, bits, width as u16, self.operands.value(operand)?);
                    bits += u64::from(width);
                }
                Ok(bytes)
            }
            Data::Memory { address, bytes } => {
                let address = self.operands.value(address)?;
                let range = memory::range(&self.thread.memory, address, u64::from(*bytes)).ok_or(Fault::LocalMemory)?;
                Ok(Bytes::of(&self.thread.memory[range]).expect("`verify` allows at most 64 bytes"))
            }
        }
    }

    /// Evaluates numbers to words.
    fn list<E>(&mut self, values: &[E]) -> Result<Bytes, Fault>
    where
        O: Operands<E>,
    {
        let mut words = [0; 8];
        for (word, value) in words.iter_mut().zip(values) {
            *word = self.operands.value(value)?;
        }
        Ok(Bytes::of_words(&words[..values.len()]))
    }

    /// Returns the number of a packet that the thread can use.
    fn packet<E>(&mut self, packet: &E) -> Result<u64, Fault>
    where
        O: Operands<E>,
    {
        let number = self.operands.value(packet)?;
        let usable = usize::try_from(number).ok().and_then(|number| self.thread.usable.get(number));
        if usable == Some(&true) { Ok(number) } else { Err(Fault::NoPacket) }
    }

    fn head<E>(&mut self, head: &HeadBytes<E>) -> Result<(), Fault>
    where
        O: Operands<E>,
    {
        let (address, bytes) = (self.operands.value(&head.address)?, self.operands.value(&head.bytes)?);
        self.head = Some(memory::range(&self.thread.memory, address, bytes).ok_or(Fault::LocalMemory)?);
        Ok(())
    }

    /// Returns the place of the record that begins at an address.
    fn place<E>(&mut self, records: RecordTableId, address: &E) -> Result<u32, Fault>
    where
        O: Operands<E>,
    {
        let RecordSegment { layout, capacity } = self.declarations.records[records.index()];
        let offset = self.operands.value(address)?.checked_sub(layout.first).ok_or(Fault::NoRecord)?;
        let place = offset / layout.record_bytes;
        if offset.is_multiple_of(layout.record_bytes) && place < capacity {
            // `verify` allows at most 2^24 records.
            Ok(place as u32)
        } else {
            Err(Fault::NoRecord)
        }
    }

    fn request<E>(&mut self, operation: &Operation<E>) -> Result<Request, Fault>
    where
        O: Operands<E>,
    {
        Ok(match operation {
            Operation::Read { address, bytes } => {
                let (segment, address) = self.words(address, *bytes as usize, 8)?;
                Request::Read { segment, address, bytes: *bytes }
            }
            Operation::Write { address, data } => {
                let data = self.data(data)?;
                let (segment, address) = self.words(address, data.len(), 8)?;
                Request::Write { segment, address, data }
            }
            Operation::Count { address, bytes } => {
                let (segment, address) = self.words(address, 16, 8)?;
                Request::Count { segment, address, bytes: self.operands.value(bytes)? }
            }
            Operation::Police { address, bytes, before } => {
                let address = self.operands.value(address)?;
                let (array, index) = self.declarations.map.policer(address)?;
                let bytes = self.operands.value(bytes)?;
                let before = before.as_ref().map_or(Ok(0), |before| self.operands.value(before))?;
                Request::Police { address, array: array as u32, index, bytes, before }
            }
            Operation::Fetch { operator, address, operand } => {
                let (segment, address) = self.words(address, 8, 8)?;
                Request::Fetch { segment, operator: *operator, address, operand: self.operands.value(operand)? }
            }
            Operation::WriteMasked { address, value, mask } => {
                let (segment, address) = self.words(address, 8, 8)?;
                Request::WriteMasked {
                    segment,
                    address,
                    value: self.operands.value(value)?,
                    mask: self.operands.value(mask)?,
                }
            }
            Operation::Add { address, data } => {
                let data = self.data(data)?;
                let (segment, address) = self.words(address, data.len(), 4)?;
                Request::Add { segment, address, data }
            }
            Operation::Find { records, key } => Request::Find { records: *records, key: self.data(key)? },
            Operation::Insert { records, key, contents } => {
                Request::Insert { records: *records, key: self.data(key)?, contents: self.data(contents)? }
            }
            Operation::Delete { records, key } => Request::Delete { records: *records, key: self.data(key)? },
            Operation::Remove { records, address } => {
                Request::Remove { records: *records, place: self.place(*records, address)? }
            }
            Operation::Scan { records, first, count } => {
                let (first, count) = (self.operands.value(first)?, self.operands.value(count)?);
                let count = u32::try_from(count).ok().filter(|count| *count <= 64).ok_or(Fault::TooManyPlaces)?;
                Request::Scan { records: *records, first, count }
            }
            Operation::Filter { table, keys } => {
                let reply = self.reply_bytes(operation);
                Request::Filter { table: *table, keys: self.list(keys)?, reply }
            }
            Operation::Hash { data, seed } => {
                Request::Hash { data: self.data(data)?, seed: self.operands.value(seed)? }
            }
            Operation::Digest { digest, values } => Request::Digest { digest: *digest, values: self.list(values)? },
            Operation::StartTimer { timer, period } => match self.operands.value(period)? {
                0 => return Err(Fault::NoPeriod),
                period => Request::StartTimer { timer: *timer, period },
            },
            Operation::StopTimer { timer } => Request::StopTimer { timer: *timer },
            Operation::Time => Request::Time,
            _ => return self.packet_request(operation),
        })
    }

    /// Evaluates an operation on packets.
    fn packet_request<E>(&mut self, operation: &Operation<E>) -> Result<Request, Fault>
    where
        O: Operands<E>,
    {
        Ok(match operation {
            Operation::ReadTail { packet, offset, bytes } => {
                Request::ReadTail { packet: self.packet(packet)?, offset: self.operands.value(offset)?, bytes: *bytes }
            }
            Operation::WriteTail { packet, offset, data } => {
                let (packet, offset) = (self.packet(packet)?, self.operands.value(offset)?);
                let data = self.data(data)?;
                if offset > MAX_TAIL - data.len() as u64 {
                    return Err(Fault::TailTooLong);
                }
                Request::WriteTail { packet, offset, data }
            }
            Operation::CutTail { packet, bytes } => {
                Request::CutTail { packet: self.packet(packet)?, bytes: self.operands.value(bytes)? }
            }
            Operation::Make { tail_of } => {
                let tail_of = match tail_of {
                    Some(packet) => Some(self.packet(packet)?),
                    None => None,
                };
                let number = self.thread.usable.len();
                if number > MAX_PACKETS {
                    return Err(Fault::TooManyPackets);
                }
                Request::Make { number: number as u64, tail_of }
            }
            Operation::Send { packet, port, queue, head } => {
                let packet = self.packet(packet)?;
                let (port, queue) = (self.operands.value(port)?, self.operands.value(queue)?);
                self.head(head)?;
                Request::Send { packet, port, queue }
            }
            Operation::Multicast { packet, group, head } => {
                let (packet, group) = (self.packet(packet)?, self.operands.value(group)?);
                self.head(head)?;
                Request::Multicast { packet, group }
            }
            Operation::Drop { packet, reason } => Request::Drop { packet: self.packet(packet)?, reason: *reason },
            _ => unreachable!("`request` evaluates the others"),
        })
    }
}

impl Thread {
    /// Notes what a transaction changes for those that follow, whenever it takes effect: which packets the thread can use, and
    /// the head with which one leaves.
    pub(super) fn note(&mut self, asked: &Asked) {
        match asked.request {
            Request::Make { .. } => {
                self.usable.push(true);
            }
            Request::Send { packet, .. } | Request::Multicast { packet, .. } | Request::Drop { packet, .. } => {
                self.usable[packet as usize] = false;
            }
            _ => (),
        }
        if let (Some(head), Request::Send { packet, .. } | Request::Multicast { packet, .. }) =
            (&asked.head, &asked.request)
        {
            // A packet whose making has not taken effect yet gets its place early.
            self.packets.hold(*packet).head = self.memory[head.clone()].to_vec();
        }
    }
}
