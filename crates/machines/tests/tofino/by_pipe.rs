//! What packets change in four pipes, read and written in one pipe, in all, and in all together.

use basis::snapshot::{Loader, Saver, Snapshot};
use control::{
    ActionCall, CounterRequest, ElementSelection, EntryDetails, EntrySelection, Info, MeterRequest, RegisterRequest,
    Request, Response, TableRequest, Target,
};
use machines::Device;
use machines::tofino::{ChipSettings, TofinoParameters};
use runtime::tables::FieldMatch;
use runtime::{Bits, Count, MeterRates};

use crate::bench::{Bench, End, chip_with};

const PROGRAM: &str = include_str!("by_pipe.p4");

fn chip() -> Bench {
    let parameters = TofinoParameters { chip: Some(ChipSettings::of_pipes(4)), ..TofinoParameters::default() };
    Bench::of(chip_with(PROGRAM, parameters).unwrap())
}

fn key(kind: u64) -> Vec<FieldMatch> {
    vec![FieldMatch::Exact(Bits::from_u64(kind, 8))]
}

/// The entry that sends packets of a kind to a port.
fn entry(info: &Info, kind: u64, port: u64) -> Request {
    let table = info.table_named("kinds").unwrap();
    let action = info.action_named(table, "to").unwrap();
    let target = Target::Action(ActionCall { action, data: vec![Bits::from_u64(port, 9)] });
    Request::Table(table, TableRequest::insert(key(kind), None, target))
}

/// A chip whose entry sends packets of kind 7 to port 5, after one packet in pipe 0, two in pipe 2 and three in pipe 3.
fn used() -> (Bench, std::sync::Arc<Info>) {
    let mut bench = chip();
    let info = bench.chip.info().clone();
    bench.control(entry(&info, 7, 5));
    for (pipe, packets) in [(0, 1), (2, 2), (3, 3)] {
        for _ in 0..packets {
            assert!(matches!(bench.packet(pipe * 128 + 9, &[7, 0, 0, 0, 0, 0, 0])[..], [End::Sent(5, _)]));
        }
    }
    (bench, info)
}

fn done(bench: &mut Bench, request: &Request) -> Response {
    bench.chip.execute(request).unwrap_or_else(|error| panic!("{request:?}: {error}"))
}

fn one() -> ElementSelection {
    ElementSelection::Entry(EntrySelection::Key { key: key(7), priority: None })
}

/// The number of packets, and of bytes, that each pipe has counted.
fn counts(packets: [u64; 4], bytes: u64) -> Vec<Count> {
    packets.into_iter().map(|packets| Count { packets, bytes: bytes * packets }).collect()
}

#[test]
fn counters_are_read_by_pipe_and_added_up() {
    let (mut bench, info) = used();
    let arrivals = info.counter_named("arrivals").unwrap();
    let read = Request::Counter(arrivals, CounterRequest::Read(ElementSelection::Index(3)));
    let expected = counts([1, 0, 2, 3], 7);
    let each = expected.iter().map(|count| Response::Counters(vec![*count])).collect::<Vec<_>>();
    assert_eq!(done(&mut bench, &read), Response::ByPipe(each.clone()));
    assert_eq!(done(&mut bench, &read).merged(), Response::Counters(counts([6, 0, 0, 0], 7)[..1].to_vec()));
    for (pipe, expected) in (0..).zip(each) {
        assert_eq!(done(&mut bench, &read.clone().in_pipe(Some(pipe))), expected);
    }
    let set = CounterRequest::Write(ElementSelection::Index(3), Count { packets: 10, bytes: 0 });
    done(&mut bench, &Request::Counter(arrivals, set.clone()).in_pipe(Some(1)));
    assert_eq!(done(&mut bench, &read).merged(), Response::Counters(vec![Count { packets: 16, bytes: 42 }]));
    done(&mut bench, &Request::Counter(arrivals, set));
    assert_eq!(done(&mut bench, &read).merged(), Response::Counters(vec![Count { packets: 40, bytes: 0 }]));
}

