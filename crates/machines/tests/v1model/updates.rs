//! Table updates while packets flow: every packet sees all of a batch or nothing of it.

use std::sync::mpsc::TryRecvError;
use std::thread;

use basis::Instant;
use control::{ActionCall, EntryError, EntrySelection, Info, Request, Response, TableNumber, TableRequest, Target};
use ir::interpret::PacketInterpreter;
use machines::v1model::Switch;
use machines::{Answers, Attended, Device};
use node::{Node, Outbox, Port};
use runtime::Bits;
use runtime::tables::FieldMatch;
use wire::Packet;

use crate::support::{Bench, bench_of, text};

const ROUTES: TableNumber = TableNumber(0);
const MARKS: TableNumber = TableNumber(1);

/// Builds a switch whose ingress takes the port of a packet from one table, and from another table a mark that replaces
/// its last byte.
fn bench() -> Bench {
    let second_table = "action ingress.mark(ingress.mark.value) {
  hdr.h.c = ingress.mark.value
}

table ingress.marks {
  key hdr.h.a: exact
  action ingress.mark
  default ingress.mark(0)
}

control ingress {";
    let text = text("  apply ingress.routes\n  apply ingress.marks", "")
        .replace("register seen", "local ingress.mark.value: bit<8>\nregister seen")
        .replace("control ingress {", second_table);
    let mut bench = bench_of(&text);
    let info = bench.switch.info().clone();
    bench.control(insert(&info, ROUTES, 0));
    bench.control(insert(&info, MARKS, 0));
    bench
}

fn key() -> Vec<FieldMatch> {
    vec![FieldMatch::Exact(Bits::from_u64(1, 8))]
}

fn target(info: &Info, table: TableNumber, value: u8) -> Target {
    let (action, width) = if table == ROUTES { ("forward", 9) } else { ("mark", 8) };
    let action = info.action_named(table, action).unwrap();
    Target::Action(ActionCall { action, data: vec![Bits::from_u64(value.into(), width)] })
}

fn insert(info: &Info, table: TableNumber, value: u8) -> Request {
    Request::Table(table, TableRequest::insert(key(), None, target(info, table, value)))
}

fn entry() -> EntrySelection {
    EntrySelection::Key { key: key(), priority: None }
}

/// Returns requests that give both tables another value, one of them by deleting and reinserting its entry.
fn flip(info: &Info, value: u8) -> Vec<Request> {
    let modify = TableRequest::modify(entry(), target(info, ROUTES, value));
    let delete = Request::Table(MARKS, TableRequest::Delete(entry()));
    vec![delete, Request::Table(ROUTES, modify), insert(info, MARKS, value)]
}

/// Sends a burst and returns each packet's port and mark.
fn burst(bench: &mut Attended<Switch<PacketInterpreter>>) -> Vec<(u16, u8)> {
    let mut out = Outbox::default();
    let mut packets = vec![Packet::of_bytes(&[1, 0, 255]); 4];
    bench.receive(Instant::ZERO, Port(0), &mut packets, &mut out);
    assert!(out.discarded.is_empty());
    out.transmissions.iter().map(|sent| (sent.port.0, sent.packet.head.bytes()[2])).collect()
}

#[test]
fn batches_take_effect_at_the_next_burst() {
    let bench = bench();
    let info = bench.switch.info().clone();
    let mut bench = Attended::new(bench.switch, None);
    let remote = bench.remote();
    assert_eq!(burst(&mut bench), [(0, 0); 4]);
    let first = remote.submit(flip(&info, 7));
    let second = remote.clone().submit(vec![insert(&info, ROUTES, 9), Request::Table(MARKS, TableRequest::Clear)]);
    assert_eq!(first.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(burst(&mut bench), [(7, 0); 4], "both batches, in order");
    let [Ok(Response::Done), Ok(Response::Done), Ok(Response::Inserted(_))] = first.recv().unwrap()[..] else {
        panic!("the first batch is carried out")
    };
    // The refused request changes nothing, and the one after it is carried out.
    let answers: Answers = second.recv().unwrap();
    assert_eq!(answers[1], Ok(Response::Done));
    assert!(
        matches!(answers[0], Err(control::Error::Entry { error: EntryError::Duplicate { .. }, .. })),
        "{answers:?}"
    );
}

#[test]
fn idle_switch_attends_on_request() {
    let bench = bench();
    let info = bench.switch.info().clone();
    let mut bench = Attended::new(bench.switch, None);
    let remote = bench.remote();
    let answers = remote.submit(flip(&info, 3));
    bench.attend(Instant::ZERO, &mut Outbox::default());
    assert!(answers.recv().unwrap().iter().all(Result::is_ok));
    let too_late = remote.submit(vec![]);
    drop(bench);
    assert!(too_late.recv().is_err());
    assert!(remote.submit(vec![]).recv().is_err());
}

#[test]
fn packets_see_whole_batches_only() {
    const BATCHES: u8 = 200;
    let bench = bench();
    let info = bench.switch.info().clone();
    let mut bench = Attended::new(bench.switch, None);
    let remote = bench.remote();
    let controller = thread::spawn(move || {
        for value in 1..=BATCHES {
            let answers = remote.submit(flip(&info, value)).recv().expect("the switch runs on");
            assert!(answers.iter().all(Result::is_ok), "{answers:?}");
        }
    });
    let mut seen = vec![];
    loop {
        let is_last = controller.is_finished();
        for (port, mark) in burst(&mut bench) {
            assert_eq!(port, u16::from(mark), "half of a batch");
            seen.push(mark);
        }
        if is_last {
            break;
        }
        thread::yield_now();
    }
    controller.join().unwrap();
    seen.dedup();
    // The controller waits for each batch, so each one gets a burst of its own.
    let first = seen[0];
    assert!(first <= 1, "{first}");
    assert_eq!(seen, (first..=BATCHES).collect::<Vec<_>>());
}
