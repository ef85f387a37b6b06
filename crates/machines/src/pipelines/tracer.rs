//! Traces of packets in pipelines: at both edges, and stage by stage.

use std::collections::BTreeMap;
use std::sync::Arc;

use basis::Instant;
use ir::{Program, TableId, Type, VariableId, lookup};
use node::{Port, Reason};
use runtime::binding::Departure;
use runtime::{Bits, ProgramState};
use wire::Packet;

use crate::edge::Edge;
use crate::engine::{Code, Memory, Seen};
use crate::trace::{Access, Begins, Field, Recorder, Step, Trace, TraceNames, Value};

/// A recorder of what happens to every packet that arrives. Packets are told apart by their ids
/// ([`wire::Sidecar::id`]).
#[derive(Debug)]
pub struct Tracer {
    /// The program that the stages run.
    program: Arc<Program>,
    inside: BTreeMap<u64, Recorder>,
    /// The pipeline that each packet was in last.
    pipelines: BTreeMap<u64, usize>,
    traces: Vec<Trace>,
}

/// The place and time at which a packet is processed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) pipeline: usize,
    pub(crate) stage: usize,
    /// The clock cycle, if known.
    pub(crate) cycle: Option<u64>,
}

impl Tracer {
    /// Creates a tracer that knows no packets yet.
    pub(crate) fn new(program: &Arc<Program>) -> Self {
        Self { program: Arc::clone(program), inside: BTreeMap::new(), pipelines: BTreeMap::new(), traces: Vec::new() }
    }

    /// Loads the fields of an arriving packet as [`Edge::load`] does, and records it.
    pub(crate) fn load(
        &mut self,
        edge: &mut dyn Edge,
        packet: &Packet,
        port: u16,
        now: Instant,
        values: &mut [u64],
    ) -> bool {
        let mut recorder = self.arrive(edge, packet, port, now);
        let applies = edge.load(packet, port, now, values, Some(&mut recorder));
        if !applies {
            recorder.step(Step::Bypass);
        } else if edge.blocks().is_none() {
            let fields = self.fields(values.iter().copied());
            recorder.step(Step::Fields { access: Access::Read, fields });
        }
        self.inside.insert(packet.sidecar.id, recorder);
        applies
    }

    /// Records a packet that arrives on a port that does not exist.
    pub(crate) fn refuse(&mut self, edge: &dyn Edge, packet: &Packet, port: u16, now: Instant) {
        let recorder = self.arrive(edge, packet, port, now);
        self.inside.insert(packet.sidecar.id, recorder);
        self.discarded(edge, packet.sidecar.id, Reason::NO_SUCH_PORT);
    }

    /// Returns the pipeline in which a packet was processed last.
    pub(crate) fn pipeline_of(&self, id: u64) -> Option<usize> {
        self.pipelines.get(&id).copied()
    }

    /// Executes a stage on a packet as [`Code::execute`] does, and records what it does.
    pub(crate) fn execute(&mut self, id: u64, at: At, code: &Code, frame: &mut [u64], memory: &mut Memory) {
        let before = code.variables(frame).to_vec();
        let program = Arc::clone(&self.program);
        let (mut seen, untouched) = (Vec::new(), ProgramState::default());
        code.execute_observed(at.stage, frame, memory, &mut |what| {
            seen.push(match what {
                Seen::Register { register, index, access, value } => {
                    let bits = Bits::from_limbs(&[value], program.register(register).ty.width());
                    TraceNames::new(&program, &untouched).accessed(register, index, access, bits)
                }
                Seen::LookUp { table, words, found, tables } => {
                    TraceNames::new(&program, tables).looked_up(table, keys(&program, table, &words), &found)
                }
            });
        });
        let changes =
            code.variables(frame).iter().zip(&before).zip(&program.variables).filter(|((now, old), _)| now != old);
        seen.extend(changes.map(|((&now, &old), variable)| Step::Change {
            name: variable.name.clone(),
            old: value(variable.ty, old),
            new: value(variable.ty, now),
        }));
        self.pipelines.insert(id, at.pipeline);
        self.note(id, Step::Stage { pipeline: at.pipeline, stage: at.stage, cycle: at.cycle, steps: seen });
    }

