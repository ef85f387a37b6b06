//! P4Info of what the control plane may know.

use runtime::tables::MatchKind;
use runtime::{Bits, MeterUnit};

use super::message::Message;
use super::types;
use crate::{Action, CounterUnit, Identity, Info, MatchField, Profile, ProfileNumber, Scope, Size, Table};

pub(super) fn p4info(info: &Info) -> Message {
    let mut package = Message::default();
    package.text("arch", &info.architecture);
    let profiles = info.profiles.iter().enumerate();
    let mut message = Message::default();
    message
        .message("pkg_info", package)
        .messages("tables", info.tables.iter().map(|it| table(info, it)))
        .messages("actions", info.actions.iter().map(action))
        .messages("action_profiles", profiles.map(|(at, it)| profile(info, ProfileNumber::from(at), it)))
        .messages("counters", counters(info, false))
        .messages("direct_counters", counters(info, true))
        .messages("meters", meters(info, false))
        .messages("direct_meters", meters(info, true))
        .messages("value_sets", value_sets(info))
        .messages("registers", registers(info))
        .messages("digests", digests(info))
        .message("type_info", types::type_info(info));
    message
}

/// A message that begins with a preamble.
fn with_preamble(identity: &Identity) -> Message {
    let mut preamble = Message::default();
    preamble
        .number("id", identity.id)
        .text("name", &identity.name)
        .text("alias", &identity.alias)
        .texts("annotations", &identity.annotations);
    let mut message = Message::default();
    message.message("preamble", preamble);
    message
}

fn table(info: &Info, table: &Table) -> Message {
    let mut message = with_preamble(&table.identity);
    message.messages("match_fields", table.fields.iter().map(match_field));
    message.messages(
        "action_refs",
        table.actions.iter().map(|reference| {
            let mut message = Message::default();
            message
                .number("id", info.action(reference.action).identity.id)
                .texts("annotations", &reference.annotations);
            match reference.scope {
                Scope::EntriesAndDefault => &mut message,
                Scope::Entries => message.symbol("scope", "TABLE_ONLY"),
                Scope::Default => message.symbol("scope", "DEFAULT_ONLY"),
            };
            message
        }),
    );
    if let Some(reference) = table.actions.get(table.default.action as usize) {
        let action = info.action(reference.action);
        message.number("const_default_action_id", if table.is_default_constant { action.identity.id } else { 0 });
        let arguments = action.parameters.iter().zip(&table.default.data).map(|(parameter, value)| {
            let mut argument = Message::default();
            argument.number("param_id", parameter.id).bytes("value", byte_string(value));
            argument
        });
        let mut initial = Message::default();
        initial.number("action_id", action.identity.id).messages("arguments", arguments);
        message.message("initial_default_action", initial);
    }
    let counter = table.counter.map(|number| info.counter(number).identity.id);
    let meter = table.meter.map(|number| info.meter(number).identity.id);
    message
        .number("implementation_id", table.profile.map_or(0, |number| info.profile(number).identity.id))
        .numbers("direct_resource_ids", counter.into_iter().chain(meter))
        .long("size", u64::from(table.size.unwrap_or(0)))
        .flag("is_const_table", table.is_constant)
        .flag("has_initial_entries", table.initial_entries > 0);
    message
}

fn match_field(field: &MatchField) -> Message {
    let mut message = Message::default();
    message
        .number("id", field.id)
        .text("name", &field.name)
        .texts("annotations", &field.annotations)
        .number("bitwidth", field.width)
        .symbol(
            "match_type",
            match field.kind {
                MatchKind::Exact => "EXACT",
                MatchKind::Lpm => "LPM",
                MatchKind::Ternary => "TERNARY",
                MatchKind::Range => "RANGE",
                MatchKind::Optional => "OPTIONAL",
            },
        );
    message
}

fn action(action: &Action) -> Message {
    let mut message = with_preamble(&action.identity);
    message.messages(
        "params",
        action.parameters.iter().map(|parameter| {
            let mut message = Message::default();
            message
                .number("id", parameter.id)
                .text("name", &parameter.name)
                .texts("annotations", &parameter.annotations)
                .number("bitwidth", parameter.width);
            message
        }),
    );
    message
}

fn profile(info: &Info, number: ProfileNumber, profile: &Profile) -> Message {
    let mut message = with_preamble(&profile.identity);
    message
        .numbers("table_ids", info.tables_of(number).map(|table| info.table(table).identity.id))
        .flag("with_selector", profile.selector.is_some())
        .long("size", u64::from(profile.size))
        .number("max_group_size", profile.selector.map_or(0, |selector| selector.maximum_group_size));
    message
}

/// The unit, then how many there are or whose entries they belong to.
fn with_size(info: &Info, mut message: Message, unit: &'static str, size: Size) -> Message {
    let mut specification = Message::default();
    specification.symbol("unit", unit);
    message.message("spec", specification);
    match size {
        Size::Array(size) => message.long("size", u64::from(size)),
        Size::Entries(table) => message.number("direct_table_id", info.table(table).identity.id),
    };
    message
}

fn counters(info: &Info, are_direct: bool) -> impl Iterator<Item = Message> {
    let chosen = info.counters.iter().filter(move |counter| matches!(counter.size, Size::Entries(_)) == are_direct);
    chosen.map(|counter| {
        let unit = match counter.unit {
            CounterUnit::Bytes => "BYTES",
            CounterUnit::Packets => "PACKETS",
            CounterUnit::PacketsAndBytes => "BOTH",
        };
        with_size(info, with_preamble(&counter.identity), unit, counter.size)
    })
}

fn meters(info: &Info, are_direct: bool) -> impl Iterator<Item = Message> {
    let chosen = info.meters.iter().filter(move |meter| matches!(meter.size, Size::Entries(_)) == are_direct);
    chosen.map(|meter| {
        let unit = match meter.unit {
            MeterUnit::Bytes => "BYTES",
            MeterUnit::Packets => "PACKETS",
        };
        with_size(info, with_preamble(&meter.identity), unit, meter.size)
    })
}

fn value_sets(info: &Info) -> impl Iterator<Item = Message> {
    info.value_sets.iter().map(|set| {
        let mut message = with_preamble(&set.identity);
        message.messages("match", set.fields.iter().map(match_field)).number("size", set.size);
        message
    })
}

fn registers(info: &Info) -> impl Iterator<Item = Message> {
    info.registers.iter().map(|register| {
        let mut message = with_preamble(&register.identity);
        message.message("type_spec", types::specification(&register.data_type)).number("size", register.size);
        message
    })
}

fn digests(info: &Info) -> impl Iterator<Item = Message> {
    info.digests.iter().map(|digest| {
        let mut message = with_preamble(&digest.identity);
        message.message("type_spec", types::specification(&digest.data_type));
        message
    })
}

/// A number in the fewest bytes, but at least one (P4Runtime specification 1.4, section 8.3).
pub(super) fn byte_string(value: &Bits) -> Vec<u8> {
    let bytes = value.length().div_ceil(8).max(1) as usize;
    let mut text = vec![0; bytes];
    let width = bytes as u32 * 8;
    runtime::write_bits(&mut text, 0, width, &Bits::from_limbs(value.limbs(), width));
    text
}
