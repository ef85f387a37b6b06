//! Random programs with everything that the IR has: declarations.

use ir::{
    Array, ArrayId, Block, CORE_ERRORS, Counter, CounterUnit, Digest, Entrance, FieldList, Filter, Function,
    FunctionId, FunctionKind, Header, HeaderField, HeaderId, Initial, Meter, Parser, ParserId, Profile, Program,
    Register, RegisterId, Selection, SelectionBits, Stack, Type, ValueSet, Variable, VariableId, VariableKind, Wred,
};
use runtime::checksum::Algorithm;
use runtime::meter::MeterUnit;
use runtime::profile::SelectionMode;
use runtime::tables::{KeyField, MatchKind};

use crate::generate::{self, Choices, TYPES, name};
use crate::generate_code::{Code, CodeContext};
use crate::generate_tables;

pub const KINDS: [MatchKind; 5] =
    [MatchKind::Exact, MatchKind::Lpm, MatchKind::Ternary, MatchKind::Range, MatchKind::Optional];

/// Types of many widths, but not the widest.
pub const WIDE: [Type; 4] = [Type::Bits(65), Type::Int(128), Type::Bits(500), Type::Int(72)];

/// Names that the control plane uses: any text.
const TITLES: [&str; 9] = ["t", "a b", "accept", "", "\"\\\n", "bool[2]", "member", "then", "x[0].y"];

pub fn title(choices: &mut Choices, number: usize) -> String {
    // The number makes the name unique; without one the word stays as it is.
    if number < TITLES.len() && choices.chance(2) { TITLES[number].to_owned() } else { format!("n.{number}") }
}

/// Makes a program that `verify` accepts.
pub fn program(choices: &mut Choices) -> Program {
    let mut program = generate::program(choices);
    local(&mut program, Type::Bits(32));
    local(&mut program, Type::Bool);
    for _ in 0..choices.below(3) {
        local(&mut program, choices.pick(&WIDE));
    }
    headers(&mut program, choices);
    state(&mut program, choices);
    for _ in 0..choices.below(4) {
        function(&mut program, choices);
        if choices.chance(2) {
            generate_tables::table(&mut program, choices);
        }
    }
    for _ in 0..choices.below(3) {
        parser(&mut program, choices);
    }
    let code = Code { program: &program, place: CodeContext::Packet, in_loop: false, after: false };
    let more = code.block(choices, 2);
    program.packet.extend(more);
    entrances(&mut program, choices);
    if !program.entrances.is_empty() && choices.chance(2) {
        program.packet.clear();
    }
    program
}

fn local(program: &mut Program, ty: Type) -> VariableId {
    let name = format!("l{}", program.variables.len());
    program.variables.push(Variable { name, ty, kind: VariableKind::Local });
    VariableId::from(program.variables.len() - 1)
}

/// Returns an existing variable of a type, or a new one.
fn some_local(program: &mut Program, choices: &mut Choices, ty: Type) -> VariableId {
    let known = (0..program.variables.len()).map(VariableId::from);
    let known: Vec<VariableId> = known.filter(|&id| program.variable(id).ty == ty).collect();
    if known.is_empty() || choices.chance(2) { local(program, ty) } else { choices.pick(&known) }
}

fn headers(program: &mut Program, choices: &mut Choices) {
    for number in 0..choices.below(3) {
        let shape: Vec<(Type, bool)> = (0..choices.below(4))
            .map(|_| if choices.chance(4) { (Type::Bits(80), true) } else { (choices.pick(&TYPES), false) })
            .collect();
        let mut elements = Vec::new();
        for _ in 0..1 + choices.below(2) {
            elements.push(header(program, choices, &shape));
        }
        if choices.chance(2) {
            let next = some_local(program, choices, Type::Bits(32));
            program.stacks.push(Stack { name: title(choices, number), elements: elements.clone(), next });
        }
        for (place, &(ty, _)) in shape.iter().enumerate() {
            let field = |id: &HeaderId| program.headers[id.index()].fields[place].variable;
            let elements: Vec<VariableId> = elements.iter().map(field).collect();
            assert!(elements.iter().all(|&id| program.variable(id).ty == ty));
            let number = program.arrays.len();
            let name = if choices.chance(2) { format!("a{number}[].f") } else { name(choices, number) };
            program.arrays.push(Array { name, elements });
        }
    }
}

/// Adds a header whose variables are its own and consecutive, or shared with other parts of the program.
fn header(program: &mut Program, choices: &mut Choices, shape: &[(Type, bool)]) -> HeaderId {
    let scattered = choices.chance(3);
    let mut make = |program: &mut Program, ty| {
        if scattered { some_local(program, choices, ty) } else { local(program, ty) }
    };
    let valid = make(program, Type::Bool);
    let fields = shape.iter().map(|&(ty, varies)| HeaderField {
        variable: make(program, ty),
        length: varies.then(|| make(program, Type::Bits(32))),
    });
    let fields = fields.collect();
    let name = title(choices, program.headers.len());
    program.headers.push(Header { name, valid, fields });
    HeaderId::from(program.headers.len() - 1)
}

