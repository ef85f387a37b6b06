//! The pipeline of a Banzai switch: in every cycle a packet enters and every packet advances by one stage.

use std::collections::VecDeque;
use std::sync::Arc;

use basis::snapshot::{Loader, Saver, Unfit};
use basis::{Clock, Instant};
use ir::pipeline::{Access, Pipeline};
use ir::{Expression, RegisterId};
use node::{Burst, Control, Node, Outbox, Port, Reason};
use runtime::{ProgramState, RegisterFile};
use serde::{Deserialize, Serialize};
use wire::Packet;

use crate::Statistics;
use crate::edge::Edge;
use crate::engine::{self, Code, Memory, Slot};
use crate::pipelines::events::{self, Completed};
use crate::pipelines::{At, Pipelines, Tracer};
use crate::stages::StageCompiler;
use crate::timeline::{Moment, PacketLocation, Timeline, WaitingState};
use crate::unsuitable::Unsuitable;

/// A packet that waits to enter or is inside, or an empty slot for one.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Occupant {
    packet: Option<Packet>,
    frame: Vec<u64>,
    at: Instant,
    order: u64,
    port: u16,
    applies: bool,
}

/// An access to state, for observers.
#[derive(Debug)]
struct Observed {
    number: u32,
    index: Slot,
    indices: usize,
    /// The slot that tells whether the access happens; `None` if it always does.
    predicate: Option<Slot>,
}

/// The single pipeline of a Banzai switch.
#[derive(Debug)]
pub struct SinglePipeline {
    code: Code,
    edge: Box<dyn Edge>,
    clock: Clock,
    memory: Memory,
    observed: Vec<Vec<Observed>>,
    /// The stages in which anything is computed or accessed, in order. Unless somebody looks, packets only pass through
    /// the others.
    busy: Vec<usize>,
    /// Packets that wait to enter, in order of arrival; packets that arrive at the same time are ordered by port (MP5
    /// section 2.2.1).
    waiting: VecDeque<Occupant>,
    /// Unused slots for packets to wait in.
    rooms: Vec<Occupant>,
    /// A ring buffer: the packet that entered in cycle c is at index c modulo the depth, in stage (now - c). Nothing is
    /// ever moved, because no packet ever waits inside.
    occupants: Vec<Occupant>,
    inside: usize,
    cycle: u64,
    next_order: u64,
    statistics: Statistics,
    timeline: Option<Timeline>,
    tracer: Option<Box<Tracer>>,
}

impl SinglePipeline {
    pub(super) fn new(pipeline: &Pipeline, edge: Box<dyn Edge>, clock: Clock) -> Result<Self, Unsuitable> {
        let zero = Expression::bool(false);
        let operands = |access| [index_of(access).unwrap_or(&zero), access.predicate.expression().unwrap_or(&zero)];
        let operands: Vec<&Expression> = pipeline.accesses.iter().flat_map(operands).collect();
        let (code, slots) = engine::compile(pipeline, &operands)?;
        let mut observed: Vec<Vec<Observed>> = (0..code.depth()).map(|_| Vec::new()).collect();
        for ((number, access), slots) in (0..).zip(&pipeline.accesses).zip(slots.chunks_exact(2)) {
            observed[access.stage as usize].push(Observed {
                number,
                index: slots[0],
                indices: pipeline.indices_of(access),
                predicate: access.predicate.expression().map(|_| slots[1]),
            });
        }
        let is_busy = |&stage: &usize| code.computes(stage..stage + 1) || !observed[stage].is_empty();
        let busy = (0..code.depth()).filter(is_busy).collect();
        let occupants =
            (0..code.depth()).map(|_| Occupant { frame: vec![0; code.frame_length()], ..Occupant::default() });
        Ok(Self {
            busy,
            occupants: occupants.collect(),
            memory: Memory::new(&pipeline.program),
            code,
            edge,
            clock,
            observed,
            waiting: VecDeque::new(),
            rooms: Vec::new(),
            inside: 0,
            cycle: 0,
            next_order: 0,
            statistics: Statistics::default(),
            timeline: None,
            tracer: None,
        })
    }

    /// Accepts a packet and reads its fields.
    fn arrive(&mut self, now: Instant, port: u16, packet: Packet) {
        let mut room = self.rooms.pop().unwrap_or_default();
        room.frame.resize(self.code.frame_length(), 0);
        self.code.clear(&mut room.frame);
        let values = self.code.variables(&mut room.frame);
        room.applies = match &mut self.tracer {
            Some(tracer) => tracer.load(&mut *self.edge, &packet, port, now, values),
            None => self.edge.load(&packet, port, now, values, None),
        };
        (room.packet, room.at, room.port) = (Some(packet), now, port);
        let place = self.waiting.partition_point(|earlier| (earlier.at, earlier.port) <= (now, port));
        self.waiting.insert(place, room);
    }

