//! An artificial program, as the control plane sees it, and its state.
#![allow(dead_code, reason = "each test uses its part")]

use std::sync::Arc;

use basis::Instant;
use control::*;
use runtime::meter::MeterUnit;
use runtime::profile::ProfileLimits;
use runtime::tables::{FieldMatch, KeyField, MatchKind, TableEntry, Target as StoredTarget};
use runtime::{Bits, CounterArray, FilterArray, MeterArray, ProgramState, RegisterFile, TableState, WredArray};

pub const LPM: TableNumber = TableNumber(0);
pub const ACL: TableNumber = TableNumber(1);
pub const FIXED: TableNumber = TableNumber(2);
pub const ECMP: TableNumber = TableNumber(3);
pub const L2_MAC: TableNumber = TableNumber(4);
pub const STACK: TableNumber = TableNumber(6);
pub const DROP: ActionNumber = ActionNumber(1);
pub const FORWARD: ActionNumber = ActionNumber(2);
pub const MARK: ActionNumber = ActionNumber(3);

pub fn table(name: &str, fields: Vec<MatchField>, actions: Vec<ActionReference>) -> Table {
    Table {
        identity: Identity::new(name),
        fields,
        default: DefaultAction { action: actions.len() as u32 - 1, data: vec![] },
        actions,
        is_default_constant: false,
        size: Some(1024),
        is_constant: false,
        initial_entries: vec![],
        profile: None,
        counter: None,
        meter: None,
        has_idle_timeout: false,
    }
}

fn action(name: &str, parameters: &[(&str, u32)]) -> Action {
    let parameters = parameters.iter().map(|(name, width)| Parameter::new(*name, *width)).collect();
    Action { identity: Identity::new(name), parameters }
}

fn runs(action: u32, scope: Scope) -> ActionReference {
    let annotations = if scope == Scope::Default { vec!["@defaultonly".into()] } else { vec![] };
    ActionReference { scope, annotations, ..ActionReference::new(ActionNumber(action)) }
}

fn tables() -> Vec<Table> {
    use MatchKind as K;
    use Scope as S;
    let field = |name: &str, width, kind| MatchField::new(name, width, kind);
    let both = S::EntriesAndDefault;
    vec![
        Table {
            size: Some(3),
            counter: Some(CounterNumber(0)),
            ..table(
                "ingress.ipv4_lpm",
                vec![field("hdr.ipv4.dstAddr", 32, K::Lpm)],
                vec![runs(2, both), runs(1, both), runs(0, S::Default)],
            )
        },
        table(
            "ingress.acl",
            vec![
                field("hdr.ipv4.srcAddr", 32, K::Ternary),
                field("meta.port", 16, K::Range),
                field("hdr.tcp.isValid()", 1, K::Exact),
                field("meta.tag", 12, K::Optional),
            ],
            vec![runs(3, S::Entries), runs(1, both), runs(0, S::Default)],
        ),
        Table {
            is_constant: true,
            is_default_constant: true,
            initial_entries: vec![TableEntry {
                key: vec![FieldMatch::Exact(Bits::from_u64(0, 8))],
                priority: 0,
                target: StoredTarget::Action { action: 0, data: vec![] },
                is_constant: true,
            }],
            ..table("ingress.fixed", vec![field("meta.kind", 8, K::Exact)], vec![runs(1, both), runs(0, both)])
        },
        Table {
            profile: Some(ProfileNumber(0)),
            ..table("egress.ecmp", vec![field("meta.hop", 16, K::Exact)], vec![runs(2, both), runs(0, both)])
        },
        table("ingress.l2.mac", vec![field("hdr.ethernet.dst", 48, K::Exact)], vec![runs(2, both), runs(0, both)]),
        Table {
            meter: Some(MeterNumber(1)),
            ..table("egress.l2.mac", vec![field("hdr.ethernet.src", 48, K::Exact)], vec![runs(1, both), runs(0, both)])
        },
        Table {
            size: None,
            default: DefaultAction { action: 0, data: vec![Bits::from_u64(0x105, 9), Bits::from_u64(0, 48)] },
            ..table(
                "ingress.stack",
                vec![field("hdr.extra[0].h", 16, K::Exact), field("meta.wide", 128, K::Exact)],
                vec![runs(2, both), runs(1, both)],
            )
        },
        table("ingress.keyless", vec![], vec![runs(1, both), runs(0, both)]),
    ]
}

