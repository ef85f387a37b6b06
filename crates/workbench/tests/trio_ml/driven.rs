//! Switches of Trio-ML, driven through time, and their set-up by the names that both have.

use std::collections::BTreeSet;
use std::path::Path;

use basis::{Duration, Instant};
use control::{ActionCall, MulticastGroup, RecordRequest, Replica, ReplicationRequest, Request, TableRequest, Target};
use machines::Device;
use machines::aggregator::Aggregator;
use machines::aggregator::trio_ml::{Defect, TrioMlSwitch, TrioMlSwitchParameters};
use node::{Control, Outbox, Port};
use runtime::Bits;
use runtime::tables::FieldMatch;
use wire::trio_ml::{JobRecord, bit_of};
use wire::{Ethernet, Ipv4, Packet, TrioMl, Udp, ether_type, protocol, trio_ml};
use workbench::kinds::{self, Settings};
use workbench::{LoadOptions, LoadedProgram};

/// The address of the switch.
pub const SWITCH: u32 = 0xAC10_0001;
/// The address of the group of all workers.
pub const GROUP: u32 = 0xEFC0_0001;
/// The address of the next aggregator, which is behind port 3.
pub const NEXT: u32 = 0xAC10_0002;
pub const HEADERS: usize = 54;

/// The address of the worker behind a port.
pub fn worker(port: u16) -> u32 {
    0x0A00_0001 + u32::from(port)
}

/// The Microcode program on the chip; `definitions` are macros.
pub fn chip(definitions: &[(&str, &str)]) -> Box<dyn Device> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/microcode/trio_ml/trio_ml.mc");
    let definitions = definitions.iter().map(|&(name, value)| (name.into(), value.into())).collect();
    let program = LoadedProgram::read(&path, &LoadOptions { definitions, ..LoadOptions::default() });
    let program = program.unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let fitted = kinds::usual(&program).fit(&program, &Settings::default());
    fitted.and_then(|fitted| fitted.build(1)).unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

/// The plain aggregator with a rule to break.
pub fn plain(defect: Option<Defect>) -> Box<dyn Device> {
    let parameters = TrioMlSwitchParameters { defect, ..TrioMlSwitchParameters::default() };
    Box::new(Aggregator::new(TrioMlSwitch::new(parameters), 4))
}

/// The record of a job whose results go to the group.
pub fn job(number: u8, sources: &[u8]) -> JobRecord {
    let mut masks = [0; 4];
    for source in sources {
        masks.iter_mut().zip(bit_of(*source)).for_each(|(mask, bit)| *mask |= bit);
    }
    JobRecord {
        most_blocks: 16,
        most_gradients: 1024,
        address: SWITCH,
        destination: GROUP,
        source_count: sources.len() as u8,
        sources: masks,
        job: number,
        generation: 1,
        window: 4,
        ..JobRecord::default()
    }
}

/// What came out of a switch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    Sent(u16, Vec<u8>),
    Discarded(String),
}

/// A switch and the time that it was told.
pub struct Driven {
    pub device: Box<dyn Device>,
    pub now: Instant,
    out: Outbox,
    deadline: Option<Instant>,
    /// When which links are free again, of which the switch wants to hear.
    readies: BTreeSet<(Instant, u16)>,
    /// What came out since somebody asked.
    pub seen: Vec<(Instant, Seen)>,
}

impl Driven {
    pub fn new(device: Box<dyn Device>) -> Self {
        let mut driven = Self {
            device,
            now: Instant::ZERO,
            out: Outbox::default(),
            deadline: None,
            readies: BTreeSet::new(),
            seen: Vec::new(),
        };
        driven.set_up_routes();
        driven.call(|device, now, out| device.wake(now, out));
        driven
    }

    fn call(&mut self, call: impl FnOnce(&mut Box<dyn Device>, Instant, &mut Outbox)) {
        self.out.begin(self.now);
        call(&mut self.device, self.now, &mut self.out);
        self.deadline = self.out.deadline();
        self.readies.extend(self.out.readies.drain(..).map(|(port, at)| (at, port.0)));
        for sent in self.out.transmissions.drain(..) {
            let mut bytes = Vec::new();
            sent.packet.append_to(&mut bytes);
            self.seen.push((sent.at, Seen::Sent(sent.port.0, bytes)));
        }
        for discarded in self.out.discarded.drain(..) {
            self.seen.push((self.now, Seen::Discarded(discarded.reason.name().to_owned())));
        }
    }