    fn is_busy(&self) -> bool {
        self.inside > 0 || !self.waiting.is_empty()
    }

    fn schedule(&self, out: &mut Outbox) {
        if self.is_busy() {
            out.wake_at(self.clock.edge(self.cycle));
        } else {
            out.sleep();
        }
    }

    fn run(&mut self, end: Instant, inclusive: bool, out: &mut Outbox) {
        while self.is_busy() {
            let edge = self.clock.edge(self.cycle);
            if edge > end || (edge == end && !inclusive) {
                return;
            }
            self.one_cycle(out);
        }
    }

    fn one_cycle(&mut self, out: &mut Outbox) {
        let depth = self.code.depth();
        let entering = (self.cycle % depth as u64) as usize;
        self.statistics.cycles += 1;
        self.enter(entering);
        // Every packet inside is in a stage.
        self.statistics.stage_cycles += self.inside as u64;
        if self.timeline.is_some() || self.tracer.is_some() {
            (0..depth).for_each(|stage| self.work(stage, entering, out));
        } else {
            (0..self.busy.len()).for_each(|number| self.work(self.busy[number], entering, out));
        }
        // The packet in the last stage has the place that the next packet will take.
        self.leave(if entering + 1 == depth { 0 } else { entering + 1 }, out);
        self.cycle += 1;
    }

    /// Processes the packet in a stage, if there is one. The packet that has just entered has the place `entering`.
    fn work(&mut self, stage: usize, entering: usize, out: &mut Outbox) {
        // The packet in a stage entered that many cycles ago.
        let place = if stage <= entering { entering - stage } else { entering + self.code.depth() - stage };
        if self.occupants[place].packet.is_some() {
            self.process(stage, place, out);
        }
    }

    /// Lets the first waiting packet enter, if there is one, and take a place.
    fn enter(&mut self, place: usize) {
        let Some(mut arrived) = self.waiting.pop_front() else { return };
        if let Some(timeline) = &mut self.timeline {
            let waiting =
                (self.next_order + 1..).zip(&self.waiting).map(|(order, _)| (order, WaitingState::Data)).collect();
            timeline.record(self.cycle, PacketLocation::Entrance, Moment { processed: Vec::new(), waiting });
        }
        arrived.order = self.next_order;
        self.next_order += 1;
        self.rooms.push(std::mem::replace(&mut self.occupants[place], arrived));
        self.inside += 1;
    }

    fn process(&mut self, stage: usize, place: usize, out: &mut Outbox) {
        let occupant = &mut self.occupants[place];
        if let Some(timeline) = &mut self.timeline {
            let moment = Moment { processed: vec![occupant.order], waiting: Vec::new() };
            timeline.record(self.cycle, PacketLocation::Stage { pipeline: 0, stage }, moment);
        }
        if !occupant.applies {
            return;
        }
        match (&mut self.tracer, &occupant.packet) {
            (Some(tracer), Some(packet)) => {
                let at = At { pipeline: 0, stage, cycle: Some(self.cycle) };
                tracer.execute(packet.sidecar.id, at, &self.code, &mut occupant.frame, &mut self.memory);
            }
            _ => self.code.execute(stage..stage + 1, &mut occupant.frame, &mut self.memory),
        }
        if out.interest().wants::<events::Access>() {
            let sequence = occupant.packet.as_ref().map_or(0, |packet| packet.sidecar.id);
            for access in &self.observed[stage] {
                if access.predicate.is_none_or(|slot| occupant.frame[usize::from(slot)] != 0) {
                    let index = occupant.frame[usize::from(access.index)];
                    let index = RegisterFile::wrap(index, access.indices) as u32;
                    out.emit(events::Access { unit: access.number, index, sequence });
                }
            }
        }
    }

