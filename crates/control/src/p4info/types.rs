//! Types in P4Info (p4types.proto).

use std::collections::{BTreeMap, BTreeSet};

use runtime::Bits;

use super::annotations;
use super::build::padded;
use super::message::Message;
use crate::{ControllerType, DataType, Info, Member, NewType, Representation};

/// Returns the description of a type where it is used (`P4DataTypeSpec`).
pub(super) fn specification(data_type: &DataType) -> Message {
    let mut message = Message::default();
    let named = |name: &str| {
        let mut named = Message::default();
        named.text(1, "name", name);
        named
    };
    match data_type {
        DataType::Bits(_) | DataType::Signed(_) | DataType::Varying(_) => {
            message.message(1, "bitstring", bit_string(data_type))
        }
        DataType::Boolean => message.message(2, "bool", Message::default()),
        DataType::Tuple(elements) => {
            let mut tuple = Message::default();
            tuple.messages(1, "members", elements.iter().map(specification));
            message.message(3, "tuple", tuple)
        }
        DataType::Structure { name, .. } => message.message(4, "struct", named(name)),
        DataType::Header { name, .. } => message.message(5, "header", named(name)),
        DataType::Enumeration { name, .. } if is_serializable(data_type) => {
            message.message(11, "serializable_enum", named(name))
        }
        DataType::Enumeration { name, .. } => message.message(9, "enum", named(name)),
        DataType::Error(_) => message.message(10, "error", Message::default()),
        DataType::New { name, .. } => message.message(12, "new_type", named(name)),
    };
    message
}

/// Returns the description of a bit string type (`P4BitstringLikeTypeSpec`).
fn bit_string(data_type: &DataType) -> Message {
    let bits = data_type.leaves().first().map_or(0, |leaf| leaf.width);
    let (number, name, of_width) = match data_type.original() {
        DataType::Signed(_) => (2, "int", "bitwidth"),
        DataType::Varying(_) => (3, "varbit", "max_bitwidth"),
        _ => (1, "bit", "bitwidth"),
    };
    let mut width = Message::default();
    width.number(1, of_width, bits);
    let mut message = Message::default();
    message.message(number, name, width);
    message
}

/// Returns whether the type is an enum whose members have explicit values (P4_16 specification 1.2.5, section 7.2.1).
fn is_serializable(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Enumeration { members, .. } if members.iter().any(|(_, value)| value.is_some()))
}

/// Returns all named types of registers, digests, match fields and parameters, including new types (`P4TypeInfo`), or
/// `None` if the program has neither a named type nor a table.
pub(super) fn type_info(info: &Info) -> Option<Message> {
    let mut named = BTreeMap::new();
    let registers = info.registers.iter().map(|register| &register.data_type);
    let originals = info.new_types.iter().filter_map(|own| match &own.representation {
        Representation::Original(original) => Some(original),
        Representation::Translated { .. } => None,
    });
    let digests = info.digests.iter().map(|digest| &digest.data_type);
    let mut has_errors = false;
    for data_type in registers.chain(digests).chain(originals).chain(&info.enumerations) {
        collect(data_type, &mut named, &mut has_errors);
    }
    let of = |wanted: fn(&DataType) -> bool, describe: fn(&DataType) -> Message| {
        let chosen = named.iter().filter(|(_, data_type)| wanted(data_type));
        chosen.map(|(name, data_type)| ((*name).to_owned(), describe(data_type))).collect::<Vec<_>>()
    };
    let mut message = Message::default();
    message
        .map(1, "structs", of(|it| matches!(it, DataType::Structure { .. }), members))
        .map(2, "headers", of(|it| matches!(it, DataType::Header { .. }), members))
        .map(4, "enums", of(|it| matches!(it, DataType::Enumeration { .. }) && !is_serializable(it), enumeration))
        .map(6, "serializable_enums", of(is_serializable, serializable))
        .map(7, "new_types", new_types(info));
    if has_errors {
        let mut errors = Message::default();
        errors.texts(1, "members", &info.errors);
        message.message(5, "error", errors);
    }
    let has_tables = info.tables.iter().any(|table| !table.identity.is_hidden);
    (has_tables || !message.fields.is_empty()).then_some(message)
}