#[test]
fn direct_counters_are_read_by_pipe_and_with_their_entries() {
    let (mut bench, info) = used();
    let hits = info.counter_named("hits").unwrap();
    let packets = |response: Response| match response {
        Response::Counters(counts) => counts.iter().map(|count| count.packets).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    for elements in [ElementSelection::All, one()] {
        let read = Request::Counter(hits, CounterRequest::Read(elements));
        let Response::ByPipe(each) = done(&mut bench, &read) else { panic!("by pipe") };
        assert_eq!(each.into_iter().map(packets).collect::<Vec<_>>(), [[1], [0], [2], [3]]);
        assert_eq!(packets(done(&mut bench, &read).merged()), [6]);
        assert_eq!(packets(done(&mut bench, &read.in_pipe(Some(3)))), [3]);
    }
    let details = EntryDetails { count: true, ..EntryDetails::NONE };
    let read = Request::Table(info.table_named("kinds").unwrap(), TableRequest::Read(None, details));
    let mut count = |request: &Request| match done(&mut bench, request) {
        Response::Entries(entries) => entries[0].count.unwrap().packets,
        other => panic!("{other:?}"),
    };
    assert_eq!([count(&read), count(&read.clone().in_pipe(Some(2)))], [6, 2]);
    // In one pipe a counter can be set, though the table is written to all.
    done(&mut bench, &Request::Counter(hits, CounterRequest::Write(one(), Count::default())).in_pipe(Some(3)));
    assert_eq!(packets(done(&mut bench, &Request::Counter(hits, CounterRequest::Read(one()))).merged()), [3]);
}

#[test]
fn registers_are_read_and_written_by_pipe() {
    let (mut bench, info) = used();
    let packets = info.register_named("packets").unwrap();
    let read = Request::Register(packets, RegisterRequest::Read(Some(1)));
    let cell = |value| Response::Registers(vec![vec![Bits::from_u64(value, 32)]]);
    assert_eq!(done(&mut bench, &read), Response::ByPipe([1, 0, 2, 3].map(cell).to_vec()));
    assert_eq!(done(&mut bench, &read.clone().in_pipe(Some(2))), cell(2));
    let write = |value| Request::Register(packets, RegisterRequest::Write(Some(1), vec![Bits::from_u64(value, 32)]));
    done(&mut bench, &write(40).in_pipe(Some(2)));
    let place = |bench: &mut Bench, pipe: u16| match &bench.packet(pipe * 128, &[7, 0, 0, 0, 0, 0, 0])[..] {
        [End::Sent(5, bytes)] => bytes[6],
        other => panic!("{other:?}"),
    };
    assert_eq!([place(&mut bench, 2), place(&mut bench, 3)], [41, 4]);
    done(&mut bench, &write(9));
    assert_eq!([0, 1, 2, 3].map(|pipe| place(&mut bench, pipe)), [10; 4]);
    assert_eq!(done(&mut bench, &read).merged(), cell(10), "all pipes hold the same");
}

#[test]
fn meters_have_rates_and_buckets_by_pipe() {
    let (mut bench, info) = used();
    let rates = info.meter_named("rates").unwrap();
    let entry_rates = info.meter_named("entry_rates").unwrap();
    // Two packets are green and the others red.
    let two = MeterRates { committed_rate: 0, committed_burst: 2, peak_rate: 0, peak_burst: 2 };
    let set = |meter, elements| Request::Meter(meter, MeterRequest::Set(elements, Some(two)));
    let index = ElementSelection::Index(2);
    done(&mut bench, &set(rates, index.clone()).in_pipe(Some(1)));
    done(&mut bench, &set(entry_rates, one()).in_pipe(Some(3)));
    let read = |meter, elements| Request::Meter(meter, MeterRequest::Read(elements));
    let each = |all: [Option<MeterRates>; 4]| Response::ByPipe(all.map(|own| Response::Meters(vec![own])).to_vec());
    assert_eq!(done(&mut bench, &read(rates, index.clone())), each([None, Some(two), None, None]));
    assert_eq!(done(&mut bench, &read(entry_rates, one())), each([None, None, None, Some(two)]));
    assert_eq!(done(&mut bench, &read(rates, index.clone()).in_pipe(Some(1))), Response::Meters(vec![Some(two)]));
    let colors = |bench: &mut Bench, pipe: u16| match &bench.packet(pipe * 128, &[7, 0, 0, 0, 0, 0, 0])[..] {
        [End::Sent(5, bytes)] => [bytes[1], bytes[2]],
        other => panic!("{other:?}"),
    };
    let of_three = |bench: &mut Bench, pipe| [0; 3].map(|_| colors(bench, pipe));
    assert_eq!(of_three(&mut bench, 0), [[0, 0]; 3]);
    assert_eq!(of_three(&mut bench, 1), [[0, 0], [0, 0], [3, 0]]);
    assert_eq!(of_three(&mut bench, 3), [[0, 0], [0, 0], [0, 3]]);
    // In all pipes, each with buckets of its own.
    done(&mut bench, &set(rates, index.clone()));
    assert_eq!(of_three(&mut bench, 1), [[0, 0], [0, 0], [3, 0]]);
    assert_eq!(of_three(&mut bench, 2), [[0, 0], [0, 0], [3, 0]]);
    assert_eq!(done(&mut bench, &read(rates, index)).merged(), Response::Meters(vec![Some(two)]));
}

#[test]
fn a_table_that_is_written_by_pipe_sends_packets_of_each_pipe_elsewhere_and_is_saved() {
    let mut bench = chip();
    let info = bench.chip.info().clone();
    for (pipe, port) in [(0, 5), (3, 6)] {
        bench.control(entry(&info, 7, port).in_pipe(Some(pipe)));
    }
    let to = |bench: &mut Bench, pipe: u16| match bench.packet(pipe * 128, &[7, 0, 0, 0, 0, 0, 0])[..] {
        [End::Sent(port, _)] => Some(port),
        _ => None,
    };
    assert_eq!([0, 1, 3].map(|pipe| to(&mut bench, pipe)), [Some(5), None, Some(6)]);
    let mut saver = Saver::default();
    bench.chip.save(&mut saver).unwrap();
    let mut resumed = chip();
    resumed.chip.restore(&mut Loader::new(&saver.into_bytes())).unwrap();
    let refused = resumed.chip.execute(&entry(&info, 8, 5)).unwrap_err().to_string();
    assert!(refused.ends_with("is written by pipe, so that a request about it must name a pipe"), "{refused}");
}
