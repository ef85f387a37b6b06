//! The contents of traces.

use control::{ActionCall, Request, TableNumber, TableRequest, Target};
use machines::Device;
use machines::trace::{Origin, Step, Trace};
use runtime::Bits;
use runtime::tables::FieldMatch;

use crate::support::{Bench, bench};

/// Returns the trace of one packet.
fn trace(bench: &mut Bench, bytes: &[u8]) -> Trace {
    bench.switch.observe().unwrap();
    bench.packet(bytes);
    let mut traces = bench.switch.take_traces();
    assert_eq!(traces.len(), 1);
    traces.remove(0)
}

#[test]
fn traces_display_as_a_tree() {
    let ingress = "  apply ingress.routes
  clone ingress_to_egress, 2u32 keep 0
  if hdr.h.a == 1u8 {
    set_valid hdr.more
    hdr.more.word = 2048u16
    standard_metadata.mcast_grp = 3u16
  }
  log \"a is {}\", hdr.h.a";
    let mut bench = bench(ingress, "  hdr.h.b = bit<8>(standard_metadata.egress_rid)");
    bench.group(3, &[(4, 1), (5, 2)]);
    bench.session(2, &[(9, 0)]);
    let expected = "\
packet 0 at 1.000000 us on port 1, 4 bytes: 01020304
├─ parser
│  ├─ state start
│  └─ extract hdr.h, 3 bytes
│     └─ a = 1, b = 2, c = 3
├─ ingress
│  ├─ table ingress.routes: miss
│  │  ├─ hdr.h.a = 1
│  │  └─ action ingress.drop()
│  │     └─ standard_metadata.egress_spec: 0 → 511 (0x1ff)
│  ├─ asks for a clone as it arrived, session 2, keeping meta.kept
│  ├─ if hdr.h.a == 1 is true
│  ├─ hdr.more becomes valid
│  ├─ hdr.more.word: 0 → 2048 (0x800)
│  ├─ standard_metadata.mcast_grp: 0 → 3
│  └─ logs \"a is 1\"
├─ clone of ingress, session 2
│  ├─ parser
│  │  ├─ state start
│  │  └─ extract hdr.h, 3 bytes
│  │     └─ a = 1, b = 2, c = 3
│  ├─ queue of port 9
│  ├─ egress
│  │  └─ hdr.h.b: 2 → 0
│  ├─ deparser
│  │  └─ emit hdr.h, 3 bytes
│  └─ transmitted on port 9, 4 bytes: 01000304
├─ multicast group 3
├─ copy 1 for port 4
│  ├─ queue of port 4, copy 1
│  ├─ egress
│  │  └─ hdr.h.b: 2 → 1
│  ├─ deparser
│  │  ├─ emit hdr.more, 2 bytes
│  │  └─ emit hdr.h, 3 bytes
│  └─ transmitted on port 4, 6 bytes: 080001010304
└─ copy 2 for port 5
   ├─ queue of port 5, copy 2
   ├─ deparser
   │  ├─ emit hdr.more, 2 bytes
   │  └─ emit hdr.h, 3 bytes
   └─ transmitted on port 5, 6 bytes: 080001020304
";
    assert_eq!(trace(&mut bench, &[1, 2, 3, 4]).to_string(), expected);
}

#[test]
fn traces_show_the_matching_entry_and_action() {
    let mut bench = bench("  apply ingress.routes", "  standard_metadata.egress_spec = 511u9");
    let action = bench.switch.info().action_named(TableNumber(0), "forward").unwrap();
    let target = Target::Action(ActionCall { action, data: vec![Bits::from_u64(6, 9)] });
    let key = vec![FieldMatch::Exact(Bits::from_u64(8, 8))];
    bench.control(Request::Table(TableNumber(0), TableRequest::insert(key, None, target)));
    let text = trace(&mut bench, &[8, 0, 0]).to_string();
    let ingress = "\
├─ ingress
│  └─ table ingress.routes: hit
│     ├─ hdr.h.a = 8 (0x8) matches 0x8
│     └─ action ingress.forward(port = 6)
│        └─ standard_metadata.egress_spec: 0 → 6
├─ queue of port 6
├─ egress
│  └─ standard_metadata.egress_spec: 0 → 511 (0x1ff)
└─ discarded: dropped by the program
";
    assert!(text.ends_with(ingress), "{text}");
}

