//! The plain aggregator with the rules of ATP, and the program for TNA on the chip, treat the same traffic alike: packet by packet
//! and aggregator by aggregator.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use basis::{Duration, Instant, Random};
use control::{
    ActionCall, MulticastGroup, RegisterRequest, Replica, ReplicationRequest, Request, Response, TableRequest, Target,
};
use diagnostics::Sources;
use machines::Device;
use machines::aggregator::Aggregator;
use machines::aggregator::atp::{AtpSwitch, AtpSwitchParameters, Defect};
use node::{Control, Outbox, Port};
use runtime::Bits;
use runtime::tables::FieldMatch;
use wire::atp::{AtpLevels, Tree};
use wire::{Atp, Ethernet, Ipv4, Packet, Udp, atp, ether_type, protocol};
use workbench::kinds::{self, Settings, option};
use workbench::{LoadOptions, LoadedProgram};

/// The number of aggregators of the program.
const AGGREGATORS: u32 = 32_768;
/// The aggregators that the jobs share.
const SHARED: std::ops::Range<u32> = 100..104;
const SERVER: u32 = 0x0A00_0001;
const WORKER: u32 = 0x0A00_0102;
const GROUP: u32 = 0xEFC0_0001;
/// An address without a route.
const NOWHERE: u32 = 0x0B00_0001;
/// The age beyond which aggregators of others are freed, in units of 1,024 ns.
const AGE: u32 = 300;
const HEADERS: usize = 58;

/// A job: its number, the level at which the switch serves it, the fan-in of this level, and whether packets have 31 values. From
/// [`FIRST_DEEP`] on, packets have fields for further levels.
const JOBS: [(u8, Option<u32>, u8, bool); 11] = [
    (1, Some(0), 2, false),
    (2, Some(0), 5, false),
    (3, Some(1), 3, false),
    (4, Some(0), 32, false),
    (5, Some(0), 3, true),
    (6, None, 2, false),
    (7, Some(1), 1, false),
    (8, Some(2), 3, false),
    (9, Some(4), 2, true),
    (10, Some(0), 2, false),
    (11, Some(3), 32, true),
];

/// The first job with more than two levels.
const FIRST_DEEP: u8 = 8;

fn program() -> LoadedProgram {
    program_with("", "")
}

/// The program with another text in place of a part of it.
fn program_with(right: &str, wrong: &str) -> LoadedProgram {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4/atp/atp.p4");
    let text = fs::read_to_string(&path).expect("the program");
    assert!(text.contains(right), "the program has no `{right}`");
    let text = if right.is_empty() { text } else { text.replace(right, wrong) };
    let mut sources = Sources::new();
    let main = sources.add(path.to_string_lossy(), text);
    LoadedProgram::load(&mut sources, main, &LoadOptions::default())
        .unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false)))
}

fn chip(program: &LoadedProgram) -> Box<dyn Device> {
    chip_with(program, &Settings::default())
}

