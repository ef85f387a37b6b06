//! Changes to valid programs that may make them invalid.

use ir::parser::{self, StateId, Transition};
use ir::threads::{
    Contents, Data, Destination, InstructionId, MemoryField, Next, Operation, Place, ReasonId, RecordTableId,
    SegmentId, TimerId,
};
use ir::{
    ArrayId, Block, CounterId, Expression, Flow, FunctionId, HeaderId, MeterId, ParserId, ProfileId, Program,
    RegisterId, SelectionBits, StackId, Statement, TableId, Type, VariableId,
};
use runtime::Bits;
use runtime::tables::{FieldMatch, MatchKind, Target};

use crate::generate::Choices;

/// Applies a few changes to parts of the program that the choices select.
pub fn damage(program: &mut Program, choices: &mut Choices) {
    for _ in 0..1 + choices.below(3) {
        // A change does nothing if the program has no such part.
        let _ = match choices.below(6) {
            0 => groups(program, choices),
            1 => state(program, choices),
            2 => table(program, choices),
            3 => parser(program, choices),
            4 => statement(program, choices),
            _ => names(program, choices),
        };
    }
}

/// Applies a few changes to the threads of a program.
pub fn damage_threads(program: &mut Program, choices: &mut Choices) {
    for _ in 0..1 + choices.below(3) {
        // A change does nothing if the program has no such part.
        let _ = match choices.below(3) {
            0 => thread_declarations(program, choices),
            1 => instruction(program, choices),
            _ => thread_names(program, choices),
        };
    }
}

fn thread_declarations(program: &mut Program, choices: &mut Choices) -> Option<()> {
    let number = id(choices);
    let threads = program.threads.as_mut()?;
    match choices.below(10) {
        9 => some(&mut some(&mut program.tables, choices)?.actions, choices)?.function = FunctionId::from(number),
        0 => threads.local_memory.bytes = choices.pick(&[0, 8, 12, u32::MAX]),
        1 => threads.head.bytes = choices.pick(&[0, 7, u32::MAX]),
        2 => some(&mut threads.segments, choices)?.address = choices.pick(&[0, 4, 64, u64::MAX]),
        3 => some(&mut threads.segments, choices)?.bytes = choices.pick(&[0, 12, 64, u64::MAX]),
        4 => some(&mut threads.segments, choices)?.contents = Contents::Policers(MeterId::from(number)),
        5 => some(&mut threads.records, choices)?.segment = SegmentId::from(number),
        6 => some(&mut threads.records, choices)?.record_bytes = choices.pick(&[0, 12, 8]),
        7 => some(&mut threads.entrances, choices)?.start = InstructionId::from(number),
        _ => some(&mut program.variables, choices)?.ty = choices.pick(&[Type::Bits(0), Type::Bits(65), Type::Bool]),
    }
    Some(())
}

fn instruction(program: &mut Program, choices: &mut Choices) -> Option<()> {
    let number = id(choices);
    let expression = match choices.below(5) {
        0 => Expression::Variable(VariableId::from(number)),
        1 => Expression::Undefined(Type::Bits(8)),
        2 => Expression::Wide(Type::Bits(65), Bits::ones(65)),
        3 => Expression::bool(true),
        _ => {
            let field =
                MemoryField { address: Expression::number(Type::Bits(64), -1), offset: 3, width: number as u16 };
            Expression::Memory(Box::new(field))
        }
    };
    let damaged = some(&mut program.threads.as_mut()?.instructions, choices)?;
    match choices.below(8) {
        0 => some(&mut damaged.moves, choices)?.value = expression,
        1 => some(&mut damaged.moves, choices)?.place = Place::Variable(VariableId::from(number)),
        2 => {
            let copy = some(&mut damaged.moves, choices)?.clone();
            damaged.moves.push(copy);
        }
        3 => some(&mut damaged.branch.cases, choices)?.0 = expression,
        4 => damaged.branch.otherwise = Next::Goto(InstructionId::from(number)),
        5 => damaged.branch.otherwise = Next::Jump(expression),
        6 => {
            let to = InstructionId::from(number);
            damaged.branch.otherwise = Next::Call { to, then: to };
        }
        _ => {
            let records = RecordTableId::from(number);
            let operation = match choices.below(5) {
                0 => Operation::Read { address: expression, bytes: number as u32 },
                1 => Operation::Find { records, key: Data::Values(vec![expression]) },
                2 => Operation::Filter { table: TableId::from(number), keys: vec![expression] },
                3 => Operation::StopTimer { timer: TimerId::from(number) },
                _ => Operation::Drop { packet: expression, reason: ReasonId::from(number) },
            };
            let reply = Destination::Variables(vec![None, Some(VariableId::from(number))]);
            damaged.transaction = Some(ir::threads::Transaction { is_asynchronous: false, operation, reply });
        }
    }
    Some(())
}

