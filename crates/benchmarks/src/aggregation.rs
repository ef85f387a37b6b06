//! Measures how fast the plain aggregator adds up the values of packets.

use std::time::Instant as WallClock;

use basis::Instant;
use control::{ActionCall, Info, MulticastGroup, Replica, ReplicationRequest, Request, TableRequest, Target};
use machines::Device;
use machines::aggregator::Aggregator;
use machines::aggregator::atp::{AtpSwitch, AtpSwitchParameters};
use node::{Burst, Node, Outbox, Port};
use runtime::Bits;
use runtime::tables::FieldMatch;
use serde::Serialize;
use wire::{Atp, Ethernet, Ipv4, Packet, Udp, atp, ether_type, protocol};

use crate::timing::{RUNS, Verdict};

/// The workers of the job, each behind a port of its own; the server is behind the next one.
const WORKERS: u32 = 8;
const SERVER: u32 = 0x0A00_00FF;
const GROUP: u32 = 0xEFC0_0001;
/// The fragments that are under way at once.
const WINDOW: u32 = 200;

/// The speed of an aggregator.
#[derive(Debug, Serialize)]
pub struct AggregationSpeed {
    /// The protocol.
    pub protocol: &'static str,
    /// The packets that arrive in a second: those of workers, whose values are added, and those of the server.
    pub hops_per_second: f64,
    /// The values that are added in a second.
    pub values_per_second: f64,
    /// Whether every sum was right.
    pub verdict: Verdict,
}

/// Measures the switch of ATP: eight workers send packets of 62 values, the last of each fragment goes on with the sum, and the
/// server's parameter packet goes to all.
pub fn aggregation(quick: bool) -> Vec<AggregationSpeed> {
    let rounds = if quick { 4 } else { 200 };
    let (mut fastest, mut is_right) = (f64::MAX, true);
    for _ in 0..RUNS {
        let (seconds, right) = run(rounds);
        fastest = fastest.min(seconds);
        is_right &= right;
    }
    let fragments = f64::from(rounds * WINDOW);
    vec![AggregationSpeed {
        protocol: "atp",
        hops_per_second: fragments * f64::from(WORKERS + 1) / fastest,
        values_per_second: fragments * f64::from(WORKERS - 1) * atp::VALUES as f64 / fastest,
        verdict: if is_right { Verdict::Equal } else { Verdict::Differs },
    }]
}

/// Runs so many windows of fragments. Returns the seconds that the aggregator took, without those in which packets were made
/// and looked at, and whether all sums were right.
fn run(rounds: u32) -> (f64, bool) {
    let mut device = Aggregator::new(AtpSwitch::new(AtpSwitchParameters::default()), WORKERS + 1);
    for request in requests(device.info()) {
        device.execute(&request).expect("the aggregator takes its own names");
    }
    let (mut seconds, mut is_right) = (0.0, true);
    let mut out = Outbox::default();
    for round in 0..rounds {
        let fragments = round * WINDOW..(round + 1) * WINDOW;
        // Workers are not in step: each burst has packets of one worker.
        let of_worker = |worker| fragments.clone().map(move |sequence| packet(Some(worker), sequence)).collect();
        let mut bursts: Vec<(Port, Burst)> =
            (0..WORKERS).map(|worker| (Port(worker as u16), of_worker(worker))).collect();
        bursts.push((Port(WORKERS as u16), fragments.clone().map(|sequence| packet(None, sequence)).collect()));
        for (port, burst) in &mut bursts {
            let now = Instant::from_microseconds(round.into());
            let start = WallClock::now();
            out.begin(now);
            device.receive(now, *port, burst, &mut out);
            out.discarded.clear();
            seconds += start.elapsed().as_secs_f64();
            let sums = out.transmissions.drain(..).filter(|sent| sent.port == Port(WORKERS as u16));
            is_right &= sums.zip(fragments.clone()).all(|(sent, sequence)| is_sum(&sent.packet, sequence));
        }
    }
    let expected = u64::from(rounds * WINDOW) * u64::from(1 + WORKERS);
    (seconds, is_right && device.statistics().transmitted == expected)
}

/// The value that a worker contributes at each position of a fragment.
fn value(worker: u32, sequence: u32) -> i32 {
    (sequence * 31 + worker * 7) as i32 - 1000
}

fn is_sum(packet: &Packet, sequence: u32) -> bool {
    let expected: i32 = (0..WORKERS).map(|worker| value(worker, sequence)).sum();
    packet.head.bytes()[58..].as_chunks().0.iter().all(|bytes| i32::from_be_bytes(*bytes) == expected)
}

/// The packet of a worker, or the parameter packet, of a fragment.
fn packet(worker: Option<u32>, sequence: u32) -> Packet {
    let mut bytes = [0; 58 + 4 * atp::VALUES];
    let length = bytes.len() as u16;
    Ethernet::new(&mut bytes[..]).expect("long enough").set_ether_type(ether_type::IPV4);
    let mut ip = Ipv4::new(&mut bytes[14..]).expect("long enough");
    ip.set_version_and_length(0x45);
    ip.set_total_length(length - 14);
    ip.set_time_to_live(64);
    ip.set_protocol(protocol::UDP);
    ip.set_destination_bits(if worker.is_some() { SERVER } else { GROUP });
    ip.fill_checksum();
    let mut udp = Udp::new(&mut bytes[34..]).expect("long enough");
    udp.set_destination_port(atp::PORT);
    udp.set_length(length - 34);
    let mut header = Atp::new(&mut bytes[42..]).expect("long enough");
    header.set_bitmap0(worker.map_or(0, |worker| 1 << worker));
    header.set_bitmap1(1);
    header.set_fan_in([WORKERS as u8, 1]);
    header.set(if worker.is_none() { atp::flag::ACK } else { 0 });
    let word = atp::job_and_sequence(1, sequence);
    header.set_job_and_sequence(word);
    header.set_aggregator(atp::hash(word) as u16);
    if let Some(worker) = worker {
        let value = value(worker, sequence).to_be_bytes();
        bytes[58..].as_chunks_mut().0.fill(value);
    }
    Packet::of_bytes(&bytes)
}

/// The requests for the routes, the group and the job.
fn requests(info: &Info) -> Vec<Request> {
    let number = |value: u32| Bits::Narrow(value.into());
    let insert = |table: &str, key: FieldMatch, action: &str, data: u32| {
        let table = info.table_named(table).expect("one of its tables");
        let action = info.action_named(table, action).expect("one of its actions");
        let target = Target::Action(ActionCall { action, data: vec![number(data)] });
        Request::Table(table, TableRequest::insert(vec![key], None, target))
    };
    let replicas: Vec<Replica> = (0..WORKERS).map(|port| Replica { port, instance: 0 }).collect();
    vec![
        insert("ipv4", FieldMatch::Prefix { value: number(SERVER), length: 32 }, "route", WORKERS),
        insert("groups", FieldMatch::Exact(number(GROUP)), "multicast", 1),
        insert("jobs", FieldMatch::Exact(number(1)), "aggregate", 0),
        Request::MulticastGroup(1, ReplicationRequest::Insert(MulticastGroup::from(replicas))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sum_is_right() {
        assert!(run(2).1);
    }
}
