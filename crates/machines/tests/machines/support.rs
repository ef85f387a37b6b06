//! Runs machines and keeps everything that they put out.

use std::collections::BTreeMap;

use basis::Instant;
use ir::interpret::PipelineInterpreter;
use ir::pipeline::Pipeline;
use machines::pipelines::events::{Access, Completed};
use machines::{Device, Statistics, drive};
use measure::{Event, Interest};
use node::{Discarded, Offered, Port, Reason, Sink, Transmission};
use runtime::RegisterFile;
use runtime::binding::Binding;
use wire::Packet;

/// Everything that a run put out.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The final fields by packet.
    pub completed: BTreeMap<u64, Vec<u64>>,
    /// The time in picoseconds, port and packet of each transmission, in order.
    pub sent: Vec<(u64, u16, u64)>,
    /// The heads of the transmitted packets, in the same order.
    pub heads: Vec<Vec<u8>>,
    pub discarded: Vec<(u64, Reason)>,
    /// The unit, index and packet of each access, in order.
    pub accesses: Vec<(u32, u32, u64)>,
    pub registers: RegisterFile,
    pub statistics: Statistics,
}

impl Sink for Outcome {
    fn transmitted(&mut self, transmission: Transmission) {
        let Transmission { port, at, packet } = transmission;
        self.sent.push((at.picoseconds(), port.0, packet.sidecar.id));
        self.heads.push(packet.head.bytes().to_vec());
    }

    fn discarded(&mut self, _at: Instant, discarded: Discarded) {
        self.discarded.push((discarded.packet.sidecar.id, discarded.reason));
    }

    fn event(&mut self, _at: Instant, event: Event) {
        match event.read() {
            Ok(Access { unit, index, sequence }) => self.accesses.push((unit, index, sequence)),
            Err(event) => {
                let Completed { sequence, fields } = event.read().expect("pipelines tell of nothing else");
                assert!(self.completed.insert(sequence, fields.to_vec()).is_none(), "packet {sequence} left twice");
            }
        }
    }
}

/// Runs packets through a machine until it is idle, and checks that no packet is lost without a reason.
pub fn run(machine: &mut dyn Device, packets: &[Offered]) -> Outcome {
    run_for(Interest::of::<Access>().and::<Completed>(), machine, packets)
}

/// Does the same as [`run`] for a sink that wants only some events.
pub fn run_for(interest: Interest, machine: &mut dyn Device, packets: &[Offered]) -> Outcome {
    let mut outcome = Outcome::default();
    drive(machine, packets.iter().cloned(), interest, &mut outcome).unwrap_or_else(|standstill| panic!("{standstill}"));
    outcome.registers = machine.state().registers.clone();
    outcome.statistics = machine.statistics();
    let statistics = &outcome.statistics;
    assert_eq!(statistics.in_flight, 0, "the machine is idle");
    assert_eq!(statistics.received, packets.len() as u64);
    assert_eq!(statistics.transmitted, outcome.sent.len() as u64);
    assert_eq!(statistics.discarded.total(), outcome.discarded.len() as u64);
    assert_eq!(statistics.received, statistics.transmitted + statistics.discarded.total(), "packets are conserved");
    outcome
}

/// Returns a packet that is a record of fields.
pub fn record(picoseconds: u64, port: u16, fields: &[u32]) -> Offered {
    let bytes: Vec<u8> = fields.iter().flat_map(|field| field.to_be_bytes()).collect();
    Offered { at: Instant::from_picoseconds(picoseconds), port: Port(port), packet: Packet::of_bytes(&bytes) }
}

/// Returns the binding of a pipeline's fields to records.
pub fn record_binding(pipeline: &Pipeline) -> Binding {
    Binding::record(pipeline.program.fields().map(|(_, field)| field.ty.width()).collect())
}

/// Parses a pipeline.
pub fn pipeline(text: &str) -> Pipeline {
    let pipeline = ir::parse::pipeline("test.ir", text).unwrap();
    pipeline.verify().unwrap();
    pipeline
}

/// Returns what the interpreter makes of packets: the final registers, and the final fields by packet.
pub fn interpret(pipeline: &Pipeline, packets: &[Offered]) -> (RegisterFile, BTreeMap<u64, Vec<u64>>) {
    let mut interpreter = PipelineInterpreter::new(pipeline);
    let binding = record_binding(pipeline);
    let mut values = vec![0; pipeline.program.variables.len()];
    let fields = pipeline.program.fields().count();
    let mut completed = BTreeMap::new();
    for (packet, offered) in (0..).zip(packets) {
        values.fill(0);
        if binding.load(&offered.packet, offered.port.0, &mut values) {
            interpreter.packet(&mut values);
            completed.insert(packet, values[..fields].to_vec());
        }
    }
    (interpreter.registers().clone(), completed)
}

/// Returns the number of packets that accessed an index before a packet that had arrived earlier (condition C1).
pub fn overtaking(accesses: &[(u32, u32, u64)]) -> usize {
    let mut violating: Vec<u64> = accesses
        .iter()
        .enumerate()
        .filter(|&(place, &(unit, index, packet))| {
            accesses[place..].iter().any(|&(u, i, later)| (u, i) == (unit, index) && later < packet)
        })
        .map(|(_, &(_, _, packet))| packet)
        .collect();
    violating.sort_unstable();
    violating.dedup();
    violating.len()
}