    /// Returns when the switch wants to hear something.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline.into_iter().chain(self.readies.first().map(|(at, _)| *at)).min()
    }

    /// Lets time pass.
    pub fn run_until(&mut self, until: Instant) {
        while let Some(next) = self.deadline().filter(|next| *next <= until) {
            self.now = self.now.max(next);
            match self.readies.first().copied().filter(|(at, _)| *at <= next) {
                Some((at, port)) => {
                    self.readies.remove(&(at, port));
                    self.call(|device, now, out| device.control(now, Control::PortReady(Port(port)), out));
                }
                None => self.call(|device, now, out| device.wake(now, out)),
            }
        }
        self.now = self.now.max(until);
    }

    pub fn run_for(&mut self, microseconds: u64) {
        self.run_until(self.now + Duration::from_microseconds(microseconds));
    }

    pub fn offer(&mut self, port: u16, bytes: &[u8]) {
        let packet = Packet::of_bytes(bytes);
        self.call(|device, now, out| device.receive(now, Port(port), &mut vec![packet], out));
    }

    pub fn execute(&mut self, request: &Request) {
        self.device.execute(request).unwrap_or_else(|error| panic!("{request:?}: {error:?}"));
    }

    fn set_up_routes(&mut self) {
        let info = self.device.info().clone();
        let insert = |name: &str, key: FieldMatch, action: &str, data: u16| {
            let table = info.table_named(name).expect("the table");
            let action = info.action_named(table, action).expect("the action");
            let target = Target::Action(ActionCall { action, data: vec![Bits::from_u64(data.into(), 16)] });
            Request::Table(table, TableRequest::insert(vec![key], None, target))
        };
        let prefix = |value: u32| FieldMatch::Prefix { value: Bits::Narrow(value.into()), length: 32 };
        for port in 0..4 {
            self.execute(&insert("ipv4", prefix(worker(port)), "route", port));
        }
        self.execute(&insert("ipv4", prefix(NEXT), "route", 3));
        self.execute(&insert("groups", FieldMatch::Exact(Bits::Narrow(GROUP.into())), "multicast", 1));
        let replicas: Vec<Replica> = (0..3).map(|port| Replica { port, instance: 0 }).collect();
        self.execute(&Request::MulticastGroup(1, ReplicationRequest::Insert(MulticastGroup::from(replicas))));
    }

    pub fn add_job(&mut self, record: &JobRecord) {
        let table = self.device.info().record_table_named("jobs").expect("the table");
        let contents = record.words().iter().flat_map(|word| word.to_be_bytes()).collect();
        self.execute(&Request::Records(table, RecordRequest::Insert { key: vec![record.job], contents }));
    }

    pub fn delete_job(&mut self, job: u8) {
        let table = self.device.info().record_table_named("jobs").expect("the table");
        self.execute(&Request::Records(table, RecordRequest::Delete(vec![job])));
    }

    /// Returns the words of the records of a table by key.
    pub fn records(&self, name: &str) -> Vec<(Vec<u8>, [u64; 8])> {
        let info = self.device.info();
        let number = info.record_table_named(name).expect("the table");
        let state = self.device.state();
        let first = info.segment(info.record_table(number).segment).address;
        let records = state.records[number.index()].records();
        let mut records: Vec<_> = records
            .map(|(place, key, _)| {
                let word = |at| {
                    let mut bytes = [0; 8];
                    state.memory.read(first + 64 * u64::from(place) + 8 * at as u64, &mut bytes).expect("a record");
                    u64::from_be_bytes(bytes)
                };
                (key.to_vec(), std::array::from_fn(word))
            })
            .collect();
        records.sort();
        records
    }

    /// Returns the words of a segment that are not 0.
    pub fn words(&self, name: &str) -> Vec<(u64, u64)> {
        let info = self.device.info();
        let number = info.segments.iter().position(|segment| &*segment.identity.name == name).expect("the segment");
        let first = info.segments[number].address;
        let state = self.device.state();
        let words = state.memory.written_words(number).filter(|(_, word)| *word != 0);
        words.map(|(address, word)| (address - first, word)).collect()
    }
}

/// What a test chooses of a packet.
#[derive(Clone, Debug)]
pub struct Fields {
    pub from: u32,
    pub to: u32,
    pub job: u8,
    pub block: u32,
    pub flags: u8,
    pub source: u8,
    pub count: u8,
    pub generation: u16,
    pub values: Vec<i32>,
}

impl Fields {
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; HEADERS];
        bytes.extend(self.values.iter().flat_map(|value| value.to_be_bytes()));
        let length = bytes.len() as u16;
        Ethernet::new(&mut bytes[..]).unwrap().set_ether_type(ether_type::IPV4);
        let mut ip = Ipv4::new(&mut bytes[14..]).unwrap();
        ip.set_version_and_length(0x45);
        ip.set_total_length(length - 14);
        ip.set_time_to_live(64);
        ip.set_protocol(protocol::UDP);
        ip.set_source_bits(self.from);
        ip.set_destination_bits(self.to);
        ip.fill_checksum();
        let mut udp = Udp::new(&mut bytes[34..]).unwrap();
        udp.set_source_port(trio_ml::PORT);
        udp.set_destination_port(trio_ml::PORT);
        udp.set_length(length - 34);
        let mut header = TrioMl::new(&mut bytes[42..]).unwrap();
        header.set_job(self.job);
        header.set_block(self.block);
        header.set_flags(self.flags);
        header.set_source(self.source);
        header.set_source_count(self.count);
        header.set_generation(self.generation);
        header.set_gradient_count(self.values.len() as u16);
        bytes
    }
}
