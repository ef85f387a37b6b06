//! The effects of transactions on memory, records and packets.

use basis::Instant;
use runtime::records::Insertion;
use runtime::{Color, ProgramState, hash};
use serde::{Deserialize, Serialize};

use super::request::number;
use super::{Bytes, Declarations, LeavingPacket, Packets, Request};
use crate::lookup;
use crate::threads::{ReasonId, RecordTableId, TimerId};
use crate::{DigestId, TableId};

/// What a transaction asks of the machine around the threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Output {
    /// A packet leaves by a port.
    Sent {
        /// The port.
        port: u64,
        /// The queue of the port.
        queue: u64,
        /// The packet.
        packet: LeavingPacket,
    },
    /// A packet leaves by all ports of a group.
    Multicast {
        /// The group.
        group: u64,
        /// The packet.
        packet: LeavingPacket,
    },
    /// The program drops a packet.
    Dropped {
        /// The number of the packet in its thread: 0 for the one that the thread began for.
        number: u64,
        /// The reason.
        #[serde(with = "number")]
        reason: ReasonId,
    },
    /// A message to the control plane.
    Digest {
        /// The kind of message.
        #[serde(with = "number")]
        digest: DigestId,
        /// The values of its fields.
        values: Vec<u64>,
    },
    /// A timer starts anew.
    TimerStarted {
        /// The timer.
        #[serde(with = "number")]
        timer: TimerId,
        /// The period in nanoseconds, not 0.
        period: u64,
    },
    /// A timer stops.
    TimerStopped {
        /// The timer.
        #[serde(with = "number")]
        timer: TimerId,
    },
}

impl Declarations {
    /// Lets a transaction take effect at a time, and returns the reply. `packets` are those of the thread that asked for it
    /// ([`super::Thread::packets_mut`]). What it asks of the machine is appended to `outputs`.
    ///
    /// # Panics
    /// It may panic if the state is not one of the program's, or the packets are not those of the thread.
    pub fn apply(
        &self,
        state: &mut ProgramState,
        now: Instant,
        request: &Request,
        packets: &mut Packets,
        outputs: &mut Vec<Output>,
    ) -> Bytes {
        match *request {
            Request::Police { array, index, bytes, before, .. } => {
                let meter = &mut state.meters[array as usize];
                let amount = meter.unit().amount(bytes);
                Bytes::of_words(&[meter.mark_colored(index, now, amount, Color::from_number(before)).number()])
            }
            Request::Filter { table, keys, reply } => self.filter(state, table, &keys, reply),
            Request::Hash { data, seed } => Bytes::of_words(&[hash::of_bytes(&data, seed)]),
            Request::Time => Bytes::of_words(&[now.picoseconds() / 1000]),
            Request::Digest { digest, values } => {
                outputs.push(Output::Digest { digest, values: values.words().collect() });
                Bytes::EMPTY
            }
            Request::StartTimer { timer, period } => {
                outputs.push(Output::TimerStarted { timer, period });
                Bytes::EMPTY
            }
            Request::StopTimer { timer } => {
                outputs.push(Output::TimerStopped { timer });
                Bytes::EMPTY
            }
            Request::Find { records, key } => {
                let place = state.records[records.index()].find(&key);
                place.map_or(Bytes::of_words(&[0, 0]), |place| self.record(1, records, place))
            }
            Request::Insert { records, key, contents } => {
                let layout = self.records[records.index()].layout;
                match state.make_record(records.index(), layout, &key, &contents) {
                    Insertion::Full => Bytes::of_words(&[2, 0]),
                    Insertion::Found(place) => self.record(0, records, place),
                    Insertion::Made(place) => self.record(1, records, place),
                }
            }
            Request::Delete { records, key } => {
                Bytes::of_words(&[u64::from(state.records[records.index()].delete(&key))])
            }
            Request::Remove { records, place } => {
                Bytes::of_words(&[u64::from(state.records[records.index()].remove(place))])
            }
            Request::Scan { records, first, count } => {
                Bytes::of_words(&state.records[records.index()].scan(first, count))
            }
            Request::Read { .. }
            | Request::Write { .. }
            | Request::Count { .. }
            | Request::Fetch { .. }
            | Request::WriteMasked { .. }
            | Request::Add { .. } => words(state, request),
            _ => packet(request, packets, outputs),
        }
    }

