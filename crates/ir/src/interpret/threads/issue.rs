//! How a thread asks for a transaction: operands are evaluated, and whatever can be wrong with them is found.

use std::ops::Range;

use super::step::Reader;
use super::{Bytes, Fault, Request, Thread, ThreadCode, memory};
use crate::threads::{Data, Destination, HeadBytes, MAX_PACKETS, MAX_TAIL, Operation, RecordTableId, Transaction};
use crate::{Expression, Program};

/// A transaction that a thread asks for.
pub(super) struct Asked {
    pub request: Request,
    /// The address in local memory to which the reply goes, if it goes there.
    pub reply_to: u64,
    /// Where the head of the packet lies that the transaction sends.
    pub head: Option<Range<usize>>,
}

/// Evaluates a transaction.
pub(super) fn evaluate(
    thread: &Thread,
    code: &ThreadCode,
    reader: &mut Reader<'_>,
    transaction: &Transaction,
) -> Result<Asked, Fault> {
    let mut operands = Operands { thread, code, reader, head: None };
    let request = operands.request(&transaction.operation)?;
    let reply_to = match &transaction.reply {
        Destination::Memory(address) => {
            let address = operands.number(address)?;
            let bytes = u64::from(transaction.operation.reply_bytes(code.program()));
            memory::range(operands.reader.memory, address, bytes).ok_or(Fault::LocalMemory)?;
            address
        }
        Destination::Nothing | Destination::Variables(_) => 0,
    };
    Ok(Asked { request, reply_to, head: operands.head })
}

struct Operands<'a, 't> {
    thread: &'a Thread,
    code: &'a ThreadCode,
    reader: &'a mut Reader<'t>,
    head: Option<Range<usize>>,
}

impl Operands<'_, '_> {
    fn program(&self) -> &Program {
        self.code.program()
    }

    /// Evaluates an operand.
    #[inline]
    fn number(&mut self, expression: &Expression) -> Result<u64, Fault> {
        let value = self.reader.value(self.code.program(), expression);
        self.reader.inside()?;
        Ok(value)
    }

    /// Returns the segment of an access to words and its address.
    #[inline]
    fn words(&mut self, address: &Expression, bytes: usize, unit: u64) -> Result<(u32, u64), Fault> {
        let address = self.number(address)?;
        let segment = self.code.map.words(address, bytes as u64, unit)?;
        Ok((segment as u32, address))
    }

    fn data(&mut self, data: &Data) -> Result<Bytes, Fault> {
        match data {
            Data::Values(values) => {
                let mut bits = 0;
                let mut bytes = Bytes::zeros(data.bytes(|value| self.program().type_of(value).width()) as usize);
                for value in values {
                    let (ty, value) = crate::evaluate::value(self.code.program(), value, self.reader);
                    memory::write(&mut bytes, bits, ty.width() as u16, value);
                    bits += u64::from(ty.width());
                }
                self.reader.inside()?;
                Ok(bytes)
            }
            Data::Memory { address, bytes } => {
                let address = self.number(address)?;
                let range = memory::range(self.reader.memory, address, u64::from(*bytes)).ok_or(Fault::LocalMemory)?;
                Ok(Bytes::of(&self.reader.memory[range]).expect("`verify` allows at most 64 bytes"))
            }
        }
    }

    /// Evaluates numbers to words.
    fn list(&mut self, values: &[Expression]) -> Result<Bytes, Fault> {
        let mut words = [0; 8];
        for (word, value) in words.iter_mut().zip(values) {
            *word = self.number(value)?;
        }
        Ok(Bytes::of_words(&words[..values.len()]))
    }

    /// Returns the number of a packet that the thread can use.
    fn packet(&mut self, packet: &Expression) -> Result<u64, Fault> {
        let number = self.number(packet)?;
        let usable = usize::try_from(number).ok().and_then(|number| self.thread.usable.get(number));
        if usable == Some(&true) { Ok(number) } else { Err(Fault::NoPacket) }
    }

