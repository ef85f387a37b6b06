//! The edge of packet programs: a parser and a deparser.

use std::fmt;
use std::sync::Arc;

use arch::Stage;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use basis::{Instant, Random};
use ir::interpret::{Ending, Observer, PacketInterpreter, Surroundings, Undefined, Unobserved};
use ir::{Block, ErrorId, Program, TableId};
use passes::flatten::Flattened;
use runtime::binding::Departure;
use runtime::tables::EntryHandle;
use runtime::{Count, ProgramState};
use wire::Packet;

use super::carry::Carry;
use super::counted::Counted;
use super::intrinsics::{Arrival, Intrinsics};
use super::{Edge, EntryCounts};
use crate::blocks::Frame;
use crate::trace::Recorder;
use crate::unsuitable::Unsuitable;

/// The number by which a recorder knows the arriving packet.
const ARRIVED: usize = 0;

/// The parser and deparser of a packet program that was flattened ([`passes::flatten`]), with the behaviour that they
/// have in the v1model switch.
#[derive(Clone)]
pub struct ProgramEdge {
    interpreter: PacketInterpreter,
    blocks: Blocks,
    /// The state that parsers access: value sets.
    state: ProgramState,
    intrinsics: Intrinsics,
    arriving: Vec<Carry>,
    leaving: Vec<Carry>,
    fields: Fields,
    counted: Counted,
    /// The number of ports.
    ports: u32,
    /// The packet that is being processed; its memory is reused.
    packet: ir::interpret::Packet,
}

