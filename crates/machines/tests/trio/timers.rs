//! Timers and events.

use std::collections::HashMap;

use basis::Rate;
use control::{EventNumber, Request};
use ir::threads::Cause;
use machines::Device;
use machines::threads::{Began, Took};
use machines::trio::TrioParameters;
use measure::Interest;
use node::{Control, Node, Outbox};

use crate::bench::{Bench, SEND, at, nanoseconds, text};

/// A timer begins a thread after each period, which makes a packet.
#[test]
fn timers_begin_threads_that_make_packets() {
    let instructions = format!(
        "instruction start {{\n{SEND}}}\ninstruction alive {{\nmake -> a\ngoto out\n}}\n\
         instruction out {{\nmemory(64u16, 0, 64) = argument\ngoto last\n}}\n\
         instruction last {{\nsend a port 3u8 queue 0u8 head 64u16, 8u8\nend\n}}\n\
         entrance timer hello = instruction alive"
    );
    let mut bench = Bench::new(&text("timer hello period 1000", &instructions), TrioParameters::default());
    bench.offer(0, 0, &[1; 20]);
    bench.offer(10_500, 0, &[1; 20]);
    bench.finish();
    let made: Vec<_> = bench.seen.sent.iter().filter(|(_, port, _)| *port == 3).collect();
    assert_eq!(made.len(), 10);
    for (number, (at, _, bytes)) in made.iter().enumerate() {
        // Three instructions, the making of the packet, and the way of its head.
        assert_eq!(*at, 1000 * (number as u64 + 1) + 3 * 20 + 70 + 25);
        assert_eq!(bytes[..], (number as u64).to_be_bytes());
    }
}

#[test]
fn threads_start_and_stop_timers() {
    let instructions = "instruction start {\nstart_timer tick, 500u64\nend\n}\n\
         instruction ticks {\nasync digest seen(argument)\ngoto last if argument == 2u64\nend\n}\n\
         instruction last {\nstop_timer tick\nend\n}\nentrance timer tick = instruction ticks";
    let declarations = "timer tick\ndigest seen(argument: bit<64>)";
    let mut bench = Bench::new(&text(declarations, instructions), TrioParameters::default());
    bench.offer(0, 0, &[1; 20]);
    bench.offer(10_000, 0, &[1; 20]);
    bench.offer(10_900, 0, &[1; 20]);
    bench.finish();
    // Three until the last of them stops the timer, one between the second packet and the third, and the one that this awaits.
    assert_eq!(bench.counter("threads_of_timers"), 5);
}

