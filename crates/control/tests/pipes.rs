//! Requests to a machine with several pipes, each of which has a state of its own.

#[path = "common/any_request.rs"]
mod any_request;
mod common;
#[path = "common/pipes.rs"]
mod pipes;
#[path = "common/reads.rs"]
mod reads;

use any_request::{METERED, any_request};
use basis::snapshot::{Loader, Snapshot};
use basis::{Duration, Instant};
use common::*;
use control::handover::Handover;
use control::*;
use pipes::{Pipes, saved};
use proptest::prelude::*;
use runtime::tables::{EntryHandle, FieldMatch, TableEntry, Target as StoredTarget};
use runtime::{Bits, Count, ProgramState};

fn insert(table: TableNumber, value: u64) -> Request {
    Request::Table(table, TableRequest::insert(vec![FieldMatch::Exact(bits(value))], None, run(FORWARD, &[value, 1])))
}

fn handle(response: &Response) -> EntryHandle {
    let Response::Inserted(handle) = response else { panic!("{response:?}") };
    *handle
}

/// Any request, about all pipes or about one.
fn any_request_by_pipe() -> impl Strategy<Value = Request> {
    (any_request(), prop::option::weighted(0.6, 0_u32..3)).prop_map(|(request, pipe)| request.in_pipe(pipe))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Requests that name no pipe leave all pipes equal, and do and answer what they would with one pipe.
    #[test]
    fn requests_to_all_pipes_are_those_to_one(requests in prop::collection::vec(any_request(), 0..40)) {
        let (mut one, mut pipes) = (Bench::new(), Pipes::new(4));
        for request in &requests {
            prop_assert_eq!(pipes.execute(request), one.execute(request.clone()));
        }
        for state in &pipes.states {
            prop_assert_eq!(saved(state), saved(&one.state));
        }
        for request in reads::reads(&info()) {
            let (expected, found) = (one.execute(request.clone()), pipes.execute(&request));
            match found {
                Ok(Response::ByPipe(found)) => prop_assert_eq!(found, vec![expected.unwrap(); 4]),
                found => prop_assert_eq!(found, expected),
            }
        }
    }

    /// The next entry of a table has the same handle in all pipes, whatever was written in which pipe; and tables that are
    /// not written by pipe are equal.
    #[test]
    fn handles_agree(requests in prop::collection::vec(any_request_by_pipe(), 0..40)) {
        let mut pipes = Pipes::new(3);
        for request in &requests {
            let before = pipes.saved();
            if pipes.execute(request).is_err() {
                prop_assert_eq!(before, pipes.saved());
            }
        }
        let handles: Vec<_> = [ECMP, L2_MAC, LPM, ACL, METERED].iter().map(|table| {
            let next = |state: &ProgramState| state.keep_next(table.index()).map(|kept| kept.handle());
            pipes.states.iter().map(next).collect::<Vec<_>>()
        }).collect();
        for of_table in &handles {
            prop_assert!(of_table.windows(2).all(|pair| pair[0] == pair[1]), "{:?}", handles);
        }
        for table in [LPM, ACL, L2_MAC] {
            let read = Request::Table(table, TableRequest::read_all());
            if pipes.execute(&read).is_ok() {
                let each: Vec<_> = (0..3).map(|pipe| pipes.execute(&read.clone().in_pipe(Some(pipe)))).collect();
                prop_assert!(each.windows(2).all(|pair| pair[0] == pair[1]), "{:?}", each);
            }
        }
    }

    /// Together, requests to one or all pipes do what they do one after the other, or nothing.
    #[test]
    fn all_are_carried_out_or_none(
        before in prop::collection::vec(any_request_by_pipe(), 0..25),
        requests in prop::collection::vec(any_request_by_pipe(), 0..8),
        after in prop::collection::vec(any_request_by_pipe(), 0..8),
    ) {
        let [mut pipes, mut one_by_one] = [Pipes::new(3), Pipes::new(3)];
        for request in &before {
            prop_assert_eq!(pipes.execute(request), one_by_one.execute(request));
        }
        let start = pipes.saved();
        let done = pipes.execute_together(&requests);
        if done.is_ok() {
            let expected: Vec<Response> = requests.iter().map(|request| one_by_one.done(request.clone())).collect();
            prop_assert_eq!(done.unwrap(), expected);
        } else {
            prop_assert_eq!(pipes.saved(), start);
        }
        for request in &after {
            prop_assert_eq!(pipes.execute(request), one_by_one.execute(request));
        }
        prop_assert_eq!(pipes.saved(), one_by_one.saved());
    }
}

