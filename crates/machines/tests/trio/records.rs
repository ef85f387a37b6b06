//! What the chip records: traces of packets, parts, and events for Perfetto.

use machines::Device;
use machines::trio::TrioParameters;

use crate::bench::{Bench, text};

fn program() -> String {
    let instructions = "\
instruction start {
  memory(64u16, 4, 8) = 7u8
  read 8u8, 8 -> a
  goto next
}
instruction next {
  make -> b
  goto out
}
instruction out {
  send b port 2u8 queue 3u8 head 64u16, 4u8
  goto last
}
instruction last {
  drop 0u8 reason enough
  end
}
instruction ticks {
  end
}
entrance timer tick = instruction ticks";
    text(
        "segment words: on_chip at 0 size 64 = [1, 0x123456789abcdef0, 3, 4, 5, 6, 7, 8]\nreason enough\ntimer tick period 30",
        instructions,
    )
}

/// A trace has the instructions of a thread with what they write, its transactions, their replies, and what becomes of packets.
#[test]
fn a_trace_has_instructions_and_transactions() {
    let mut bench = Bench::new(&program(), TrioParameters::default());
    bench.chip.observe().expect("the chip reports what happens");
    bench.offer(0, 1, &[0xFF; 8]);
    bench.finish();
    let traces = bench.chip.take_traces();
    let shown: String = traces.iter().map(ToString::to_string).collect();
    let expected = "\
packet 0 at 0.000000 us on port 1, 8 bytes: ffffffffffffffff
├─ start, cycle 0
│  └─ memory[64] from bit 4: 7
├─ asks for transaction 0, read: 0x8, 8 bytes
├─ reply to transaction 0, cycle 90, 8 bytes: 123456789abcdef0
│  └─ a: 0 → 0x123456789abcdef0
├─ next, cycle 90
├─ asks for transaction 1, make: packet 1
├─ reply to transaction 1, cycle 180, 8 bytes: 0000000000000001
│  └─ b: 0 → 1
├─ out, cycle 180
├─ asks for transaction 2, send: packet 1, port 2, queue 3
├─ packet 1 of the thread sent to port 2, queue 3, 4 bytes: f07fffff
├─ last, cycle 270
├─ asks for transaction 3, drop: packet 0
└─ discarded: enough
";
    assert_eq!(shown, expected);
    assert!(bench.chip.take_traces().is_empty());
}

#[test]
fn perfetto_shows_threads_transactions_and_timers() {
    let mut bench = Bench::new(&program(), TrioParameters::default());
    assert!(bench.chip.trace_events().is_none());
    assert!(bench.chip.record_timeline(200));
    bench.offer(0, 1, &[0xFF; 8]);
    bench.finish();
    let text = bench.chip.trace_events().expect("it was recorded");
    let json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let events = json["traceEvents"].as_array().expect("events");
    let names = |kind: &str| -> Vec<&str> {
        events.iter().filter(|event| event["ph"] == kind).filter_map(|event| event["name"].as_str()).collect()
    };
    let slices = names("X");
    for name in ["thread 0", "start", "read", "next", "make", "out"] {
        assert!(slices.contains(&name), "{name}: {slices:?}");
    }
    assert!(!slices.contains(&"last"), "cycle 270 is beyond the record");
    assert_eq!(names("i").iter().filter(|name| **name == "tick").count(), 6);
    assert!(names("C").contains(&"bank"));
}

#[test]
fn parts_say_what_they_have_done() {
    let mut bench = Bench::new(&program(), TrioParameters { ppes: 2, ..TrioParameters::default() });
    bench.offer(0, 1, &[0xFF; 8]);
    bench.offer(1, 1, &[0xFF; 8]);
    bench.finish();
    let parts = bench.chip.parts();
    let sum = |kind: &str| parts.iter().filter(|part| part.part == kind).map(|part| part.work).sum::<u64>();
    let ticks = bench.counter("threads_of_timers");
    assert_eq!(sum("ppe"), 2 * 4 + ticks);
    assert_eq!((sum("bank"), sum("packet_buffer"), sum("dispatch")), (2, 6, 2 + ticks));
}
