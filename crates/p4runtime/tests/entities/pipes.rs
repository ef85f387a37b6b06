//! Controllers of a switch with several pipes, each of which has a state of its own.

use std::ops::ControlFlow;

use basis::Instant;
use control::{
    ActionCall, Device, DigestNumber, DigestQueue, Plane, RefusedRequest, Replication, Request, Response, TableRequest,
    Target,
};
use p4runtime::message::google::rpc::Code;
use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::update::Type;
use p4runtime::message::p4::v1::{
    CounterData, CounterEntry, DirectCounterEntry, Entity, Index, RegisterEntry, TableEntry, digest_entry,
};
use p4runtime::{Everything, Switch, Translator, Unavailable};
use runtime::tables::FieldMatch;
use runtime::{Bits, Count, ProgramState};

use crate::bench::*;

/// The control plane of a program with one state a pipe, and nothing that runs it.
struct Pipes {
    plane: Plane,
    states: Vec<ProgramState>,
    replication: Replication,
    digests: DigestQueue,
}

impl Pipes {
    fn new() -> Self {
        let (program, info) = everything();
        let digests = DigestQueue::new(&info, 1);
        let states = vec![program.initial_state(); 2];
        Self { plane: Plane::new(info), states, replication: Replication::new(), digests }
    }

    fn execute(&mut self, request: &Request) -> Result<Response, control::Error> {
        let Self { plane, states, replication, digests } = self;
        plane.execute(request, &mut Device { states, replication, digests, now: Instant::ZERO })
    }
}

impl Switch for Pipes {
    fn execute_each(&mut self, requests: Vec<Request>) -> Result<Vec<Result<Response, control::Error>>, Unavailable> {
        Ok(requests.iter().map(|request| self.execute(request)).collect())
    }

    fn execute_together(
        &mut self,
        requests: Vec<Request>,
    ) -> Result<Result<Vec<Response>, RefusedRequest>, Unavailable> {
        let Self { plane, states, replication, digests } = self;
        Ok(plane.execute_together(&requests, &mut Device { states, replication, digests, now: Instant::ZERO }))
    }

    fn has_port(&self, _port: u32) -> bool {
        true
    }

    fn digest_config(&self, _digest: DigestNumber) -> Option<digest_entry::Config> {
        None
    }

    fn set_digest_config(&mut self, _digest: DigestNumber, _config: Option<digest_entry::Config>) {}
}

/// Reads what a request selects: the entities, or the code and the text of the refusal.
fn read(switch: &mut Pipes, request: Kind) -> Result<Vec<Kind>, (Code, String)> {
    let translator = Translator::new(switch.plane.info().clone(), None);
    let answer = p4runtime::read::read(&translator, switch, &Everything, &[Entity { entity: Some(request) }]).unwrap();
    let mut found = Vec::new();
    let sent = answer.send(&translator, &mut |message| {
        found.extend(message.entities.into_iter().filter_map(|entity| entity.entity));
        ControlFlow::Continue(())
    });
    sent.map(|()| found).map_err(|status| {
        let error = errors(&status).remove(0);
        (Code::try_from(error.canonical_code).unwrap(), error.message)
    })
}

fn write(switch: &mut Pipes, kind: Type, entity: Kind) -> Result<(), (Code, String)> {
    let translator = Translator::new(switch.plane.info().clone(), None);
    let written = p4runtime::write(&translator, switch, &Everything, &[update(kind, entity)], 0);
    written.map_err(|status| {
        let error = errors(&status).remove(0);
        (Code::try_from(error.canonical_code).unwrap(), error.message)
    })
}

/// An entry of the table `routes`.
fn route(bench: &Bench) -> TableEntry {
    let drop = bench.call("drop", &[]);
    bench.entry("routes", vec![lpm(1, &[10, 0, 0, 0], 8), exact(2, &[1])], drop)
}

