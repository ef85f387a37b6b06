//! Conversion of [`Info`] to a P4Info message.

use runtime::tables::MatchKind;
use runtime::{Bits, MeterUnit};

use super::message::Message;
use super::types;
use super::{annotations, externs};
use crate::{
    Action, ControllerHeader, ControllerType, CounterUnit, Documentation, Identity, Info, MatchField, Package,
    Parameter, Profile, ProfileNumber, Representation, Scope, SelectorSize, Size, Table,
};

pub(super) fn p4info(info: &Info) -> Message {
    let profiles = info.profiles.iter().enumerate().filter(|(_, it)| is_shown(&it.identity));
    let tables = info.tables.iter().filter(|it| is_shown(&it.identity));
    let actions = info.actions.iter().filter(|it| is_shown(&it.identity));
    let headers = info.controller_headers.iter().filter(|it| is_shown(&it.identity));
    let mut message = Message::default();
    message
        .message(1, "pkg_info", package(info.architecture.map_or("", |own| own.name), &info.package))
        .messages(2, "tables", tables.map(|it| table(info, it)))
        .messages(3, "actions", actions.map(|it| action(info, it)))
        .messages(4, "action_profiles", profiles.map(|(at, it)| profile(info, ProfileNumber::from(at), it)))
        .messages(5, "counters", counters(info, false))
        .messages(6, "direct_counters", counters(info, true))
        .messages(7, "meters", meters(info, false))
        .messages(8, "direct_meters", meters(info, true))
        .messages(9, "controller_packet_metadata", headers.map(|it| controller_header(info, it)))
        .messages(10, "value_sets", value_sets(info))
        .messages(11, "registers", registers(info))
        .messages(12, "digests", digests(info));
    message.messages(100, "externs", externs::externs(info));
    if let Some(types) = types::type_info(info) {
        message.message(200, "type_info", types);
    }
    message
}

/// Returns whether an entity is included; hidden ones are not (P4_16 specification 1.2.5, section 18.3.2).
pub(super) fn is_shown(identity: &Identity) -> bool {
    !identity.is_hidden
}

fn package(architecture: &str, package: &Package) -> Message {
    let mut message = Message::default();
    message.text(1, "name", &package.name).text(2, "version", &package.version);
    documentation(&mut message, 3, &package.documentation);
    annotations::texts(&mut message, 4, &package.annotations);
    message
        .text(5, "arch", architecture)
        .text(6, "organization", &package.organization)
        .text(7, "contact", &package.contact)
        .text(8, "url", &package.url);
    annotations::structured(&mut message, 9, &package.annotations);
    if let Some(platform) = &package.platform {
        let mut properties = Message::default();
        properties
            .number(1, "multicast_group_table_size", platform.multicast_groups)
            .number(2, "multicast_group_table_total_replicas", platform.multicast_replicas)
            .number(3, "multicast_group_table_max_replicas_per_entry", platform.multicast_replicas_of_a_group);
        message.message(11, "platform_properties", properties);
    }
    message
}

/// Adds the documentation of an entity, if it has any.
fn documentation(message: &mut Message, number: u32, about: &Documentation) {
    if *about != Documentation::default() {
        let mut doc = Message::default();
        doc.text(1, "brief", &about.brief).text(2, "description", &about.description);
        message.message(number, "doc", doc);
    }
}

/// Adds the name of a new type, if there is one.
fn type_name(message: &mut Message, number: u32, name: Option<&str>) {
    if let Some(name) = name {
        let mut named = Message::default();
        named.text(1, "name", name);
        message.message(number, "type_name", named);
    }
}

/// Returns the width of the numbers that controllers use; 0 if they use strings.
fn controller_width(info: &Info, width: u32, type_name: Option<&str>) -> u32 {
    match type_name.and_then(|name| info.new_type(name)).map(|own| &own.representation) {
        Some(Representation::Translated { controller: ControllerType::Bits(width), .. }) => *width,
        Some(Representation::Translated { controller: ControllerType::Text, .. }) => 0,
        _ => width,
    }
}

/// Creates a message that begins with a preamble.
pub(super) fn with_preamble(identity: &Identity) -> Message {
    let mut preamble = Message::default();
    preamble.number(1, "id", identity.id).text(2, "name", &identity.name).text(3, "alias", &identity.alias);
    annotations::texts(&mut preamble, 4, &identity.annotations);
    documentation(&mut preamble, 5, &identity.documentation);
    annotations::structured(&mut preamble, 6, &identity.annotations);
    let mut message = Message::default();
    message.message(1, "preamble", preamble);
    message
}

