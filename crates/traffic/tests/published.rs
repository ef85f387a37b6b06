//! Published traces as packets that programs run on.

mod common;

use basis::{Duration, Instant};
use common::{assert_findings, file, packets, prepare, rendered, values};
use proptest::prelude::*;
use traffic::{FieldGenerator, Form, Making, Published, Traffic, TrafficSource, flow_tuple};
use wire::{FiveTuple, LinkLayer, Tcp};

const FLOWS: &str = "flowid,stage_num_1,state_in_stage_1,...\n1,10,0,4,7\n2,4,1\n";
const PACKETS: &str = "port,pkt_size,flowid,time\n0,64,2,9\n5,64,1,3\n1,200,2,3\n5,64,2,3\n";

fn published(name: &str, flows: &str, packets: &str, making: Making) -> Traffic {
    let (packets, flows) = (file(name, packets), file("flows.csv", flows));
    Traffic::new(TrafficSource::Published(Published { packets, flows, making }))
}

fn making(fields: &[(&str, FieldGenerator)]) -> Making {
    let fields = fields.iter().map(|(name, generator)| ((*name).to_owned(), *generator)).collect();
    Making { fields, ..Making::default() }
}

#[test]
fn packets_have_the_times_and_headers_of_the_trace() {
    let all = packets(&published("t.csv", FLOWS, PACKETS, making(&[])), &["sport", "dport"]);
    let seen: Vec<_> = all
        .iter()
        .map(|offered| {
            let sequence = Tcp::new(&offered.packet.head.bytes()[34..]).unwrap().sequence();
            let tuple = FiveTuple::of(&offered.packet).unwrap();
            let flow = (1..3).find(|flow| tuple == flow_tuple(*flow, traffic::Protocol::Tcp)).unwrap();
            (offered.at.picoseconds(), offered.port.0, offered.packet.len(), flow, sequence)
        })
        .collect();
    assert_eq!(
        seen,
        [(3000, 1, 200, 2, 0), (3000, 5, 64, 1, 0), (3000, 5, 64, 2, 146), (9000, 0, 64, 2, 156)],
        "cycles of 1 ns; a flow's sequence numbers count its payload"
    );
}

#[test]
fn records_hold_the_accesses_and_planned_fields() {
    let fields = ["stage_4", "stage_10", "stage_5", "mine", "n", "other", "length", "arrival", "any", "stage_04"];
    let making = making(&[
        ("mine", FieldGenerator::Flow),
        ("n", FieldGenerator::Sequence),
        ("other", FieldGenerator::Stage(10)),
        ("stage_5", FieldGenerator::Constant(5)),
    ]);
    let all = packets(&published("t.csv", FLOWS, PACKETS, making), &fields);
    assert!(all.iter().all(|offered| offered.packet.sidecar.link == LinkLayer::Record));
    let seen: Vec<Vec<u32>> = all.iter().map(values).collect();
    let none = u32::MAX; // -1
    let known: Vec<&[u32]> = seen.iter().map(|values| &values[..8]).collect();
    assert_eq!(
        known,
        [
            [1, none, 5, 2, 0, none, 200, 0],
            [7, 0, 5, 1, 1, 0, 64, 0],
            [1, none, 5, 2, 2, none, 64, 0],
            [1, none, 5, 2, 3, none, 64, 0],
        ]
    );
    for (column, name) in [(8, "any"), (9, "stage_04")] {
        let of_flow_2: Vec<u32> = [0, 2, 3].map(|packet| seen[packet][column]).to_vec();
        assert!(of_flow_2.iter().all(|&value| value == of_flow_2[0] && value < 2), "{name}: one value per flow");
    }
}

#[test]
fn the_program_or_plan_determines_form_and_count() {
    let form =
        |making, fields: &[&str]| packets(&published("t.csv", FLOWS, PACKETS, making), fields)[0].packet.sidecar.link;
    assert_eq!(form(making(&[]), &["sport"]), LinkLayer::Ethernet);
    assert_eq!(form(making(&[]), &["stage_4"]), LinkLayer::Record);
    assert_eq!(form(Making { form: Some(Form::Record), ..making(&[]) }, &["sport"]), LinkLayer::Record);
    let mut first = published("t.csv", FLOWS, PACKETS, making(&[]));
    first.packets = Some(2);
    assert_eq!(packets(&first, &["stage_4"]).iter().map(|offered| offered.port.0).collect::<Vec<_>>(), [1, 5]);
}