fn thread_names(program: &mut Program, choices: &mut Choices) -> Option<()> {
    let name = choices.pick(&["t", "a b", "x[", "n.0", "", "if"]).to_owned();
    let threads = program.threads.as_mut()?;
    match choices.below(5) {
        0 => some(&mut threads.instructions, choices)?.name = name,
        1 => some(&mut threads.segments, choices)?.name = name,
        2 => some(&mut threads.timers, choices)?.name = name,
        3 => some(&mut threads.reasons, choices)?.clone_from(&name),
        _ => some(&mut threads.records, choices)?.name = name,
    }
    Some(())
}

/// Selects an element of a list, if it has one.
fn some<'l, T>(list: &'l mut [T], choices: &mut Choices) -> Option<&'l mut T> {
    if list.is_empty() { None } else { Some(&mut list[choices.below(list.len())]) }
}

fn id(choices: &mut Choices) -> usize {
    choices.pick(&[0, 1, 2, 5, 1000])
}

fn groups(program: &mut Program, choices: &mut Choices) -> Option<()> {
    let variable = VariableId::from(id(choices));
    match choices.below(6) {
        0 => some(&mut program.arrays, choices)?.elements.push(variable),
        1 => some(&mut program.arrays, choices)?.elements.clear(),
        2 => some(&mut program.headers, choices)?.valid = variable,
        3 => some(&mut some(&mut program.headers, choices)?.fields, choices)?.length = Some(variable),
        4 => some(&mut program.stacks, choices)?.elements.push(HeaderId::from(id(choices))),
        _ => some(&mut program.variables, choices)?.ty = choices.pick(&[Type::Bits(0), Type::Bits(65_535), Type::Bool]),
    }
    Some(())
}

fn state(program: &mut Program, choices: &mut Choices) -> Option<()> {
    match choices.below(6) {
        0 => some(&mut program.counters, choices)?.size = choices.pick(&[None, Some(3)]),
        1 => some(&mut program.meters, choices)?.size = choices.pick(&[None, Some(3)]),
        2 => some(&mut program.errors, choices)?.push('x'),
        3 => some(&mut program.field_lists, choices)?.number = 7,
        4 => some(&mut program.value_sets, choices)?.fields.clear(),
        _ => {
            let blocks = [Block::Parser(ParserId::from(id(choices))), Block::Function(FunctionId::from(id(choices)))];
            some(&mut program.entrances, choices)?.block = choices.pick(&blocks);
        }
    }
    Some(())
}

