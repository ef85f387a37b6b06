//! The first inputs of what reads messages of controllers and plans of labs.

use std::path::Path;

use crate::{Corpus, files, read};

/// Adds all of them.
pub fn add(project: &Path, corpus: &Corpus) {
    p4runtime(corpus);
    sessions(project, corpus);
    labs(project, corpus);
}

/// Messages with small ids, which stand for the entities of the fuzzer's program.
fn p4runtime(corpus: &Corpus) {
    use p4runtime::message::p4::v1::entity::Entity as Kind;
    use p4runtime::message::p4::v1::field_match::{Exact, FieldMatchType};
    use p4runtime::message::p4::v1::{self, Entity, ReadRequest, Update, WriteRequest};
    use prost::Message;

    let exact = |field_id, value: &[u8]| v1::FieldMatch {
        field_id,
        field_match_type: Some(FieldMatchType::Exact(Exact { value: value.to_vec() })),
    };
    let action = |action_id| v1::TableAction {
        r#type: Some(v1::table_action::Type::Action(v1::Action { action_id, params: vec![] })),
    };
    let entry = v1::TableEntry {
        table_id: 1,
        r#match: vec![exact(1, &[1]), exact(2, b"a")],
        action: Some(action(1)),
        ..v1::TableEntry::default()
    };
    let member = v1::ActionProfileMember {
        action_profile_id: 1,
        member_id: 7,
        action: Some(v1::Action { action_id: 1, params: vec![] }),
    };
    let kinds = [
        Kind::TableEntry(entry),
        Kind::ActionProfileMember(member),
        Kind::CounterEntry(v1::CounterEntry { counter_id: 1, ..Default::default() }),
        Kind::MeterEntry(v1::MeterEntry { meter_id: 1, ..Default::default() }),
        Kind::ValueSetEntry(v1::ValueSetEntry {
            value_set_id: 1,
            members: vec![v1::ValueSetMember { r#match: vec![exact(1, &[3])] }],
        }),
        Kind::DigestEntry(v1::DigestEntry { digest_id: 1, config: None }),
    ];
    for kind in kinds {
        let entity = Some(Entity { entity: Some(kind) });
        let updates = (1..=3).map(|r#type| Update { r#type, entity: entity.clone() }).collect();
        let write = WriteRequest { updates, ..WriteRequest::default() }.encode_to_vec();
        let read = ReadRequest { entities: entity.into_iter().collect(), ..ReadRequest::default() }.encode_to_vec();
        corpus.add("p4runtime", &[&write[..], &[0], &read, &[0], &write].concat());
    }
}

/// Messages of controllers, and configurations of devices.
fn sessions(project: &Path, corpus: &Corpus) {
    use fuzz::controllers::{DEVICE, claim, echo};
    use p4runtime::message::p4::v1::stream_message_request::Update as Asked;
    use p4runtime::message::p4::v1::{
        DigestListAck, MasterArbitrationUpdate, PacketMetadata, PacketOut, Role, StreamMessageRequest, Uint128,
    };
    use p4runtime::pipeline::DeviceConfig;
    use prost::Message;

    let metadata = vec![PacketMetadata { metadata_id: 1, value: vec![1, 0x23] }];
    let role = Some(Role { name: "filter".to_owned(), ..Role::default() });
    let election_id = Some(Uint128 { high: 0, low: 5 });
    let in_role = MasterArbitrationUpdate { device_id: DEVICE, role, election_id, ..Default::default() };
    let messages = [
        claim(1),
        StreamMessageRequest { update: Some(Asked::Packet(PacketOut { payload: vec![7, 0xAA], metadata })) },
        StreamMessageRequest { update: Some(Asked::Arbitration(in_role)) },
        StreamMessageRequest { update: Some(Asked::DigestAck(DigestListAck { digest_id: 1, list_id: 1 })) },
        claim(2),
    ];
    let mut all = Vec::new();
    for (number, message) in (0u8..).zip(&messages) {
        let one = [&[8 | number % 3][..], &message.encode_length_delimited_to_vec()].concat();
        corpus.add("p4runtime_stream", &one);
        all.extend_from_slice(&one);
        // Controllers vanish in between, and at the end.
        corpus.add("p4runtime_stream", &[&all[..], &[4 | number % 3], &one].concat());
    }
    corpus.add("p4runtime_stream", &all);
    let config = echo();
    let p4info = config.p4info.unwrap_or_default().encode_to_vec();
    let program = config.p4_device_config;
    let text = String::from_utf8_lossy(&program).into_owned();
    let wrapped = p4runtime::message::p4::tmp::P4DeviceConfig { device_data: program.clone(), ..Default::default() };
    let forms = [program, DeviceConfig::new("echo.p4", text).to_json().into_bytes(), wrapped.encode_to_vec()];
    for (action, form) in (0u8..4).zip(forms.iter().cycle()) {
        let length = (p4info.len() as u16).to_le_bytes();
        corpus.add("device_config", &[&[action << 1][..], &length, &p4info, form].concat());
    }
    for path in files(project, "programs/p4", "p4") {
        corpus.add("device_config", &[&[3, 0, 0][..], &read(&path)].concat());
    }
}

/// Plans of labs in both forms.
fn labs(project: &Path, corpus: &Corpus) {
    let page = String::from_utf8_lossy(&read(&project.join("docs/lab.md"))).into_owned();
    for block in page.split("```").skip(1).step_by(2) {
        if let Some(plan) = block.strip_prefix("toml\n") {
            corpus.add("lab_plan", plan.as_bytes());
        }
    }
    let topology = r#"{
  "hosts": {
    "h1": {"ip": "10.0.1.1/24", "mac": "08:00:00:00:01:11", "commands": ["route add default gw 10.0.1.10 dev eth0"]},
    "h2": {}
  },
  "switches": {
    "s1": {"runtime_json": "s1-runtime.json", "program": "build/basic.json"},
    "s2": {"cli_input": "s2-commands.txt", "cpu_port": "510"}
  },
  "links": [["h1", "s1-p1"], ["s1-p2", "s2-p2", "5ms", 0.5], ["h2", "s2-p1", 1], ["s1-p3", "s2-p3", 0, null]]
}
"#;
    corpus.add("lab_plan", topology.as_bytes());
}