/// Returns everything that requests can read in each of three pipes.
fn everything_by_pipe(pipes: &mut Pipes) -> Vec<Vec<Result<Response, Error>>> {
    let info = pipes.plane.info().clone();
    let in_pipe = |pipe| {
        reads::everything(&info, |request| {
            let is_shared = matches!(request, Request::ReadMulticastGroups | Request::ReadCloneSessions);
            pipes.execute(&request.clone().in_pipe(Some(pipe).filter(|_| !is_shared)))
        })
    };
    (0..3).map(in_pipe).collect()
}

/// Hands the state of three pipes over to three others, which run the same program.
fn hand_over(old: &mut Pipes) -> Pipes {
    let mut new = Pipes::new(3);
    let info = old.plane.info().clone();
    let plan = Handover::plan(&info, &info);
    let outcome = plan.carry_out(|request| old.execute(request), |request| new.execute(request));
    assert!(outcome.expect("what is only read is not refused").findings.is_empty());
    new
}

proptest! {
    /// Tables, profiles and value sets that are written by pipe once kept the state from being handed over, and a trace of a
    /// live switch from having it.
    #[test]
    fn the_state_of_each_pipe_is_handed_over(requests in prop::collection::vec(any_request_by_pipe(), 0..60)) {
        let mut old = Pipes::new(3);
        for request in requests {
            // Some are refused.
            let _ = old.execute(&request);
        }
        let mut new = hand_over(&mut old);
        prop_assert_eq!(everything_by_pipe(&mut old), everything_by_pipe(&mut new));
    }
}

#[test]
fn a_table_that_is_written_by_pipe_is_handed_over_with_its_counters() {
    let mut old = Pipes::new(3);
    let key = |value| vec![FieldMatch::Prefix { value: Bits::from_u64(value << 24, 32), length: 8 }];
    let insert = |value| Request::Table(LPM, TableRequest::insert(key(value), None, run(FORWARD, &[1, 1])));
    for (pipe, values) in [(0, &[1, 2][..]), (2, &[3])] {
        for (place, value) in values.iter().enumerate() {
            let entry = handle(&old.done(insert(*value).in_pipe(Some(pipe))));
            let count = Count { packets: 10 * value + place as u64, bytes: 0 };
            old.states[pipe as usize].tables[LPM.index()].set_counter(entry, count).unwrap();
        }
    }
    let mut new = hand_over(&mut old);
    let details = EntryDetails { count: true, ..EntryDetails::NONE };
    let counts = [0, 1, 2].map(|pipe| {
        match new.done(Request::Table(LPM, TableRequest::Read(None, details)).in_pipe(Some(pipe))) {
            Response::Entries(entries) => entries.iter().map(|entry| entry.count.unwrap().packets).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        }
    });
    assert_eq!(counts, [vec![10, 21], vec![], vec![30]]);
}