fn table(program: &mut Program, choices: &mut Choices) -> Option<()> {
    let table = some(&mut program.tables, choices)?;
    match choices.below(10) {
        0 => some(&mut table.keys, choices)?.kind = choices.pick(&[MatchKind::Lpm, MatchKind::Range, MatchKind::Exact]),
        1 => some(&mut table.actions, choices)?.function = FunctionId::from(id(choices)),
        2 => table.default = Target::Action { action: id(choices) as u32, data: vec![Bits::Narrow(choices.bits())] },
        3 => some(&mut table.entries, choices)?.key.push(FieldMatch::Any),
        4 => some(&mut some(&mut table.entries, choices)?.key, choices).map(|key| *key = FieldMatch::Any)?,
        5 => some(&mut table.entries, choices)?.target = Target::Member(1),
        6 => table.profile = Some(ProfileId::from(id(choices))),
        9 => {
            let selection = some(&mut program.profiles, choices)?.selection.as_mut()?;
            selection.bits =
                Some(SelectionBits { register: RegisterId::from(id(choices)), places: id(choices) as u32 });
        }
        7 => table.counter = Some(CounterId::from(id(choices))),
        _ => table.meter = Some((MeterId::from(id(choices)), VariableId::from(id(choices)))),
    }
    Some(())
}

fn parser(program: &mut Program, choices: &mut Choices) -> Option<()> {
    let parser = some(&mut program.parsers, choices)?;
    let next = parser::Next::State(StateId::from(id(choices)));
    match (choices.below(4), some(&mut parser.states, choices).map(|state| &mut state.transition)) {
        (0, _) => parser.states.clear(),
        (1, Some(transition)) => *transition = Transition::To(next),
        (2, Some(Transition::Select { keys, .. })) => keys.clear(),
        (_, Some(Transition::Select { cases, .. })) => some(cases, choices)?.next = next,
        _ => (),
    }
    Some(())
}

/// Adds a statement somewhere, often one with an id that is out of range.
fn statement(program: &mut Program, choices: &mut Choices) -> Option<()> {
    let number = id(choices);
    let statement = match choices.below(7) {
        0 => {
            Statement::Flow(Flow::Call { function: FunctionId::from(number), after: vec![Statement::Flow(Flow::Exit)] })
        }
        1 => Statement::Flow(Flow::Parse { parser: ParserId::from(number), after: Vec::new() }),
        2 => Statement::Flow(Flow::Apply {
            table: TableId::from(number),
            hit: Some(VariableId(0)),
            action: None,
            entry: None,
        }),
        3 => Statement::Flow(if choices.chance(2) { Flow::Break } else { Flow::Return }),
        4 => {
            let value = Expression::Slice { value: Box::new(Expression::Variable(VariableId(0))), high: 3, low: 5 };
            Statement::Assign { variable: VariableId::from(number), value }
        }
        5 => {
            let index = Expression::Element { array: ArrayId::from(number), index: Box::new(Expression::bool(true)) };
            let header = ir::HeaderReference::Element(StackId::from(number), index);
            Statement::Packet(ir::PacketStatement::Extract { header, length: None })
        }
        _ => {
            let wide = Expression::Wide(Type::Bits(8), Bits::ones(choices.pick(&[8, 65])));
            let value = Expression::Concatenate(Box::new(Expression::Undefined(Type::Bits(65_535))), Box::new(wide));
            Statement::Assign { variable: VariableId::from(number), value }
        }
    };
    match choices.below(4) {
        0 => program.packet.push(statement),
        1 => some(&mut program.functions, choices)?.body.push(statement),
        2 => some(&mut some(&mut program.parsers, choices)?.states, choices)?.body.push(statement),
        _ => some(&mut some(&mut program.tables, choices)?.actions, choices)?.before.push(statement),
    }
    Some(())
}

fn names(program: &mut Program, choices: &mut Choices) -> Option<()> {
    let name = choices.pick(&["t", "a b", "x[", "n.0", "", "if"]).to_owned();
    match choices.below(8) {
        0 => some(&mut program.variables, choices)?.name = name,
        1 => some(&mut program.headers, choices)?.name = name,
        2 => some(&mut program.functions, choices)?.name = name,
        3 => some(&mut program.tables, choices)?.name = name,
        4 => some(&mut program.arrays, choices)?.name = name,
        5 => some(&mut some(&mut program.parsers, choices)?.states, choices)?.name = name,
        6 => some(&mut program.digests, choices)?.name = name,
        _ => some(&mut program.intrinsics, choices)?.0 = name,
    }
    Some(())
}
