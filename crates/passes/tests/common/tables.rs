//! Random tables for random programs, and look-ups in them.

use ir::{
    Expression, Function, FunctionId, FunctionKind, Key, Lookup, LookupResult, Program, Table, TableAction, TableId,
    Type, Variable, VariableId, VariableKind,
};
use runtime::Bits;
use runtime::tables::{FieldMatch, MatchKind, TableEntry, Target};

use super::{BYTE, Draw, INT};

/// The types of the parameters of each action.
const PARAMETERS: [&[Type]; 3] = [&[], &[INT, BYTE], &[Type::Bits(100), Type::Bool]];

/// Adds three tables with entries for small values: one with an exact key, one with a prefix and an exact key, and one
/// with a ternary key of two words.
pub fn add(program: &mut Program, draw: &mut Draw<'_>) {
    for (number, parameters) in PARAMETERS.iter().enumerate() {
        let parameters = parameters.iter().enumerate().map(|(place, &ty)| {
            let name = format!("action{number}.{place}");
            program.variables.push(Variable { name, ty, kind: VariableKind::Local });
            VariableId::from(program.variables.len() - 1)
        });
        let parameters = parameters.collect();
        program.functions.push(Function {
            name: format!("action{number}"),
            kind: FunctionKind::Action,
            parameters,
            body: Vec::new(),
        });
    }
    let keys: [&[(Type, MatchKind)]; 3] = [
        &[(BYTE, MatchKind::Exact)],
        &[(INT, MatchKind::Lpm), (Type::Bool, MatchKind::Exact)],
        &[(Type::Bits(96), MatchKind::Ternary)],
    ];
    for (number, keys) in keys.iter().enumerate() {
        let mut entries: Vec<TableEntry> = Vec::new();
        for priority in 0..draw.below(4) as u32 {
            let entry = TableEntry {
                key: keys.iter().map(|&(ty, kind)| field(draw, ty, kind)).collect(),
                priority: if keys[0].1 == MatchKind::Ternary { priority + 1 } else { 0 },
                target: target(draw),
                is_constant: false,
            };
            if entries.iter().all(|other| other.key != entry.key) {
                entries.push(entry);
            }
        }
        let key = |(place, &(ty, kind)): (usize, &(Type, MatchKind))| Key {
            name: format!("key{place}"),
            value: Expression::Undefined(ty),
            kind,
        };
        program.tables.push(Table {
            name: format!("table{number}"),
            keys: keys.iter().enumerate().map(key).collect(),
            actions: (0..PARAMETERS.len()).map(|number| action(FunctionId::from(number))).collect(),
            default: target(draw),
            is_default_constant: false,
            entries,
            is_constant: false,
            size: Some(16),
            profile: None,
            selector: Vec::new(),
            counter: None,
            meter: None,
            has_idle_timeout: false,
            has_slots: false,
            registers: vec![],
            counts_when_called: false,
        });
    }
}

fn action(function: FunctionId) -> TableAction {
    TableAction { function, before: Vec::new(), after: Vec::new(), only_default: false, only_entries: false }
}

fn target(draw: &mut Draw<'_>) -> Target {
    let action = draw.below(PARAMETERS.len());
    let data = PARAMETERS[action].iter().map(|ty| value(draw, *ty)).collect();
    Target::Action { action: action as u32, data }
}

fn value(draw: &mut Draw<'_>, ty: Type) -> Bits {
    match ty.width() {
        1 => Bits::from_u64(draw.below(2) as u64, 1),
        width if width > 64 => Bits::from_limbs(&[draw.below(6) as u64, draw.below(6) as u64], width),
        width => Bits::from_u64(draw.below(6) as u64, width),
    }
}

fn field(draw: &mut Draw<'_>, ty: Type, kind: MatchKind) -> FieldMatch {
    match kind {
        MatchKind::Lpm => {
            let length = 32 - draw.below(3) as u32;
            let bits = (draw.below(6) as u64) >> (32 - length) << (32 - length);
            FieldMatch::Prefix { value: Bits::from_u64(bits, 32), length }
        }
        MatchKind::Ternary => {
            let mask = [draw.below(8) as u64, draw.below(4) as u64];
            let value = [draw.below(6) as u64 & mask[0], draw.below(6) as u64 & mask[1]];
            FieldMatch::Mask { value: Bits::from_limbs(&value, 96), mask: Bits::from_limbs(&mask, 96) }
        }
        _ => FieldMatch::Exact(value(draw, ty)),
    }
}

/// Returns the types of the words of a table's keys.
pub fn words(table: usize) -> &'static [Type] {
    [&[BYTE][..], &[INT, Type::Bool], &[Type::Bits(64), INT]][table]
}

/// Draws a result of a look-up that has the given type.
pub fn result(draw: &mut Draw<'_>, ty: Type) -> LookupResult {
    let data = |action, parameter, low| LookupResult::Data { action, parameter, low, ty };
    match ty {
        Type::Bool => match draw.below(5) {
            0 => LookupResult::Hit,
            4 => data(2, 1, 0),
            number => LookupResult::Runs(number as u32 - 1),
        },
        BYTE => data(1, 1, 0),
        _ => [data(1, 0, 0), data(2, 0, 0), data(2, 0, 64)][draw.below(3)],
    }
}

/// Returns a look-up expression.
pub fn lookup(table: usize, keys: Vec<Expression>, result: LookupResult) -> Expression {
    Expression::Lookup(Box::new(Lookup { table: TableId::from(table), keys, result }))
}