    fn head(&mut self, head: &HeadBytes) -> Result<(), Fault> {
        let (address, bytes) = (self.number(&head.address)?, self.number(&head.bytes)?);
        self.head = Some(memory::range(self.reader.memory, address, bytes).ok_or(Fault::LocalMemory)?);
        Ok(())
    }

    /// Returns the place of the record that begins at an address.
    fn place(&mut self, records: RecordTableId, address: &Expression) -> Result<u32, Fault> {
        let segment = self.code.records[records.index()];
        let offset = self.number(address)?.checked_sub(segment.address).ok_or(Fault::NoRecord)?;
        let place = offset / segment.record_bytes;
        if offset.is_multiple_of(segment.record_bytes) && place < segment.capacity {
            // `verify` allows at most 2^24 records.
            Ok(place as u32)
        } else {
            Err(Fault::NoRecord)
        }
    }

    fn request(&mut self, operation: &Operation) -> Result<Request, Fault> {
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
                Request::Count { segment, address, bytes: self.number(bytes)? }
            }
            Operation::Police { address, bytes, before } => {
                let address = self.number(address)?;
                let (array, index) = self.code.map.policer(address)?;
                let bytes = self.number(bytes)?;
                let before = before.as_ref().map_or(Ok(0), |before| self.number(before))?;
                Request::Police { address, array: array as u32, index, bytes, before }
            }
            Operation::Fetch { operator, address, operand } => {
                let (segment, address) = self.words(address, 8, 8)?;
                Request::Fetch { segment, operator: *operator, address, operand: self.number(operand)? }
            }
            Operation::WriteMasked { address, value, mask } => {
                let (segment, address) = self.words(address, 8, 8)?;
                Request::WriteMasked { segment, address, value: self.number(value)?, mask: self.number(mask)? }
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
                let (first, count) = (self.number(first)?, self.number(count)?);
                let count = u32::try_from(count).ok().filter(|count| *count <= 64).ok_or(Fault::TooManyPlaces)?;
                Request::Scan { records: *records, first, count }
            }
            Operation::Filter { table, keys } => {
                let reply = operation.reply_bytes(self.program());
                Request::Filter { table: *table, keys: self.list(keys)?, reply }
            }
            Operation::Hash { data, seed } => Request::Hash { data: self.data(data)?, seed: self.number(seed)? },
            Operation::Digest { digest, values } => Request::Digest { digest: *digest, values: self.list(values)? },
            Operation::StartTimer { timer, period } => match self.number(period)? {
                0 => return Err(Fault::NoPeriod),
                period => Request::StartTimer { timer: *timer, period },
            },
            Operation::StopTimer { timer } => Request::StopTimer { timer: *timer },
            Operation::Time => Request::Time,
            _ => return self.packet_request(operation),
        })
    }

    /// Evaluates an operation on packets.
    fn packet_request(&mut self, operation: &Operation) -> Result<Request, Fault> {
        Ok(match operation {
            Operation::ReadTail { packet, offset, bytes } => {
                Request::ReadTail { packet: self.packet(packet)?, offset: self.number(offset)?, bytes: *bytes }
            }
            Operation::WriteTail { packet, offset, data } => {
                let (packet, offset) = (self.packet(packet)?, self.number(offset)?);
                let data = self.data(data)?;
                if offset > MAX_TAIL - data.len() as u64 {
                    return Err(Fault::TailTooLong);
                }
                Request::WriteTail { packet, offset, data }
            }
            Operation::CutTail { packet, bytes } => {
                Request::CutTail { packet: self.packet(packet)?, bytes: self.number(bytes)? }
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
                let (port, queue) = (self.number(port)?, self.number(queue)?);
                self.head(head)?;
                Request::Send { packet, port, queue }
            }
            Operation::Multicast { packet, group, head } => {
                let (packet, group) = (self.packet(packet)?, self.number(group)?);
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
