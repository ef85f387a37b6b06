//! Deflection: packets that find no room go to the deflection port of their pipe.

use basis::snapshot::{Loader, Saver, Snapshot};
use machines::tofino::reasons;
use node::Station;

use super::support::{Order, Seen, bench, bench_of_tofino_2, drain, flag, hold_queues, read, seen};
use crate::bench::End;

const TO_PORT_9: &str = "[[deflection]]\nport = 9\nqueue = 2\n";

/// A packet that is `cells` cells of 80 bytes long behind ingress, to port 4.
fn packet(flags: u8, cells: usize) -> Vec<u8> {
    let in_front = 1 + Seen::LENGTH + Order::LENGTH;
    Order { port: 4, flags, ..Order::default() }.packet(80 * cells - in_front)
}

#[test]
fn what_finds_no_room_goes_to_the_deflection_port_whole() {
    for mut bench in [bench(TO_PORT_9), bench_of_tofino_2(TO_PORT_9)] {
        hold_queues(&mut bench, 1000, 2);
        // The first is on the line at once, and two wait.
        for _ in 0..3 {
            bench.packet(0, &packet(flag::DEFLECT, 1));
        }
        let ends = bench.packet(0, &packet(flag::DEFLECT, 1));
        let [End::Sent(9, bytes)] = &ends[..] else { panic!("{ends:?}") };
        let (seen, rest) = Seen::of(bytes);
        assert_eq!((seen.port, seen.deflected, seen.queue, seen.length), (9, 1, 2, 80));
        assert_eq!(rest, packet(flag::DEFLECT, 1));
        let others = drain(&mut bench);
        assert!(super::support::seen(&others).iter().all(|seen| seen.unwrap().deflected == 0), "{others:?}");
        let deflected = counter(&bench.chip, "deflected");
        assert_eq!(deflected, 1);
    }
}

fn counter(station: &dyn Station, name: &str) -> u64 {
    let mut found = None;
    station.counters(&mut |counter| {
        if counter.name == name {
            found = Some(counter.value);
        }
    });
    found.unwrap_or_else(|| panic!("no counter {name}"))
}

#[test]
fn a_packet_that_does_not_ask_for_it_is_dropped_as_is_one_whose_pipe_has_no_deflection_port() {
    let full = queues::reasons::QUEUE_FULL;
    for (settings, flags) in [(TO_PORT_9, 0), ("", flag::DEFLECT)] {
        let mut bench = bench(settings);
        hold_queues(&mut bench, 1000, 1);
        bench.packet(0, &packet(flags, 1));
        bench.packet(0, &packet(flags, 1));
        assert_eq!(bench.packet(0, &packet(flags, 1)), [End::Discarded(full)]);
    }
}

#[test]
fn a_deflected_packet_that_finds_no_room_again_is_dropped() {
    let mut bench = bench(TO_PORT_9);
    hold_queues(&mut bench, 1000, 1);
    // Two for port 4, two for port 9: on the line and waiting.
    for _ in 0..4 {
        bench.packet(0, &packet(flag::DEFLECT, 1));
    }
    assert_eq!(bench.packet(0, &packet(flag::DEFLECT, 1)), [End::Discarded(reasons::DEFLECTION_FULL)]);
    let flags: Vec<u8> = seen(&drain(&mut bench)).into_iter().map(|seen| seen.unwrap().deflected).collect();
    assert_eq!(flags.iter().sum::<u8>(), 1, "{flags:?}");
}

#[test]
fn a_queue_that_does_not_exist_is_no_want_of_room() {
    let mut bench = bench(TO_PORT_9);
    hold_queues(&mut bench, 1000, 1);
    let order = Order { port: 4, queue: 7, flags: flag::DEFLECT, ..Order::default() };
    assert_eq!(bench.packet(0, &order.packet(1)), [End::Discarded(queues::reasons::NO_SUCH_QUEUE)]);
}

#[test]
fn only_the_first_bytes_are_deflected_if_a_setting_says_so() {
    let mut bench = bench("[[deflection]]\nport = 9\nlength = 70\n");
    hold_queues(&mut bench, 1000, 2);
    for _ in 0..2 {
        bench.packet(0, &packet(flag::DEFLECT, 2));
    }
    let ends = bench.packet(0, &packet(flag::DEFLECT, 2));
    let [End::Sent(9, bytes)] = &ends[..] else { panic!("{ends:?}") };
    let (seen, rest) = Seen::of(bytes);
    assert_eq!((seen.deflected, seen.length), (1, 70));
    let kept = 70 - 1 - Seen::LENGTH;
    assert_eq!(rest, &packet(flag::DEFLECT, 2)[..kept]);
}

#[test]
fn deflected_packets_are_saved() {
    let mut first = bench(TO_PORT_9);
    hold_queues(&mut first, 1000, 1);
    for _ in 0..4 {
        first.packet(0, &packet(flag::DEFLECT, 1));
    }
    let mut saver = Saver::default();
    first.chip.save(&mut saver).unwrap();
    let bytes = saver.into_bytes();
    let mut second = bench("");
    hold_queues(&mut second, 1000, 1);
    second.chip.restore(&mut Loader::new(&bytes)).unwrap();
    assert_eq!(counter(&second.chip, "deflected"), 2);
    // The settings are part of the state: there is no room at the deflection port.
    second.out.begin(basis::Instant::from_microseconds(4));
    let burst = &mut vec![wire::Packet::of_bytes(&packet(flag::DEFLECT, 1))];
    node::Node::receive(&mut second.chip, basis::Instant::from_microseconds(4), node::Port(0), burst, &mut second.out);
    let reasons: Vec<_> = second.out.discarded.iter().map(|discarded| discarded.reason).collect();
    assert_eq!(reasons, [reasons::DEFLECTION_FULL]);
}

#[test]
fn mistakes_are_found_at_their_places() {
    let text = "[[deflection]]\nqueue = 200\n\n[[deflection]]\nport = 3\n[[deflection]]\nport = 4\nlenght = 1\n";
    let found = read(text).unwrap_err();
    let messages: Vec<(&str, &str)> = found.iter().map(|(what, place)| (what.as_str(), place.as_str())).collect();
    assert!(messages.contains(&("pipe 0 has two deflection ports", "4")), "{messages:?}");
    assert!(messages.contains(&("invalid value for `queue`", "200")), "{messages:?}");
    assert!(messages.iter().any(|(what, _)| what.contains("`port`")), "{messages:?}");
    assert!(messages.iter().any(|(_, place)| place.contains("lenght")), "{messages:?}");
}