    /// Sends out the packet that has passed the last stage, at the clock edge that ends this cycle.
    fn leave(&mut self, place: usize, out: &mut Outbox) {
        let occupant = &mut self.occupants[place];
        let Some(mut packet) = occupant.packet.take() else { return };
        self.inside -= 1;
        let at = self.clock.edge(self.cycle + 1);
        if !occupant.applies {
            self.statistics.bypassed += 1;
            self.statistics.transmitted += 1;
            if let Some(tracer) = &mut self.tracer {
                tracer.transmitted(&*self.edge, Port(occupant.port), &packet);
            }
            out.transmit_at(Port(occupant.port), packet, at);
            return;
        }
        self.code.finish(&mut occupant.frame);
        let fields = self.code.fields(&occupant.frame);
        if out.interest().wants::<Completed>() {
            let fields = fields.into();
            out.emit(Completed { sequence: packet.sidecar.id, fields });
        }
        let tables = self.code.tables_of(&occupant.frame);
        let departure = match &mut self.tracer {
            Some(tracer) => tracer.store(&mut *self.edge, fields, &mut packet, tables),
            None => self.edge.store(fields, &mut packet, tables, None),
        };
        let port = departure.port.unwrap_or(occupant.port);
        let is_port = self.edge.ports().is_none_or(|ports| u32::from(port) < ports);
        if departure.drop || !is_port {
            let reason = if departure.drop { Reason::PROGRAM } else { Reason::NO_SUCH_PORT };
            self.statistics.discarded.add(reason);
            if let Some(tracer) = &mut self.tracer {
                tracer.discarded(&*self.edge, packet.sidecar.id, reason);
            }
            out.discard(packet, reason);
            return;
        }
        self.statistics.transmitted += 1;
        if let Some(tracer) = &mut self.tracer {
            tracer.transmitted(&*self.edge, Port(port), &packet);
        }
        out.transmit_at(Port(port), packet, at);
    }
}

impl Node for SinglePipeline {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        // Run the cycles that the driver should already have called for; at the edge of `now` itself these packets can
        // enter.
        self.run(now, false, out);
        self.cycle = self.cycle.max(self.clock.first_edge_at_or_after(now));
        let is_port = self.edge.ports().is_none_or(|ports| u32::from(port.0) < ports);
        for packet in burst.drain(..) {
            self.statistics.received += 1;
            if is_port {
                self.arrive(now, port.0, packet);
            } else {
                self.statistics.discarded.add(Reason::NO_SUCH_PORT);
                if let Some(tracer) = &mut self.tracer {
                    tracer.refuse(&*self.edge, &packet, port.0, now);
                }
                out.discard(packet, Reason::NO_SUCH_PORT);
            }
        }
        self.schedule(out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.run(now, true, out);
        self.schedule(out);
    }

    /// Does nothing: a link that is down concerns whoever drains the ports.
    fn control(&mut self, _now: Instant, _request: Control, _out: &mut Outbox) {}
}

impl Pipelines for SinglePipeline {
    fn edge(&self) -> &dyn Edge {
        &*self.edge
    }

    fn edge_mut(&mut self) -> &mut dyn Edge {
        &mut *self.edge
    }

    fn registers(&self) -> RegisterFile {
        self.memory.to_registers(self.code.layout())
    }

    fn value(&self, register: RegisterId, index: usize) -> u64 {
        self.memory.read(self.code.layout().cells(register).start + index)
    }

    fn set_value(&mut self, register: RegisterId, index: usize, value: u64) {
        self.memory.write(self.code.layout().cells(register).start + index, value);
    }

    fn set_tables(&mut self, tables: &Arc<ProgramState>) {
        let occupants = self.waiting.iter().chain(&self.occupants).filter(|occupant| occupant.packet.is_some());
        self.code.set_tables(tables, occupants.map(|occupant| occupant.frame.as_slice()));
        self.edge.set_tables(tables);
    }

    fn save_tables(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.code.save_tables(into)
    }

    fn restore_tables(&mut self, from: &mut Loader<'_>, like: &ProgramState) -> Result<(), Unfit> {
        self.code.restore_tables(from, like)
    }

    fn statistics(&self) -> Statistics {
        Statistics { in_flight: (self.inside + self.waiting.len()) as u64, ..self.statistics.clone() }
    }

    fn tracer(&mut self) -> &mut Option<Box<Tracer>> {
        &mut self.tracer
    }

    fn compile_stages(&mut self, compiler: &dyn StageCompiler) {
        self.code.compile_with(compiler);
    }

    fn is_recorded(&self) -> bool {
        self.tracer.is_some() || self.timeline.is_some()
    }

    fn record_timeline(&mut self, cycles: u64) {
        self.timeline = Some(Timeline::new(self.clock, cycles));
    }

    fn timeline(&self) -> Option<&Timeline> {
        self.timeline.as_ref()
    }
}

fn index_of(access: &Access) -> Option<&Expression> {
    access.index.as_ref()
}

basis::snapshot!(SinglePipeline {
    values waiting, occupants, inside, cycle, next_order;
    parts memory, statistics;
});