    fn record(&self, status: u64, records: RecordTableId, place: u32) -> Bytes {
        Bytes::of_words(&[status, self.record_address(records, place)])
    }

    fn filter(&self, state: &ProgramState, table: TableId, keys: &Bytes, reply: u32) -> Bytes {
        let mut words = [0; 8];
        let count = keys.len() / 8;
        words.iter_mut().zip(keys.words()).for_each(|(word, key)| *word = key);
        let found = lookup::find(self.program(), state, table, &words[..count]);
        let (action, data) = found.runs.unwrap_or((u32::MAX, &[]));
        let mut answer = [0; 8];
        answer[0] = u64::from(found.entry.is_some());
        answer[1] = action.into();
        answer[2..].iter_mut().zip(data).for_each(|(word, value)| *word = value.low());
        Bytes::of_words(&answer[..reply as usize / 8])
    }
}

/// Lets an access to words of shared memory take effect.
fn words(state: &mut ProgramState, request: &Request) -> Bytes {
    let memory = &mut state.memory;
    let mut old = Bytes::EMPTY;
    match *request {
        Request::Read { segment, address, bytes } => {
            old = Bytes::zeros(bytes as usize);
            memory.read_line(segment as usize, address, &mut old);
        }
        Request::Write { segment, address, data } => {
            memory.change(segment as usize, address, data.len(), |line| line.copy_from_slice(&data));
        }
        Request::Count { segment, address, bytes } => memory.change(segment as usize, address, 16, |line| {
            let (packets, sum) = line.split_at_mut(8);
            change_word(packets, |count| count.wrapping_add(1));
            change_word(sum, |count| count.wrapping_add(bytes));
        }),
        Request::Fetch { segment, operator, address, operand } => memory.change(segment as usize, address, 8, |line| {
            old = Bytes::of(line).expect("eight bytes");
            change_word(line, |value| operator.apply(value, operand));
        }),
        Request::WriteMasked { segment, address, value, mask } => memory.change(segment as usize, address, 8, |line| {
            change_word(line, |old| old & !mask | value & mask);
        }),
        Request::Add { segment, address, data } => memory.change(segment as usize, address, data.len(), |line| {
            old = Bytes::of(line).expect("at most 64 bytes");
            let number = |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().expect("four bytes"));
            for (sum, added) in line.chunks_exact_mut(4).zip(data.chunks_exact(4)) {
                let new = number(sum).wrapping_add(number(added));
                sum.copy_from_slice(&new.to_be_bytes());
            }
        }),
        _ => unreachable!("`apply` passes accesses to words only"),
    }
    old
}

/// Changes a word of 8 bytes in network order.
#[inline]
fn change_word(word: &mut [u8], change: impl FnOnce(u64) -> u64) {
    let value = u64::from_be_bytes((&*word).try_into().expect("eight bytes"));
    word.copy_from_slice(&change(value).to_be_bytes());
}

/// Lets an operation on the packets of a thread take effect.
fn packet(request: &Request, packets: &mut Packets, outputs: &mut Vec<Output>) -> Bytes {
    const THERE: &str = "the packet was there when the transaction was asked for";
    match *request {
        Request::ReadTail { packet, offset, bytes } => {
            let mut reply = Bytes::zeros(bytes as usize);
            packets.hold(packet).tail.read(offset, &mut reply);
            return reply;
        }
        Request::WriteTail { packet, offset, data } => packets.hold(packet).tail.write(offset, &data),
        Request::CutTail { packet, bytes } => packets.hold(packet).tail.cut(bytes),
        Request::Make { number, tail_of } => {
            let tail = tail_of.map(|other| packets.hold(other).tail.clone());
            packets.hold(number).tail = tail.unwrap_or_default();
            return Bytes::of_words(&[number]);
        }
        Request::Send { packet, port, queue } => {
            outputs.push(Output::Sent { port, queue, packet: packets.take(packet).expect(THERE) });
        }
        Request::Multicast { packet, group } => {
            outputs.push(Output::Multicast { group, packet: packets.take(packet).expect(THERE) });
        }
        Request::Drop { packet, reason } => {
            let dropped = packets.take(packet).expect(THERE);
            outputs.push(Output::Dropped { number: dropped.number, reason });
        }
        _ => unreachable!("`apply` carries out the others"),
    }
    Bytes::EMPTY
}
