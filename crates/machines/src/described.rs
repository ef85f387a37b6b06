//! The control plane of a program that is known only as IR: registers, tables, profiles, actions, and the memory, records,
//! events, policers and messages of threads, under their names in the IR.

use control::{
    Action, ActionNumber, ActionReference, DataType, DefaultAction, Digest, Event, Identity, Info, MatchField, Member,
    Meter, Parameter, Profile, RecordTable, Register, Segment, SegmentNumber, Selector, Size, Table,
};
use ir::threads::Contents;
use ir::{Program, Threads, Type, VariableId};
use runtime::tables::Target;

/// Returns the control plane information of a flat program, or of one of threads. Actions are numbered like the program's
/// functions.
pub fn control_plane_of(program: &Program) -> Info {
    let mut info = Info {
        registers: program.registers.iter().enumerate().map(register).collect(),
        tables: program.tables.iter().map(|table| self::table(program, table)).collect(),
        actions: program.functions.iter().map(|function| action(program, function)).collect(),
        profiles: program.profiles.iter().map(profile).collect(),
        ..Info::default()
    };
    // The meters of flat programs belong to the switch around them, which knows them.
    if program.threads.is_some() {
        info.meters = program.meters.iter().map(meter).collect();
        info.digests = program.digests.iter().map(digest).collect();
        info.segments = program.threads.iter().flat_map(|threads| &threads.segments).map(segment).collect();
        info.records = program.threads.iter().flat_map(records).collect();
        let events = program.threads.iter().flat_map(|threads| &threads.events);
        info.events = events.map(|event| Event { identity: Identity::new(event.name.clone()) }).collect();
    }
    // If names collide, some object gets no id, which does not matter to those who use names.
    _ = info.identify();
    info
}

fn register((at, register): (usize, &ir::Register)) -> Register {
    Register {
        identity: Identity::new(register.name.clone()),
        data_type: data_type(register.ty),
        size: u32::try_from(register.size()).unwrap_or(u32::MAX),
        arrays: vec![at as u32],
    }
}

fn data_type(ty: Type) -> DataType {
    match ty {
        Type::Bool => DataType::Boolean,
        Type::Bits(width) => DataType::Bits(width.into()),
        Type::Int(width) => DataType::Signed(width.into()),
    }
}

fn meter(meter: &ir::Meter) -> Meter {
    Meter {
        identity: Identity::new(meter.name.clone()),
        unit: meter.unit,
        size: Size::Array(meter.size.unwrap_or_default()),
    }
}

fn digest(digest: &ir::Digest) -> Digest {
    let member = |(name, ty): &(String, Type)| Member { name: name.clone(), data_type: data_type(*ty) };
    let members = digest.fields.iter().map(member).collect();
    Digest {
        identity: Identity::new(digest.name.clone()),
        data_type: DataType::Structure { name: digest.name.clone(), members },
    }
}

fn segment(segment: &ir::threads::Segment) -> Segment {
    Segment {
        identity: Identity::new(segment.name.clone()),
        address: segment.address,
        bytes: segment.bytes,
        has_policers: matches!(segment.contents, Contents::Policers(_)),
    }
}

fn records(threads: &Threads) -> impl Iterator<Item = RecordTable> {
    threads.records.iter().map(|table| RecordTable {
        identity: Identity::new(table.name.clone()),
        key_bytes: table.key_bytes,
        record_bytes: table.record_bytes,
        segment: SegmentNumber(table.segment.0),
        size: u32::try_from(threads.capacity(table)).unwrap_or(u32::MAX),
    })
}

fn table(program: &Program, table: &ir::Table) -> Table {
    let field = |key: &ir::Key| MatchField::new(key.name.clone(), program.type_of(&key.value).width(), key.kind);
    let reference = |action: &ir::TableAction| ActionReference::new(ActionNumber::from(action.function.index()));
    let default = match &table.default {
        Target::Action { action, data } => DefaultAction { action: *action, data: data.clone() },
        // The default of a program in the IR is always an action.
        Target::Member(_) | Target::Group(_) | Target::ActionSet(_) => DefaultAction { action: 0, data: Vec::new() },
    };
    Table {
        identity: Identity::new(table.name.clone()),
        fields: table.keys.iter().map(field).collect(),
        actions: table.actions.iter().map(reference).collect(),
        default,
        is_default_constant: table.is_default_constant,
        size: table.size,
        is_constant: table.is_constant,
        initial_entries: table.entries.clone(),
        profile: table.profile.map(|profile| profile.index().into()),
        // Flat programs keep direct counters and meters elsewhere.
        counter: None,
        meter: None,
        has_idle_timeout: false,
    }
}

fn action(program: &Program, function: &ir::Function) -> Action {
    let parameter = |&id: &VariableId| {
        let variable = program.variable(id);
        Parameter::new(variable.name.clone(), variable.ty.width())
    };
    Action {
        identity: Identity::new(function.name.clone()),
        parameters: function.parameters.iter().map(parameter).collect(),
    }
}

fn profile(profile: &ir::Profile) -> Profile {
    Profile {
        identity: Identity::new(profile.name.clone()),
        size: profile.size,
        selector: profile.selection.as_ref().map(|_| Selector::default()),
    }
}
