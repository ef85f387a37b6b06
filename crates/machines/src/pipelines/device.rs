//! The device that consists of pipelines and their control plane.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use control::{
    CounterRequest, DigestQueue, ElementSelection, EntityKind, EntryAttributes, EntryDetails, Error, Info, Plane,
    RefusedRequest, RegisterRequest, Replication, Request, Response, Size, TableNumber, TableRequest,
};
use ir::Program;
use node::{Account, Burst, Control, Counter, Node, Outbox, Port, RegisterValue, Station, UnfinishedWork};
use passes::flatten::Flattened;
use runtime::{ProgramState, RegisterFile};

use super::Pipelines;
use super::original::{Array, Original};
use super::tracer::Tracer;
use crate::Statistics;
use crate::Stuck;
use crate::control_plane_of;
use crate::device::Device;
use crate::registers;
use crate::stages::StageCompiler;
use crate::timeline::Timeline;
use crate::trace::Trace;
use crate::unsuitable::Unsuitable;

/// A machine with pipelines and a control plane.
///
/// Tables, profiles and value sets are kept here and handed to the pipelines before the next packet arrives, so that a
/// packet sees the tables as they were on its arrival. Registers and counters are in the stages. They can be read at
/// any time, but written only while no packet is inside: a packet inside arrived before the request and must not see
/// its effect.
#[derive(Debug)]
pub struct Pipelined<P> {
    pub(crate) pipelines: P,
    /// The program that the stages run.
    program: Arc<Program>,
    plane: Plane,
    /// The state that the control plane has written. Its registers and counters are updated when they are read.
    state: ProgramState,
    original: Original,
    replication: Replication,
    digests: DigestQueue,
    /// The tables as the pipelines have them.
    given: Arc<ProgramState>,
    /// Whether the tables have changed since they were given to the pipelines.
    is_written: bool,
    /// The compiler of the stages, and the number of packets that arrive before it is called; `None` if it was, or never is.
    compiler: Option<(Arc<dyn StageCompiler>, u64)>,
}

impl<P: Pipelines> Pipelined<P> {
    /// Wraps pipelines that run a program without control plane information of its own; the control plane uses the
    /// names of the IR.
    pub(crate) fn around(pipelines: P, program: &Program) -> Self {
        let info = control_plane_of(program);
        Self {
            pipelines,
            program: Arc::new(program.clone()),
            state: program.initial_state(),
            original: Original::itself(program),
            replication: Replication::new(),
            digests: DigestQueue::new(&info, 0),
            plane: Plane::new(Arc::new(info)),
            given: Arc::new(program.initial_state_without_registers()),
            is_written: false,
            compiler: None,
        }
    }

    /// Turns pipelines that run the match-action part of a packet program into a device with the control plane of that
    /// program.
    ///
    /// # Panics
    /// Panics if `flattened` was not made from `program`.
    pub fn of_packet_program(mut self, program: &Program, info: Arc<Info>, flattened: &Flattened) -> Self {
        self.state = program.initial_state();
        self.original = Original::of(flattened);
        self.digests = DigestQueue::new(&info, 0);
        self.plane = Plane::new(info);
        // Stages do not tell which entry a packet has hit.
        self.state.tables.iter_mut().for_each(runtime::TableState::without_ages);
        self.is_written = true;
        self.give_tables();
        self
    }

    /// Gives the pipelines the current tables if these have changed.
    #[inline]
    fn give_tables(&mut self) {
        if std::mem::take(&mut self.is_written) {
            self.given = Arc::new(self.tables());
            self.pipelines.set_tables(&self.given);
        }
    }

    /// Compiles the stages if it is time, now that some more packets arrive.
    #[inline]
    fn compile_if_due(&mut self, packets: u64) {
        if let Some((compiler, left)) = &mut self.compiler {
            *left = left.saturating_sub(packets);
            if *left == 0 {
                self.pipelines.compile_stages(&**compiler);
                self.compiler = None;
            }
        }
    }

    /// Returns the state that the control plane has written, without the registers, which are in the stages.
    fn tables(&self) -> ProgramState {
        self.state.with_registers(RegisterFile::default())
    }

    /// Refuses to write state that packets inside may still access.
    fn refuse_inside(&self, kind: EntityKind, name: &str) -> Result<(), Error> {
        match self.pipelines.statistics().in_flight {
            0 => Ok(()),
            inside => Err(Error::PacketsInside { kind, name: name.to_owned(), inside }),
        }
    }

    fn fetch(&mut self, array: Array, index: Option<usize>) {
        let Self { pipelines, original, state, .. } = self;
        original.fetch(array, index, state, |register, index| pipelines.value(register, index));
    }

    fn store(&mut self, array: Array, index: Option<usize>) {
        let Self { pipelines, original, state, .. } = self;
        original.store(array, index, state, |register, index, value| pipelines.set_value(register, index, value));
    }