#[test]
fn counters_are_those_of_all_pipes_together() {
    let mut switch = Pipes::new();
    let info = switch.plane.info().clone();
    let hits = info.counter_named("hits").unwrap();
    for (state, packets) in switch.states.iter_mut().zip([3, 4]) {
        state.counters[hits.index()].count(5, packets, 100);
    }
    let counter_id = info.counter(hits).identity.id;
    let counter = |packet_count, byte_count| CounterEntry {
        counter_id,
        index: Some(Index { index: 5 }),
        data: Some(CounterData { byte_count, packet_count }),
    };
    assert_eq!(read(&mut switch, Kind::CounterEntry(counter(0, 0))), Ok(vec![Kind::CounterEntry(counter(7, 200))]));

    let table = info.table_named("routes").unwrap();
    let bench = Bench::new();
    let entry = route(&bench);
    write(&mut switch, Type::Insert, Kind::TableEntry(entry.clone())).unwrap();
    for state in &mut switch.states {
        let stored = &mut state.tables[table.index()];
        let handle = stored.matches().entries().next().unwrap().0;
        stored.set_counter(handle, Count { packets: 2, bytes: 0 }).unwrap();
    }
    let asked = TableEntry { action: None, ..entry };
    let asked = DirectCounterEntry { table_entry: Some(asked), data: None };
    let Ok(found) = read(&mut switch, Kind::DirectCounterEntry(asked)) else { panic!("a direct counter") };
    let [Kind::DirectCounterEntry(found)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(found.data.unwrap().packet_count, 4);
}

#[test]
fn registers_that_differ_between_pipes_cannot_be_read() {
    let mut switch = Pipes::new();
    let info = switch.plane.info().clone();
    let cells = info.register_named("cells").unwrap();
    let register_id = info.register(cells).identity.id;
    let asked = RegisterEntry { register_id, index: Some(Index { index: 1 }), data: None };
    assert!(read(&mut switch, Kind::RegisterEntry(asked.clone())).is_ok(), "all pipes hold 0");
    switch.states[1].registers.write(info.register(cells).arrays[0] as usize, 1, &Bits::from_u64(7, 72));
    let (code, message) = read(&mut switch, Kind::RegisterEntry(asked)).expect_err("a register of two values");
    assert_eq!(code, Code::FailedPrecondition);
    assert_eq!(
        message,
        "the 2 pipes of the switch hold different values, and P4Runtime cannot name a pipe; lines of the control plane \
         can, such as `pipe 0 register_read NAME`"
    );
}

#[test]
fn tables_that_are_written_by_pipe_are_not_those_of_a_controller() {
    let mut switch = Pipes::new();
    let entry = route(&Bench::new());
    write(&mut switch, Type::Insert, Kind::TableEntry(entry.clone())).unwrap();
    write(&mut switch, Type::Delete, Kind::TableEntry(entry.clone())).unwrap();
    let info = switch.plane.info().clone();
    let table = info.table_named("routes").unwrap();
    let key = vec![
        FieldMatch::Prefix { value: Bits::from_u64(10 << 24, 32), length: 8 },
        FieldMatch::Exact(Bits::from_u64(1, 12)),
    ];
    let action = info.action_named(table, "drop").unwrap();
    let target = Target::Action(ActionCall { action, data: Vec::new() });
    let request = Request::Table(table, TableRequest::insert(key, None, target)).in_pipe(Some(1));
    switch.execute(&request).unwrap();
    let (code, message) = write(&mut switch, Type::Insert, Kind::TableEntry(entry.clone())).expect_err("by pipe");
    assert_eq!(code, Code::FailedPrecondition);
    assert!(message.contains("is written by pipe"), "{message}");
    let all = TableEntry { table_id: entry.table_id, ..TableEntry::default() };
    assert_eq!(read(&mut switch, Kind::TableEntry(all)).expect_err("by pipe").0, Code::FailedPrecondition);
    assert_eq!(switch.states[0].tables[table.index()].matches().len(), 0);
}
