//! A switch in process with a server's half of P4Runtime, and the short ways in which the tests ask it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

use control::{DigestNumber, Info, RefusedRequest, Request, Response};
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::v1model::{self, V1modelParameters};
use p4runtime::message::google::rpc::{Code, Status};
use p4runtime::message::p4::v1;
use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::update::Type;
use p4runtime::message::p4::v1::write_request::Atomicity;
use p4runtime::message::p4::v1::{Entity, ReadResponse, Update, digest_entry};
use p4runtime::{Everything, Switch, Translator, Unavailable, read};

pub struct Bench {
    pub translator: Translator,
    pub device: InProcess,
}

/// A device, and how its digests are delivered.
pub struct InProcess {
    pub switch: v1model::Switch<PacketInterpreter>,
    pub digests: BTreeMap<DigestNumber, digest_entry::Config>,
    /// The most entries, or results of requests, that it has returned at once.
    pub longest_turn: usize,
    /// The number of its ports.
    pub ports: u32,
    /// Whether it carries out nothing more.
    pub has_ended: bool,
}

impl InProcess {
    fn check(&self) -> Result<(), Unavailable> {
        if self.has_ended { Err(Unavailable("the switch has ended".to_owned())) } else { Ok(()) }
    }
}

impl Switch for InProcess {
    fn execute_each(&mut self, requests: Vec<Request>) -> Result<Vec<Result<Response, control::Error>>, Unavailable> {
        self.check()?;
        let responses: Vec<_> = requests.iter().map(|request| self.switch.execute(request)).collect();
        let length = |response: &Result<Response, control::Error>| match response {
            Ok(Response::Entries(entries)) => entries.len(),
            Ok(Response::Counters(counts)) => counts.len(),
            Ok(Response::Meters(rates)) => rates.len(),
            Ok(Response::Registers(cells)) => cells.len(),
            _ => 1,
        };
        self.longest_turn = self.longest_turn.max(responses.iter().map(length).sum());
        Ok(responses)
    }

    fn execute_together(
        &mut self,
        requests: Vec<Request>,
    ) -> Result<Result<Vec<Response>, RefusedRequest>, Unavailable> {
        self.check()?;
        Ok(self.switch.execute_together(&requests))
    }

    fn has_port(&self, port: u32) -> bool {
        port < self.ports
    }

    fn digest_config(&self, digest: DigestNumber) -> Option<digest_entry::Config> {
        self.digests.get(&digest).cloned()
    }

    fn set_digest_config(&mut self, digest: DigestNumber, config: Option<digest_entry::Config>) {
        match config {
            Some(config) => _ = self.digests.insert(digest, config),
            None => _ = self.digests.remove(&digest),
        }
    }
}

/// A program and what the control plane knows of it.
pub type Compiled = (Arc<ir::Program>, Arc<Info>);

/// Compiles a P4 program.
fn compile(name: &str, text: &str) -> Compiled {
    let mut sources = diagnostics::Sources::new();
    let main = sources.add(name, text);
    let read = p4::preprocess(&mut sources, main, &p4::Disk, &p4::Options::default());
    let (tree, mut found) = p4::parse(&read.tokens);
    found.extend(read.diagnostics);
    assert!(!found.has_errors(), "{}", found.render(&sources, false));
    let (checked, found) = p4::check(&tree);
    assert!(!found.has_errors(), "{}", found.render(&sources, false));
    let lowered = p4::lower(&tree, checked).unwrap_or_else(|found| panic!("{}", found.render(&sources, false)));
    (Arc::new(lowered.program), Arc::new(lowered.info))
}

/// Returns `everything.p4`, compiled.
pub fn everything() -> Compiled {
    static PROGRAM: LazyLock<Compiled> = LazyLock::new(|| compile("everything.p4", include_str!("everything.p4")));
    PROGRAM.clone()
}

impl Bench {
    /// Creates a switch that runs `everything.p4`.
    pub fn new() -> Self {
        Self::of(everything())
    }

