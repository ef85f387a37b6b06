//! Packets of ATP, a switch that handles them one by one, and what came out.

use basis::Instant;
use control::{ActionCall, Info, MulticastGroup, Replica, ReplicationRequest, Request, TableRequest, Target};
use machines::Device;
use machines::aggregator::Aggregator;
use machines::aggregator::atp::{AtpSwitch, AtpSwitchParameters};
use node::{Node, Outbox, Port, Reason, Station};
use runtime::Bits;
use runtime::tables::FieldMatch;
use wire::{Atp, Ethernet, Ipv4, Packet, Udp, atp, ether_type, protocol};

pub const SERVER: u32 = 0x0A00_0001;
pub const GROUP: u32 = 0xEFC0_0001;
const HEADERS: usize = 58;

/// What a test chooses of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    pub destination: u32,
    pub ip_ecn: u8,
    pub time_to_live: u8,
    pub bitmaps: [u32; 2],
    pub fan_in: [u8; 2],
    pub flags: u16,
    pub job: u8,
    pub sequence: u32,
    pub aggregator: u16,
    pub values: Vec<i32>,
}

/// A gradient packet of worker `bit` of `of` below one switch, for aggregator 3; all its values are `value`.
pub fn gradient(bit: u32, of: u8, value: i32) -> Fields {
    Fields {
        destination: SERVER,
        ip_ecn: 2,
        time_to_live: 64,
        bitmaps: [1 << bit, 1],
        fan_in: [of, 2],
        flags: 0,
        job: 7,
        sequence: 1000,
        aggregator: 3,
        values: vec![value; atp::VALUES],
    }
}

/// The parameter packet of the fragment of [`gradient`].
pub fn parameter() -> Fields {
    Fields { destination: GROUP, flags: atp::flag::ACK, ..gradient(0, 2, 0) }
}

impl Fields {
    pub fn flags(self, flags: u16) -> Self {
        Self { flags: self.flags | flags, ..self }
    }

    /// The packet as the second edge switch gets it from the first edge switch `bit`.
    pub fn behind_switch(self, bit: u32) -> Self {
        let bitmaps = [self.bitmaps[0], 1 << bit];
        Self { bitmaps, ..self }.flags(atp::flag::SECOND_EDGE)
    }

    pub fn packet(&self) -> Packet {
        let mut bytes = vec![0; HEADERS];
        bytes.extend(self.values.iter().flat_map(|value| value.to_be_bytes()));
        let length = bytes.len() as u16;
        Ethernet::new(&mut bytes[..]).unwrap().set_ether_type(ether_type::IPV4);
        let mut ip = Ipv4::new(&mut bytes[14..]).unwrap();
        ip.set_version_and_length(0x45);
        ip.set_traffic_class(self.ip_ecn);
        ip.set_total_length(length - 14);
        ip.set_time_to_live(self.time_to_live);
        ip.set_protocol(protocol::UDP);
        ip.set_destination_bits(self.destination);
        ip.fill_checksum();
        let mut udp = Udp::new(&mut bytes[34..]).unwrap();
        udp.set_destination_port(atp::PORT);
        udp.set_length(length - 34);
        let mut header = Atp::new(&mut bytes[42..]).unwrap();
        header.set_bitmap0(self.bitmaps[0]);
        header.set_bitmap1(self.bitmaps[1]);
        header.set_degrees_and_flags(self.flags);
        header.set_fan_in(self.fan_in);
        header.set_job_and_sequence(atp::job_and_sequence(self.job, self.sequence));
        header.set_aggregator(self.aggregator);
        Packet::of_bytes(&bytes)
    }

    fn of(packet: &Packet) -> Self {
        let mut bytes = Vec::new();
        packet.append_to(&mut bytes);
        let ip = Ipv4::new(&bytes[14..]).unwrap();
        assert_eq!(ip.is_checksum_right(), Some(true));
        let header = Atp::new(&bytes[42..]).unwrap();
        let values = bytes[HEADERS..].as_chunks().0;
        Self {
            destination: ip.destination_bits(),
            ip_ecn: ip.ecn(),
            // As it was before the switch.
            time_to_live: ip.time_to_live() + 1,
            bitmaps: [header.bitmap0(), header.bitmap1()],
            fan_in: [header.fan_in0(), header.fan_in1()],
            flags: header.degrees_and_flags() & 63,
            job: header.job(),
            sequence: header.sequence(),
            aggregator: header.aggregator(),
            values: values.iter().map(|value| i32::from_be_bytes(*value)).collect(),
        }
    }
}

