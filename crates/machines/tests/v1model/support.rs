//! A small program with placeholders for ingress and egress, and a switch that runs it.

use std::sync::Arc;

use basis::Instant;
use control::{ActionReference, CloneSession, DataType, Identity, Info, Member, Replica, ReplicationRequest, Request};
use ir::interpret::PacketInterpreter;
use machines::blocks::Digest;
use machines::v1model::{Switch, V1modelParameters};
use machines::{Device, Unsuitable};
use measure::{Event, Interest};
use node::{Node, Outbox, Port, Reason};
use wire::Packet;

/// The program except for the bodies of ingress and egress. The header has three bytes; `meta.kept` is in field list 1.
const PROGRAM: &str = "program test

header hdr.h {
  hdr.h.$valid: bool
  hdr.h.a: bit<8>
  hdr.h.b: bit<8>
  hdr.h.c: bit<8>
}
header hdr.more {
  hdr.more.$valid: bool
  hdr.more.word: bit<16>
}
local meta.kept: bit<8>
local meta.lost: bit<8>
local meta.color: bit<2>
local standard_metadata.ingress_port: bit<9>
local standard_metadata.egress_spec: bit<9>
local standard_metadata.egress_port: bit<9>
local standard_metadata.instance_type: bit<32>
local standard_metadata.packet_length: bit<32>
local standard_metadata.enq_timestamp: bit<32>
local standard_metadata.enq_qdepth: bit<19>
local standard_metadata.deq_timedelta: bit<32>
local standard_metadata.deq_qdepth: bit<19>
local standard_metadata.ingress_global_timestamp: bit<48>
local standard_metadata.egress_global_timestamp: bit<48>
local standard_metadata.mcast_grp: bit<16>
local standard_metadata.egress_rid: bit<16>
local standard_metadata.parser_error: bit<32>
local standard_metadata.priority: bit<3>
local ingress.forward.port: bit<9>
register seen: bit<48>[16] = fill 0

errors NoError, PacketTooShort, NoMatch, StackOutOfBounds, HeaderTooShort, ParserTimeout, ParserInvalidArgument
counter counted: packets_and_bytes size 4
meter measured: packets size 4
digest message(first: bit<8>, second: bit<16>)
field_list 1: meta.kept

parser parser {
  state start {
    extract hdr.h
    transition accept
  }
}

action ingress.forward(ingress.forward.port) {
  standard_metadata.egress_spec = ingress.forward.port
}

action ingress.drop() {
  standard_metadata.egress_spec = 511u9
  standard_metadata.mcast_grp = 0u16
}

table ingress.routes {
  key hdr.h.a: exact
  action ingress.forward
  action ingress.drop
  default ingress.drop()
}

control ingress {
INGRESS
}

control egress {
EGRESS
}

control deparser {
  emit hdr.more
  emit hdr.h
}

entrance parser = parser parser
entrance ingress = function ingress
entrance egress = function egress
entrance deparser = function deparser
";

const INTRINSICS: [&str; 15] = [
    "ingress_port",
    "egress_spec",
    "egress_port",
    "instance_type",
    "packet_length",
    "enq_timestamp",
    "enq_qdepth",
    "deq_timedelta",
    "deq_qdepth",
    "ingress_global_timestamp",
    "egress_global_timestamp",
    "mcast_grp",
    "egress_rid",
    "parser_error",
    "priority",
];

/// Returns the text of the program with the given bodies.
pub fn text(ingress: &str, egress: &str) -> String {
    let intrinsics = INTRINSICS.map(|name| format!("intrinsic {name} = standard_metadata.{name}\n")).concat();
    PROGRAM.replace("INGRESS", ingress).replace("EGRESS", egress) + &intrinsics
}

/// Parses and verifies a program.
pub fn program(text: &str) -> ir::Program {
    let program = ir::parse::program("test.ir", text).unwrap_or_else(|failure| panic!("{failure}"));
    ir::verify::program(&program).unwrap_or_else(|found| panic!("{}", found.join("\n")));
    program
}

/// A switch with its outbox.
pub struct Bench {
    pub switch: Switch<PacketInterpreter>,
    out: Outbox,
    arrived: u64,
}

/// What became of one packet and the packets made from it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The port and bytes of each transmitted packet, in order.
    pub sent: Vec<(u16, Vec<u8>)>,
    pub discarded: Vec<Reason>,
    pub events: Vec<Event>,
}

/// Builds a switch that runs the program with the given bodies.
pub fn bench(ingress: &str, egress: &str) -> Bench {
    bench_with(ingress, egress, V1modelParameters::default())
}

pub fn bench_with(ingress: &str, egress: &str, parameters: V1modelParameters) -> Bench {
    Bench::new(switch(&text(ingress, egress), parameters).unwrap())
}

/// Builds a switch that runs the program of a text.
pub fn bench_of(text: &str) -> Bench {
    Bench::new(switch(text, V1modelParameters::default()).unwrap())
}

pub fn switch(text: &str, parameters: V1modelParameters) -> Result<Switch<PacketInterpreter>, Unsuitable> {
    let program = program(text);
    let info = Arc::new(info(&program));
    Switch::new(PacketInterpreter::new(Arc::new(program)), info, parameters)
}

/// Returns why no switch can run the program with the given bodies.
pub fn refusal(ingress: &str, egress: &str, parameters: V1modelParameters) -> String {
    refusal_of(&text(ingress, egress), parameters)
}

