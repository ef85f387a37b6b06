//! A machine that is correct except for one fault, with a program and packets that reveal the fault.
#![allow(dead_code)] // each test binary uses a part of this module

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use basis::{Duration, Instant};
use control::{Info, Request, Response};
use ir::Program;
use ir::interpret::Interpreter;
use machines::pipelines::events::{Access, Completed};
use machines::{Device, Statistics};
use node::{Account, Burst, Control, Node, Offered, Outbox, Port, Reason, Station};
use runtime::ProgramState;
use runtime::binding::Binding;
use wire::{LinkLayer, Packet};

/// Counts packets by key, and writes the count into each packet. The program does not apply to packets that are too
/// short.
pub const COUNTER: &str = "program counter
field key: int<32>
field slow: int<32>
field seen: int<32>
register count: int<32>[4] = fill 0
register total: int<32> = 0
packet {
  @count[key] = @count[key] + 1i32
  seen = @count[key]
  @total = @total + 1i32
}
";

/// The fault of a [`Fake`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No fault.
    None,
    /// Packets whose field `slow` is not 0 are overtaken by those that arrive in the next 10 ns.
    Overtaking,
    /// Every third packet is lost.
    Loses,
    /// Packet 2 never leaves.
    Swallows,
    /// Once keys 1 and 2 have both occurred, register `total` is one too high.
    WrongRegister,
    /// Packets with key 3 leave on the next port.
    WrongPort,
    /// The last byte of packets with key 3 has an inverted bit.
    WrongByte,
    /// Packets with key 3 are dropped as if the program said so.
    Drops,
    /// Packets with key 3 pass without execution of the program.
    Bypasses,
}

/// A machine that runs the program on each packet 5 ns after its arrival.
pub struct Fake {
    binding: Binding,
    interpreter: Interpreter,
    values: Vec<u64>,
    fields: usize,
    fault: Fault,
    due: BTreeMap<(Instant, u64), (Port, Packet)>,
    seen: [bool; 4],
    statistics: Statistics,
    info: Arc<Info>,
}

impl Fake {
    pub fn new(program: &Program, binding: &Binding, fault: Fault) -> Self {
        Self {
            binding: binding.clone(),
            interpreter: Interpreter::new(program),
            values: vec![0; program.variables.len()],
            fields: program.fields().count(),
            fault,
            due: BTreeMap::new(),
            seen: [false; 4],
            statistics: Statistics::default(),
            info: Arc::default(),
        }
    }

    fn process(&mut self, port: Port, mut packet: Packet, out: &mut Outbox) {
        let sequence = packet.sidecar.id;
        if !self.binding.load(&packet, port.0, &mut self.values) {
            self.statistics.bypassed += 1;
            self.statistics.transmitted += 1;
            return out.transmit(port, packet);
        }
        let key = self.values[0] as usize % 4;
        let faulty = key == 3;
        self.seen[key] = true;
        let lost = self.fault == Fault::Loses && sequence % 3 == 2;
        if lost || self.fault == Fault::Drops && faulty {
            let reason = if lost { machines::mp5::reasons::STAGE_QUEUE_FULL } else { Reason::PROGRAM };
            self.statistics.discarded.add(reason);
            return out.discard(packet, reason);
        }
        if self.fault == Fault::Swallows && sequence == 2 {
            self.statistics.in_flight += 1;
            return;
        }
        self.statistics.transmitted += 1;
        if self.fault == Fault::Bypasses && faulty {
            return out.transmit(port, packet);
        }
        self.interpreter.packet(&mut self.values);
        out.emit(Access { unit: 0, index: key as u32, sequence });
        out.emit(Completed { sequence, fields: self.values[..self.fields].into() });
        self.binding.store(&self.values, &mut packet);
        if self.fault == Fault::WrongByte && faulty {
            *packet.head.bytes_mut().last_mut().expect("fields") ^= 1;
        }
        let further = u16::from(self.fault == Fault::WrongPort && faulty);
        out.transmit(Port(port.0 + further), packet);
    }

    fn ask(&self, out: &mut Outbox) {
        match self.due.first_key_value() {
            Some((&(at, _), _)) => out.wake_at(at),
            None => out.sleep(),
        }
    }
}

impl Node for Fake {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        for packet in burst.drain(..) {
            self.statistics.received += 1;
            let slow = self.fault == Fault::Overtaking && packet.head.bytes().get(7).is_some_and(|&slow| slow != 0);
            let at = now + Duration::from_nanoseconds(if slow { 15 } else { 5 });
            self.due.insert((at, packet.sidecar.id), (port, packet));
        }
        self.ask(out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        while let Some(entry) = self.due.first_entry().filter(|entry| entry.key().0 <= now) {
            let (port, packet) = entry.remove();
            self.process(port, packet, out);
        }
        self.ask(out);
    }

    fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}
}

impl Device for Fake {
    fn info(&self) -> &Arc<Info> {
        &self.info
    }

    fn ports(&self) -> Option<u32> {
        None
    }

    fn execute(&mut self, _: &Request) -> Result<Response, control::Error> {
        unreachable!("nobody asks a fake")
    }

    fn execute_together(&mut self, _: &[Request]) -> Result<Vec<Response>, control::RefusedRequest> {
        unreachable!("nobody asks a fake")
    }

    fn state(&self) -> Cow<'_, ProgramState> {
        let mut state = self.interpreter.state().clone();
        if self.fault == Fault::WrongRegister && self.seen[1] && self.seen[2] {
            state.registers.array_mut(1)[0] += 1;
        }
        Cow::Owned(state)
    }

    fn statistics(&self) -> Statistics {
        self.statistics.clone()
    }
}

impl Station for Fake {
    fn account(&self) -> Account {
        Account { held: self.statistics.in_flight, ..Account::default() }
    }
}

impl Snapshot for Fake {
    fn save(&self, _: &mut Saver) -> Result<(), Unfit> {
        Err(Unfit("a fake is not written down".to_owned()))
    }

    fn restore(&mut self, _: &mut Loader<'_>) -> Result<(), Unfit> {
        Err(Unfit("a fake is not written down".to_owned()))
    }
}

/// Parses a program, and binds its fields as a record.
pub fn program(text: &str) -> (Program, Binding) {
    let program = ir::parse::program("test", text).unwrap();
    let binding = Binding::record(program.fields().map(|(_, variable)| variable.ty.width()).collect());
    (program, binding)
}

/// Returns a packet with these fields that arrives at this time, in nanoseconds.
pub fn offered(nanoseconds: u64, port: u16, fields: &[u32]) -> Offered {
    let bytes: Vec<u8> = fields.iter().flat_map(|field| field.to_be_bytes()).collect();
    let mut packet = Packet::of_bytes(&bytes);
    packet.sidecar.link = LinkLayer::Record;
    Offered { at: Instant::from_picoseconds(1000 * nanoseconds), port: Port(port), packet }
}

/// Returns packets with all keys, one per nanosecond, on the ports in turn; a few of them are slow.
pub fn traffic(count: u64, seed: u64) -> impl Iterator<Item = Offered> + Clone {
    let mut random = basis::Random::new(seed);
    (0..count).map(move |number| {
        let slow = u32::from(random.chance(0.05));
        offered(number, (number % 4) as u16, &[random.below(4) as u32, slow, 77])
    })
}