fn table(info: &Info, table: &Table) -> Message {
    let mut message = with_preamble(&table.identity);
    message.messages(2, "match_fields", table.fields.iter().map(|it| match_field(info, it)));
    let shown = |it: &&crate::ActionReference| is_shown(&info.action(it.action).identity);
    message.messages(
        3,
        "action_refs",
        table.actions.iter().filter(shown).map(|reference| {
            let mut message = Message::default();
            message.number(1, "id", info.action(reference.action).identity.id);
            annotations::texts(&mut message, 2, &reference.annotations);
            match reference.scope {
                Scope::EntriesAndDefault => &mut message,
                Scope::Entries => message.symbol(3, "scope", (1, "TABLE_ONLY")),
                Scope::Default => message.symbol(3, "scope", (2, "DEFAULT_ONLY")),
            };
            annotations::structured(&mut message, 4, &reference.annotations);
            message
        }),
    );
    if let Some(reference) = table.actions.get(table.default.action as usize).filter(shown) {
        let action = info.action(reference.action);
        message.number(4, "const_default_action_id", if table.is_default_constant { action.identity.id } else { 0 });
        let arguments = action.parameters.iter().zip(&table.default.data).map(|(parameter, value)| {
            let mut argument = Message::default();
            argument.number(2, "param_id", parameter.id).bytes(3, "value", padded(value, parameter.width));
            argument
        });
        let mut initial = Message::default();
        initial.number(1, "action_id", action.identity.id).messages(4, "arguments", arguments);
        message.message(5, "initial_default_action", initial);
    }
    let counter = table.counter.map(|number| info.counter(number).identity.id).filter(|&id| id != 0);
    let meter = table.meter.map(|number| info.meter(number).identity.id).filter(|&id| id != 0);
    message
        .number(6, "implementation_id", table.profile.map_or(0, |number| info.profile(number).identity.id))
        .numbers(7, "direct_resource_ids", counter.into_iter().chain(meter))
        .long(8, "size", u64::from(table.size.unwrap_or(0)));
    if table.has_idle_timeout {
        message.symbol(9, "idle_timeout_behavior", (1, "NOTIFY_CONTROL"));
    }
    message.flag(10, "is_const_table", table.is_constant).flag(
        11,
        "has_initial_entries",
        !table.initial_entries.is_empty(),
    );
    message
}

fn match_field(info: &Info, field: &MatchField) -> Message {
    let mut message = Message::default();
    message.number(1, "id", field.id).text(2, "name", &field.name);
    annotations::texts(&mut message, 3, &field.annotations);
    message.number(4, "bitwidth", controller_width(info, field.width, field.type_name.as_deref())).symbol(
        5,
        "match_type",
        match field.kind {
            MatchKind::Exact => (2, "EXACT"),
            MatchKind::Lpm => (3, "LPM"),
            MatchKind::Ternary => (4, "TERNARY"),
            MatchKind::Range => (5, "RANGE"),
            MatchKind::Optional => (6, "OPTIONAL"),
        },
    );
    documentation(&mut message, 6, &field.documentation);
    type_name(&mut message, 8, field.type_name.as_deref());
    annotations::structured(&mut message, 9, &field.annotations);
    message
}

fn action(info: &Info, action: &Action) -> Message {
    let mut message = with_preamble(&action.identity);
    message.messages(2, "params", action.parameters.iter().map(|it| parameter(info, it, [6, 7])));
    message
}

/// Describes a parameter, given the numbers of the fields for its type and for structured annotations, which differ between
/// parameters of actions and fields of headers.
fn parameter(info: &Info, parameter: &Parameter, [of_type, of_annotations]: [u32; 2]) -> Message {
    let mut message = Message::default();
    message.number(1, "id", parameter.id).text(2, "name", &parameter.name);
    annotations::texts(&mut message, 3, &parameter.annotations);
    message.number(4, "bitwidth", controller_width(info, parameter.width, parameter.type_name.as_deref()));
    documentation(&mut message, 5, &parameter.documentation);
    type_name(&mut message, of_type, parameter.type_name.as_deref());
    annotations::structured(&mut message, of_annotations, &parameter.annotations);
    message
}

