//! P4Info: that of a program, and whether that of a controller suits it (P4Runtime specification 1.4, sections 6 and 14).

use std::collections::BTreeMap;
use std::fmt::Debug;

use control::Info;
use prost::Message;

use crate::message::p4::config::v1::match_field::{Match, MatchType};
use crate::message::p4::config::v1::{MatchField, P4Info, P4NamedType, Preamble};

/// Returns the P4Info of a program.
pub fn of(info: &Info) -> P4Info {
    // `control` knows the message without knowing this crate; a test shows that nothing gets lost between them.
    P4Info::decode(&*control::p4info::to_bytes(info)).unwrap_or_default()
}

/// Returns in words where a controller's P4Info says something about the program that is not so: entities that it lacks,
/// or that have other names, fields, parameters, actions, types or widths. The controller need not know all entities, and
/// sizes, documentation, aliases and annotations may differ.
pub fn differences(controller: &P4Info, program: &P4Info) -> Vec<String> {
    let (theirs, ours) = (entities(controller), entities(program));
    let mut differences = Vec::new();
    for (id, entity) in &theirs {
        let Some(own) = ours.get(id) else {
            differences.push(format!("the program has no {} `{}` with id {id:#010x}", entity.kind, entity.name));
            continue;
        };
        let place = format!("{} `{}` ({id:#010x})", own.kind, own.name);
        if (entity.kind, entity.name) != (own.kind, own.name) {
            differences.push(format!("{place} is the {} `{}` in the P4Info", entity.kind, entity.name));
            continue;
        }
        for (what, value) in &entity.facts {
            match own.facts.get(what) {
                Some(known) if known == value => {}
                Some(known) => differences.push(format!("{place}: {what} is {known} and in the P4Info {value}")),
                None => differences.push(format!("{place}: the P4Info has {what}, {value}")),
            }
        }
        let missing = own.facts.iter().filter(|(what, _)| !entity.facts.contains_key(*what));
        differences.extend(missing.map(|(what, known)| format!("{place}: the P4Info lacks {what}, {known}")));
    }
    differences
}

/// What must agree about an entity: by what it is about, how it is.
struct Entity<'i> {
    kind: &'static str,
    name: &'i str,
    facts: BTreeMap<String, String>,
}

/// Returns the entities of a P4Info by their ids.
fn entities(info: &P4Info) -> BTreeMap<u32, Entity<'_>> {
    let mut all = Entities(BTreeMap::new());
    for table in &info.tables {
        let facts = all.add("table", table.preamble.as_ref());
        table.match_fields.iter().for_each(|field| match_field(field, facts));
        for action in &table.action_refs {
            fact(facts, format!("action {:#010x}", action.id), format!("{:?}", action.scope()));
        }
        fact(facts, "the constant default action", hexadecimal(table.const_default_action_id));
        fact(facts, "the action profile", hexadecimal(table.implementation_id));
        let mut direct = table.direct_resource_ids.clone();
        direct.sort_unstable();
        fact(facts, "the direct resources", direct.into_iter().map(hexadecimal).collect::<Vec<_>>().join(", "));
        fact(facts, "the idle timeout", format!("{:?}", table.idle_timeout_behavior()));
        fact(facts, "being constant", table.is_const_table.to_string());
    }
    for action in &info.actions {
        let facts = all.add("action", action.preamble.as_ref());
        for own in &action.params {
            let width = of_width(own.bitwidth, own.type_name.as_ref());
            fact(facts, format!("parameter {}", own.id), format!("`{}` of {width}", own.name));
        }
    }
    for profile in &info.action_profiles {
        let facts = all.add("action profile", profile.preamble.as_ref());
        fact(facts, "having a selector", profile.with_selector.to_string());
        let mut tables = profile.table_ids.clone();
        tables.sort_unstable();
        fact(facts, "the tables", tables.into_iter().map(hexadecimal).collect::<Vec<_>>().join(", "));
    }
    for own in &info.counters {
        let facts = all.add("counter", own.preamble.as_ref());
        fact(facts, "the unit", format!("{:?}", own.spec.as_ref().map(|spec| spec.unit())));
    }
    for own in &info.direct_counters {
        let facts = all.add("direct counter", own.preamble.as_ref());
        fact(facts, "the unit", format!("{:?}", own.spec.as_ref().map(|spec| spec.unit())));
        fact(facts, "the table", hexadecimal(own.direct_table_id));
    }
    for own in &info.meters {
        let facts = all.add("meter", own.preamble.as_ref());
        fact(facts, "the unit", format!("{:?}", own.spec.as_ref().map(|spec| (spec.unit(), spec.r#type()))));
    }
    for own in &info.direct_meters {
        let facts = all.add("direct meter", own.preamble.as_ref());
        fact(facts, "the unit", format!("{:?}", own.spec.as_ref().map(|spec| (spec.unit(), spec.r#type()))));
        fact(facts, "the table", hexadecimal(own.direct_table_id));
    }
    for header in &info.controller_packet_metadata {
        let facts = all.add("controller header", header.preamble.as_ref());
        for own in &header.metadata {
            let width = of_width(own.bitwidth, own.type_name.as_ref());
            fact(facts, format!("field {}", own.id), format!("`{}` of {width}", own.name));
        }
    }
    for own in &info.value_sets {
        let facts = all.add("value set", own.preamble.as_ref());
        own.r#match.iter().for_each(|field| match_field(field, facts));
    }
    for own in &info.registers {
        let facts = all.add("register", own.preamble.as_ref());
        fact(facts, "the type", compact(&own.type_spec));
    }
    for own in &info.digests {
        let facts = all.add("digest", own.preamble.as_ref());
        fact(facts, "the type", compact(&own.type_spec));
    }
    for own in info.externs.iter().flat_map(|own| &own.instances) {
        all.add("extern", own.preamble.as_ref());
    }
    all.0
}

struct Entities<'i>(BTreeMap<u32, Entity<'i>>);

impl<'i> Entities<'i> {
    /// Adds an entity, and returns its facts.
    fn add(&mut self, kind: &'static str, preamble: Option<&'i Preamble>) -> &mut BTreeMap<String, String> {
        let (id, name) = preamble.map_or((0, ""), |own| (own.id, own.name.as_str()));
        &mut self.0.entry(id).or_insert_with(|| Entity { kind, name, facts: BTreeMap::new() }).facts
    }
}

fn fact(facts: &mut BTreeMap<String, String>, what: impl Into<String>, value: impl Into<String>) {
    facts.insert(what.into(), value.into());
}

fn match_field(field: &MatchField, facts: &mut BTreeMap<String, String>) {
    let kind = match &field.r#match {
        Some(Match::OtherMatchType(other)) => format!("`{other}`"),
        Some(Match::MatchType(own)) => format!("{:?}", MatchType::try_from(*own).unwrap_or_default()),
        None => "no match".to_owned(),
    };
    let width = of_width(field.bitwidth, field.type_name.as_ref());
    fact(facts, format!("field {}", field.id), format!("`{}`, {kind} of {width}", field.name));
}

fn of_width(bitwidth: i32, type_name: Option<&P4NamedType>) -> String {
    let width = if bitwidth == 0 { "strings".to_owned() } else { format!("{bitwidth} bits") };
    type_name.map_or(width.clone(), |own| format!("{width} and type `{}`", own.name))
}

fn hexadecimal(id: u32) -> String {
    if id == 0 { "none".to_owned() } else { format!("{id:#010x}") }
}

/// Returns a type as text, which only serves to be compared and shown.
fn compact(data_type: &impl Debug) -> String {
    format!("{data_type:?}")
}
