//! How long the control plane takes for tables of 100,000 entries: a batch of inserts, single writes into the full table,
//! a batch that is taken back, and reading everything.
//!
//! Run it with `cargo bench --package polyplane-control --bench writes`.

use std::sync::Arc;
use std::time::Instant;

use control::*;
use runtime::tables::{FieldMatch, KeyField, MatchKind, Target as StoredTarget};
use runtime::{Bits, ProgramState, TableState};

const ENTRIES: u32 = 100_000;
const SINGLE: u32 = 5_000;
const TABLE: TableNumber = TableNumber(0);

fn info(kind: MatchKind) -> Info {
    let table = Table {
        identity: Identity::new("table"),
        fields: vec![MatchField::new("key", 32, kind)],
        actions: vec![ActionReference::new(ActionNumber(0))],
        default: DefaultAction { action: 0, data: vec![Bits::from_u64(0, 9)] },
        is_default_constant: false,
        size: None,
        is_constant: false,
        initial_entries: vec![],
        profile: None,
        counter: Some(CounterNumber(0)),
        meter: None,
        has_idle_timeout: false,
    };
    let action = Action { identity: Identity::new("forward"), parameters: vec![Parameter::new("port", 9)] };
    let size = Size::Entries(TABLE);
    let counter = Counter { identity: Identity::new("counter"), unit: CounterUnit::Packets, size };
    Info { tables: vec![table], actions: vec![action], counters: vec![counter], ..Info::default() }
}

fn key(kind: MatchKind, number: u32) -> (Vec<FieldMatch>, Option<u32>) {
    let value = Bits::from_u64(u64::from(number.wrapping_mul(2_654_435_761) & !0xFF), 32);
    let all = Bits::from_u64(u64::from(number.wrapping_mul(2_654_435_761)), 32);
    match kind {
        MatchKind::Exact => (vec![FieldMatch::Exact(all)], None),
        MatchKind::Lpm => (vec![FieldMatch::Prefix { value: all, length: 32 }], None),
        _ => (vec![FieldMatch::Mask { value, mask: Bits::from_u64(0xFFFF_FF00, 32) }], Some(number + 1)),
    }
}

fn target(port: u32) -> Target {
    Target::Action(ActionCall { action: ActionNumber(0), data: vec![Bits::from_u64(u64::from(port % 64), 9)] })
}

struct Bench {
    plane: Plane,
    state: ProgramState,
    replication: Replication,
    digests: DigestQueue,
}

impl Bench {
    fn device(&mut self) -> (&mut Plane, Device<'_>) {
        let Self { plane, state, replication, digests } = self;
        (plane, Device { states: std::slice::from_mut(state), replication, digests, now: basis::Instant::ZERO })
    }

    fn together(&mut self, requests: &[Request]) -> bool {
        let (plane, mut device) = self.device();
        plane.execute_together(requests, &mut device).is_ok()
    }
}

/// Prints the time that work takes, in milliseconds.
fn time(what: &str, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    println!("  {what}: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
}

fn main() {
    for kind in [MatchKind::Exact, MatchKind::Lpm, MatchKind::Ternary] {
        println!("{kind}");
        let info = info(kind);
        let default = StoredTarget::Action { action: 0, data: vec![Bits::from_u64(0, 9)] };
        let table = TableState::new(vec![KeyField { kind, width: 32 }], None, default).with_counters();
        let state = ProgramState { tables: vec![table], ..ProgramState::default() };
        let digests = DigestQueue::new(&info, 0);
        let mut bench = Bench { plane: Plane::new(Arc::new(info)), state, replication: Replication::new(), digests };
        let insert = |number| {
            let (key, priority) = key(kind, number);
            Request::Table(TABLE, TableRequest::insert(key, priority, target(number)))
        };
        let select = |number| {
            let (key, priority) = key(kind, number);
            EntrySelection::Key { key, priority }
        };
        let modify = |number| Request::Table(TABLE, TableRequest::modify(select(number), target(number + 1)));
        let delete = |number| Request::Table(TABLE, TableRequest::Delete(select(number)));
        let all: Vec<Request> = (0..ENTRIES).map(insert).collect();
        time("100,000 inserts together", || assert!(bench.together(&all)));
        let details = EntryDetails { count: true, ..EntryDetails::NONE };
        time("100,000 entries read with their counters", || {
            let (plane, mut device) = bench.device();
            let read = Request::Table(TABLE, TableRequest::Read(None, details));
            let Ok(Response::Entries(entries)) = plane.execute(&read, &mut device) else { panic!("entries") };
            assert_eq!(entries.len(), ENTRIES as usize);
        });
        for (what, request) in [
            ("5,000 batches of one insert", &insert as &dyn Fn(u32) -> Request),
            ("5,000 batches of one change", &modify),
            ("5,000 batches of one deletion", &delete),
        ] {
            let requests: Vec<Request> = (0..SINGLE).map(|number| request(ENTRIES + number)).collect();
            time(what, || {
                requests.iter().for_each(|request| assert!(bench.together(std::slice::from_ref(request))));
            });
        }
        let pairs: Vec<[Request; 2]> = (0..SINGLE).map(|number| [modify(number), modify(number + 1)]).collect();
        time("5,000 batches of two changes", || pairs.iter().for_each(|pair| assert!(bench.together(pair))));
        let taken_back: Vec<Request> = (0..SINGLE).map(delete).chain([insert(ENTRIES - 1)]).collect();
        time("5,000 deletions and a refusal, taken back", || assert!(!bench.together(&taken_back)));
        assert_eq!(bench.state.tables[0].matches().len(), ENTRIES as usize);
    }
}
