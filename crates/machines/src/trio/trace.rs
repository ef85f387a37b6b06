//! Records of what happens to packets: the instructions and the transactions of their threads.

use std::collections::BTreeMap;

use basis::Instant;
use ir::interpret::Observer;
use ir::interpret::threads::{Request, ThreadEnding, Ticket};
use ir::threads::InstructionId;
use ir::{Program, Type, VariableId};
use node::Reason;
use runtime::Bits;
use wire::Packet;

use super::packets::Destination;
use crate::trace::{Hex, Origin, Pass, Step, Trace, Value};

/// The greatest number of instructions that are recorded of a thread; further ones are only counted.
const INSTRUCTIONS: u64 = 1000;

/// The traces of packets.
#[derive(Debug, Default)]
pub(super) struct Traces {
    /// Those of packets whose threads have not ended, by the places of the threads.
    open: BTreeMap<u32, Open>,
    done: Vec<Trace>,
}

#[derive(Debug)]
struct Open {
    trace: Trace,
    /// The number of instructions that are not recorded.
    omitted: u64,
    instructions: u64,
}

impl Traces {
    /// Begins the trace of a packet whose thread begins.
    pub(super) fn begin(&mut self, thread: u32, packet: &Packet, came: Instant, port: u16) {
        let bytes = packet.head.bytes();
        let length = Some(packet.len()).filter(|length| *length != bytes.len());
        let pass = Pass { origin: Origin::Arrival, length, bytes: Hex(bytes.to_vec()), steps: Vec::new() };
        let trace = Trace { packet: packet.sidecar.id, time: came.picoseconds(), port, pass };
        self.open.insert(thread, Open { trace, omitted: 0, instructions: 0 });
    }

    /// Notes that a packet which was never given to a thread was discarded.
    pub(super) fn refused(&mut self, packet: &Packet, now: Instant, port: u16, reason: Reason) {
        self.begin(u32::MAX, packet, now, port);
        self.discarded(u32::MAX, reason);
        self.end(u32::MAX);
    }

    /// Returns an observer of what a thread does in a cycle; `None` if its packet is not traced.
    pub(super) fn watch<'t>(&'t mut self, thread: u32, program: &'t Program, cycle: u64) -> Option<Watching<'t>> {
        self.open.get_mut(&thread).map(|open| Watching { open, program, cycle })
    }

    /// Notes that a packet of a thread leaves for a port, or for all ports of a group, and why it is discarded behind the thread
    /// if there is no such port or group.
    pub(super) fn leaves(
        &mut self,
        thread: u32,
        number: u64,
        packet: &Packet,
        to: Destination,
        refused: Option<Reason>,
    ) {
        if let Some(open) = self.open.get_mut(&thread) {
            let bytes = Hex(packet.head.bytes().to_vec());
            let to = match to {
                Destination::Port { port, queue: 0 } => format!("port {port}"),
                Destination::Port { port, queue } => format!("port {port}, queue {queue}"),
                Destination::Group(group) => format!("group {group}"),
            };
            let steps = &mut open.trace.pass.steps;
            steps.push(Step::Send { packet: number, to, length: packet.len(), bytes });
            steps.extend(refused.map(|reason| Step::Discard { reason: reason.to_string(), detail: None }));
        }
    }

    /// Notes that the packet of a thread is discarded.
    pub(super) fn discarded(&mut self, thread: u32, reason: Reason) {
        if let Some(open) = self.open.get_mut(&thread) {
            open.trace.pass.steps.push(Step::Discard { reason: reason.to_string(), detail: None });
        }
    }

    /// Ends the trace of the packet of a thread that has ended.
    pub(super) fn end(&mut self, thread: u32) {
        if let Some(mut open) = self.open.remove(&thread) {
            if open.omitted > 0 {
                open.trace.pass.steps.push(Step::Omit { steps: open.omitted });
            }
            self.done.push(open.trace);
        }
    }

    /// Returns the traces that have ended since the last call.
    pub(super) fn take(&mut self) -> Vec<Trace> {
        std::mem::take(&mut self.done)
    }
}

/// Watches a thread.
pub(super) struct Watching<'t> {
    open: &'t mut Open,
    program: &'t Program,
    cycle: u64,
}