/// What became of a packet.
#[derive(Debug, PartialEq)]
pub enum Seen {
    /// What was sent, by port.
    Sent(Vec<(u16, Fields)>),
    Discarded(Reason),
}

/// A switch with four ports: the server is behind port 0, and the group is on ports 1 and 2.
pub struct Switch {
    pub device: Aggregator<AtpSwitch>,
    pub now: Instant,
    pub received: u64,
    sent: u64,
    discarded: u64,
}

impl Switch {
    pub fn new(parameters: AtpSwitchParameters) -> Self {
        Self::at_level(0, parameters)
    }

    /// A switch that serves jobs 7 and 8 at a level.
    pub fn at_level(level: u32, parameters: AtpSwitchParameters) -> Self {
        let mut device = Aggregator::new(AtpSwitch::new(parameters), 4);
        let info = device.info().clone();
        let group = MulticastGroup::from(vec![Replica { port: 1, instance: 0 }, Replica { port: 2, instance: 0 }]);
        let job = |job| insert(&info, "jobs", FieldMatch::Exact(number(job)), ("aggregate", level));
        for request in [
            insert(&info, "ipv4", FieldMatch::Prefix { value: number(SERVER), length: 32 }, ("route", 0)),
            insert(&info, "groups", FieldMatch::Exact(number(GROUP)), ("multicast", 9)),
            Request::MulticastGroup(9, ReplicationRequest::Insert(group)),
            job(7),
            job(8),
        ] {
            device.execute(&request).unwrap();
        }
        Self { device, now: Instant::ZERO, received: 0, sent: 0, discarded: 0 }
    }

    /// Sets the age, in microseconds, from which on any parameter packet frees an aggregator.
    pub fn with_age(mut self, microseconds: u64) -> Self {
        let info = self.device.info().clone();
        let age = number((microseconds * 1000 / 1024) as u32);
        let table = info.table_named("ageing").unwrap();
        let action = ActionCall { action: info.action_named(table, "set_age").unwrap(), data: vec![age] };
        let request = TableRequest::set_default(Target::Action(action));
        self.device.execute(&Request::Table(table, request)).unwrap();
        self
    }

    pub fn take(&mut self, fields: &Fields) -> Seen {
        self.take_packet(fields.packet())
    }

    pub fn take_packet(&mut self, packet: Packet) -> Seen {
        let mut out = Outbox::default();
        out.begin(self.now);
        self.device.receive(self.now, Port(1), &mut vec![packet], &mut out);
        self.received += 1;
        self.sent += out.transmissions.len() as u64;
        self.discarded += out.discarded.len() as u64;
        let account = self.device.account();
        let made = account.replicated + account.generated;
        assert_eq!(self.received + made, self.sent + self.discarded + account.held, "packets are conserved");
        match out.discarded.first() {
            Some(discarded) => Seen::Discarded(discarded.reason),
            None => Seen::Sent(out.transmissions.iter().map(|sent| (sent.port.0, Fields::of(&sent.packet))).collect()),
        }
    }

    /// The packet that goes to the server, which nothing else may come out beside.
    pub fn forwarded(&mut self, fields: &Fields) -> Fields {
        match self.take(fields) {
            Seen::Sent(mut sent) if sent.len() == 1 && sent[0].0 == 0 => sent.remove(0).1,
            seen => panic!("{fields:?} became {seen:?}"),
        }
    }

    /// The value of a register at aggregator 3.
    pub fn register(&self, name: &str) -> u64 {
        let mut value = None;
        assert!(self.device.register(name, 3..4, &mut |told| value = Some(told.value)), "there is a register {name}");
        value.unwrap()
    }

    pub fn counter(&self, name: &str) -> u64 {
        let mut value = None;
        self.device.counters(&mut |counter| {
            if counter.name == name {
                value = Some(counter.value);
            }
        });
        value.unwrap()
    }
}

fn number(value: u32) -> Bits {
    Bits::Narrow(value.into())
}

/// The request for an entry with an action of one parameter.
fn insert(info: &Info, table: &str, key: FieldMatch, (action, data): (&str, u32)) -> Request {
    let table = info.table_named(table).unwrap();
    let action = ActionCall { action: info.action_named(table, action).unwrap(), data: vec![number(data)] };
    Request::Table(table, TableRequest::insert(vec![key], None, Target::Action(action)))
}

impl Switch {
    /// Counts what another switch has sent and discarded, whose state this one has taken over.
    pub fn adopt(&mut self, other: &Self) {
        (self.received, self.sent, self.discarded) = (other.received, other.sent, other.discarded);
    }
}