#[test]
fn a_table_is_written_to_all_pipes_or_by_pipe() {
    let mut pipes = Pipes::new(4);
    pipes.done(insert(L2_MAC, 1));
    let read = Request::Table(L2_MAC, TableRequest::read_all());
    assert_eq!(
        pipes.refused(insert(L2_MAC, 2).in_pipe(Some(1))),
        "table `ingress.l2.mac` is written to all pipes; it can be written by pipe only after it was emptied in all of \
         them"
    );
    pipes.done(Request::Table(L2_MAC, TableRequest::Clear));
    let second = pipes.done(insert(L2_MAC, 2).in_pipe(Some(1)));
    let third = pipes.done(insert(L2_MAC, 2).in_pipe(Some(3)));
    assert_eq!(
        (handle(&second), handle(&third)),
        (EntryHandle(1), EntryHandle(2)),
        "each entry has a handle of its own"
    );
    let by_pipe = "table `ingress.l2.mac` is written by pipe, so that a request about it must name a pipe";
    assert_eq!(pipes.refused(insert(L2_MAC, 3)), by_pipe);
    assert_eq!(pipes.execute(&read).expect_err("which pipe?").to_string(), by_pipe);
    let entries = |response| match response {
        Response::Entries(entries) => entries.len(),
        other => panic!("{other:?}"),
    };
    let each: Vec<usize> = (0..4).map(|pipe| entries(pipes.done(read.clone().in_pipe(Some(pipe))))).collect();
    assert_eq!(each, [0, 1, 0, 1]);
    for pipe in [1, 3] {
        pipes.done(Request::Table(L2_MAC, TableRequest::Clear).in_pipe(Some(pipe)));
    }
    assert_eq!(
        handle(&pipes.done(insert(L2_MAC, 3))),
        EntryHandle(3),
        "it is empty, so all pipes may be written again"
    );
    assert_eq!(entries(pipes.done(read)), 1);
}

#[test]
fn a_default_action_of_one_pipe_makes_its_table_one_that_is_written_by_pipe() {
    let mut pipes = Pipes::new(2);
    let default = |port| Request::Table(L2_MAC, TableRequest::set_default(run(FORWARD, &[port, 0])));
    pipes.done(default(1).in_pipe(Some(1)));
    assert!(pipes.refused(insert(L2_MAC, 1)).contains("is written by pipe"));
    pipes.done(default(1).in_pipe(Some(0)));
    pipes.done(insert(L2_MAC, 1));
}

#[test]
fn a_profile_and_its_tables_are_written_in_one_way() {
    let mut pipes = Pipes::new(2);
    let member = |number| {
        Request::Profile(ProfileNumber(0), ProfileRequest::InsertMember(number, call(FORWARD, &[u64::from(number), 0])))
    };
    let entry = |member| {
        let key = vec![FieldMatch::Exact(bits(1))];
        Request::Table(ECMP, TableRequest::insert(key, None, Target::Member(member)))
    };
    pipes.done(member(1).in_pipe(Some(0)));
    let by_pipe = "action profile `egress.hops` is written by pipe, so that a request about it must name a pipe";
    assert_eq!(pipes.refused(entry(1)), by_pipe);
    pipes.done(entry(1).in_pipe(Some(0)));
    assert_eq!(pipes.refused(entry(1).in_pipe(Some(1))), "action profile `egress.hops` has no member 1");
    let delete = ProfileRequest::DeleteMember(1);
    pipes.done(Request::Table(ECMP, TableRequest::Clear).in_pipe(Some(0)));
    pipes.done(Request::Profile(ProfileNumber(0), delete).in_pipe(Some(0)));
    pipes.done(member(1));
    assert!(pipes.refused(entry(1).in_pipe(Some(0))).contains("is written to all pipes"));
}

