//! What the control plane knows about an aggregator. Programs for the same protocols use the same names for tables and
//! actions.

use control::{
    Action, ActionNumber, ActionReference, DataType, DefaultAction, Identity, Info, MatchField, Parameter, Register,
    Table, TableNumber,
};
use runtime::memory::SharedMemory;
use runtime::records::RecordTable;
use runtime::tables::{KeyField, MatchKind, Target};
use runtime::{Bits, ProgramState, RegisterFile, TableState};

use super::Protocol;
use super::routes::{GROUPS, IPV4};

/// Returns the information about an aggregator with this protocol.
pub(super) fn info(protocol: &impl Protocol) -> Info {
    let mut info = Info::default();
    let address = |kind| [MatchField::new("hdr.ipv4.destination", 32, kind)];
    let drop = add_action(&mut info, "drop", &[]);
    let route = add_action(&mut info, "route", &[("port", 16)]);
    let spread = add_action(&mut info, "spread", &[("first", 16), ("count", 16)]);
    let multicast = add_action(&mut info, "multicast", &[("group", 16)]);
    let ipv4 = add_table(&mut info, "ipv4", address(MatchKind::Lpm), [drop, route, spread], &[]);
    let groups = add_table(&mut info, "groups", address(MatchKind::Exact), [drop, multicast], &[]);
    debug_assert_eq!((ipv4.index(), groups.index()), (IPV4, GROUPS));
    protocol.describe(&mut info);
    info.identify().expect("names of protocols are all different");
    info
}

/// Adds an action with parameters of these names and widths in bits.
pub(super) fn add_action(info: &mut Info, name: &str, parameters: &[(&str, u32)]) -> ActionNumber {
    let parameters = parameters.iter().map(|&(name, width)| Parameter::new(name, width)).collect();
    info.actions.push(Action { identity: Identity::new(name), parameters });
    ActionNumber::from(info.actions.len() - 1)
}

/// Adds a table, whose default is the first of its actions with `data`.
pub(super) fn add_table(
    info: &mut Info,
    name: &str,
    fields: impl Into<Vec<MatchField>>,
    actions: impl IntoIterator<Item = ActionNumber>,
    data: &[Bits],
) -> TableNumber {
    info.tables.push(Table {
        identity: Identity::new(name),
        fields: fields.into(),
        actions: actions.into_iter().map(ActionReference::new).collect(),
        default: DefaultAction { action: 0, data: data.to_vec() },
        is_default_constant: false,
        size: None,
        is_constant: false,
        initial_entries: Vec::new(),
        profile: None,
        counter: None,
        meter: None,
        has_idle_timeout: false,
    });
    TableNumber::from(info.tables.len() - 1)
}

/// Adds a register of `size` elements of at most 64 bits.
pub(super) fn add_register(info: &mut Info, name: impl Into<String>, width: u32, size: usize) {
    let array = u32::try_from(info.registers.len()).expect("a few dozen registers");
    info.registers.push(Register {
        identity: Identity::new(name),
        data_type: DataType::Bits(width),
        size: u32::try_from(size).unwrap_or(u32::MAX),
        arrays: vec![array],
    });
}

/// Returns the state that the control plane changes. Registers, records and memory are in the protocol, and empty here.
pub(super) fn state(info: &Info) -> ProgramState {
    let table = |table: &Table| {
        let fields = table.fields.iter().map(|field| KeyField { kind: field.kind, width: field.width }).collect();
        let DefaultAction { action, data } = table.default.clone();
        TableState::new(fields, table.size, Target::Action { action, data })
    };
    let tables = info.tables.iter().map(table).collect();
    let registers = RegisterFile::new(vec![Vec::new(); info.registers.len()]);
    let mut state = ProgramState { tables, registers, ..ProgramState::default() };
    clear_shared(info, &mut state);
    state
}

/// Empties records and memory.
pub(super) fn clear_shared(info: &Info, state: &mut ProgramState) {
    state.memory = SharedMemory::default();
    for segment in &info.segments {
        state.memory.add_words(segment.address, segment.bytes, 0, &[]);
    }
    let table = |table: &control::RecordTable| RecordTable::new(table.key_bytes as usize, table.size);
    state.records = info.records.iter().map(table).collect();
}
