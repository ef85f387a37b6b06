//! Links that hold packets: delays in both directions, and a rate towards the switch.

mod common;

use basis::{Duration, Instant, Rate};
use common::{Folder, entries, frame, pair, program, start_with};
use measure::Interest;
use node::{Burst, Node, Outbox, Port};
use switchd::{Answer, ArrivingPlan, PortBinding, Request, Station, SwitchPlan, Totals, reasons};
use wire::Packet;

const MILLISECOND: Duration = Duration::from_microseconds(1000);

/// A station of the program that sends what comes on port 0 out on port 1, with these ports.
fn station(ports: [PortBinding; 2]) -> Station {
    let folder = Folder::new();
    let program = folder.write("pair.p4", &program());
    let tables = vec![folder.write("pair.stf", &entries(1))];
    let plan = SwitchPlan { ports: ports.into(), tables, ..SwitchPlan::of_program(program) };
    let loaded = plan.load().unwrap_or_else(|failure| panic!("{failure}"));
    plan.build(&loaded).unwrap_or_else(|failure| panic!("{failure}"))
}

fn port(port: u16) -> PortBinding {
    PortBinding { port, interface: format!("link{port}"), ..PortBinding::default() }
}

fn at(milliseconds: u64) -> Instant {
    Instant::from_microseconds(milliseconds * 1000)
}

/// Hands the station frames on port 0.
fn receive(station: &mut Station, now: Instant, frames: usize, out: &mut Outbox) {
    let mut burst: Burst = (0..frames).map(|_| Packet::of_bytes(&frame(1))).collect();
    out.begin(now);
    station.receive(now, Port(0), &mut burst, out);
    assert!(burst.is_empty(), "the node takes all packets");
}

/// Wakes the station at its deadlines until it has none.
fn run(station: &mut Station, out: &mut Outbox) {
    while let Some(now) = out.take_deadline() {
        out.begin(now);
        station.wake(now, out);
    }
}

fn begun(station: &mut Station) -> Outbox {
    let mut out = Outbox::new(Interest::default());
    out.begin(Instant::ZERO);
    station.wake(Instant::ZERO, &mut out);
    out
}

#[test]
fn a_port_without_delay_holds_nothing() {
    let mut station = station([port(0), port(1)]);
    let mut out = begun(&mut station);
    receive(&mut station, at(1), 1, &mut out);
    assert_eq!(out.transmissions.iter().map(|sent| (sent.port, sent.at)).collect::<Vec<_>>(), [(Port(1), at(1))]);
}

#[test]
fn delays_of_both_directions_add_up() {
    let delay = Duration::from_microseconds(5000);
    let arriving = ArrivingPlan { rate: None, delay, limit: 1000 };
    let mut station = station([
        PortBinding { arriving: Some(arriving), ..port(0) },
        PortBinding { delay: Duration::from_microseconds(2000), ..port(1) },
    ]);
    let mut out = begun(&mut station);
    receive(&mut station, at(1), 2, &mut out);
    receive(&mut station, at(3), 1, &mut out);
    assert!(out.transmissions.is_empty(), "all are on their way to the switch");
    assert_eq!(station.account().held, 3);
    assert_eq!(out.deadline(), Some(at(6)));
    run(&mut station, &mut out);
    let sent: Vec<_> = out.transmissions.iter().map(|sent| (sent.port, sent.at)).collect();
    assert_eq!(sent, [(Port(1), at(8)), (Port(1), at(8)), (Port(1), at(10))]);
    assert_eq!(station.account().held, 0);
}

#[test]
fn a_rate_towards_the_switch_spreads_packets_and_drops_what_is_too_much() {
    // A frame of 60 bytes takes 84 on the link.
    let rate = Some(Rate::from_bits_per_second(84 * 8 * 1000));
    let arriving = ArrivingPlan { rate, delay: MILLISECOND, limit: 3 };
    let mut station = station([PortBinding { arriving: Some(arriving), ..port(0) }, port(1)]);
    let mut out = begun(&mut station);
    receive(&mut station, at(10), 5, &mut out);
    let dropped: Vec<_> = out.discarded.drain(..).map(|discarded| discarded.reason).collect();
    assert_eq!(dropped, [reasons::LINK_FULL; 2], "two of five have no room");
    run(&mut station, &mut out);
    let sent: Vec<_> = out.transmissions.drain(..).map(|sent| sent.at).collect();
    assert_eq!(sent, [at(12), at(13), at(14)]);
    receive(&mut station, at(20), 1, &mut out);
    run(&mut station, &mut out);
    assert_eq!(out.transmissions[0].at, at(22), "an idle link has no memory");
}

#[test]
fn a_switch_that_stops_drops_what_is_on_its_links() {
    let arriving = ArrivingPlan { rate: None, delay: MILLISECOND, limit: 1 };
    let mut station = station([PortBinding { arriving: Some(arriving), ..port(0) }, port(1)]);
    let mut out = begun(&mut station);
    receive(&mut station, at(1), 1, &mut out);
    station.stop();
    run(&mut station, &mut out);
    assert!(out.transmissions.is_empty());
    assert_eq!(out.discarded[0].reason, reasons::STOPPING);
}

/// A switch whose second port delays what leaves, with one frame in the driver's hands when it is told to stop.
fn stopped_with_a_frame_on_the_link(delay: Duration) -> (Option<Vec<u8>>, Totals) {
    let running = start_with(|mut plan, _| {
        plan.ports[1].delay = delay;
        plan
    });
    let far = running.far[1].try_clone().expect("it is a socket");
    running.far[0].send(&frame(1)).expect("the link takes it");
    let has_come = || match running.handle.ask(Request::Ports {}) {
        Ok(Answer::Ports(rows)) => rows[0].received.frames == 1,
        answer => panic!("{answer:?}"),
    };
    assert!(common::soon(has_come), "the frame comes in");
    let totals = running.stop();
    far.set_nonblocking(true).expect("it is a socket");
    let mut frame = vec![0; 2048];
    (far.recv(&mut frame).ok().map(|length| frame[..length].to_vec()), totals)
}

#[test]
fn a_switch_that_stops_sends_what_it_has_delayed() {
    let (sent, totals) = stopped_with_a_frame_on_the_link(Duration::from_microseconds(300_000));
    assert_eq!(
        sent.as_deref().map(pair),
        Some([1, 1]),
        "a packet on the link when the switch was told to stop: {totals:?}"
    );
    assert_eq!((totals.received, totals.transmitted, totals.discarded.len()), (1, 1, 0));
}

#[test]
fn what_a_switch_holds_when_it_ends_is_counted() {
    let (sent, totals) = stopped_with_a_frame_on_the_link(Duration::from_microseconds(10_000_000));
    assert_eq!(sent, None, "a switch waits for at most a second");
    assert_eq!((totals.received, totals.transmitted), (1, 0));
    assert_eq!(totals.discarded.into_iter().collect::<Vec<_>>(), [(reasons::NOT_SENT, 1)]);
}