pub fn info() -> Info {
    let member = |name: &str, width| Member { name: name.to_owned(), data_type: DataType::Bits(width) };
    let flow = vec![member("count", 32), member("wide", 100)];
    let learned = vec![member("address", 48), Member { name: "known".to_owned(), data_type: DataType::Boolean }];
    let mut info = Info {
        architecture: Some(&arch::V1MODEL),
        tables: tables(),
        actions: vec![
            Action {
                identity: Identity::new("NoAction").with_annotations(vec!["@noWarn(\"unused\")".into()]),
                ..action("", &[])
            },
            action("ingress.drop", &[]),
            action("ingress.forward", &[("port", 9), ("dstAddr", 48)]),
            action("ingress.mark", &[("tag", 12)]),
        ],
        profiles: vec![
            Profile {
                identity: Identity::new("egress.hops"),
                size: 3,
                selector: Some(Selector { maximum_group_size: 2, ..Selector::default() }),
            },
            Profile { identity: Identity::new("egress.unused"), size: 1, selector: None },
        ],
        counters: vec![
            Counter { identity: Identity::new("ingress.hits"), unit: CounterUnit::Packets, size: Size::Entries(LPM) },
            Counter {
                identity: Identity::new("ingress.ports"),
                unit: CounterUnit::PacketsAndBytes,
                size: Size::Array(4),
            },
        ],
        meters: vec![
            Meter { identity: Identity::new("ingress.police"), unit: MeterUnit::Bytes, size: Size::Array(2) },
            Meter {
                identity: Identity::new("egress.shape"),
                unit: MeterUnit::Packets,
                size: Size::Entries(TableNumber(5)),
            },
        ],
        registers: vec![
            Register {
                identity: Identity::new("ingress.seen"),
                data_type: DataType::Bits(48),
                size: 4,
                arrays: vec![0],
            },
            Register {
                identity: Identity::new("ingress.flows").with_id(0x77),
                data_type: DataType::Structure { name: "flow_t".to_owned(), members: flow },
                size: 2,
                arrays: vec![1, 2],
            },
        ],
        digests: vec![Digest {
            identity: Identity::new("learn_t"),
            data_type: DataType::Structure { name: "learn_t".to_owned(), members: learned },
        }],
        value_sets: vec![ValueSet {
            identity: Identity::new("parser.types"),
            fields: vec![MatchField::new("", 16, MatchKind::Exact)],
            size: 2,
        }],
        package: Package {
            name: "example".to_owned(),
            version: "3".to_owned(),
            documentation: Documentation { brief: "Made up.".to_owned(), description: String::new() },
            ..Package::default()
        },
        controller_headers: vec![ControllerHeader {
            identity: Identity::new("packet_in"),
            type_name: "packet_in_header_t".to_owned(),
            fields: vec![
                Parameter { type_name: Some("port_t".to_owned()), ..Parameter::new("ingress_port", 9) },
                Parameter { annotations: vec!["@padding".into()], ..Parameter::new("_pad", 7) },
            ],
            places: vec![0, 9],
            width: 16,
        }],
        new_types: vec![
            NewType {
                name: "port_t".to_owned(),
                representation: Representation::Translated {
                    uri: "example.org/port".to_owned(),
                    controller: ControllerType::Bits(32),
                },
                annotations: vec![],
            },
            NewType {
                name: "tag_t".to_owned(),
                representation: Representation::Original(DataType::Bits(12)),
                annotations: vec![],
            },
        ],
        replication: ReplicationWidths { port: 9, instance: 16, group: 16, class_of_service: 3 },
        ..Info::default()
    };
    info.actions[FORWARD.index()].parameters[0].type_name = Some("port_t".to_owned());
    info.actions[MARK.index()].parameters[0].type_name = Some("tag_t".to_owned());
    info.tables[ACL.index()].fields[3].type_name = Some("tag_t".to_owned());
    info.tables[ACL.index()].has_idle_timeout = true;
    info.identify().unwrap();
    info
}