    /// Creates a switch that runs `everything.p4` with larger arrays.
    pub fn with_large_arrays() -> Self {
        let text = include_str!("everything.p4").replace("counter(16,", "counter(1000,");
        let text = text.replace("meter(8,", "meter(1000,").replace("register<bit<72>>(4)", "register<bit<72>>(1000)");
        Self::of(compile("everything.p4", &text))
    }

    fn of((program, info): Compiled) -> Self {
        let executor = PacketInterpreter::new(program);
        let switch = v1model::Switch::new(executor, Arc::clone(&info), V1modelParameters::default()).expect("it fits");
        let device = InProcess { switch, digests: BTreeMap::new(), longest_turn: 0, ports: 511, has_ended: false };
        Self { translator: Translator::new(info, None), device }
    }

    pub fn info(&self) -> &Info {
        self.translator.info()
    }

    /// Writes a batch.
    pub fn write(&mut self, updates: &[Update], atomicity: Atomicity) -> Result<(), Status> {
        p4runtime::write(&self.translator, &mut self.device, &Everything, updates, atomicity.into())
    }

    /// Writes one update, and returns the code of the error inside of the status.
    pub fn update(&mut self, kind: Type, entity: Kind) -> Result<(), Code> {
        let update = update(kind, entity);
        let Err(status) = self.write(&[update], Atomicity::ContinueOnError) else { return Ok(()) };
        assert_eq!(status.code, i32::from(Code::Unknown));
        let [error] = &errors(&status)[..] else { panic!("{status:?}") };
        assert!(!error.message.is_empty());
        Err(Code::try_from(error.canonical_code).expect("a code"))
    }

    pub fn insert(&mut self, entity: Kind) -> Result<(), Code> {
        self.update(Type::Insert, entity)
    }

    pub fn modify(&mut self, entity: Kind) -> Result<(), Code> {
        self.update(Type::Modify, entity)
    }

    pub fn delete(&mut self, entity: Kind) -> Result<(), Code> {
        self.update(Type::Delete, entity)
    }

    /// Reads what several requests select, in messages.
    pub fn messages(&mut self, requests: &[Entity]) -> (Vec<ReadResponse>, Result<(), Status>) {
        let answer =
            read::read(&self.translator, &mut self.device, &Everything, requests).expect("the switch is there");
        let mut messages = Vec::new();
        let result = answer.send(&self.translator, &mut |message| {
            messages.push(message);
            ControlFlow::Continue(())
        });
        (messages, result)
    }

    /// Reads what one request selects, or returns the code of the error inside of the status.
    pub fn read(&mut self, request: Kind) -> Result<Vec<Kind>, Code> {
        let (messages, result) = self.messages(&[Entity { entity: Some(request) }]);
        let entities = messages.into_iter().flat_map(|message| message.entities);
        let entities = entities.map(|entity| entity.entity.expect("an entity")).collect();
        match result {
            Ok(()) => Ok(entities),
            Err(status) => Err(Code::try_from(errors(&status)[0].canonical_code).expect("a code")),
        }
    }

    /// Reads the table entries with the key and the details of this one.
    pub fn entries(&mut self, entry: &v1::TableEntry) -> Result<Vec<v1::TableEntry>, Code> {
        let asked = v1::TableEntry { action: None, metadata: vec![], controller_metadata: 0, ..entry.clone() };
        let entry = |kind| if let Kind::TableEntry(entry) = kind { entry } else { panic!("{kind:?}") };
        Ok(self.read(Kind::TableEntry(asked))?.into_iter().map(entry).collect())
    }