    /// Brings the registers and counters that a request concerns from the stages into the state.
    ///
    /// # Errors
    /// If the request writes them while packets are inside.
    fn prepare(&mut self, request: &Request) -> Result<(), Error> {
        let info = Arc::clone(self.plane.info());
        match request.without_pipe() {
            Request::Register(number, about) => {
                let register = info.register(*number);
                if !request.is_read() {
                    self.refuse_inside(EntityKind::Register, &register.identity.name)?;
                }
                arrays_of(register).for_each(|array| self.fetch(array, element(about)));
            }
            Request::Table(
                _,
                TableRequest::Read(_, EntryDetails { count: true, .. })
                | TableRequest::ReadPart { details: EntryDetails { count: true, .. }, .. },
            ) => self.fetch_counts(),
            Request::Table(
                table,
                TableRequest::Modify { attributes: Some(EntryAttributes { count: Some(_), .. }), .. },
            ) => {
                let counter = info.table(*table).counter.map(|counter| &info.counter(counter).identity.name);
                counter.map_or(Ok(()), |name| self.refuse_inside(EntityKind::Counter, name))?;
            }
            Request::Counter(number, about) => {
                let counter = info.counter(*number);
                if !request.is_read() {
                    self.refuse_inside(EntityKind::Counter, &counter.identity.name)?;
                }
                match counter.size {
                    Size::Array(_) => self.fetch(Array::Counter(number.index()), counted_element(about)),
                    Size::Entries(_) => self.fetch_counts(),
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Brings what a request has written from the state into the pipelines.
    fn finish(&mut self, request: &Request) {
        if request.is_read() {
            return;
        }
        let info = Arc::clone(self.plane.info());
        match request.without_pipe() {
            Request::Register(number, about) => {
                arrays_of(info.register(*number)).for_each(|array| self.store(array, element(about)));
            }
            Request::Counter(number, about) => match info.counter(*number).size {
                Size::Array(_) => self.store(Array::Counter(number.index()), counted_element(about)),
                Size::Entries(table) => self.store_counts(table),
            },
            Request::Table(table, about) if gives_count(about) => {
                self.is_written = true;
                self.store_counts(*table);
            }
            Request::Table(..) | Request::Profile(..) | Request::ValueSet(..) => self.is_written = true,
            _ => {}
        }
    }

    /// Writes the direct counters of a table's entries to the edge of the pipelines.
    fn store_counts(&mut self, table: TableNumber) {
        let counted = &self.state.tables[table.index()];
        let table = ir::TableId::from(table.index());
        for (entry, _) in counted.matches().entries() {
            let count = counted.counter(entry).unwrap_or_default();
            self.pipelines.edge_mut().set_counted(table, entry, count);
        }
    }

    /// Updates the direct counters of table entries in the state.
    fn fetch_counts(&mut self) {
        counted_into(&self.pipelines, &mut self.state);
    }
}

/// Copies the direct counters at the edge of the pipelines to `state`.
fn counted_into(pipelines: &impl Pipelines, state: &mut ProgramState) {
    for counted in pipelines.edge().counted() {
        let table = &mut state.tables[counted.table.index()];
        let entries: Vec<_> = table.matches().entries().map(|(entry, _)| entry).collect();
        for entry in entries {
            // This cannot fail: the entry exists and its table has a direct counter.
            _ = table.set_counter(entry, counted.of(entry));
        }
    }
}

/// Returns the arrays that hold a register.
fn arrays_of(register: &control::Register) -> impl Iterator<Item = Array> {
    register.arrays.iter().map(|&array| Array::Register(array as usize))
}

/// Returns whether a request gives an entry a value for its direct counter.
fn gives_count(about: &TableRequest) -> bool {
    match about {
        TableRequest::Insert { attributes, .. } => attributes.count.is_some(),
        TableRequest::Modify { attributes, .. } => {
            attributes.as_ref().is_some_and(|attributes| attributes.count.is_some())
        }
        _ => false,
    }
}

/// Returns the index of the one element that a request concerns; `None` for all.
fn element(about: &RegisterRequest) -> Option<usize> {
    match about {
        RegisterRequest::Read(index) | RegisterRequest::Write(index, _) => index.map(|index| index as usize),
        RegisterRequest::WriteEach(_) | RegisterRequest::Reset => None,
    }
}

/// Returns the index of the one counter of an array that a request concerns; `None` for all.
fn counted_element(about: &CounterRequest) -> Option<usize> {
    match about {
        CounterRequest::Read(ElementSelection::Index(index))
        | CounterRequest::Write(ElementSelection::Index(index), _) => Some(*index as usize),
        _ => None,
    }
}

impl<P: Pipelines> Device for Pipelined<P> {
    fn info(&self) -> &Arc<Info> {
        self.plane.info()
    }

    fn ports(&self) -> Option<u32> {
        self.pipelines.edge().ports()
    }

    fn execute(&mut self, request: &Request) -> Result<Response, Error> {
        self.prepare(request)?;
        let Self { plane, state, replication, digests, .. } = self;
        let response = plane.execute(
            request,
            &mut control::Device { states: std::slice::from_mut(state), replication, digests, now: Instant::ZERO },
        )?;
        self.finish(request);
        Ok(response)
    }

    fn execute_together(&mut self, requests: &[Request]) -> Result<Vec<Response>, RefusedRequest> {
        for (at, request) in requests.iter().enumerate() {
            self.prepare(request).map_err(|error| RefusedRequest { at, error })?;
        }
        let Self { plane, state, replication, digests, .. } = self;
        let responses = plane.execute_together(
            requests,
            &mut control::Device { states: std::slice::from_mut(state), replication, digests, now: Instant::ZERO },
        )?;
        requests.iter().for_each(|request| self.finish(request));
        Ok(responses)
    }

    fn state(&self) -> Cow<'_, ProgramState> {
        let registers = self.pipelines.registers();
        let mut state = if self.original.is_itself() {
            self.state.with_registers(registers)
        } else {
            let mut state = self.state.clone();
            self.original.fetch_all(&registers, &mut state);
            state
        };
        counted_into(&self.pipelines, &mut state);
        Cow::Owned(state)
    }

    fn statistics(&self) -> Statistics {
        self.pipelines.statistics()
    }

    fn stuck(&self) -> Vec<Stuck> {
        self.pipelines.stuck()
    }

    fn observe(&mut self) -> Result<(), Unsuitable> {
        self.pipelines.tracer().get_or_insert_with(|| Box::new(Tracer::new(&self.program)));
        Ok(())
    }

    fn take_traces(&mut self) -> Vec<Trace> {
        self.pipelines.tracer().as_mut().map(|tracer| tracer.take()).unwrap_or_default()
    }

    fn compile_stages(&mut self, compiler: Arc<dyn StageCompiler>, after: u64) {
        self.compiler = Some((compiler, after));
        self.compile_if_due(0);
    }

    fn record_timeline(&mut self, cycles: u64) -> bool {
        self.pipelines.record_timeline(cycles);
        true
    }

    fn timeline(&self) -> Option<&Timeline> {
        self.pipelines.timeline()
    }
}

impl<P: Pipelines> Node for Pipelined<P> {
    #[inline]
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.give_tables();
        self.compile_if_due(burst.len() as u64);
        self.pipelines.receive(now, port, burst, out);
    }

    #[inline]
    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.pipelines.wake(now, out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        if let Control::Link { port, up } = request {
            self.state.set_port(port.0.into(), up);
            self.is_written = true;
        }
        self.pipelines.control(now, request, out);
    }
}

impl<P: Pipelines> Station for Pipelined<P> {
    /// Pipelines neither generate nor consume packets: every packet either leaves or is discarded with a reason.
    fn account(&self) -> Account {
        Account { held: self.pipelines.statistics().in_flight, ..Account::default() }
    }

    fn waiting(&self, _now: Instant) -> Vec<UnfinishedWork> {
        let waiting = |stuck: Stuck| UnfinishedWork { what: format!("packet {}", stuck.packet), why: stuck.why };
        self.stuck().into_iter().map(waiting).collect()
    }

    fn register(&self, name: &str, indices: Range<u32>, tell: &mut dyn FnMut(RegisterValue)) -> bool {
        registers::report(self.info(), [&*self.state()], name, indices, tell)
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        let statistics = self.pipelines.statistics();
        tell(Counter { name: "bypassed", port: None, value: statistics.bypassed });
        for (name, value) in statistics.counters() {
            tell(Counter { name, port: None, value });
        }
    }
}

/// The program and the construction parameters belong to the plan and are not saved.
impl<P: Pipelines> Snapshot for Pipelined<P> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        if self.pipelines.is_recorded() {
            return Err(Unfit(
                "traces or timelines of packets are being recorded, and these cannot be saved".to_owned(),
            ));
        }
        self.state.save(into)?;
        self.replication.save(into)?;
        into.put(&self.is_written)?;
        if self.is_written {
            self.given.save(into)?;
        }
        self.pipelines.save_tables(into)?;
        self.pipelines.edge().save(into)?;
        self.pipelines.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.state.restore(from)?;
        self.replication.restore(from)?;
        self.is_written = from.take()?;
        let mut tables = self.tables();
        if self.is_written {
            tables.restore(from)?;
        }
        self.pipelines.restore_tables(from, &tables)?;
        self.given = Arc::new(tables);
        self.pipelines.edge_mut().set_tables(&self.given);
        self.pipelines.edge_mut().restore(from)?;
        self.pipelines.restore(from)
    }
}
