//! Bytes that are anything: packets of ATP and SwitchML that were damaged or cut anywhere do no harm, and are accounted for.

use std::cell::Cell;

use basis::{Duration, Instant, Random};
use control::{ActionCall, Request, TableRequest, Target};
use machines::Device;
use machines::aggregator::Aggregator;
use machines::aggregator::atp::AtpSwitchParameters;
use machines::aggregator::switchml::{SwitchMlParameters, SwitchMlSwitch};
use node::{Outbox, Port};
use runtime::Bits;
use runtime::tables::FieldMatch;
use wire::{Ethernet, Ipv4, Packet, SwitchMl, Udp, ether_type, protocol, switchml};

use crate::packets::{Fields, SERVER, Switch, gradient, parameter};

/// Where a switch of SwitchML is.
const SWITCH: u32 = 0xAC10_0001;

/// Offers packets of which some bytes are others and the end may be missing, and requires that packets are conserved.
fn survives(device: &mut dyn Device, seed: u64, valid: impl Fn(&mut Random) -> Vec<u8>) {
    let mut random = Random::new(seed);
    let (mut now, mut out) = (Instant::ZERO, Outbox::default());
    let (mut sent, mut discarded) = (0, 0);
    for received in 1..=20_000 {
        let mut bytes = valid(&mut random);
        for _ in 0..random.below(4) {
            let at = random.below(bytes.len().min(64) as u64) as usize;
            bytes[at] = random.below(256) as u8;
        }
        if random.below(4) == 0 {
            bytes.truncate(random.below(bytes.len() as u64 + 1) as usize);
        }
        now += Duration::from_microseconds(random.below(3));
        out.begin(now);
        device.receive(now, Port(1), &mut vec![Packet::of_bytes(&bytes)], &mut out);
        sent += out.transmissions.drain(..).count() as u64;
        discarded += out.discarded.drain(..).count() as u64;
        let account = device.account();
        assert_eq!(received + account.replicated + account.generated, sent + discarded + account.held, "{bytes:02x?}");
    }
    assert!(sent > 100 && discarded > 100, "{sent} sent and {discarded} discarded");
}

#[test]
fn damaged_packets_of_atp_do_no_harm() {
    let mut switch = Switch::new(AtpSwitchParameters { aggregators: 64, defect: None }).with_age(50);
    survives(&mut switch.device, 1, |random| {
        let worker = random.below(4) as u32;
        let fields = if random.below(5) == 0 { parameter() } else { gradient(worker, 4, worker as i32) };
        let [flags, sequence, aggregator] = [64, 8, 80].map(|limit| random.below(limit));
        let fields = Fields { sequence: sequence as u32, aggregator: aggregator as u16, ..fields };
        let fields = if random.below(4) == 0 { fields.flags(flags as u16) } else { fields };
        let mut bytes = Vec::new();
        fields.packet().append_to(&mut bytes);
        bytes
    });
}

/// A contribution of one of four workers to a part.
fn contribution(worker: u32, part: u32, values: usize) -> Vec<u8> {
    let mut bytes = vec![1; 52 + 4 * values];
    let length = bytes.len() as u16;
    bytes[..52].fill(0);
    Ethernet::new(&mut bytes[..]).unwrap().set_ether_type(ether_type::IPV4);
    let mut ip = Ipv4::new(&mut bytes[14..]).unwrap();
    ip.set_version_and_length(0x45);
    ip.set_total_length(length - 14);
    ip.set_time_to_live(64);
    ip.set_protocol(protocol::UDP);
    ip.set_source_bits(SERVER + worker);
    ip.set_destination_bits(SWITCH);
    ip.fill_checksum();
    let mut udp = Udp::new(&mut bytes[34..]).unwrap();
    udp.set_destination_port(switchml::PORT);
    udp.set_length(length - 34);
    let mut header = SwitchMl::new(&mut bytes[42..]).unwrap();
    header.set_kind_and_size(if values == 64 { 1 } else { 3 });
    header.set_job(7);
    header.set_part(part);
    header.set_place(switchml::place((part % 4) as u16, (part / 4 % 2) as usize));
    bytes
}

#[test]
fn damaged_packets_of_switchml_do_no_harm() {
    let mut device = Aggregator::new(SwitchMlSwitch::new(SwitchMlParameters { slots: 8, defect: None }), 4);
    let info = device.info().clone();
    let number = |value: u32, width| Bits::from_u64(value.into(), width);
    let entry = |table: &str, keys: Vec<FieldMatch>, action: &str, data: Vec<Bits>| {
        let table = info.table_named(table).unwrap();
        let action = ActionCall { action: info.action_named(table, action).unwrap(), data };
        Request::Table(table, TableRequest::insert(keys, None, Target::Action(action)))
    };
    let exact = |value, width| FieldMatch::Exact(number(value, width));
    for worker in 0..4 {
        let prefix = FieldMatch::Prefix { value: number(SERVER + worker, 32), length: 32 };
        device.execute(&entry("ipv4", vec![prefix], "route", vec![number(worker, 16)])).unwrap();
        let keys = vec![exact(SERVER + worker, 32), exact(SWITCH, 32), exact(7, 8)];
        // Sums go to one worker, so that no group is needed.
        let data = vec![number(1 << worker, 32), number(4, 8), number(SERVER, 32)];
        device.execute(&entry("workers", keys, "contribute", data)).unwrap();
    }
    // Workers go on after some packets, whether sums have come or not.
    let offered = Cell::new(0);
    survives(&mut device, 2, |random| {
        offered.set(offered.get() + 1);
        let part = offered.get() / 32 + random.below(2) as u32;
        contribution(random.below(4) as u32, part, if part.is_multiple_of(3) { 256 } else { 64 })
    });
}
