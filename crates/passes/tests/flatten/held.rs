//! Comparison of a flattened program with the switch that runs the original: the same packets must leave by the same
//! ports, and the state must be the same after each packet.

use std::sync::Arc;

use basis::{Instant, Random};
use control::stf::Step;
use control::{Info, Request};
use diagnostics::Sources;
use ir::Program;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::v1model::{Switch, V1modelParameters};
use node::{Node, Outbox, Port};
use passes::flatten::{Flattened, Options, flatten};
use wire::Packet;

use crate::pipelined::Pipelined;

pub struct Held {
    pipelined: Pipelined,
    switch: Switch<PacketInterpreter>,
    packets: u64,
    pub transmitted: u64,
}

/// Flattens a program, and checks the form of the result.
pub fn flattened(program: &Program) -> Flattened {
    let flattened = flatten(program, &Options::default()).unwrap_or_else(|findings| panic!("{findings:#?}\n{program}"));
    keeps_its_form(&flattened).unwrap_or_else(|errors| panic!("{errors}"));
    flattened
}

pub fn keeps_its_form(flattened: &Flattened) -> Result<(), String> {
    let Flattened { edges, flat, .. } = flattened;
    ir::verify::program(edges).map_err(|errors| format!("{errors:#?}\n{edges}"))?;
    let again = ir::parse::program("flat", &flat.to_string()).map_err(|errors| format!("{errors}\n{flat}"))?;
    if again != **flat {
        return Err(format!("the text of the flat program is of another one:\n{flat}"));
    }
    Ok(())
}

/// Applies passes to the flat part of a flattened program, as on the way to a machine.
pub fn passed(mut flattened: Flattened, passes: &[&str]) -> Flattened {
    let fields = |program: &Program| program.fields().map(|(id, field)| (id, field.name.clone())).collect::<Vec<_>>();
    let before = fields(&flattened.flat);
    for pass in passes {
        let outcome = passes::apply(pass, flattened.flat.edit());
        outcome.unwrap_or_else(|findings| panic!("{pass}: {findings:#?}\n{}", flattened.flat));
    }
    assert_eq!(fields(&flattened.flat), before, "fields stay where they are");
    flattened
}

impl Held {
    pub fn new(program: &Program, info: &Info) -> Self {
        Self::of(program, info, flattened(program))
    }

    pub fn of(program: &Program, info: &Info, flattened: Flattened) -> Self {
        Self::with(program, info, flattened, V1modelParameters::default())
    }

    pub fn with(program: &Program, info: &Info, flattened: Flattened, parameters: V1modelParameters) -> Self {
        let executor = PacketInterpreter::new(Arc::new(program.clone()));
        let switch = Switch::new(executor, Arc::new(info.clone()), parameters).expect("a v1model program");
        let mut pipelined = Pipelined::new(flattened);
        pipelined.follow(&switch.state());
        Self { pipelined, switch, packets: 0, transmitted: 0 }
    }

    pub fn request(&mut self, request: &Request) -> Result<(), control::Error> {
        self.switch.execute(request)?;
        self.pipelined.follow(&self.switch.state());
        Ok(())
    }

    /// Gives a packet to both, and returns all differences as an error.
    pub fn packet(&mut self, port: u16, bytes: &[u8]) -> Result<(), String> {
        let now = Instant::from_microseconds(self.packets * 7);
        self.packets += 1;
        let mut out = Outbox::default();
        out.begin(now);
        self.switch.receive(now, Port(port), &mut vec![Packet::of_bytes(bytes)], &mut out);
        let mut sent = out.transmissions.iter();
        let expected = sent.next().map(|sent| (u64::from(sent.port.0), sent.packet.head.bytes().to_vec()));
        assert!(sent.next().is_none(), "nothing of a pipeline makes copies");
        self.transmitted += u64::from(expected.is_some());
        let found = self.pipelined.packet(now, port, bytes);
        let mut differences = self.pipelined.differences(&self.switch.state());
        if expected != found {
            differences.push(format!("leaves: {found:x?}, not {expected:x?}"));
        }
        match differences.is_empty() {
            true => Ok(()),
            false => Err(format!("{} of port {port}, {bytes:x?}: {differences:#?}", self.packets)),
        }
    }

    /// Runs a packet test: its requests and packets, and for each packet some random variations.
    pub fn test(&mut self, name: &str, text: &str, alike: u64, random: &mut Random) -> Result<(), String> {
        let mut sources = Sources::new();
        let source = sources.add(name, text);
        let info = self.switch.info().clone();
        let prepared = control::stf::prepare(&info, &sources, source);
        let prepared = prepared.map_err(|findings| findings.render(&sources, false))?;
        for step in &prepared.steps {
            match &step.item {
                Step::Request(request) => {
                    self.request(request).map_err(|error| error.to_string())?;
                }
                Step::Packet { port, bytes } => {
                    let port = u16::try_from(*port).map_err(|error| error.to_string())?;
                    self.packet(port, bytes)?;
                    for _ in 0..alike {
                        let (port, bytes) = similar(port, bytes, random);
                        self.packet(port, &bytes)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns a random variation of a packet: a few bytes differ, some are missing or added, or the port is another one.
pub fn similar(port: u16, bytes: &[u8], random: &mut Random) -> (u16, Vec<u8>) {
    let mut bytes = bytes.to_vec();
    let port = if random.chance(0.2) { random.below(8) as u16 } else { port };
    if random.chance(0.15) && !bytes.is_empty() {
        bytes.truncate(random.below(bytes.len() as u64) as usize);
    }
    for _ in 0..random.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len() as u64) as usize;
        match random.below(3) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.bits() as u8,
            _ => bytes[at] = bytes[random.below(bytes.len() as u64) as usize],
        }
    }
    if random.chance(0.1) {
        bytes.extend((0..random.below(20)).map(|_| random.bits() as u8));
    }
    (port, bytes)
}
