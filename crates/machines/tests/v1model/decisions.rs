//! Decisions and shared state in traces.

use control::{ElementSelection, MeterNumber, MeterRequest, Request};
use machines::Device;
use runtime::MeterRates;

use crate::support::{bench, bench_of, text};

/// Returns the lines of a trace that contain `word`, without the tree in front of them.
fn lines(trace: &str, word: &str) -> Vec<String> {
    let plain = trace.lines().map(|line| line.trim_start_matches(['│', '├', '└', '─', ' ']).to_owned());
    plain.filter(|line| line.contains(word)).collect()
}

/// Returns the trace of one packet in a program with the given ingress.
fn traced(ingress: &str, bytes: &[u8]) -> String {
    let mut bench = bench(ingress, "");
    bench.switch.observe().unwrap();
    bench.packet(bytes);
    bench.switch.take_traces()[0].to_string()
}

#[test]
fn conditions_are_traced_in_source_form() {
    let ingress = "  if hdr.h.$valid & (hdr.h.a > 7u8) {\n    hdr.h.b = 1u8\n  }
  if hdr.more.word == 5u16 {\n    hdr.h.b = 2u8\n  }
  if !hdr.more.$valid {\n    hdr.h.b = 3u8\n  }";
    assert_eq!(
        lines(&traced(ingress, &[7, 0, 0]), "if "),
        [
            "if hdr.h.isValid() && hdr.h.a > 7 is false: hdr.h.a = 7",
            "if hdr.more.word == 5 is false: hdr.more.word is undefined because its header is invalid",
            "if !hdr.more.isValid() is true",
        ]
    );
}

#[test]
fn table_hits_are_traced_by_table_name() {
    let program = text("  apply ingress.routes -> ingress.$hit\n  if ingress.$hit {\n    hdr.h.b = 1u8\n  }", "");
    let program = program.replace("register seen", "local ingress.$hit: bool\nregister seen");
    let mut bench = bench_of(&program);
    bench.switch.observe().unwrap();
    bench.packet(&[1, 2, 3]);
    let trace = bench.switch.take_traces()[0].to_string();
    assert_eq!(lines(&trace, "if "), ["if ingress.routes.apply().hit is false"]);
}

#[test]
fn traces_show_selections_and_look_ahead() {
    let parser = "    lookahead parser.$lookahead.kind
    select (parser.$lookahead.kind, hdr.h.a) {
      2u8, _ => reject
      0u8 &&& 254u8, 0u8 .. 9u8 => more
      _, _ => accept
    }
  }
  state more {
    transition accept";
    let program = text("", "").replace("    transition accept", parser);
    let program = program.replace("register seen", "local parser.$lookahead.kind: bit<8>\nregister seen");
    let mut bench = bench_of(&program);
    bench.switch.observe().unwrap();
    [[7, 0, 0, 1], [7, 0, 0, 2], [7, 0, 0, 3]].iter().for_each(|bytes| drop(bench.packet(bytes)));
    let traces = bench.switch.take_traces();
    let selected: Vec<String> = traces.iter().flat_map(|trace| lines(&trace.to_string(), "select ")).collect();
    assert_eq!(
        selected,
        [
            "select lookahead.kind = 1, hdr.h.a = 7: case 0x0 &&& 0xfe, 0 .. 9 → more",
            "select lookahead.kind = 2, hdr.h.a = 7: case 2, _ → reject",
            "select lookahead.kind = 3, hdr.h.a = 7: case default → accept",
        ]
    );
    let ahead = "│  ├─ looks ahead, 1 byte\n│  │  └─ kind = 1\n";
    assert!(traces[0].to_string().contains(ahead), "{}", traces[0]);
    assert_eq!(lines(&traces[1].to_string(), "rejected"), ["parser: rejected by a transition to reject"]);
}