fn controller_header(info: &Info, header: &ControllerHeader) -> Message {
    let mut message = with_preamble(&header.identity);
    // A field has the form of a parameter, except that it cannot have documentation.
    let undocumented = |it: &Parameter| Parameter { documentation: Documentation::default(), ..it.clone() };
    message.messages(2, "metadata", header.fields.iter().map(|it| parameter(info, &undocumented(it), [5, 6])));
    message
}

fn profile(info: &Info, number: ProfileNumber, profile: &Profile) -> Message {
    let mut message = with_preamble(&profile.identity);
    let tables = info.tables_of(number).map(|table| &info.table(table).identity);
    message
        .numbers(2, "table_ids", tables.filter(|it| is_shown(it)).map(|it| it.id))
        .flag(3, "with_selector", profile.selector.is_some())
        .long(4, "size", u64::from(profile.size))
        .number(5, "max_group_size", profile.selector.map_or(0, |selector| selector.maximum_group_size));
    match profile.selector.and_then(|selector| selector.counts) {
        Some(SelectorSize::Weights) => _ = message.message(6, "sum_of_weights", Message::default()),
        Some(SelectorSize::Members { maximum_weight }) => {
            let mut members = Message::default();
            members.number(1, "max_member_weight", maximum_weight);
            message.message(7, "sum_of_members", members);
        }
        None => {}
    }
    message
}

/// Adds the unit, followed by the size or the id of the table whose entries the counters or meters belong to.
fn with_size(info: &Info, mut message: Message, unit: (u32, &'static str), size: Size) -> Message {
    let mut specification = Message::default();
    specification.symbol(1, "unit", unit);
    message.message(2, "spec", specification);
    match size {
        Size::Array(size) => message.long(3, "size", u64::from(size)),
        Size::Entries(table) => message.number(3, "direct_table_id", info.table(table).identity.id),
    };
    message
}

fn counters(info: &Info, are_direct: bool) -> impl Iterator<Item = Message> {
    let shown = info.counters.iter().filter(|counter| is_shown(&counter.identity));
    let chosen = shown.filter(move |counter| matches!(counter.size, Size::Entries(_)) == are_direct);
    chosen.map(|counter| {
        let unit = match counter.unit {
            CounterUnit::Bytes => (1, "BYTES"),
            CounterUnit::Packets => (2, "PACKETS"),
            CounterUnit::PacketsAndBytes => (3, "BOTH"),
        };
        with_size(info, with_preamble(&counter.identity), unit, counter.size)
    })
}

fn meters(info: &Info, are_direct: bool) -> impl Iterator<Item = Message> {
    let shown = info.meters.iter().filter(|meter| is_shown(&meter.identity));
    let chosen = shown.filter(move |meter| matches!(meter.size, Size::Entries(_)) == are_direct);
    chosen.map(|meter| {
        let unit = match meter.unit {
            MeterUnit::Bytes => (1, "BYTES"),
            MeterUnit::Packets => (2, "PACKETS"),
        };
        with_size(info, with_preamble(&meter.identity), unit, meter.size)
    })
}

fn value_sets(info: &Info) -> impl Iterator<Item = Message> {
    info.value_sets.iter().filter(|it| is_shown(&it.identity)).map(|set| {
        let mut message = with_preamble(&set.identity);
        message.messages(2, "match", set.fields.iter().map(|it| match_field(info, it))).number(3, "size", set.size);
        message
    })
}

fn registers(info: &Info) -> impl Iterator<Item = Message> {
    info.registers.iter().filter(|it| is_shown(&it.identity)).map(|register| {
        let mut message = with_preamble(&register.identity);
        message.message(2, "type_spec", types::specification(&register.data_type)).number(3, "size", register.size);
        message
    })
}

fn digests(info: &Info) -> impl Iterator<Item = Message> {
    info.digests.iter().filter(|it| is_shown(&it.identity)).map(|digest| {
        let mut message = with_preamble(&digest.identity);
        message.message(2, "type_spec", types::specification(&digest.data_type));
        message
    })
}

/// Encodes a number in as many bytes as its type needs, like the P4 compiler (the minimal number of bytes would
/// suffice: P4Runtime specification 1.4, section 8.3).
pub(super) fn padded(value: &Bits, width: u32) -> Vec<u8> {
    let bytes = width.max(value.length()).div_ceil(8).max(1) as usize;
    let mut text = vec![0; bytes];
    let width = bytes as u32 * 8;
    runtime::write_bits(&mut text, 0, width, &Bits::from_limbs(value.limbs(), width));
    text
}