#[test]
fn an_event_begins_a_thread() {
    let instructions = format!(
        "instruction start {{\n{SEND}}}\ninstruction lost {{\nmake -> a\ngoto out\n}}\n\
         instruction out {{\nmemory(64u16, 0, 64) = argument\ngoto last\n}}\n\
         instruction last {{\nsend a port 3u8 queue 0u8 head 64u16, 8u8\nend\n}}\n\
         entrance event link_lost = instruction lost"
    );
    let mut bench = Bench::new(&text("event link_lost", &instructions), TrioParameters::default());
    bench.chip.execute(&Request::RaiseEvent(EventNumber(0), 77)).expect("events can always be raised");
    bench.offer(100, 0, &[1; 20]);
    bench.finish();
    assert_eq!(bench.seen.sent.iter().map(|(_, port, _)| *port).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(bench.seen.sent[1].2[..], 77_u64.to_be_bytes());
    assert_eq!(bench.counter("threads_of_events"), 1);
}

/// N timer threads that each scan one N-th of a table of 65,536 records, one every N-th of an interval, find each record that
/// fell out of use after one interval and before two (section 5). Both times are those at which transactions take effect.
#[test]
fn scans_find_what_fell_out_of_use_after_one_interval_and_before_two() {
    const RECORDS: u64 = 65_536;
    let (parts, interval) = (64_u64, 1_000_000_u64);
    let (scans, period) = (RECORDS / parts / 64, interval / parts);
    // A packet uses the record whose number it carries. A timer thread scans its part by 64 places at a time, and then reports
    // each mask of records that were not referenced, in a packet with the first place and the number of the timer thread:
    // reports in between would make the scan of a part take longer when there is something to report.
    let declarations = format!(
        "segment table: off_chip at 0 size {}\nrecords flows: key 8 size 64 in table\ntimer scan period {period}",
        RECORDS * 64
    );
    let instructions = format!(
        "instruction start {{\ninsert flows, memory 64u8, 8, (0u64) -> _, b\nend\n}}\n\
         instruction scans {{\n\
           a = (argument & {parts_mask}u64) * {part}u64\nb = 128u64\ngoto next\n}}\n\
         instruction next {{\nasync scan flows, a, 64u8 -> memory b\n\
           a = a + 64u64\nb = b + 16u64\ngoto first if b == {last_mask}u64\ngoto next\n}}\n\
         instruction first waits {{\na = a - {part}u64\nb = 128u64\ngoto look\n}}\n\
         instruction look {{\n\
           goto report if memory(b, 0, 64) != 0u64\ngoto more\n}}\n\
         instruction report {{\nmake -> length\ngoto write\n}}\n\
         instruction write {{\nmemory(64u16, 0, 64) = a\nmemory(72u16, 0, 64) = memory(b, 0, 64)\n\
           memory(80u16, 0, 64) = argument\ngoto out\n}}\n\
         instruction out {{\nsend length port 1u8 queue 0u8 head 64u16, 24u8\ngoto more\n}}\n\
         instruction more {{\na = a + 64u64\nb = b + 16u64\ngoto done if b == {last_mask}u64\ngoto look\n}}\n\
         instruction done {{\nend\n}}\nentrance timer scan = instruction scans",
        parts_mask = parts - 1,
        part = RECORDS / parts,
        last_mask = 128 + 16 * (scans - 1),
    );
    let text = text(&declarations, &instructions).replace("local_memory 256", "local_memory 512");
    let parameters = TrioParameters { waiting: 1 << 20, ..TrioParameters::default() };
    let mut bench = Bench::observed(&text, parameters, Interest::of::<Took>().and::<Began>());
    // Every record is used at its own time within the first interval; places are given in the order in which records are made.
    for number in 0..RECORDS {
        bench.offer(10 + number * (interval - 20) / RECORDS, 0, &number.to_be_bytes());
    }
    bench.offer(3 * interval, 0, &0_u64.to_be_bytes());
    bench.finish();
    // When records were used, and when the places of each scan were looked at, by the number of the timer thread and the place.
    let (mut used, mut scanned, mut causes) = (Vec::new(), HashMap::new(), HashMap::new());
    for event in &bench.seen.events {
        if let Ok(began) = event.clone().read::<Began>() {
            causes.insert(began.thread, (began.cause, began.argument));
        } else if let Ok(took) = event.clone().read::<Took>() {
            match causes[&took.thread] {
                (Cause::Packet, _) => used.push(nanoseconds(took.time)),
                (_, argument) if took.ticket.0 < scans => {
                    let first = argument % parts * (RECORDS / parts) + took.ticket.0 * 64;
                    scanned.insert((argument, first), nanoseconds(took.time));
                }
                _ => (),
            }
        }
    }
    let mut found = vec![0; RECORDS as usize];
    for (_, _, bytes) in bench.seen.sent.iter().rev() {
        let [first, mask, argument] =
            [0, 8, 16].map(|from| u64::from_be_bytes(bytes[from..from + 8].try_into().expect("8 bytes")));
        let at = scanned[&(argument, first)];
        (0..64).filter(|bit| mask >> bit & 1 == 1).for_each(|bit| found[(first + bit) as usize] = at);
    }
    for (number, at) in found.iter().enumerate() {
        let age = at.saturating_sub(used[number]);
        assert!(interval < age && age < 2 * interval, "record {number} was found after {age} ns");
    }
}

/// A timer that is stopped fires no more, but a thread for which it has fired already still begins.
#[test]
fn a_thread_that_waits_for_a_place_begins_though_its_timer_has_been_stopped() {
    // The only thread of the chip stops the timer, which has fired while the thread was under way.
    let instructions = "instruction start {\na = a + 1u64\ngoto start if a < 9u64\ngoto stop\n}\n\
         instruction stop {\nstop_timer tick\nend\n}\n\
         instruction ticks {\nend\n}\nentrance timer tick = instruction ticks";
    let parameters = TrioParameters { ppes: 1, threads: 1, ..TrioParameters::default() };
    let mut bench = Bench::new(&text("timer tick period 100", instructions), parameters);
    bench.offer(10, 0, &[1; 20]);
    bench.offer(10_000, 0, &[1; 20]);
    bench.finish();
    assert_eq!((bench.counter("threads_of_timers"), bench.counter("timer_overruns")), (1, 1));
}

/// A period that no clock reaches is as good as none, and a timer that fires many times a cycle does so.
#[test]
fn periods_may_be_as_long_and_as_short_as_they_like() {
    let instructions = "instruction start {\ngoto first if port == 0u16\nend\n}\n\
         instruction first {\nstart_timer late, 18446744073709551615u64\ngoto more\n}\n\
         instruction more {\nstart_timer soon, 3u64\nend\n}\n\
         instruction ticks {\ngoto last if argument == 99u64\nend\n}\n\
         instruction last {\nstop_timer soon\nend\n}\n\
         entrance timer late = instruction ticks\nentrance timer soon = instruction ticks";
    let parameters = TrioParameters { clock: 100_000_000, ..TrioParameters::default() };
    let mut bench = Bench::new(&text("timer late\ntimer soon", instructions), parameters);
    bench.offer(0, 0, &[1; 20]);
    bench.finish();
    // Threads of timers do not keep the chip from being at rest, but there is time for them until the next packet.
    bench.offer(20_000, 1, &[1; 20]);
    bench.finish();
    // A cycle takes 10 ns. The timer fires on until the thread that stops it has executed two instructions, and a transaction.
    let threads = bench.counter("threads_of_timers");
    assert!((100..=300).contains(&threads), "{threads}");
}

/// A chip that took the place of another one after an hour once let its timers fire for that hour.
#[test]
fn a_chip_that_is_told_the_time_first_begins_then() {
    let instructions = format!(
        "instruction start {{\n{SEND}}}\ninstruction ticks {{\nend\n}}\nentrance timer tick = instruction ticks"
    );
    let mut bench = Bench::new(&text("timer tick period 1000", &instructions), TrioParameters::default());
    let mut out = Outbox::default();
    let hour = at(3_600_000_000_000);
    out.begin(hour);
    bench.chip.control(hour, Control::Time, &mut out);
    assert_eq!(bench.counter("threads_of_timers"), 0);
    let next = out.take_deadline().expect("the timer runs");
    assert_eq!(next, at(3_600_000_001_000));
    out.begin(next);
    bench.chip.wake(next, &mut out);
    assert_eq!(bench.counter("threads_of_timers"), 1);
}

/// A run once never ended if the threads of a timer outlast its period.
#[test]
fn a_chip_is_at_rest_though_threads_of_timers_overlap() {
    let instructions = format!(
        "instruction start {{\n{SEND}}}\ninstruction ticks {{\na = a + 1u64\ngoto ticks if a < 50u64\nend\n}}\n\
         entrance timer tick = instruction ticks"
    );
    let mut bench = Bench::new(&text("timer tick period 100", &instructions), TrioParameters::default());
    bench.offer(0, 0, &[1; 20]);
    bench.offer(10_000, 0, &[1; 20]);
    bench.finish();
    assert_eq!(bench.seen.sent.len(), 2);
    assert!(bench.counter("threads_of_timers") >= 100);
}

/// A packet once came in by a port that the chip does not have.
#[test]
fn packets_of_ports_that_do_not_exist_are_discarded() {
    let instructions = format!("instruction start {{\n{SEND}}}");
    let mut bench = Bench::new(&text("", &instructions), TrioParameters::default());
    bench.offer(0, 4, &[1; 20]);
    bench.finish();
    assert_eq!(bench.seen.discarded.iter().map(|(_, reason)| *reason).collect::<Vec<_>>(), ["no such port"]);
}

/// A run once ended before a timer that a packet had started for once.
#[test]
fn a_timer_that_a_packet_starts_is_awaited_once() {
    let instructions = "instruction start {\nstart_timer late, 5000000u64\nend\n}\n\
         instruction lates {\nmake -> a\ngoto out\n}\n\
         instruction out {\nsend a port 3u8 queue 0u8 head 64u16, 8u8\ngoto again\n}\n\
         instruction again {\nstart_timer late, 100u64\nend\n}\n\
         instruction ticks {\nend\n}\n\
         entrance timer late = instruction lates\nentrance timer tick = instruction ticks";
    let declarations = "timer late\ntimer tick period 1000";
    let mut bench = Bench::new(&text(declarations, instructions), TrioParameters::default());
    bench.offer(0, 0, &[1; 20]);
    bench.finish();
    // The packet starts the timer after one instruction and the way of the transaction. Its thread starts it again, and nobody
    // waits for that.
    let (started, thread) = (20 + 25, 3 * 20 + 70 + 25);
    let sent: Vec<_> = bench.seen.sent.iter().map(|(at, port, _)| (*at, *port)).collect();
    assert_eq!(sent.first(), Some(&(started + 5_000_000 + thread - 20, 3)));
    assert!(sent.len() < 4, "{sent:?}");
}

/// A run once never ended if packets that threads of a timer make come faster than their port takes them.
#[test]
fn a_chip_is_at_rest_though_packets_of_timers_always_wait() {
    let instructions = format!(
        "instruction start {{\n{SEND}}}\ninstruction ticks {{\nmake -> a\ngoto out\n}}\n\
         instruction out {{\nsend a port 1u8 queue 0u8 head 64u16, 64u8\nend\n}}\n\
         entrance timer tick = instruction ticks"
    );
    let ports = vec![Rate::from_bits_per_second(1_000_000); 4];
    let parameters = TrioParameters { ports, ..TrioParameters::default() };
    let mut bench = Bench::new(&text("timer tick period 10000", &instructions), parameters);
    bench.offer(0, 0, &[1; 20]);
    bench.offer(1_000_000, 0, &[1; 20]);
    bench.finish();
    // The packets that came leave; of those that the timer has made, some wait.
    assert_eq!(bench.seen.sent.iter().filter(|(_, _, bytes)| bytes.len() == 20).count(), 2);
    assert!(Device::statistics(&bench.chip).in_flight > 50);
}
