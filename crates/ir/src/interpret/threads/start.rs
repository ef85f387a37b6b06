//! The beginning of a thread.

use basis::Instant;

use super::code::Reader;
use super::packets::{HeldPacket, Packets, Tail};
use super::thread::At;
use super::{Instructions, Thread};
use crate::evaluate;
use crate::threads::{Cause, InstructionId, MAX_CALLS};
use crate::{Type, cast};

/// The cause for which a thread begins, with what it brings.
#[derive(Clone, Copy, Debug)]
pub struct Start<'p> {
    /// The cause.
    pub cause: Cause,
    /// The time at which the packet arrived, the timer fired or the event happened.
    pub time: Instant,
    /// How often the timer had fired before since it was started, or what the event carries; 0 for a packet.
    pub argument: u64,
    /// The packet, for [`Cause::Packet`].
    pub packet: Option<Arrival<'p>>,
}

/// A packet that arrives.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'p> {
    /// The port.
    pub port: u64,
    /// The bytes that are known.
    pub bytes: &'p [u8],
    /// The number of zeros that follow them.
    pub zeros: u64,
}

impl<'p> Start<'p> {
    /// Makes the start of a thread for a packet of known bytes.
    pub fn packet(port: u64, bytes: &'p [u8], time: Instant) -> Self {
        Self { cause: Cause::Packet, time, argument: 0, packet: Some(Arrival { port, bytes, zeros: 0 }) }
    }
}

impl Thread {
    /// Begins a thread; `None` if nothing begins for its cause.
    pub fn new<I: Instructions + ?Sized>(code: &I, start: &Start<'_>) -> Option<Self> {
        let mut thread = Self {
            variables: vec![0; code.declarations().program().variables.len()],
            memory: code.declarations().local_memory.clone(),
            at: At::Instruction(InstructionId(0)),
            calls: [InstructionId(0); MAX_CALLS],
            depth: 0,
            executed: 0,
            asked: 0,
            pending: Vec::with_capacity(4),
            packets: Packets(Vec::with_capacity(2)),
            usable: Vec::with_capacity(2),
            cause: start.cause,
            writes: Vec::with_capacity(code.most_writes()),
        };
        thread.begin(code, start).then_some(thread)
    }

    /// Begins anew in the memory of a thread that has ended; returns false, and does nothing, if nothing begins for the cause.
    pub fn begin<I: Instructions + ?Sized>(&mut self, code: &I, start: &Start<'_>) -> bool {
        let code = code.declarations();
        let Some(first) = code.threads().entrance(start.cause) else { return false };
        self.variables.fill(0);
        self.memory.copy_from_slice(&code.local_memory);
        (self.at, self.depth, self.executed, self.asked) = (At::Instruction(first), 0, 0, 0);
        self.cause = start.cause;
        self.pending.clear();
        self.packets.0.clear();
        self.usable.clear();
        let (mut length, mut head_length, mut port) = (0, 0, 0);
        let head = code.threads().head;
        match start.packet {
            Some(packet) => {
                let known = packet.bytes.len().min(head.bytes as usize);
                let zeros = packet.zeros.min((head.bytes as usize - known) as u64);
                length = packet.bytes.len() as u64 + packet.zeros;
                head_length = known as u64 + zeros;
                port = packet.port;
                let place = &mut self.memory[head.address as usize..][..head_length as usize];
                place[..known].copy_from_slice(&packet.bytes[..known]);
                place[known..].fill(0);
                let tail = Tail::new(packet.bytes[known..].to_vec(), packet.zeros - zeros);
                self.packets.0.push(Some(HeldPacket { head: Vec::new(), tail }));
                self.usable.push(true);
            }
            None => {
                self.packets.0.push(None);
                self.usable.push(false);
            }
        }
        let nanoseconds = start.time.picoseconds() / 1000;
        // In the order of `intrinsics::ALL`.
        let values = [length, head_length, port, start.cause.number(), start.argument, nanoseconds];
        for (variable, value) in code.intrinsics.into_iter().zip(values) {
            if let Some(variable) = variable {
                self.variables[variable.index()] = cast(Type::Bits(64), code.program().variable(variable).ty, value);
            }
        }
        true
    }

    /// Appends the values that say to which flow the packet of a thread belongs that has just begun
    /// ([`crate::Threads::flow`]). What lies outside of local memory counts as 0.
    pub fn flow<I: Instructions + ?Sized>(&self, code: &I, into: &mut Vec<u64>) {
        let code = code.declarations();
        let mut reader = Reader { variables: &self.variables, memory: &self.memory, is_outside: false };
        for value in &code.threads().flow {
            into.push(evaluate::value(code.program(), value, &mut reader).1);
        }
    }
}
