//! Ids, aliases, names and P4Info.

mod common;

use common::{LPM, info, table};
use control::*;
use runtime::tables::MatchKind;

#[test]
fn ids_are_derived_from_kind_and_name() {
    let info = info();
    assert_eq!(info.actions[0].identity.id, 21_257_015, "the id that every P4Info of the world has for NoAction");
    assert_eq!(info.tables[0].identity.id >> 24, Prefix::Table as u32);
    assert_eq!(info.counters[0].identity.id >> 24, Prefix::DirectCounter as u32);
    assert_eq!(info.counters[1].identity.id >> 24, Prefix::Counter as u32);
    assert_eq!(info.meters[1].identity.id >> 24, Prefix::DirectMeter as u32);
    assert_eq!(info.registers[1].identity.id, 0x1600_0077, "an author may leave out the byte of the kind");
    let parameters = &info.actions[2].parameters;
    assert_eq!((parameters[0].id, parameters[1].id), (1, 2));
}

#[test]
fn each_id_resolves_to_its_entity_only() {
    let info = info();
    let mut ids: Vec<(u32, Entity)> = Vec::new();
    let mut add = |identity: &Identity, entity| ids.push((identity.id, entity));
    info.tables.iter().enumerate().for_each(|(at, it)| add(&it.identity, Entity::Table(at.into())));
    info.actions.iter().enumerate().for_each(|(at, it)| add(&it.identity, Entity::Action(at.into())));
    info.profiles.iter().enumerate().for_each(|(at, it)| add(&it.identity, Entity::Profile(at.into())));
    info.counters.iter().enumerate().for_each(|(at, it)| add(&it.identity, Entity::Counter(at.into())));
    info.meters.iter().enumerate().for_each(|(at, it)| add(&it.identity, Entity::Meter(at.into())));
    info.registers.iter().enumerate().for_each(|(at, it)| add(&it.identity, Entity::Register(at.into())));
    info.digests.iter().enumerate().for_each(|(at, it)| add(&it.identity, Entity::Digest(at.into())));
    info.value_sets.iter().enumerate().for_each(|(at, it)| add(&it.identity, Entity::ValueSet(at.into())));
    let headers = info.controller_headers.iter().enumerate();
    headers.for_each(|(at, it)| add(&it.identity, Entity::ControllerHeader(at.into())));
    assert_eq!(ids.len(), 8 + 4 + 2 + 2 + 2 + 2 + 1 + 1 + 1);
    for (id, entity) in ids {
        assert_eq!(info.entity_with_id(id), Some(entity), "{id:#x}");
    }
    for id in [0, 1, 0x0200_0000, u32::MAX] {
        assert_eq!(info.entity_with_id(id), None, "{id:#x}");
    }
    for (at, table) in info.tables.iter().enumerate() {
        for (place, field) in table.fields.iter().enumerate() {
            assert_eq!(info.field_with_id(at.into(), field.id), Some(place));
        }
    }
    for (at, action) in info.actions.iter().enumerate() {
        for (place, parameter) in action.parameters.iter().enumerate() {
            assert_eq!(info.parameter_with_id(at.into(), parameter.id), Some(place));
        }
    }
    assert_eq!((info.field_with_id(LPM, 0), info.field_with_id(LPM, 2)), (None, None));
}

#[test]
fn controller_headers_have_their_well_known_ids() {
    // 81826293 is the id in published P4Info files of `packet_in` with the header type `packet_in_header_t`.
    let header = &info().controller_headers[0];
    assert_eq!((header.identity.id, header.identity.alias.as_str()), (81_826_293, "packet_in"));
    assert_eq!((header.fields[0].id, header.fields[1].id), (1, 2));
    let mut twice = Info { controller_headers: vec![header.clone(), header.clone()], ..Info::default() };
    twice.controller_headers.iter_mut().for_each(|own| own.identity.id = 0);
    let errors = twice.identify().unwrap_err();
    assert_eq!(errors[0].to_string(), "two entities of kind controller header are named `packet_in`");
}

#[test]
fn hidden_entities_have_neither_name_nor_id() {
    let mut info = info();
    info.tables[0].identity.is_hidden = true;
    info.actions[1].identity.is_hidden = true;
    for identity in [&mut info.tables[0].identity, &mut info.actions[1].identity] {
        (identity.id, identity.alias) = (0, String::new());
    }
    info.identify().unwrap();
    assert_eq!((info.tables[0].identity.id, info.actions[1].identity.id), (0, 0));
    assert_eq!(info.table_named("ipv4_lpm").unwrap_err().to_string(), "there is no table `ipv4_lpm`");
    assert_eq!(info.table_named("acl"), Ok(common::ACL), "the others keep their numbers");
    let missing = info.action_named(common::ACL, "drop").unwrap_err().to_string();
    assert_eq!(missing, "no action `drop` in table `ingress.acl`; it has `ingress.mark`, `NoAction`");
    let text = p4info::to_text(&info);
    assert!(!text.contains("ipv4_lpm") && !text.contains("ingress.drop"), "{text}");
    assert!(text.contains("ingress.acl"));
}