#[derive(Clone, Copy, Debug)]
struct Blocks {
    parser: (&'static str, Block),
    deparser: (&'static str, Block),
}

/// The indices of the fields that the machine itself sets on arrival or reads at the end.
#[derive(Clone, Copy, Debug)]
struct Fields {
    position: Option<usize>,
    length: Option<usize>,
    time: Option<usize>,
    dropped: usize,
    egress_port: usize,
}

impl ProgramEdge {
    /// Creates the edge of a program, with empty value sets.
    ///
    /// # Errors
    /// Fails if the program has no parser or no deparser.
    pub fn new(flattened: &Flattened) -> Result<Self, Unsuitable> {
        let program = Arc::new(flattened.edges.clone());
        let mut unsuitable = Unsuitable::default();
        let mut block = |stage| {
            let name = flattened.architecture.main_block(stage).name;
            let found = program.entrance(name);
            unsuitable.unless(found.is_some(), || format!("the program has no `{name}`"));
            (name, found.unwrap_or(Block::Function(ir::FunctionId(0))))
        };
        let blocks = Blocks { parser: block(Stage::Parser), deparser: block(Stage::Deparser) };
        unsuitable.or(())?;
        let named = |name: &str| flattened.intrinsics.iter().find(|(known, _)| known == name);
        let place = |name: &str| named(name).map(|(_, field)| field.index());
        let carried = flattened.carried.iter();
        let edge = Self {
            blocks,
            state: program.initial_state(),
            intrinsics: Intrinsics::of(flattened.architecture, &program),
            arriving: carried.clone().filter(|carried| carried.arrives).map(Carry::of).collect(),
            leaving: carried.filter(|carried| carried.leaves).map(Carry::of).collect(),
            fields: Fields {
                position: place("$position"),
                length: place("$length"),
                time: place("$time"),
                dropped: flattened.dropped.index(),
                egress_port: flattened.egress_port.index(),
            },
            counted: Counted::of(flattened),
            ports: flattened.ports,
            packet: ir::interpret::Packet::new(&program, Vec::new()),
            interpreter: PacketInterpreter::new(program),
        };
        Ok(edge)
    }

    /// Returns the program that contains the parser and the deparser.
    pub fn program(&self) -> &Arc<Program> {
        self.interpreter.program()
    }

    /// Runs a block on the current packet and returns the error with which a parser ended. Returns `None` if the packet
    /// must be discarded; this never happens in flattened programs, which have neither assertions nor loops here.
    fn run(
        &mut self,
        (name, block): (&'static str, Block),
        at: Instant,
        length: u64,
        mut recorder: Option<&mut Recorder>,
    ) -> Option<ErrorId> {
        let mut unobserved = Unobserved;
        let observer: &mut dyn Observer = match &mut recorder {
            Some(recorder) => {
                recorder.begin(ARRIVED, name);
                *recorder
            }
            None => &mut unobserved,
        };
        let mut surroundings = Surroundings {
            state: &mut self.state,
            now: at,
            length,
            packets: 1,
            // No number is ever drawn, because flattening rejects `random`.
            random: &mut Random::new(0),
            undefined: &mut Undefined::Zero,
            observer,
        };
        let ending = self.interpreter.run(block, &mut self.packet, &mut surroundings, &mut Vec::new());
        if let Some(recorder) = recorder {
            recorder.end(ending);
        }
        match ending {
            Ending::Done => Some(ErrorId::NO_ERROR),
            Ending::Rejected(error) => Some(error),
            Ending::AssertionFailed | Ending::Unfinished => None,
        }
    }
}

impl Edge for ProgramEdge {
    fn load(
        &mut self,
        packet: &Packet,
        port: u16,
        now: Instant,
        values: &mut [u64],
        recorder: Option<&mut Recorder>,
    ) -> bool {
        let arrival = Arrival { port, length: packet.len() as u64, at: now };
        self.packet.clear();
        self.packet.copy_bytes(packet);
        self.intrinsics.before_parser(self.interpreter.program(), &mut self.packet, arrival);
        let Some(error) = self.run(self.blocks.parser, now, arrival.length, recorder) else { return false };
        self.intrinsics.after_parser(self.interpreter.program(), &mut self.packet, arrival, error);
        self.arriving.iter().for_each(|carry| carry.arrive(&self.packet.values, values));
        let Fields { position, length, time, .. } = self.fields;
        let described = [(position, self.packet.position as u64), (length, arrival.length), (time, now.microseconds())];
        for (field, value) in described {
            if let Some(field) = field {
                values[field] = value;
            }
        }
        true
    }

    fn store(
        &mut self,
        fields: &[u64],
        packet: &mut Packet,
        tables: Option<&ProgramState>,
        recorder: Option<&mut Recorder>,
    ) -> Departure {
        // At this point the packet still has the bytes with which it arrived.
        let length = packet.len() as u64;
        if let Some(tables) = tables {
            self.counted.count(fields, length, tables);
        }
        if fields[self.fields.dropped] != 0 {
            return Departure { port: None, drop: true };
        }
        self.packet.clear();
        self.leaving.iter().for_each(|carry| carry.leave(fields, &mut self.packet.values));
        // The ending of a deparser has no effect.
        _ = self.run(self.blocks.deparser, packet.sidecar.arrival, length, recorder);
        let position = self.fields.position.map_or(0, |position| fields[position]);
        let parsed = usize::try_from(position.div_ceil(8)).unwrap_or(usize::MAX);
        packet.replace_front(parsed, &self.packet.emitted.bytes);
        Departure { port: Some(fields[self.fields.egress_port] as u16), drop: false }
    }

    fn blocks(&self) -> Option<(&Program, &ProgramState)> {
        Some((self.interpreter.program(), &self.state))
    }

    fn ports(&self) -> Option<u32> {
        Some(self.ports)
    }

    /// # Panics
    /// Panics if the value sets are those of another program.
    fn set_tables(&mut self, tables: &Arc<ProgramState>) {
        assert_eq!(tables.value_sets.len(), self.state.value_sets.len(), "the value sets are those of the program");
        self.state.value_sets.clone_from(&tables.value_sets);
        self.counted.set_tables(tables);
    }

    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.counted.counts.iter().try_for_each(|counts| counts.save(into))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.counted.counts.iter_mut().try_for_each(|counts| counts.restore(from))
    }

    fn counted(&self) -> &[EntryCounts] {
        &self.counted.counts
    }

    fn set_counted(&mut self, table: TableId, entry: EntryHandle, count: Count) {
        self.counted.set(table, entry, count);
    }
}

impl fmt::Debug for ProgramEdge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProgramEdge({})", self.interpreter.program().name)
    }
}
