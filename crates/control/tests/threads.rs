//! Memory that threads share, records and events: requests in all forms, their answers, and their undoing.

use basis::Instant;
use control::stf::{self, Step};
use control::{
    Device, DigestQueue, Error, Event, EventNumber, Identity, Info, MemoryError, MemoryRequest, Plane, RecordError,
    RecordRequest, RecordTable, RecordTableNumber, Replication, Request, Response, Segment, SegmentNumber, commands,
    runtime_file,
};
use diagnostics::Sources;
use runtime::ProgramState;
use runtime::memory::SharedMemory;

const DROPS: SegmentNumber = SegmentNumber(0);
const POLICERS: SegmentNumber = SegmentNumber(1);
const FLOWS: RecordTableNumber = RecordTableNumber(0);

fn info() -> Info {
    let segment = |name: &str, address, bytes, has_policers| Segment {
        identity: Identity::new(name),
        address,
        bytes,
        has_policers,
    };
    let flows = RecordTable {
        identity: Identity::new("flows"),
        key_bytes: 5,
        record_bytes: 16,
        segment: SegmentNumber(2),
        size: 2,
    };
    Info {
        segments: vec![
            segment("DROP_CNT_BASE", 4096, 64, false),
            segment("policers", 8192, 64, true),
            segment("flow_records", 1 << 20, 32, false),
        ],
        records: vec![flows],
        events: vec![Event { identity: Identity::new("flush") }],
        ..Info::default()
    }
}

struct Running {
    plane: Plane,
    states: Vec<ProgramState>,
    replication: Replication,
    digests: DigestQueue,
}

impl Running {
    fn new() -> Self {
        let mut memory = SharedMemory::default();
        memory.add_words(4096, 64, 0, &[]);
        memory.add_policers(8192, 64, 0);
        memory.add_words(1 << 20, 32, 7, &[]);
        let records = vec![runtime::records::RecordTable::new(5, 2)];
        let states = vec![ProgramState { memory, records, ..ProgramState::default() }];
        let digests = DigestQueue::new(&info(), 10);
        Self { plane: Plane::new(info().into()), states, replication: Replication::new(), digests }
    }