#[test]
fn what_packets_change_is_read_by_pipe() {
    let mut pipes = Pipes::new(2);
    let mac = pipes.done(Request::Table(
        LPM,
        TableRequest::insert(
            vec![FieldMatch::Prefix { value: Bits::from_u64(1 << 24, 32), length: 8 }],
            None,
            run(FORWARD, &[1, 1]),
        ),
    ));
    let ports = |request| Request::Counter(CounterNumber(1), request);
    let hits = |request| Request::Counter(CounterNumber(0), request);
    for (pipe, state) in pipes.states.iter_mut().enumerate() {
        let packets = pipe as u64 + 1;
        state.counters[1].count(2, packets, 100 * packets);
        state.tables[LPM.index()].set_counter(handle(&mac), Count { packets, bytes: 10 }).unwrap();
        state.registers.write(0, 3, &Bits::from_u64(packets, 48));
    }
    let count = |packets, bytes| Count { packets, bytes };
    let read = ports(CounterRequest::Read(ElementSelection::Index(2)));
    let each = Response::ByPipe(vec![Response::Counters(vec![count(1, 100)]), Response::Counters(vec![count(2, 200)])]);
    assert_eq!(pipes.done(read.clone()), each);
    assert_eq!(pipes.done(read.clone()).merged(), Response::Counters(vec![count(3, 300)]));
    assert_eq!(pipes.done(read.clone().in_pipe(Some(1))), Response::Counters(vec![count(2, 200)]));
    let register = Request::Register(RegisterNumber(0), RegisterRequest::Read(Some(3)));
    let cells = |value| Response::Registers(vec![vec![Bits::from_u64(value, 48)]]);
    assert_eq!(pipes.done(register.clone()), Response::ByPipe(vec![cells(1), cells(2)]));
    assert_eq!(pipes.done(register.clone()).merged(), Response::ByPipe(vec![cells(1), cells(2)]));
    let entry = ElementSelection::Entry(handle(&mac).into());
    let each = Response::ByPipe(vec![Response::Counters(vec![count(1, 10)]), Response::Counters(vec![count(2, 10)])]);
    assert_eq!(pipes.done(hits(CounterRequest::Read(entry.clone()))), each);
    let details = EntryDetails { count: true, ..EntryDetails::NONE };
    let Response::Entries(entries) = pipes.done(Request::Table(LPM, TableRequest::Read(None, details))) else {
        panic!()
    };
    assert_eq!(entries[0].count, Some(count(3, 20)), "an entry has been hit as often as in all pipes together");

    // Without a pipe all are written, with a pipe one.
    pipes.done(ports(CounterRequest::Write(ElementSelection::Index(2), count(7, 7))));
    pipes.done(hits(CounterRequest::Write(entry, count(8, 8))).in_pipe(Some(1)));
    pipes.done(Request::Register(RegisterNumber(0), RegisterRequest::Write(Some(3), vec![bits(9)])).in_pipe(Some(0)));
    assert_eq!(pipes.done(read).merged(), Response::Counters(vec![count(14, 14)]));
    assert_eq!(pipes.done(register.clone()), Response::ByPipe(vec![cells(9), cells(2)]));
    pipes.done(Request::Register(RegisterNumber(0), RegisterRequest::Write(Some(3), vec![bits(5)])));
    assert_eq!(pipes.done(register).merged(), cells(5), "all pipes hold the same");
    let both: Vec<_> = pipes.states.iter().map(|state| state.tables[LPM.index()].counter(handle(&mac))).collect();
    assert_eq!(both, [Some(count(1, 10)), Some(count(8, 8))]);
}

#[test]
fn pipes_that_do_not_exist_and_what_pipes_share_are_refused() {
    let mut pipes = Pipes::new(2);
    assert_eq!(
        pipes.refused(insert(L2_MAC, 1).in_pipe(Some(2))),
        "there is no pipe 2; the machine has 2 pipes, 0 to 1"
    );
    let group = Request::MulticastGroup(1, ReplicationRequest::Delete);
    let shared = "all pipes share multicast groups; leave out the pipe";
    assert_eq!(pipes.refused(group.clone().in_pipe(Some(0))), shared);
    let twice = insert(L2_MAC, 1).in_pipe(Some(0)).in_pipe(Some(1));
    assert_eq!(pipes.refused(twice), "the request names a pipe already; pipe 0 is one too many");

    let mut one = Bench::new();
    one.done(insert(L2_MAC, 1).in_pipe(Some(0)));
    one.done(insert(L2_MAC, 2));
    assert_eq!(one.refused(insert(L2_MAC, 3).in_pipe(Some(1))), "there is no pipe 1; the machine has one pipe, 0");
    assert_eq!(one.refused(group.in_pipe(Some(0))), shared);
    let settings = "this machine has no settings that can change while it runs";
    assert_eq!(one.refused(Request::Configure(ConfigureRequest::Read)), settings);
    let change = Request::Configure(ConfigureRequest::Change(String::new()));
    let refused = one.execute_together(&[insert(L2_MAC, 3), change]).expect_err("a change of settings");
    assert_eq!((refused.at, refused.error), (1, Error::SettingsTogether));
}