    /// Reads the whole state.
    pub fn everything(&mut self) -> Vec<Kind> {
        let asked = [
            Kind::TableEntry(v1::TableEntry::default()),
            Kind::TableEntry(v1::TableEntry { is_default_action: true, ..Default::default() }),
            Kind::ActionProfileMember(Default::default()),
            Kind::ActionProfileGroup(Default::default()),
            Kind::CounterEntry(Default::default()),
            Kind::DirectCounterEntry(Default::default()),
            Kind::MeterEntry(Default::default()),
            Kind::DirectMeterEntry(Default::default()),
            Kind::RegisterEntry(Default::default()),
            Kind::ValueSetEntry(Default::default()),
            Kind::DigestEntry(Default::default()),
            replication(v1::packet_replication_engine_entry::Type::MulticastGroupEntry(Default::default())),
            replication(v1::packet_replication_engine_entry::Type::CloneSessionEntry(Default::default())),
        ];
        asked.into_iter().flat_map(|request| self.read(request).expect("the whole state can be read")).collect()
    }

    pub fn table(&self, name: &str) -> u32 {
        self.info().table(self.info().table_named(name).unwrap()).identity.id
    }

    pub fn action(&self, name: &str) -> u32 {
        let named = |own: &&control::Action| own.identity.name.ends_with(name);
        self.info().actions.iter().find(named).expect("the action is there").identity.id
    }

    pub fn profile(&self, name: &str) -> u32 {
        self.info().profile(self.info().profile_named(name).unwrap()).identity.id
    }

    /// Returns an action with arguments for its parameters, in order.
    pub fn call(&self, name: &str, arguments: &[&[u8]]) -> v1::Action {
        let params =
            (1..).zip(arguments).map(|(param_id, value)| v1::action::Param { param_id, value: value.to_vec() });
        v1::Action { action_id: self.action(name), params: params.collect() }
    }

    /// Returns a table entry that runs an action.
    pub fn entry(&self, table: &str, key: Vec<v1::FieldMatch>, action: v1::Action) -> v1::TableEntry {
        let action = v1::TableAction { r#type: Some(v1::table_action::Type::Action(action)) };
        v1::TableEntry { table_id: self.table(table), r#match: key, action: Some(action), ..Default::default() }
    }
}

pub fn update(kind: Type, entity: Kind) -> Update {
    Update { r#type: kind.into(), entity: Some(Entity { entity: Some(entity) }) }
}

pub fn replication(kind: v1::packet_replication_engine_entry::Type) -> Kind {
    Kind::PacketReplicationEngineEntry(v1::PacketReplicationEngineEntry { r#type: Some(kind) })
}

/// Returns the errors inside of a status.
pub fn errors(status: &Status) -> Vec<v1::Error> {
    status.details.iter().map(|any| any.unpack().expect("an error").expect("an error")).collect()
}

fn field(field_id: u32, kind: v1::field_match::FieldMatchType) -> v1::FieldMatch {
    v1::FieldMatch { field_id, field_match_type: Some(kind) }
}

pub fn exact(id: u32, value: &[u8]) -> v1::FieldMatch {
    field(id, v1::field_match::FieldMatchType::Exact(v1::field_match::Exact { value: value.to_vec() }))
}

pub fn lpm(id: u32, value: &[u8], prefix_len: i32) -> v1::FieldMatch {
    field(id, v1::field_match::FieldMatchType::Lpm(v1::field_match::Lpm { value: value.to_vec(), prefix_len }))
}

pub fn ternary(id: u32, value: &[u8], mask: &[u8]) -> v1::FieldMatch {
    let kind = v1::field_match::Ternary { value: value.to_vec(), mask: mask.to_vec() };
    field(id, v1::field_match::FieldMatchType::Ternary(kind))
}

pub fn range(id: u32, low: &[u8], high: &[u8]) -> v1::FieldMatch {
    let kind = v1::field_match::Range { low: low.to_vec(), high: high.to_vec() };
    field(id, v1::field_match::FieldMatchType::Range(kind))
}

pub fn optional(id: u32, value: &[u8]) -> v1::FieldMatch {
    field(id, v1::field_match::FieldMatchType::Optional(v1::field_match::Optional { value: value.to_vec() }))
}