#[test]
fn warns_of_a_trace_for_another_switch() {
    let warnings = |name: &str, ports| {
        let mut traffic = published(name, FLOWS, PACKETS, making(&[]));
        traffic.ports = ports;
        rendered(prepare(&traffic, &["sport"]).unwrap().warnings().clone())
    };
    assert_eq!(warnings("uniform_64_4_16_4_512_64.csv", 64), "");
    assert_eq!(warnings("t.csv", 7), "", "a name without a shape");
    let text = warnings("uniform_60_12_16_4_512_64.csv", 64);
    assert!(text.contains("for 60 ports and 12 pipelines, but the switch has 64 and 4"), "{text}");
}

#[test]
fn reports_impossible_packets_with_positions() {
    let wrong = "port,pkt_size,flowid,time\n64,64,1,1\n1,63,1,1\n1,65536,1,1\n1,64,1,281474976710656\n1,64,3,1\n";
    let text = prepare(&published("p.csv", FLOWS, wrong, making(&[])), &["sport"]).unwrap_err();
    assert_findings(
        &text,
        &[
            ("p.csv:2:1", "`64` is not a valid port", "a number from 0 to 63"),
            ("p.csv:3:3", "`63` is not a valid size", "a number from 64 to 65535"),
            ("p.csv:4:3", "`65536` is not a valid size", "a number from 64 to 65535"),
            ("p.csv:5:8", "`281474976710656` is not a valid time", "a number from 0 to 281474976710655"),
            ("p.csv:6:6", "flow 3 is not in the file of flows", "of one trace"),
        ],
    );
    // Time ends after 2^64 picoseconds, 213 days: 18446744073709.55 cycles of a microsecond.
    let late = |cycle: u64| published("p.csv", FLOWS, &format!("header\n0,64,1,{cycle}\n"), making(&[]));
    let slow = |traffic: Traffic| {
        traffic.prepare(&common::program(&["sport"]), 4, Duration::from_nanoseconds(1000)).map_err(rendered)
    };
    let last = slow(late(18_446_744_073_708)).unwrap().packets().next().unwrap();
    assert_eq!(last.at, Instant::from_microseconds(18_446_744_073_708));
    let text = slow(late(18_446_744_073_709)).map(|_| ()).unwrap_err();
    let expected = ("p.csv:2:8", "`18446744073709` is not a valid time", "a number from 0 to 18446744073708");
    assert_findings(&text, &[expected]);
    // A regression: a flow with wrong accesses was also reported as missing at each of its packets.
    let text =
        prepare(&published("p.csv", "flowid\n1,4\n", "header\n0,64,1,1\n", making(&[])), &["sport"]).unwrap_err();
    assert_findings(&text, &[("flows.csv:2:3", "a stage without an index", "stage, index")]);
    let text = prepare(&published("p.csv", "flowid\n1,4\n", "", making(&[("x", FieldGenerator::Flow)])), &["sport"])
        .unwrap_err();
    for message in ["the program has no field `x`", "flows.csv:2:3", "a stage without an index", "the trace is empty"] {
        assert!(text.contains(message), "{message}: {text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn streams_are_sorted_complete_and_repeatable(
        lines in proptest::collection::vec((0..64u16, 64..=65_535u32, 0..9u32, 0..50u64), 1..200),
        accesses in proptest::collection::vec(0..512u32, 9),
        is_record in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut flows = "flowid\n".to_owned();
        accesses.iter().enumerate().for_each(|(flow, index)| flows += &format!("{flow},6,{index}\n"));
        let mut text = "port,pkt_size,flowid,time\n".to_owned();
        lines.iter().for_each(|(port, size, flow, time)| text += &format!("{port},{size},{flow},{time}\n"));
        let making = making(if is_record { &[("drawn", FieldGenerator::Uniform(0, 99))] } else { &[] });
        let traffic = Traffic { seed, ..published("t.csv", &flows, &text, making) };
        let fields = ["stage_6", "sport", "drawn"];
        let all = packets(&traffic, &fields);
        let mut sorted = lines.clone();
        sorted.sort_by_key(|&(port, _, _, time)| (time, port));
        let seen: Vec<_> = all.iter().map(|o| (o.port.0, o.packet.len() as u32, o.at.picoseconds() / 1000)).collect();
        let expected: Vec<_> = sorted.iter().map(|&(port, size, _, time)| (port, size, time)).collect();
        prop_assert_eq!(seen, expected);
        for (offered, (_, _, flow, _)) in all.iter().zip(&sorted) {
            match is_record {
                true => prop_assert_eq!(values(offered)[0], accesses[*flow as usize]),
                false => prop_assert_eq!(
                    FiveTuple::of(&offered.packet), Some(flow_tuple((*flow).into(), traffic::Protocol::Tcp))
                ),
            }
        }
        let prepared = prepare(&traffic, &fields).unwrap();
        prop_assert!(prepared.packets().eq(prepared.packets()));
    }
}