#[test]
fn traces_resolve_front_end_temporaries() {
    let ingress = "  ingress.$kept = hdr.h.a + 1u8\n  if ingress.$kept == 3u8 {\n    hdr.h.b = 1u8\n  }";
    let program = text(ingress, "").replace("register seen", "local ingress.$kept: bit<8>\nregister seen");
    let mut bench = bench_of(&program);
    bench.switch.observe().unwrap();
    bench.packet(&[1, 2, 3]);
    let trace = bench.switch.take_traces()[0].to_string();
    assert_eq!(lines(&trace, "if "), ["if (hdr.h.a + 1) == 3 is false: hdr.h.a + 1 = 2"]);
}

#[test]
fn traces_show_register_counter_and_meter_accesses() {
    let ingress = "  @seen[3u4] = 5u48\n  hdr.h.b = bit<8>(@seen[3u4])
  count counted[1u8]\n  count counted[200u8]\n  measure measured[1u8] -> meta.color";
    let mut bench = bench(ingress, "");
    let rates = MeterRates { committed_rate: 1000, committed_burst: 1, peak_rate: 2000, peak_burst: 2 };
    bench.control(Request::Meter(MeterNumber(0), MeterRequest::Set(ElementSelection::Index(1), Some(rates))));
    bench.packet(&[1, 0, 0]);
    bench.switch.observe().unwrap();
    bench.packet(&[1, 0, 0]);
    let trace = bench.switch.take_traces()[0].to_string();
    assert_eq!(lines(&trace, "seen["), ["writes seen[3]: 5", "reads seen[3]: 5"]);
    let outside = "counts in counted[200] (index out of bounds: nothing is counted)";
    assert_eq!(lines(&trace, "counts in"), ["counts in counted[1]", outside]);
    assert_eq!(lines(&trace, "meter "), ["meter measured[1]: yellow"]);
}

#[test]
fn traces_show_arguments_of_called_actions() {
    let trace = traced("  ingress.forward.port = 4u9\n  call ingress.forward", &[1, 0, 0]);
    assert_eq!(lines(&trace, "action "), ["action ingress.forward(port = 4)"]);
}

#[test]
fn traces_show_ignored_requests() {
    let trace = traced("  recirculate", &[1, 0, 0]);
    assert_eq!(
        lines(&trace, "recirculate"),
        ["asks to be recirculated", "ignored: only egress can ask to recirculate"]
    );
}

/// Without limits, a packet that recirculates forever made 13,500 lines of 3,000 columns, and an endless loop made
/// 2,097,162 lines.
#[test]
fn traces_count_endless_rounds_and_steps() {
    let rounds = traced("  resubmit", &[1, 0, 0]);
    assert_eq!(lines(&rounds, "rounds like"), ["... 1,016 more rounds like this"]);
    assert_eq!(lines(&rounds, "finally"), ["finally discarded: resubmitted too often"]);
    assert!(rounds.lines().count() < 100, "{rounds}");
    let endless = traced(
        "  while true {\n    ingress.forward.port = ingress.forward.port + 1u9\n    call ingress.forward\n  } next {\n  }",
        &[1, 0, 0],
    );
    assert!(endless.lines().count() < 1100, "{}", endless.lines().count());
    assert_eq!(lines(&endless, "more steps").len(), 1);
    assert_eq!(lines(&endless, "the program did not end"), ["discarded: the program did not end"]);
}

#[test]
fn traces_count_copies_beyond_their_limit() {
    let mut bench = bench("  standard_metadata.mcast_grp = 1u16", "  hdr.h.b = bit<8>(standard_metadata.egress_rid)");
    let replicas: Vec<(u32, u32)> = (0..300).map(|instance| (7, instance)).collect();
    bench.group(1, &replicas);
    bench.switch.observe().unwrap();
    bench.packet(&[1, 2, 3]);
    let trace = bench.switch.take_traces()[0].to_string();
    assert_eq!(lines(&trace, "copy 0 for port 7").len(), 1);
    assert_eq!(lines(&trace, "more packets"), ["... 45 more packets like this"]);
    assert_eq!(lines(&trace, "finally"), ["finally transmitted on port 7, 45 times"]);
}