    /// Writes the final values of the fields back into a packet as [`Edge::store`] does, and records it.
    pub(crate) fn store(
        &mut self,
        edge: &mut dyn Edge,
        fields: &[u64],
        packet: &mut Packet,
        tables: Option<&ProgramState>,
    ) -> Departure {
        let Some(mut recorder) = self.inside.remove(&packet.sidecar.id) else {
            return edge.store(fields, packet, tables, None);
        };
        if edge.blocks().is_none() {
            recorder.step(Step::Fields { access: Access::Write, fields: self.fields(fields.iter().copied()) });
        }
        let departure = edge.store(fields, packet, tables, Some(&mut recorder));
        self.inside.insert(packet.sidecar.id, recorder);
        departure
    }

    /// Records that a packet was transmitted.
    pub(crate) fn transmitted(&mut self, edge: &dyn Edge, port: Port, packet: &Packet) {
        self.pipelines.remove(&packet.sidecar.id);
        if let Some(mut recorder) = self.inside.remove(&packet.sidecar.id) {
            recorder.transmitted(port.0.into(), packet.head.bytes(), packet.len());
            self.finish(edge, recorder);
        }
    }

    /// Records that a packet was discarded.
    pub(crate) fn discarded(&mut self, edge: &dyn Edge, id: u64, reason: Reason) {
        self.pipelines.remove(&id);
        if let Some(mut recorder) = self.inside.remove(&id) {
            recorder.discarded(reason, None);
            self.finish(edge, recorder);
        }
    }

    /// Returns the traces of packets that have finished since the last call.
    pub(crate) fn take(&mut self) -> Vec<Trace> {
        std::mem::take(&mut self.traces)
    }

    fn arrive(&self, edge: &dyn Edge, packet: &Packet, port: u16, now: Instant) -> Recorder {
        let mut recorder = Recorder::new(edge.blocks().map_or(&*self.program, |(program, _)| program));
        let mut bytes = Vec::new();
        packet.append_known_to(&mut bytes);
        recorder.arrive(now, Port(port), packet.sidecar.id, Begins { bytes: &bytes, length: packet.len() });
        recorder
    }

    fn note(&mut self, id: u64, step: Step) {
        if let Some(recorder) = self.inside.get_mut(&id) {
            recorder.step(step);
        }
    }

    fn finish(&mut self, edge: &dyn Edge, mut recorder: Recorder) {
        match edge.blocks() {
            Some((program, state)) => recorder.finish(program, state),
            None => recorder.finish(&self.program, &ProgramState::default()),
        }
        self.traces.extend(recorder.take());
    }

    /// Returns the program's fields with the given values, in the order of the program.
    fn fields(&self, values: impl Iterator<Item = u64>) -> Vec<Field> {
        let named = |((_, field), bits): ((VariableId, &ir::Variable), u64)| Field {
            name: field.name.clone(),
            value: value(field.ty, bits),
        };
        self.program.fields().zip(values).map(named).collect()
    }
}

fn value(ty: Type, bits: u64) -> Value {
    Value { ty, bits: Bits::from_limbs(&[bits], ty.width()) }
}

/// Returns the keys of a table from their words.
fn keys(program: &Program, table: TableId, mut words: &[u64]) -> Vec<Bits> {
    let key = |key: &ir::Key| {
        let ty = program.type_of(&key.value);
        let (own, others) = words.split_at(lookup::words_of(ty));
        words = others;
        Bits::from_limbs(own, ty.width())
    };
    program.tables[table.index()].keys.iter().map(key).collect()
}