impl Watching<'_> {
    fn add(&mut self, step: Step) {
        if self.open.omitted == 0 {
            self.open.trace.pass.steps.push(step);
        }
    }

    /// Adds a step to the last instruction or reply.
    fn add_below(&mut self, step: Step) {
        if self.open.omitted > 0 {
            return;
        }
        if let Some(Step::Instruction { steps, .. } | Step::Reply { steps, .. }) = self.open.trace.pass.steps.last_mut()
        {
            steps.push(step);
        }
    }
}

impl Observer for Watching<'_> {
    fn executed(&mut self, instruction: InstructionId) {
        self.open.instructions += 1;
        if self.open.instructions > INSTRUCTIONS {
            self.open.omitted += 1;
            return;
        }
        let threads = self.program.threads.as_ref();
        let name = threads.map_or_else(String::new, |threads| threads.instruction(instruction).name.clone());
        let cycle = self.cycle;
        self.add(Step::Instruction { instruction: name, cycle, steps: Vec::new() });
    }

    fn changed(&mut self, variable: VariableId, old: &Bits, new: &Bits) {
        let variable = self.program.variable(variable);
        let value = |bits: &Bits| Value { ty: variable.ty, bits: bits.clone() };
        self.add_below(Step::Change { name: variable.name.clone(), old: value(old), new: value(new) });
    }

    fn stored(&mut self, from: u64, width: u16, value: u64) {
        let value = Value { ty: Type::Bits(width), bits: Bits::from_u64(value, width.into()) };
        self.add_below(Step::Store { address: from / 8, bit: (from % 8) as u8, value });
    }

    fn requested(&mut self, ticket: Ticket, request: &Request) {
        self.add(Step::Transaction { number: ticket.0, operation: request.name(), operands: operands(request) });
    }

    fn replied(&mut self, ticket: Ticket, reply: &[u8]) {
        if !reply.is_empty() {
            let cycle = self.cycle;
            self.add(Step::Reply { number: ticket.0, cycle, bytes: Hex(reply.to_vec()), steps: Vec::new() });
        }
    }

    fn thread_ended(&mut self, ending: ThreadEnding) {
        if let ThreadEnding::Fault(fault) = ending {
            self.add(Step::Stop { error: fault.to_string() });
        }
    }
}

/// Formats what a transaction is given, for people.
fn operands(request: &Request) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match request {
        Request::Read { address, bytes, .. } => format!("{address:#x}, {bytes} bytes"),
        Request::Write { address, data, .. } | Request::Add { address, data, .. } => {
            format!("{address:#x}, {}", hex(data))
        }
        Request::Count { address, bytes, .. } => format!("{address:#x}, {bytes} bytes"),
        Request::Police { address, bytes, .. } => format!("{address:#x}, {bytes} bytes"),
        Request::Fetch { address, operand, .. } => format!("{address:#x}, {operand:#x}"),
        Request::WriteMasked { address, value, mask, .. } => format!("{address:#x}, {value:#x} &&& {mask:#x}"),
        Request::Find { key, .. } | Request::Delete { key, .. } => hex(key),
        Request::Insert { key, contents, .. } => format!("{}, {}", hex(key), hex(contents)),
        Request::Remove { place, .. } => format!("place {place}"),
        Request::Scan { first, count, .. } => format!("places {first}, {count} of them"),
        Request::Filter { keys, .. } => hex(keys),
        Request::Hash { data, seed } => format!("{}, seed {seed}", hex(data)),
        Request::ReadTail { packet, offset, bytes } => format!("packet {packet}, {bytes} bytes from {offset}"),
        Request::WriteTail { packet, offset, data } => format!("packet {packet}, {} from {offset}", hex(data)),
        Request::CutTail { packet, bytes } => format!("packet {packet}, {bytes} bytes"),
        Request::Make { number, tail_of: None } => format!("packet {number}"),
        Request::Make { number, tail_of: Some(other) } => format!("packet {number} with the tail of packet {other}"),
        Request::Send { packet, port, queue } => format!("packet {packet}, port {port}, queue {queue}"),
        Request::Multicast { packet, group } => format!("packet {packet}, group {group}"),
        Request::Drop { packet, .. } => format!("packet {packet}"),
        Request::Digest { values, .. } => hex(values),
        Request::StartTimer { period, .. } => format!("{period} ns"),
        Request::StopTimer { .. } | Request::Time => String::new(),
    }
}
