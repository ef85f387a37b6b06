//! A parser and a deparser: the edge of packet programs.

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
use runtime::{Count, State};
use wire::Packet;

use super::carry::Carry;
use super::counted::Counted;
use super::intrinsics::{Arrival, Intrinsics};
use super::{Edge, EntryCounts, bytes};
use crate::trace::Recorder;
use crate::unsuitable::Unsuitable;
use crate::v1model::Frame;

/// What a recorder knows the packet by that came in.
const ARRIVED: usize = 0;

/// The parser and the deparser of a packet program that was flattened ([`passes::flatten`]), as the switch runs
/// them.
#[derive(Clone)]
pub struct ProgramEdge {
    interpreter: PacketInterpreter,
    blocks: Blocks,
    /// What parsers see beside the packet: value sets.
    state: State,
    intrinsics: Intrinsics,
    arriving: Vec<Carry>,
    leaving: Vec<Carry>,
    fields: Fields,
    counted: Counted,
    /// How many ports there are.
    ports: u32,
    /// The packet at hand; its memory is used again.
    packet: ir::interpret::Packet,
}

#[derive(Clone, Copy, Debug)]
struct Blocks {
    parser: (&'static str, Block),
    deparser: (&'static str, Block),
}

/// Fields that the machine itself sets on arrival or reads at the end, by their places.
#[derive(Clone, Copy, Debug)]
struct Fields {
    position: Option<usize>,
    length: Option<usize>,
    time: Option<usize>,
    dropped: usize,
    egress_port: usize,
}

impl ProgramEdge {
    /// The edge of a program, with its value sets empty; or why there is none.
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

    /// What runs at both ends.
    pub fn program(&self) -> &Arc<Program> {
        self.interpreter.program()
    }

    /// Runs a block on the packet at hand: what a parser ended with. `None` if the packet goes no further, which no
    /// program does that was flattened: it has neither assertions nor loops here.
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
            // Nothing is drawn: flattening refuses `random`.
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
        let mut unknown = 0;
        self.packet.set_bytes(|bytes| unknown = packet.append_known_to(bytes));
        self.packet.set_zeros(unknown);
        self.intrinsics.before_parser(self.interpreter.program(), &mut self.packet, arrival);
        let Some(error) = self.run(self.blocks.parser, now, arrival.length, recorder) else { return false };
        self.intrinsics.after_parser(self.interpreter.program(), &mut self.packet, arrival, error);
        self.arriving.iter().for_each(|carry| carry.arrive(&self.packet.values, values));
        let Fields { position, length, time, .. } = self.fields;
        let told = [(position, self.packet.position as u64), (length, arrival.length), (time, now.microseconds())];
        for (field, value) in told {
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
        tables: Option<&State>,
        recorder: Option<&mut Recorder>,
    ) -> Departure {
        // Until now its bytes are as they arrived.
        let length = packet.len() as u64;
        if let Some(tables) = tables {
            self.counted.count(fields, length, tables);
        }
        if fields[self.fields.dropped] != 0 {
            return Departure { port: None, drop: true };
        }
        self.packet.clear();
        self.leaving.iter().for_each(|carry| carry.leave(fields, &mut self.packet.values));
        // What a deparser ended with means nothing.
        _ = self.run(self.blocks.deparser, packet.sidecar.arrival, length, recorder);
        let position = self.fields.position.map_or(0, |position| fields[position]);
        bytes::replace(packet, position, &self.packet.emitted.bytes);
        Departure { port: Some(fields[self.fields.egress_port] as u16), drop: false }
    }

    fn blocks(&self) -> Option<(&Program, &State)> {
        Some((self.interpreter.program(), &self.state))
    }

    fn ports(&self) -> Option<u32> {
        Some(self.ports)
    }

    /// Panics if the value sets are those of another program.
    fn set_tables(&mut self, tables: &Arc<State>) {
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