#[test]
fn colliding_ids_are_assigned_in_order_of_names() {
    // Ids from annotations take the positions of the hashes of both names.
    let hash = name_hash("t") & 0x00FF_FFFF;
    let chosen = |name: &str, id| Table { identity: Identity::new(name).with_id(id), ..table(name, vec![], runs()) };
    let mut info = Info {
        tables: vec![table("t", vec![], runs()), chosen("a", hash), chosen("b", hash + 1)],
        actions: vec![Action { identity: Identity::new("x"), parameters: vec![] }],
        ..Info::default()
    };
    info.identify().unwrap();
    assert_eq!(info.tables[0].identity.id, 0x0200_0000 | (hash + 2) & 0x00FF_FFFF);
}

fn runs() -> Vec<ActionReference> {
    vec![ActionReference::new(ActionNumber(0))]
}

#[test]
fn reports_all_conflicts_of_annotations_at_once() {
    let with = |name: &str, id| Table { identity: Identity::new(name).with_id(id), ..table(name, vec![], runs()) };
    let field = |name: &str, id| MatchField { id, ..MatchField::new(name, 8, MatchKind::Exact) };
    let twice = Table { fields: vec![field("f", 4), field("g", 4)], ..table("same", vec![], runs()) };
    let mut info = Info {
        tables: vec![with("a", 5), with("b", 0x0200_0005), with("c", 0x0100_0006), twice.clone(), twice],
        ..Info::default()
    };
    let errors: Vec<String> = info.identify().unwrap_err().iter().map(ToString::to_string).collect();
    let expected = [
        "two entities of kind table are named `same`",
        "`a` and `b` have the same id 0x2000005",
        "the id 0x1000006 of table `c` must begin with the byte 0x02, which marks its kind",
        "two parts of `same` have the same id 4",
        "two parts of `same` have the same id 4",
    ];
    assert_eq!(errors, expected);
}

#[test]
fn resolves_full_names_then_aliases_then_suffixes() {
    let info = info();
    assert_eq!(info.table_named("ingress.ipv4_lpm"), Ok(LPM));
    assert_eq!(info.table_named(".ingress.ipv4_lpm"), Ok(LPM), "from the top of the program");
    assert_eq!(info.table_named("ipv4_lpm"), Ok(LPM));
    assert_eq!(info.table_named("ingress.l2.mac"), Ok(TableNumber(4)));
    assert_eq!(info.tables[4].identity.alias, "ingress.l2.mac");
    let ambiguous = info.table_named("l2.mac").unwrap_err().to_string();
    assert_eq!(ambiguous, "the table `l2.mac` is ambiguous: it may be `ingress.l2.mac` or `egress.l2.mac`");
    assert!(info.table_named("v4_lpm").is_err(), "an end begins after a dot");
    assert!(info.table_named("").is_err());
    assert_eq!(info.action_named(LPM, "drop"), Ok(ActionNumber(1)));
    let missing = info.action_named(LPM, "mark").unwrap_err().to_string();
    assert_eq!(
        missing,
        "no action `mark` in table `ingress.ipv4_lpm`; it has `ingress.forward`, `ingress.drop`, `NoAction`"
    );
}

#[test]
fn accepts_several_names_for_header_validity() {
    let info = info();
    for name in
        ["hdr.tcp.isValid()", "tcp.isValid()", "hdr.tcp.$valid$", "tcp.$valid", "hdr.tcp.valid", "tcp", "hdr.tcp"]
    {
        assert_eq!(info.field_named(common::ACL, name), Ok(2), "{name}");
    }
    assert!(info.field_named(common::ACL, "ipv4").is_err());
}

#[test]
fn writes_p4info_as_text_and_json() {
    let info = info();
    compare("tests/golden/example.p4info.txtpb", &p4info::to_text(&info));
    compare("tests/golden/example.p4info.json", &p4info::to_json(&info));
}

/// With `UPDATE_EXPECT=1`, the expected file is rewritten instead; review the differences afterwards.
fn compare(path: &str, found: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(&path).unwrap_or_default(), "{}", path.display());
}