#[test]
fn traces_show_rejections_and_discarded_clones() {
    let mut bench = bench("  set_invalid hdr.h\n  clone ingress_to_egress, 7u32", "");
    let text = trace(&mut bench, &[8, 0, 0]).to_string();
    assert!(text.contains("│  ├─ hdr.h becomes invalid\n"), "{text}");
    assert!(!text.contains("hdr.h.a: 8"), "that its fields are undefined now is no news: {text}");
    let clone = "\
├─ clone of ingress, session 7
│  └─ discarded: unknown clone session
";
    assert!(text.contains(clone), "{text}");
    assert!(trace(&mut bench, &[8]).to_string().contains("├─ parser: rejected with error.PacketTooShort\n"));
}

#[test]
fn rounds_are_nested_in_traces() {
    let mut bench = bench("  if standard_metadata.instance_type == 0u32 {\n    resubmit keep 0\n  }", "");
    let trace = trace(&mut bench, &[1, 2, 3]);
    let forks: Vec<_> = trace.pass.steps.iter().filter(|step| matches!(step, Step::Fork { .. })).collect();
    let [Step::Fork { pass }] = forks[..] else { panic!("{trace}") };
    assert_eq!(pass.origin, Origin::Resubmitted);
    assert!(matches!(pass.steps.last(), Some(Step::Transmit { port: 0, length: 3, .. })), "{trace}");
}

#[test]
fn trace_json_format_is_stable() {
    let mut bench = bench("  digest message(hdr.h.a, 1u16)\n  @seen[1u4] = 2u48", "");
    let json = serde_json::to_value(trace(&mut bench, &[1, 2, 3])).unwrap();
    let value = |ty: &str, value: &str| serde_json::json!({ "type": ty, "value": value });
    let expected = serde_json::json!({
        "packet": 0, "time": 1_000_000, "port": 1,
        "pass": { "origin": "arrival", "bytes": "010203", "steps": [
            { "step": "block", "block": "parser", "ended": "done", "steps": [
                { "step": "state", "parser": "parser", "state": "start" },
                { "step": "extract", "header": "hdr.h", "from": 0, "bits": 24, "fields": [
                    { "name": "a", "value": value("bit<8>", "0x1") },
                    { "name": "b", "value": value("bit<8>", "0x2") },
                    { "name": "c", "value": value("bit<8>", "0x3") },
                ]},
            ]},
            { "step": "block", "block": "ingress", "ended": "done", "steps": [
                { "step": "digest", "digest": "message", "fields": [
                    { "name": "first", "value": value("bit<8>", "0x1") },
                    { "name": "second", "value": value("bit<16>", "0x1") },
                ]},
                { "step": "register", "register": "seen", "index": 1, "access": "write", "value": value("bit<48>", "0x2") },
            ]},
            { "step": "queue", "port": 0, "instance": 0 },
            { "step": "block", "block": "egress", "ended": "done", "steps": [] },
            { "step": "block", "block": "deparser", "ended": "done", "steps": [
                { "step": "emit", "header": "hdr.h", "bits": 24 },
            ]},
            { "step": "transmit", "port": 0, "length": 3, "bytes": "010203" },
        ]},
    });
    assert_eq!(json, expected);
}

#[test]
fn packets_on_unknown_ports_are_traced() {
    let mut bench = bench("", "");
    bench.switch.observe().unwrap();
    bench.receive(600, wire::Packet::of_bytes(&[1]));
    let expected = "packet 0 at 1.000000 us on port 600, 1 byte: 01\n└─ discarded: no such port: ports are 0 to 510\n";
    assert_eq!(bench.switch.take_traces()[0].to_string(), expected);
}

#[test]
fn records_nothing_unless_requested() {
    let mut bench = bench("", "");
    bench.packet(&[1, 2, 3]);
    assert!(bench.switch.take_traces().is_empty());
}