/// Returns why no switch can run the program of a text.
pub fn refusal_of(text: &str, parameters: V1modelParameters) -> String {
    switch(text, parameters).err().expect("the switch refuses it").to_string()
}

impl Bench {
    pub fn new(switch: Switch<PacketInterpreter>) -> Self {
        Self { switch, out: Outbox::new(Interest::of::<Digest>()), arrived: 0 }
    }

    /// Sends a packet with these bytes to port 1, one microsecond after the previous one.
    pub fn packet(&mut self, bytes: &[u8]) -> Outcome {
        self.receive(1, Packet::of_bytes(bytes))
    }

    pub fn receive(&mut self, port: u16, packet: Packet) -> Outcome {
        self.receive_at(Instant::from_microseconds(self.arrived + 1), port, packet)
    }

    pub fn receive_at(&mut self, now: Instant, port: u16, mut packet: Packet) -> Outcome {
        packet.sidecar.id = self.arrived;
        packet.sidecar.arrival = now;
        self.arrived += 1;
        self.out.begin(now);
        self.switch.receive(now, Port(port), &mut vec![packet], &mut self.out);
        assert_eq!(self.out.deadline(), None, "the switch takes no time");
        let outcome = Outcome {
            sent: self.out.transmissions.drain(..).map(|sent| (sent.port.0, bytes(&sent.packet))).collect(),
            discarded: self.out.discarded.drain(..).map(|discarded| discarded.reason).collect(),
            events: self.out.events.drain(..).collect(),
        };
        let statistics = self.switch.statistics();
        let ends = statistics.transmitted + statistics.discarded.total();
        assert_eq!(statistics.received + statistics.replicated, ends, "packets are conserved: {statistics:?}");
        outcome
    }

    pub fn control(&mut self, request: Request) -> control::Response {
        self.switch.execute(&request).unwrap()
    }

    pub fn group(&mut self, group: u32, replicas: &[(u32, u32)]) {
        self.control(Request::MulticastGroup(group, ReplicationRequest::Put(self::replicas(replicas).into())));
    }

    pub fn session(&mut self, session: u32, replicas: &[(u32, u32)]) {
        let session_made = CloneSession { replicas: self::replicas(replicas), ..CloneSession::default() };
        self.control(Request::CloneSession(session, ReplicationRequest::Put(session_made)));
    }
}

fn replicas(replicas: &[(u32, u32)]) -> Vec<Replica> {
    replicas.iter().map(|&(port, instance)| Replica { port, instance }).collect()
}

pub fn bytes(packet: &Packet) -> Vec<u8> {
    let tail = match &packet.tail {
        wire::Tail::Bytes(bytes) => bytes.to_vec(),
        wire::Tail::Length(length) => vec![0; *length as usize],
    };
    [packet.head.bytes(), &tail].concat()
}

/// Returns the control plane information that a front end would produce for a program.
pub fn info(program: &ir::Program) -> Info {
    let width = |variable| program.variable(variable).ty.width();
    let actions = program.functions.iter().map(|function| control::Action {
        identity: Identity::new(&function.name),
        parameters: function.parameters.iter().map(|&id| control::Parameter::new("it", width(id))).collect(),
    });
    let tables = program.tables.iter().map(|table| control::Table {
        identity: Identity::new(&table.name),
        fields: table
            .keys
            .iter()
            .map(|key| control::MatchField::new(&key.name, program.type_of(&key.value).width(), key.kind))
            .collect(),
        actions: table
            .actions
            .iter()
            .map(|action| ActionReference::new(control::ActionNumber(action.function.0)))
            .collect(),
        default: control::DefaultAction { action: 1, data: vec![] },
        is_default_constant: false,
        size: None,
        is_constant: false,
        initial_entries: vec![],
        profile: None,
        counter: None,
        meter: None,
        has_idle_timeout: false,
    });
    let counters = program.counters.iter().map(|counter| control::Counter {
        identity: Identity::new(&counter.name),
        unit: control::CounterUnit::PacketsAndBytes,
        size: control::Size::Array(counter.size.unwrap()),
    });
    let meters = program.meters.iter().map(|meter| control::Meter {
        identity: Identity::new(&meter.name),
        unit: meter.unit,
        size: control::Size::Array(meter.size.unwrap()),
    });
    let digests = program.digests.iter().map(|digest| control::Digest {
        identity: Identity::new(&digest.name),
        data_type: DataType::Structure {
            name: digest.name.clone(),
            members: digest
                .fields
                .iter()
                .map(|(name, ty)| Member { name: name.clone(), data_type: DataType::Bits(ty.width()) })
                .collect(),
        },
    });
    let registers = program.registers.iter().enumerate().map(|(at, register)| control::Register {
        identity: Identity::new(&register.name),
        data_type: DataType::Bits(register.ty.width()),
        size: register.size() as u32,
        arrays: vec![at as u32],
    });
    let filters = program.filters.iter();
    let filters = filters.map(|own| control::Filter { identity: Identity::new(&own.name), size: own.size });
    let wreds = program.wreds.iter();
    let wreds = wreds.map(|own| control::Wred { identity: Identity::new(&own.name), size: own.size });
    let mut info = Info {
        architecture: Some(&arch::V1MODEL),
        filters: filters.collect(),
        wreds: wreds.collect(),
        tables: tables.collect(),
        actions: actions.collect(),
        counters: counters.collect(),
        meters: meters.collect(),
        digests: digests.collect(),
        registers: registers.collect(),
        ..Info::default()
    };
    info.identify().unwrap();
    info
}
