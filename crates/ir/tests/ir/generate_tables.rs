//! Random tables of the functions that a program has.

use ir::{Initial, Key, Program, Register, RegisterId, Table, TableAction, Type, VariableId};
use runtime::Bits;
use runtime::tables::{FieldMatch, MatchKind, TableEntry, Target};

use crate::generate::{Choices, TYPES, expression};
use crate::generate_code::{Code, CodeContext};
use crate::generate_parts::{KINDS, WIDE, title};

pub fn table(program: &mut Program, choices: &mut Choices) {
    let mut keys: Vec<Key> = Vec::new();
    for number in 0..choices.below(3) {
        let ty = if choices.chance(4) { choices.pick(&WIDE) } else { choices.pick(&TYPES) };
        let mut kind = choices.pick(&KINDS);
        if ty == Type::Bool || keys.iter().any(|key| key.kind == MatchKind::Lpm) && kind == MatchKind::Lpm {
            kind = MatchKind::Exact;
        }
        let value = expression(program, choices, ty, 1);
        let written = ir::print::expression(program, &value).to_string();
        let name = if choices.chance(2) { written } else { title(choices, number) };
        keys.push(Key { name, value, kind });
    }
    let code = Code { program, place: CodeContext::Table, in_loop: false, after: false };
    let first = choices.below(program.functions.len());
    let actions: Vec<TableAction> = (first..program.functions.len())
        .map(|number| TableAction {
            function: ir::FunctionId::from(number),
            before: if choices.chance(3) { code.block(choices, 1) } else { Vec::new() },
            after: if choices.chance(3) { code.block(choices, 1) } else { Vec::new() },
            only_default: number == first && choices.chance(2),
            only_entries: number > first && choices.chance(2),
        })
        .collect();
    let profile = (!program.profiles.is_empty() && choices.chance(3)).then_some(ir::ProfileId(0));
    let selects = profile.is_some() && program.profiles[0].selection.is_some();
    let has_slots = choices.chance(3);
    let size = if has_slots { Some(100) } else { choices.pick(&[None, Some(100)]) };
    let registers = if has_slots { registers(program, choices) } else { Vec::new() };
    let mut table = Table {
        name: title(choices, program.tables.len()),
        default: action(program, choices, &actions, 0),
        is_default_constant: choices.chance(2),
        entries: Vec::new(),
        is_constant: choices.chance(2),
        size,
        profile,
        selector: if selects { vec![expression(program, choices, Type::Bits(8), 1)] } else { Vec::new() },
        counter: program.counters.iter().position(|counter| counter.size.is_none()).map(ir::CounterId::from),
        meter: program.meters.iter().position(|meter| meter.size.is_none()).and_then(|number| {
            let number_type = |id: &VariableId| program.variable(*id).ty != Type::Bool;
            let color = (0..program.variables.len()).map(VariableId::from).find(number_type)?;
            Some((ir::MeterId::from(number), color))
        }),
        has_idle_timeout: choices.chance(3),
        has_slots,
        registers,
        // Only one table can have the first direct counter and count when it is called.
        counts_when_called: has_slots && !program.tables.iter().any(|table| table.counts_when_called),
        keys,
        actions,
    };
    entries(program, choices, &mut table);
    program.tables.push(table);
}

/// Adds registers for the entries of a table of 100 entries.
fn registers(program: &mut Program, choices: &mut Choices) -> Vec<RegisterId> {
    for _ in 0..choices.below(3) {
        let (name, ty) = (format!("direct{}", program.registers.len()), choices.pick(&TYPES));
        let initial = Initial::Fill(u64::from(choices.chance(2)));
        program.registers.push(Register { name, ty, length: Some(100), initial });
        if choices.chance(2) {
            return vec![RegisterId::from(program.registers.len() - 1)];
        }
    }
    Vec::new()
}

/// Makes an action with data of its parameters' types.
fn action(program: &Program, choices: &mut Choices, actions: &[TableAction], number: usize) -> Target {
    let parameters = &program.functions[actions[number].function.index()].parameters;
    let data = parameters.iter().map(|&id| bits(choices, program.variable(id).ty.width())).collect();
    Target::Action { action: number as u32, data }
}

fn entries(program: &Program, choices: &mut Choices, table: &mut Table) {
    if table.keys.is_empty() {
        return;
    }
    let ranked = table.keys.iter().any(|key| key.kind.has_priority());
    for number in 0..choices.below(4) as u32 {
        let first = usize::from(table.actions[0].only_default);
        let target = if table.profile.is_some() {
            if choices.chance(2) { Target::Member(number) } else { Target::Group(number) }
        } else if first < table.actions.len() {
            action(program, choices, &table.actions, first)
        } else {
            return;
        };
        let keys = table.keys.iter();
        let key: Vec<FieldMatch> =
            keys.map(|key| field(choices, key.kind, program.type_of(&key.value).width())).collect();
        let priority = if ranked { number + choices.below(2) as u32 } else { 0 };
        if !table.entries.iter().any(|entry| entry.key == key) {
            table.entries.push(TableEntry { key, priority, target, is_constant: choices.chance(2) });
        }
    }
}

/// Makes a match of an entry against a field, in canonical form.
fn field(choices: &mut Choices, kind: MatchKind, width: u32) -> FieldMatch {
    let value = bits(choices, width);
    if kind != MatchKind::Exact && choices.chance(4) {
        return FieldMatch::Any;
    }
    match kind {
        MatchKind::Exact | MatchKind::Optional => FieldMatch::Exact(value),
        MatchKind::Lpm => FieldMatch::Prefix { value, length: width },
        MatchKind::Ternary => {
            let mask = value.or(&Bits::from_u64(1, width));
            FieldMatch::Mask { value, mask }
        }
        MatchKind::Range => FieldMatch::Range { low: value.clone(), high: value },
    }
}

fn bits(choices: &mut Choices, width: u32) -> Bits {
    let limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| choices.bits()).collect();
    Bits::from_limbs(&limbs, width)
}