fn chip_with(program: &LoadedProgram, settings: &Settings) -> Box<dyn Device> {
    let fitted = kinds::usual(program).fit(program, settings);
    fitted.and_then(|fitted| fitted.build(1)).unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

fn plain(defect: Option<Defect>) -> Box<dyn Device> {
    Box::new(Aggregator::new(AtpSwitch::new(AtpSwitchParameters { aggregators: AGGREGATORS, defect }), 8))
}

fn number(value: u32) -> Bits {
    Bits::Narrow(value.into())
}

/// Sets a switch up, by the names that both have.
fn set_up(device: &mut dyn Device, age: u32) {
    let info = device.info().clone();
    let action = |table: &str, name: &str, data: u32, width: u32| {
        let table = info.table_named(table).expect("the table");
        let action = info.action_named(table, name).expect("the action");
        (table, Target::Action(ActionCall { action, data: vec![Bits::from_u64(data.into(), width)] }))
    };
    let insert = |name: &str, key: FieldMatch, of: &str, data: u32, width: u32| {
        let (table, target) = action(name, of, data, width);
        Request::Table(table, TableRequest::insert(vec![key], None, target))
    };
    let prefix = |value: u32, length: u32| FieldMatch::Prefix { value: number(value), length };
    let mut requests = vec![
        insert("ipv4", prefix(SERVER, 32), "route", 0, 16),
        insert("ipv4", prefix(0x0A00_0100, 24), "route", 1, 16),
        insert("groups", FieldMatch::Exact(number(GROUP)), "multicast", 9, 16),
    ];
    let replicas: Vec<Replica> = (1..4).map(|port| Replica { port, instance: 0 }).collect();
    requests.push(Request::MulticastGroup(9, ReplicationRequest::Insert(MulticastGroup::from(replicas))));
    for (job, level, ..) in JOBS {
        if let Some(level) = level {
            requests.push(insert("jobs", FieldMatch::Exact(number(job.into())), "aggregate", level, 3));
        }
    }
    let (ageing, target) = action("ageing", "set_age", age, 32);
    requests.push(Request::Table(ageing, TableRequest::set_default(target)));
    for request in requests {
        device.execute(&request).unwrap_or_else(|error| panic!("{request:?}: {error:?}"));
    }
}

/// Traffic of workers that send fragments of all jobs, some of them again, of servers that answer, and of a network that loses, copies and
/// delays packets.
struct Traffic {
    random: Random,
    /// The number of jobs that send, from the first.
    jobs: usize,
    /// The first fragment that each job has under way.
    first: [u32; JOBS.len()],
    /// Packets that come again later.
    late: Vec<Vec<u8>>,
}

impl Traffic {
    fn new(seed: u64, jobs: usize) -> Self {
        Self { random: Random::new(seed), jobs, first: [1; JOBS.len()], late: Vec::new() }
    }

    fn chance(&mut self, one_of: u64) -> bool {
        self.random.below(one_of) == 0
    }

    fn next(&mut self) -> Vec<u8> {
        if !self.late.is_empty() && self.chance(8) {
            let at = self.random.below(self.late.len() as u64) as usize;
            return self.late.swap_remove(at);
        }
        let packet = self.fresh();
        if self.chance(8) {
            self.late.push(packet.clone());
        }
        packet
    }

    fn fresh(&mut self) -> Vec<u8> {
        let which = self.random.below(self.jobs as u64) as usize;
        let (job, level, fan_in, is_one_pass) = JOBS[which];
        let sequence = self.first[which] + self.random.below(3) as u32;
        let is_deep = job >= FIRST_DEEP;
        let level = match self.chance(20) {
            true if is_deep => self.random.below(8) as u32,
            other => level.unwrap_or(0) ^ u32::from(other),
        };
        let is_parameter = self.chance(if fan_in > 5 { 60 } else { 5 });
        if is_parameter && self.chance(2) {
            self.first[which] += 1;
        }
        // Jobs use the same aggregators, so that they collide; few packets name one that is not there.
        let index = match self.chance(50) {
            true => AGGREGATORS + self.random.below(u64::from(u16::MAX - 32_768)) as u32,
            false => SHARED.start + (u32::from(job) * 7 + sequence) % SHARED.len() as u32,
        };
        let bit = self.random.below(fan_in.into()) as u32;
        let mut flags = 0;
        for (flag, one_of) in
            [(atp::flag::OVERFLOW, 30), (atp::flag::RESEND, 6), (atp::flag::ECN, 10), (atp::flag::COLLISION, 20)]
        {
            if self.chance(one_of) {
                flags |= flag;
            }
        }
        if is_parameter {
            flags |= atp::flag::ACK;
        }
        let count = if is_one_pass { atp::VALUES_OF_ONE_PASS } else { atp::VALUES };
        let headers = HEADERS + if is_deep { 16 } else { 0 };
        let mut bytes = vec![0; headers + 4 * count];
        for value in bytes[headers..].as_chunks_mut().0 {
            let random = self.random.bits();
            *value = match random >> 60 {
                0 => i32::MAX,
                1 => i32::MIN,
                2..=8 => random as i32,
                _ => random as i32 >> 20,
            }
            .to_be_bytes();
        }
        let length = bytes.len() as u16;
        let (first, further) = bytes[42..headers].split_at_mut(16);
        let mut header = Atp::new(first).expect("long enough");
        header.set_degrees_and_flags(flags);
        header.set_job_and_sequence(atp::job_and_sequence(if self.chance(100) { 0 } else { job }, sequence));
        header.set_aggregator(index as u16);
        let mut tree = Tree { atp: header, further: AtpLevels::new(further) };
        tree.set_fan_in([fan_in; 5]);
        tree.set_level(level as u8);
        for other in 0..5 {
            // Bitmaps of levels before have the bits of all that a sum may have come from.
            let before = if other < level { self.random.bits() as u32 } else { 1 << self.random.below(32) };
            tree.set_bitmap(other as u8, if other == level { 1 << bit } else { before });
        }
        let mut ethernet = Ethernet::new(&mut bytes[..]).expect("long enough");
        ethernet.set_destination([2, 0, 0, 0, 0, 1]);
        ethernet.set_ether_type(ether_type::IPV4);
        let mut ip = Ipv4::new(&mut bytes[14..]).expect("long enough");
        ip.set_version_and_length(0x45);
        ip.set_traffic_class(if self.chance(12) { 3 } else { 2 });
        ip.set_total_length(length - 14);
        ip.set_fragmentation(0x4000);
        ip.set_time_to_live(if self.chance(40) { self.random.below(3) as u8 } else { 64 });
        ip.set_protocol(protocol::UDP);
        ip.set_source_bits(WORKER);
        ip.set_destination_bits(match (self.chance(50), is_parameter) {
            (true, _) => NOWHERE,
            (_, false) => SERVER,
            (_, true) if self.chance(4) => WORKER,
            (_, true) => GROUP,
        });
        ip.fill_checksum();
        let mut udp = Udp::new(&mut bytes[34..]).expect("long enough");
        udp.set_destination_port(if self.chance(50) { atp::PORT + 1 } else { atp::PORT });
        udp.set_length(length - 34);
        udp.set_checksum(if self.chance(10) { 0x1234 } else { 0 });
        bytes
    }
}

/// What leaves a switch for one packet, by port.
fn leaves(device: &mut dyn Device, now: Instant, packet: &[u8]) -> Vec<(u16, Vec<u8>)> {
    let mut out = Outbox::default();
    out.begin(now);
    device.receive(now, Port(5), &mut vec![Packet::of_bytes(packet)], &mut out);
    let bytes = |packet: &Packet| {
        let mut bytes = Vec::new();
        packet.append_to(&mut bytes);
        bytes
    };
    let mut left: Vec<_> = out.transmissions.iter().map(|sent| (sent.port.0, bytes(&sent.packet))).collect();
    left.sort();
    left
}

fn element(device: &dyn Device, register: &str, index: u32) -> u64 {
    let mut found = None;
    assert!(device.register(register, index..index + 1, &mut |told| found = Some(told.value)), "{register}");
    found.expect("an element")
}

/// An aggregator: identifier, time, bitmap, count and flag, and the values if it is in use.
type Aggregates = (u64, u64, u64, u64, u64, Vec<u64>);

fn of_plain(device: &dyn Device, index: u32, values: usize) -> Aggregates {
    let read = |name: &str| element(device, name, index);
    let identifier = read("identifier");
    let values = (0..values).map(|value| read(&format!("value_{value}"))).collect();
    (identifier, read("updated"), read("bitmap"), read("counter"), read("ecn"), values)
}

/// The program has the identifier and the time in one register, so that one access reaches both, and the second half of the values
/// behind the first.
fn of_program(device: &mut dyn Device, index: u32, values: usize) -> Aggregates {
    let register = device.info().register_named("aggregators").expect("the register");
    let request = Request::Register(register, RegisterRequest::Read(Some(index)));
    let Ok(Response::Registers(read)) = device.execute(&request) else { panic!("registers can be read") };
    let [identifier, updated] = [0, 1].map(|field| read[0][field].limbs()[0]);
    let read = |name: &str| element(device, name, index);
    let value = |value: usize| {
        let half = atp::VALUES_OF_ONE_PASS;
        element(device, &format!("values_{}", value % half), 2 * index + (value / half) as u32)
    };
    (identifier, updated, read("bitmaps"), read("counters"), read("congestion"), (0..values).map(value).collect())
}

/// Offers the same traffic to both. Returns the first difference, and how many packets left.
fn difference(plain: &mut dyn Device, program: &mut dyn Device, seed: u64, packets: usize) -> Result<usize, String> {
    set_up(plain, AGE);
    set_up(program, AGE);
    let mut traffic = Traffic::new(seed, JOBS.len());
    let mut now = Instant::ZERO;
    let mut left = 0;
    for at in 0..packets {
        let pause = if traffic.chance(400) { 400_000 } else { traffic.random.below(3_000) };
        now += Duration::from_nanoseconds(pause);
        let packet = traffic.next();
        let (by_plain, by_program) = (leaves(plain, now, &packet), leaves(program, now, &packet));
        if by_plain != by_program {
            return Err(format!("packet {at} {packet:02x?}:\nplain {by_plain:02x?}\nprogram {by_program:02x?}"));
        }
        left += by_plain.len();
        if at % 16 == 0 || at + 1 == packets {
            for index in SHARED {
                let identifier = element(plain, "identifier", index);
                let is_one_pass = JOBS.iter().any(|(job, .., one)| u64::from(*job) == identifier >> 24 && *one);
                let values = match identifier {
                    0 => 0,
                    _ if is_one_pass => atp::VALUES_OF_ONE_PASS,
                    _ => atp::VALUES,
                };
                let (ours, theirs) = (of_plain(plain, index, values), of_program(program, index, values));
                if ours != theirs {
                    return Err(format!("aggregator {index} after packet {at}:\nplain {ours:x?}\nprogram {theirs:x?}"));
                }
            }
        }
    }
    Ok(left)
}

#[test]
fn both_treat_the_same_traffic_alike() {
    let program = program();
    for seed in 1..=3 {
        match difference(&mut *plain(None), &mut *chip(&program), seed, 3_000) {
            Ok(left) => assert!((1_000..3_500).contains(&left), "{left} packets left"),
            Err(difference) => panic!("seed {seed}: {difference}"),
        }
    }
}

/// The traffic is such that breaking any rule shows.
#[test]
fn every_broken_rule_makes_a_difference() {
    let program = program();
    for defect in Defect::ALL {
        let found = difference(&mut *plain(Some(defect)), &mut *chip(&program), 1, 3_000);
        assert!(found.is_err(), "{defect:?} went unnoticed");
    }
}

/// A chip on which packets take time, with those that are inside.
struct TimedChip {
    device: Box<dyn Device>,
    out: Outbox,
    readies: BTreeSet<(Instant, Port)>,
    left: Vec<Packet>,
}

impl TimedChip {
    fn new(program: &LoadedProgram) -> Self {
        let mut settings = Settings::default();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/aggregators_agree/chip.toml");
        let chip = option::named("chip").expect("the option");
        settings.given.push(chip, file.to_string_lossy()).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        let mut device = chip_with(program, &settings);
        set_up(&mut *device, 5);
        Self { device, out: Outbox::default(), readies: BTreeSet::new(), left: Vec::new() }
    }

    fn call(&mut self, now: Instant, work: impl FnOnce(&mut dyn Device, &mut Outbox)) {
        self.out.begin(now);
        work(&mut *self.device, &mut self.out);
        self.left.extend(self.out.transmissions.drain(..).map(|sent| sent.packet));
        self.out.discarded.clear();
        self.readies.extend(self.out.readies.drain(..).map(|(port, at)| (at, port)));
    }

    /// Lets everything happen that is due until then.
    fn run_until(&mut self, end: Instant) {
        loop {
            let ready = self.readies.first().map(|(at, _)| *at);
            let Some(next) = ready.into_iter().chain(self.out.deadline()).min().filter(|next| *next <= end) else {
                return;
            };
            if ready == Some(next) {
                let (_, port) = self.readies.pop_first().expect("it is there");
                self.call(next, |device, out| device.control(next, Control::PortReady(port), out));
            } else {
                self.out.take_deadline();
                self.call(next, |device, out| device.wake(next, out));
            }
        }
    }
}

/// Packets meet aggregators between the two passes of others, for they come every few nanoseconds, and few aggregators are shared by many fragments.
/// The values of a worker are such that a sum says whose values are in it.
/// Returns the first wrong sum that goes on, or how many sums of several packets do.
fn wrong_sum(program: &LoadedProgram) -> Result<usize, String> {
    let value = |job: u8, sequence: u32, bit: u32, place: usize| {
        (1 << (4 * bit)) + (i32::from(job) << 20) + ((sequence as i32 & 15) << 24) + place as i32
    };
    let mut checked = 0;
    for seed in 1..=4 {
        let mut chip = TimedChip::new(program);
        let mut traffic = Traffic::new(seed, 3);
        let mut now = Instant::ZERO;
        for _ in 0..4_000 {
            now += Duration::from_nanoseconds(traffic.random.below(60));
            chip.run_until(now);
            let mut bytes = traffic.next();
            let header = Atp::new(&bytes[42..]).expect("long enough");
            let is_past_first = header.has(atp::flag::SECOND_EDGE);
            let level = JOBS.iter().find(|(job, ..)| *job == header.job()).and_then(|(_, level, ..)| *level);
            // The bits of packets that the switch leaves as they are would mean something else.
            if header.has(atp::flag::OVERFLOW) || level != Some(is_past_first.into()) {
                continue;
            }
            let (job, sequence) = (header.job(), header.sequence());
            let bitmap = if is_past_first { header.bitmap1() } else { header.bitmap0() };
            for (place, bytes) in bytes[HEADERS..].as_chunks_mut().0.iter_mut().enumerate() {
                *bytes = value(job, sequence, bitmap.trailing_zeros() % 5, place).to_be_bytes();
            }
            chip.call(now, |device, out| device.receive(now, Port(5), &mut vec![Packet::of_bytes(&bytes)], out));
        }
        chip.run_until(now + Duration::from_microseconds(1_000));
        for packet in chip.left {
            let mut bytes = Vec::new();
            packet.append_to(&mut bytes);
            let header = Atp::new(&bytes[42..]).expect("long enough");
            let (_, level, fan_in, _) = JOBS.iter().find(|(job, ..)| *job == header.job()).expect("a job");
            if header.has(atp::flag::ACK) || *fan_in > 5 {
                continue;
            }
            let bitmap = if *level == Some(1) { header.bitmap1() } else { header.bitmap0() };
            let bits = || (0..5).filter(|bit| bitmap >> bit & 1 == 1);
            for (place, found) in bytes[HEADERS..].as_chunks().0.iter().enumerate() {
                let sum: i32 = bits().map(|bit| value(header.job(), header.sequence(), bit, place)).sum();
                if i32::from_be_bytes(*found) != sum {
                    return Err(format!("value {place} of bits {bitmap:b}, seed {seed}: {found:x?} and not {sum:x}"));
                }
            }
            checked += usize::from(bits().count() > 1);
        }
    }
    Ok(checked)
}

#[test]
fn no_sum_is_wrong_whatever_happens_between_the_passes() {
    match wrong_sum(&program()) {
        Ok(checked) => assert!(checked > 100, "{checked} sums of more than one packet"),
        Err(wrong) => panic!("{wrong}"),
    }
}

#[test]
fn a_second_pass_that_trusts_the_first_makes_wrong_sums() {
    let program = program_with("(!is_own || halves != merged)", "false");
    assert!(wrong_sum(&program).is_err(), "the traffic has no packets between the passes of others");
}