#[test]
fn an_entry_is_idle_when_no_pipe_hits_it() {
    let mut pipes = Pipes::new(2);
    let milliseconds = |number: u64| Instant::ZERO + Duration::from_microseconds(1_000 * number);
    let attributes = EntryAttributes { idle_timeout: 10_000_000, ..EntryAttributes::default() };
    let key = vec![
        FieldMatch::Any,
        FieldMatch::Range { low: bits(0), high: bits(9) },
        FieldMatch::Exact(bits(1)),
        FieldMatch::Any,
    ];
    let target = run(MARK, &[1]);
    let entry = handle(&pipes.done(Request::Table(
        ACL,
        TableRequest::Insert {
            key: key.clone(),
            priority: Some(1),
            target: target.clone(),
            attributes: attributes.clone(),
        },
    )));
    let expire = |pipes: &mut Pipes, now: u64| {
        pipes.now = milliseconds(now);
        let now = pipes.now;
        pipes.states.iter_mut().for_each(|state| state.expire(now));
    };
    let idle = |pipes: &mut Pipes| match pipes.done(Request::TakeIdleEntries) {
        Response::IdleEntries(idle) => {
            idle.into_iter().map(|idle| (idle.pipe, idle.entry.handle, idle.at)).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    pipes.states[1].tables[ACL.index()].hit(entry, milliseconds(5));
    expire(&mut pipes, 10);
    assert_eq!(idle(&mut pipes), [], "the second pipe has hit it");
    expire(&mut pipes, 15);
    assert_eq!(idle(&mut pipes), [(None, entry, milliseconds(15))]);
    expire(&mut pipes, 20);
    assert_eq!(idle(&mut pipes), [], "the timeout begins anew in all pipes");
    expire(&mut pipes, 25);
    assert_eq!(idle(&mut pipes), [(None, entry, milliseconds(25))]);
    let details = EntryDetails { time_since_hit: true, ..EntryDetails::NONE };
    let Response::Entries(read) = pipes.done(Request::Table(ACL, TableRequest::Read(None, details))) else { panic!() };
    assert_eq!(read[0].time_since_hit, Some(Duration::from_microseconds(20_000)), "the latest hit of any pipe counts");

    // An entry of one pipe is idle when this pipe does not hit it.
    pipes.done(Request::Table(ACL, TableRequest::Clear));
    let request = TableRequest::Insert { key, priority: Some(1), target, attributes };
    let entry = handle(&pipes.done(Request::Table(ACL, request).in_pipe(Some(1))));
    expire(&mut pipes, 35);
    assert_eq!(idle(&mut pipes), [(Some(1), entry, milliseconds(35))]);
}

#[test]
fn constant_entries_do_not_keep_a_table_from_being_written_by_pipe() {
    let mut info = info();
    let forward = StoredTarget::Action { action: 0, data: vec![Bits::from_u64(1, 9), Bits::from_u64(2, 48)] };
    info.tables[L2_MAC.index()].initial_entries = vec![TableEntry {
        key: vec![FieldMatch::Exact(Bits::from_u64(9, 48))],
        priority: 0,
        target: forward,
        is_constant: true,
    }];
    let Bench { plane, state, replication, digests, now } = Bench::of(info);
    let mut pipes = Pipes { plane, states: vec![state; 2], replication, digests, now };
    pipes.done(insert(L2_MAC, 1).in_pipe(Some(1)));
    assert!(pipes.refused(insert(L2_MAC, 1)).contains("by pipe"));
    pipes.done(Request::Table(L2_MAC, TableRequest::Clear).in_pipe(Some(1)));
    pipes.done(insert(L2_MAC, 1));
}

#[test]
fn a_checkpoint_knows_which_tables_are_written_by_pipe() {
    let mut pipes = Pipes::new(2);
    pipes.done(insert(L2_MAC, 1).in_pipe(Some(1)));
    let saved = pipes.saved();
    let mut resumed = Pipes::new(2);
    for (state, saved) in resumed.states.iter_mut().zip(&saved) {
        state.restore(&mut Loader::new(saved)).unwrap();
    }
    resumed.plane.restore(&mut Loader::new(saved.last().unwrap())).unwrap();
    assert!(resumed.refused(insert(L2_MAC, 2)).contains("is written by pipe"));
    resumed.done(insert(L2_MAC, 2).in_pipe(Some(0)));
}