/// Returns the initial state of a program.
pub fn state(info: &Info) -> ProgramState {
    let mut registers = RegisterFile::default();
    for register in &info.registers {
        for leaf in register.data_type.leaves() {
            registers.push(leaf.width, vec![Bits::zero(leaf.width); register.size as usize]);
        }
    }
    // Direct ones are stored with their tables; here they only keep their numbers.
    let length = |size: Size| if let Size::Array(length) = size { length as usize } else { 0 };
    let limits = |it: &Profile| ProfileLimits { members: Some(it.size), ..ProfileLimits::default() };
    ProgramState {
        registers,
        counters: info.counters.iter().map(|it| CounterArray::new(length(it.size))).collect(),
        meters: info.meters.iter().map(|it| MeterArray::new(length(it.size), it.unit)).collect(),
        filters: info.filters.iter().map(|it| FilterArray::new(it.size as usize)).collect(),
        wreds: info.wreds.iter().map(|it| WredArray::new(it.size as usize)).collect(),
        tables: info.tables.iter().map(table_state).collect(),
        profiles: info.profiles.iter().map(|it| runtime::Profile::new(limits(it))).collect(),
        value_sets: vec![vec![]; info.value_sets.len()],
        ..ProgramState::default()
    }
}

fn table_state(about: &Table) -> TableState {
    let fields = about.fields.iter().map(|field| KeyField { kind: field.kind, width: field.width }).collect();
    let default = StoredTarget::Action { action: about.default.action, data: about.default.data.clone() };
    let table = TableState::new(fields, about.size, default);
    let table = if about.counter.is_some() { table.with_counters() } else { table };
    let table = if about.has_idle_timeout { table.with_ages() } else { table };
    let mut table = if about.meter.is_some() { table.with_meters(MeterUnit::Packets) } else { table };
    for entry in &about.initial_entries {
        table.insert(entry.clone()).unwrap();
    }
    table
}

/// The program, its state, and the control plane that executes requests.
pub struct Bench {
    pub plane: Plane,
    pub state: ProgramState,
    pub replication: Replication,
    pub digests: DigestQueue,
    pub now: Instant,
}

impl Bench {
    pub fn new() -> Self {
        Self::of(info())
    }

    pub fn of(info: Info) -> Self {
        let (state, digests) = (state(&info), DigestQueue::new(&info, 2));
        Self { plane: Plane::new(Arc::new(info)), state, replication: Replication::new(), digests, now: Instant::ZERO }
    }

    pub fn execute(&mut self, request: Request) -> Result<Response, Error> {
        let (state, replication, digests) = (&mut self.state, &mut self.replication, &mut self.digests);
        self.plane
            .execute(&request, &mut Device { states: std::slice::from_mut(state), replication, digests, now: self.now })
    }

    pub fn execute_together(&mut self, requests: &[Request]) -> Result<Vec<Response>, RefusedRequest> {
        let (state, replication, digests) = (&mut self.state, &mut self.replication, &mut self.digests);
        self.plane.execute_together(
            requests,
            &mut Device { states: std::slice::from_mut(state), replication, digests, now: self.now },
        )
    }

    /// Executes a request that must succeed.
    pub fn done(&mut self, request: Request) -> Response {
        self.execute(request.clone()).unwrap_or_else(|error| panic!("{request:?}: {error}"))
    }

    /// Executes a request that must be refused, and returns the error. The state must not change.
    pub fn refused(&mut self, request: Request) -> String {
        let before = (format!("{:?}", self.state), self.replication.clone());
        let error = self.execute(request.clone()).expect_err(&format!("{request:?}"));
        assert!(before == (format!("{:?}", self.state), self.replication.clone()), "{request:?} changed something");
        error.to_string()
    }
}

pub fn bits(value: u64) -> Bits {
    Bits::from_u64(value, 64)
}

/// Returns a call of an action.
pub fn call(action: ActionNumber, data: &[u64]) -> ActionCall {
    ActionCall { action, data: data.iter().map(|value| bits(*value)).collect() }
}

pub fn run(action: ActionNumber, data: &[u64]) -> Target {
    Target::Action(call(action, data))
}