    fn with<T>(&mut self, work: impl FnOnce(&mut Plane, &mut Device<'_>) -> T) -> T {
        let mut device = Device {
            states: &mut self.states,
            replication: &mut self.replication,
            digests: &mut self.digests,
            now: Instant::ZERO,
        };
        work(&mut self.plane, &mut device)
    }

    fn execute(&mut self, request: &Request) -> Result<Response, Error> {
        self.with(|plane, device| plane.execute(request, device))
    }
}

fn insert(key: u8, contents: &[u8]) -> Request {
    Request::Records(FLOWS, RecordRequest::Insert { key: vec![0, 0, 0, 0, key], contents: contents.to_vec() })
}

fn delete(key: u8) -> Request {
    Request::Records(FLOWS, RecordRequest::Delete(vec![0, 0, 0, 0, key]))
}

fn write(offset: u64, words: Vec<u64>) -> Request {
    Request::Memory(DROPS, MemoryRequest::Write { offset, words })
}

#[test]
fn words_are_written_and_read_by_symbol_and_offset() {
    let mut running = Running::new();
    assert_eq!(running.execute(&write(16, vec![1, u64::MAX])), Ok(Response::Done));
    let read = |offset, words| Request::Memory(DROPS, MemoryRequest::Read { offset, words });
    assert_eq!(running.execute(&read(8, 3)), Ok(Response::Words(vec![0, 1, u64::MAX])));
    let written = Request::Memory(DROPS, MemoryRequest::ReadWritten);
    assert_eq!(running.execute(&written), Ok(Response::WrittenWords(vec![(16, 1), (24, u64::MAX)])));
    let mut error = |request: &Request| match running.execute(request) {
        Err(Error::Memory { error, .. }) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(error(&read(4, 1)), MemoryError::Unaligned { offset: 4 });
    assert_eq!(error(&read(56, 2)), MemoryError::Outside { offset: 56, words: 2, bytes: 64 });
    assert_eq!(error(&read(0, u64::MAX)), MemoryError::Outside { offset: 0, words: u64::MAX, bytes: 64 });
    assert_eq!(error(&write(64, vec![1])), MemoryError::Outside { offset: 64, words: 1, bytes: 64 });
    assert_eq!(error(&Request::Memory(POLICERS, MemoryRequest::ReadWritten)), MemoryError::Policers);
}

#[test]
fn records_are_made_found_listed_and_deleted_by_key() {
    let mut running = Running::new();
    assert_eq!(running.execute(&insert(1, &[9])), Ok(Response::Done));
    assert_eq!(running.execute(&insert(2, &[])), Ok(Response::Done));
    running.states[0].records[0].scan(0, 1);
    let Ok(Response::Records(records)) = running.execute(&Request::Records(FLOWS, RecordRequest::Read(None))) else {
        panic!("records are read");
    };
    let mut contents = [0; 16];
    contents[0] = 9;
    let seen: Vec<_> = records.iter().map(|own| (own.place, own.address, own.key[4], own.is_referenced)).collect();
    assert_eq!(seen, [(0, 1 << 20, 1, false), (1, (1 << 20) + 16, 2, true)]);
    assert_eq!((records[0].contents.as_slice(), records[1].contents.as_slice()), (&contents[..], &[0; 16][..]));
    let find = |key: u8| Request::Records(FLOWS, RecordRequest::Read(Some(vec![0, 0, 0, 0, key])));
    assert_eq!(running.execute(&find(2)), Ok(Response::Records(vec![records[1].clone()])));
    assert!(!running.states[0].records[0].is_referenced(0), "reading is no reference");
    let mut error = |request: &Request| match running.execute(request) {
        Err(Error::Record { error, .. }) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(error(&insert(3, &[])), RecordError::Full { size: 2 });
    assert_eq!((error(&insert(1, &[])), error(&find(3)), error(&delete(3))), {
        (RecordError::Exists, RecordError::Missing, RecordError::Missing)
    });
    assert_eq!(error(&insert(1, &[0; 17])), RecordError::TooLong { bytes: 16, given: 17 });
    let short = Request::Records(FLOWS, RecordRequest::Delete(vec![1]));
    assert_eq!(error(&short), RecordError::KeySize { bytes: 5, given: 1 });
    assert_eq!(running.execute(&delete(1)), Ok(Response::Done));
    assert_eq!(running.states[0].records[0].len(), 1);
}

#[test]
fn requests_that_are_refused_together_leave_memory_records_and_events_as_they_were() {
    let mut running = Running::new();
    running.execute(&insert(1, &[1; 16])).unwrap();
    running.execute(&insert(2, &[2; 16])).unwrap();
    running.states[0].records[0].scan(0, 64);
    running.execute(&write(0, vec![5])).unwrap();
    let before = running.states[0].clone();
    let requests = [
        write(0, vec![6, 7]),
        delete(1),
        insert(3, &[3; 16]),
        Request::RaiseEvent(EventNumber(0), 4),
        delete(2),
        insert(2, &[4; 16]),
        delete(9),
    ];
    let refused = running.with(|plane, device| plane.execute_together(&requests, device)).unwrap_err();
    assert_eq!(refused.at, 6);
    let after = &running.states[0];
    assert_eq!((&after.memory, &after.records), (&before.memory, &before.records));
    assert!(!after.records[0].is_referenced(0) && !after.records[0].is_referenced(1));
    assert_eq!(running.plane.take_raised(), []);
    running.with(|plane, device| plane.execute_together(&requests[..6], device)).unwrap();
    assert_eq!(running.plane.take_raised(), [(EventNumber(0), 4)]);
    assert_eq!(running.plane.take_raised(), []);
}

#[test]
fn a_program_that_takes_the_place_of_another_one_gets_its_memory_and_records() {
    let (mut old, mut new) = (Running::new(), Running::new());
    for request in [write(8, vec![3, 0, 4]), write(56, vec![9]), insert(1, &[1; 16]), insert(2, &[2])] {
        old.execute(&request).unwrap();
    }
    old.execute(&delete(1)).unwrap();
    let mut smaller = info();
    smaller.segments[0].bytes = 56;
    new.plane = Plane::new(smaller.into());
    // A word that begins with 5 in the new program, and that the old one has counted down to 0, stays 0.
    new.execute(&write(0, vec![5])).unwrap();
    let plan = control::handover::Handover::plan(old.plane.info(), new.plane.info());
    assert_eq!(plan.findings(), []);
    let outcome = plan.carry_out(|request| old.execute(request), |request| new.execute(request)).unwrap();
    let told: Vec<String> = outcome.carried.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["segment `DROP_CNT_BASE`: 3 words", "table of records `flows`: 1 record"]);
    let lost: Vec<String> = outcome.findings.iter().map(ToString::to_string).collect();
    assert!(lost.len() == 1 && lost[0].ends_with("1 word is lost: byte 56"), "{lost:?}");
    let read = |running: &mut Running, request| running.execute(&request).unwrap();
    assert_eq!(
        read(&mut new, Request::Memory(DROPS, MemoryRequest::ReadWritten)),
        Response::WrittenWords(vec![(8, 3), (24, 4)])
    );
    let all = Request::Records(FLOWS, RecordRequest::Read(None));
    let Response::Records(records) = read(&mut new, all) else { panic!("records are read") };
    assert_eq!((records.len(), records[0].place, records[0].key[4], records[0].contents[0]), (1, 0, 2, 2));
}

#[test]
fn lines_and_json_name_segments_records_and_events() {
    let info = info();
    let mut sources = Sources::new();
    let lines = "memory_write DROP_CNT_BASE 16 1 0x20\nmemory_read DROP_CNT_BASE 8\nmemory_read DROP_CNT_BASE 8 3\n\
        memory_dump DROP_CNT_BASE\nrecord_add flows 0x0a00000102 7\nrecord_get flows 1\nrecord_delete flows 2\n\
        record_dump flows\nevent_raise flush\nevent_raise flush 12\n";
    let source = sources.add("lines.txt", lines);
    let steps = commands::prepare(&info, &sources, source).expect("all lines are right").steps;
    let requests: Vec<Request> = steps.into_iter().map(|placed| placed.item).collect();
    let memory = |request| Request::Memory(DROPS, request);
    let records = |request| Request::Records(FLOWS, request);
    let mut contents = vec![0; 8];
    contents[7] = 7;
    assert_eq!(
        requests,
        [
            write(16, vec![1, 32]),
            memory(MemoryRequest::Read { offset: 8, words: 1 }),
            memory(MemoryRequest::Read { offset: 8, words: 3 }),
            memory(MemoryRequest::ReadWritten),
            records(RecordRequest::Insert { key: vec![10, 0, 0, 1, 2], contents: contents.clone() }),
            records(RecordRequest::Read(Some(vec![0, 0, 0, 0, 1]))),
            records(RecordRequest::Delete(vec![0, 0, 0, 0, 2])),
            records(RecordRequest::Read(None)),
            Request::RaiseEvent(EventNumber(0), 0),
            Request::RaiseEvent(EventNumber(0), 12),
        ]
    );
    let json = r#"{ "memory": [{ "segment": "DROP_CNT_BASE", "offset": 16, "words": [1, "0x20"] }],
        "records": [{ "records": "flows", "key": "0x0a00000102", "words": [7] }],
        "events": [{ "event": "flush", "number": 12 }] }"#;
    let source = sources.add("entries.json", json);
    let prepared = runtime_file::prepare(&info, &sources, source).expect("the file is right");
    let from_json: Vec<Request> = prepared.steps.into_iter().map(|placed| placed.item).collect();
    assert_eq!(from_json, [requests[0].clone(), requests[4].clone(), requests[9].clone()]);

    let wrong = sources.add("wrong.txt", "memory_read DROPS 0\nrecord_get flows 0x1000000000000\nevent_raise flsh\n");
    let findings = commands::prepare(&info, &sources, wrong).expect_err("three lines are wrong");
    let text = findings.render(&sources, false);
    for part in ["no segment", "0x1000000000000 does not fit in a key", "no event", "flush"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn packet_tests_compare_words_and_numbers_of_records() {
    let info = info();
    let mut sources = Sources::new();
    let source = sources.add("test.stf", "check_memory DROP_CNT_BASE(8) == 0x10\ncheck_records flows >= 1\n");
    let steps = stf::prepare(&info, &sources, source).expect("both lines are right").steps;
    let mut running = Running::new();
    let outcomes = |running: &mut Running| -> Vec<Result<(), String>> {
        let outcome = |step: &control::Placed<Step>| {
            let Step::Check { request, check } = &step.item else { panic!("{step:?}") };
            check.verify(&info, &running.execute(request).expect("it is a read"))
        };
        steps.iter().map(outcome).collect()
    };
    assert_eq!(
        outcomes(&mut running),
        [
            Err("the word at byte 8 of segment `DROP_CNT_BASE` is 0; it must be == 16".to_owned()),
            Err("table of records `flows` has 0 records; it must have >= 1".to_owned()),
        ]
    );
    running.execute(&write(8, vec![16])).unwrap();
    running.execute(&insert(1, &[])).unwrap();
    assert_eq!(outcomes(&mut running), [Ok(()), Ok(())]);
}