fn state(program: &mut Program, choices: &mut Choices) {
    if choices.chance(2) {
        program.errors = CORE_ERRORS.iter().map(|&name| name.to_owned()).collect();
        program.errors.extend((0..choices.below(3)).map(|number| title(choices, number)));
    }
    for number in 0..choices.below(3) {
        let fields = (0..1 + choices.below(2)).map(|_| KeyField { kind: choices.pick(&KINDS), width: 8 }).collect();
        program.value_sets.push(ValueSet { name: title(choices, number), fields, size: 4 });
    }
    let sizes = [None, Some(0), Some(5)];
    for number in 0..choices.below(4) {
        let unit = choices.pick(&[CounterUnit::Packets, CounterUnit::Bytes, CounterUnit::PacketsAndBytes]);
        let (name, size) = (title(choices, number), choices.pick(&sizes));
        program.counters.push(Counter { name, size, unit, width: choices.pick(&[1, 8, 33, 64]) });
        let unit = choices.pick(&[MeterUnit::Packets, MeterUnit::Bytes]);
        program.meters.push(Meter { name: title(choices, number), size: choices.pick(&sizes), unit });
        program.filters.push(Filter { name: title(choices, number), size: choices.pick(&[0, 1, 5]) });
        program.wreds.push(Wred { name: title(choices, number), size: choices.pick(&[0, 1, 5]) });
        let selection = choices.chance(2).then(|| selection(program, choices));
        program.profiles.push(Profile { name: title(choices, number), size: 3, selection });
        let fields = (0..choices.below(3)).map(|number| (title(choices, number), choices.pick(&TYPES))).collect();
        program.digests.push(Digest { name: title(choices, number), fields });
        let variables = (0..choices.below(3)).map(|_| VariableId::from(choices.below(program.variables.len())));
        program.field_lists.push(FieldList { number: 7 * number as u32, variables: variables.collect() });
    }
}

fn selection(program: &mut Program, choices: &mut Choices) -> Selection {
    let mode = choices.pick(&[SelectionMode::Fair, SelectionMode::Resilient]);
    let bits = choices.chance(3).then(|| {
        let name = format!("bits{}", program.registers.len());
        program.registers.push(Register { name, ty: Type::Bits(1), length: Some(9), initial: Initial::Fill(0) });
        SelectionBits { register: RegisterId::from(program.registers.len() - 1), places: choices.pick(&[1, 4, 9]) }
    });
    Selection { mode, bits, ..Selection::from(algorithm(choices)) }
}

pub fn algorithm(choices: &mut Choices) -> Algorithm {
    Algorithm::from_name(choices.pick(&Algorithm::NAMES)).expect("a name of one")
}

fn function(program: &mut Program, choices: &mut Choices) {
    let kind = choices.pick(&[FunctionKind::Action, FunctionKind::Control, FunctionKind::Function]);
    let mut parameters: Vec<VariableId> =
        (0..choices.below(3)).map(|_| VariableId::from(choices.below(program.variables.len()))).collect();
    parameters.sort();
    parameters.dedup();
    let code = Code { program, place: CodeContext::Function, in_loop: false, after: false };
    let body = code.block(choices, 2);
    let name = title(choices, program.functions.len());
    program.functions.push(Function { name, kind, parameters, body });
}

fn parser(program: &mut Program, choices: &mut Choices) {
    program.errors = CORE_ERRORS.iter().map(|&name| name.to_owned()).collect();
    let count = 1 + choices.below(3);
    let code = Code { program, place: CodeContext::Parser, in_loop: false, after: false };
    let states = (0..count).map(|number| code.state(choices, number, count)).collect();
    let name = title(choices, program.parsers.len());
    program.parsers.push(Parser { name, states });
}

fn entrances(program: &mut Program, choices: &mut Choices) {
    let parsers = (0..program.parsers.len()).map(|number| Block::Parser(ParserId::from(number)));
    let functions = (0..program.functions.len()).map(|number| Block::Function(FunctionId::from(number)));
    for block in parsers.chain(functions) {
        if choices.chance(2) {
            let number = program.entrances.len();
            program.entrances.push(Entrance { name: title(choices, number), block });
            let variable = VariableId::from(choices.below(program.variables.len()));
            program.intrinsics.push((title(choices, number), variable));
        }
    }
}

/// Returns an array whose elements have a type, if there is one.
pub fn array_of(program: &Program, choices: &mut Choices, ty: Type) -> Option<ArrayId> {
    let fits = |id: &ArrayId| program.variable(program.arrays[id.index()].elements[0]).ty == ty;
    let arrays: Vec<ArrayId> = (0..program.arrays.len()).map(ArrayId::from).filter(fits).collect();
    (!arrays.is_empty()).then(|| choices.pick(&arrays))
}