/// Returns the new types, by name.
fn new_types(info: &Info) -> Vec<(String, Message)> {
    let used = used_new_types(info);
    let all = info.new_types.iter().map(|own| (own.name.as_str(), own)).filter(|(name, _)| used.contains(name));
    let all: BTreeMap<&str, &NewType> = all.collect();
    let described = all.into_iter().map(|(name, own)| {
        let mut message = Message::default();
        match &own.representation {
            Representation::Original(original) => message.message(1, "original_type", specification(original)),
            Representation::Translated { uri, controller } => {
                let mut translated = Message::default();
                translated.text(1, "uri", uri);
                match controller {
                    ControllerType::Bits(width) => translated.number(2, "sdn_bitwidth", *width),
                    ControllerType::Text => translated.message(3, "sdn_string", Message::default()),
                };
                message.message(2, "translated_type", translated)
            }
        };
        annotations::texts(&mut message, 3, &own.annotations);
        annotations::structured(&mut message, 4, &own.annotations);
        (name.to_owned(), message)
    });
    described.collect()
}

/// Returns the names of the new types that occur in an exported entity.
fn used_new_types(info: &Info) -> BTreeSet<&str> {
    let tables = info.tables.iter().filter(|table| !table.identity.is_hidden);
    let actions = info.actions.iter().filter(|action| !action.identity.is_hidden);
    let fields = tables.flat_map(|table| &table.fields).chain(info.value_sets.iter().flat_map(|set| &set.fields));
    let parameters = actions.flat_map(|action| &action.parameters);
    let parameters = parameters.chain(info.controller_headers.iter().flat_map(|header| &header.fields));
    let named = fields.map(|field| &field.type_name).chain(parameters.map(|parameter| &parameter.type_name));
    let mut used: BTreeSet<&str> = named.filter_map(|name| name.as_deref()).collect();
    let registers = info.registers.iter().map(|register| &register.data_type);
    registers.chain(info.digests.iter().map(|digest| &digest.data_type)).for_each(|own| collect_new(own, &mut used));
    used
}

fn collect_new<'t>(data_type: &'t DataType, used: &mut BTreeSet<&'t str>) {
    match data_type {
        DataType::New { name, .. } => _ = used.insert(name),
        DataType::Structure { members, .. } | DataType::Header { members, .. } => {
            members.iter().for_each(|member| collect_new(&member.data_type, used));
        }
        DataType::Tuple(elements) => elements.iter().for_each(|element| collect_new(element, used)),
        _ => {}
    }
}

fn collect<'t>(data_type: &'t DataType, named: &mut BTreeMap<&'t str, &'t DataType>, has_errors: &mut bool) {
    *has_errors |= matches!(data_type, DataType::Error(_));
    let inside: Vec<&DataType> = match data_type {
        DataType::Structure { name, members } | DataType::Header { name, members } => {
            named.insert(name, data_type);
            members.iter().map(|member| &member.data_type).collect()
        }
        DataType::Enumeration { name, .. } => {
            named.insert(name, data_type);
            Vec::new()
        }
        DataType::Tuple(elements) => elements.iter().collect(),
        DataType::New { original, .. } => vec![original],
        _ => Vec::new(),
    };
    inside.into_iter().for_each(|inner| collect(inner, named, has_errors));
}

fn members(data_type: &DataType) -> Message {
    let (all, describe): (&[Member], fn(&DataType) -> Message) = match data_type {
        DataType::Structure { members, .. } => (members, specification),
        // The fields of a header are bit strings without further type information.
        DataType::Header { members, .. } => (members, bit_string),
        _ => (&[], specification),
    };
    let mut message = Message::default();
    message.messages(
        1,
        "members",
        all.iter().map(|member| {
            let mut message = Message::default();
            message.text(1, "name", &member.name).message(2, "type_spec", describe(&member.data_type));
            message
        }),
    );
    message
}

fn enumeration(data_type: &DataType) -> Message {
    let mut message = Message::default();
    if let DataType::Enumeration { members, .. } = data_type {
        message.messages(
            1,
            "members",
            members.iter().map(|(name, _)| {
                let mut member = Message::default();
                member.text(1, "name", name);
                member
            }),
        );
    }
    message
}

fn serializable(data_type: &DataType) -> Message {
    let mut message = Message::default();
    if let DataType::Enumeration { members, width, .. } = data_type {
        let mut underlying = Message::default();
        underlying.number(1, "bitwidth", *width);
        message.message(1, "underlying_type", underlying).messages(
            2,
            "members",
            members.iter().map(|(name, value)| {
                let mut member = Message::default();
                member.text(1, "name", name).bytes(2, "value", padded(&Bits::from_u64(value.unwrap_or(0), 64), *width));
                member
            }),
        );
    }
    message
}
