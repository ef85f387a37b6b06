//! Random programs of threads.

use ir::threads::{
    Branch, Cause, Contents, Data, Destination, Event, EventId, FetchOperator, HeadBytes, HeadPlace, Instruction,
    InstructionId, LocalMemory, MemoryField, MemoryKind, Move, Next, Operation, Place, ReasonId, RecordTable,
    RecordTableId, Segment, SegmentId, ThreadEntrance, Timer, TimerId, Transaction, intrinsics,
};
use ir::{
    Digest, DigestId, Expression, Function, FunctionKind, Initial, Key, Meter, MeterId, Program, Table, TableAction,
    TableId, Threads, Type, Variable, VariableId, VariableKind, verify,
};
use runtime::Bits;
use runtime::meter::MeterUnit;
use runtime::tables::{MatchKind, Target};

use crate::generate::{self, Choices, TYPES, name};
use crate::generate_parts::title;

const NUMBERS: [Type; 6] = [Type::Bits(8), Type::Bits(32), Type::Bits(64), Type::INT32, Type::Bits(16), Type::Int(13)];

/// Makes a program of threads that `verify` accepts.
pub fn program(choices: &mut Choices) -> Program {
    let mut program = Program { name: title(choices, 0), threads: Some(Threads::default()), ..Program::default() };
    for ty in [Type::Bool, Type::Bits(64), Type::Bits(32)] {
        let name = name(choices, program.variables.len());
        program.variables.push(Variable { name, ty, kind: VariableKind::Local });
    }
    for _ in 0..choices.below(5) {
        let (name, ty) = (name(choices, program.variables.len()), choices.pick(&TYPES));
        program.variables.push(Variable { name, ty, kind: VariableKind::Local });
    }
    for name in intrinsics::ALL {
        if choices.chance(2) {
            program.intrinsics.push((name.to_owned(), VariableId(1)));
        }
    }
    around(&mut program, choices);
    let mut threads = Threads::default();
    memories(&program, &mut threads, choices);
    program.threads = Some(threads.clone());
    let maker = Maker { program: &program, threads: &threads };
    let flow = (0..choices.below(3)).map(|_| maker.value(choices, Type::Bits(32), 2)).collect();
    let count = 1 + choices.below(6);
    let instructions = (0..count).map(|number| maker.instruction(choices, number, count)).collect();
    let mut entrances = vec![entrance(Cause::Packet, choices.below(count))];
    let timers = (0..threads.timers.len()).map(|timer| Cause::Timer(TimerId::from(timer)));
    let events = (0..threads.events.len()).map(|event| Cause::Event(EventId::from(event)));
    entrances.extend(timers.chain(events).map(|cause| entrance(cause, choices.below(count))));
    program.threads = Some(Threads { flow, instructions, entrances, ..threads });
    shallow(&mut program);
    program
}

fn entrance(cause: Cause, start: usize) -> ThreadEntrance {
    ThreadEntrance { cause, start: InstructionId::from(start) }
}

/// Removes calls if they may be nested too deep.
fn shallow(program: &mut Program) {
    let Err(errors) = verify::program(program) else { return };
    if errors.iter().all(|error| error.contains("call each other")) {
        for instruction in &mut program.threads.as_mut().expect("threads").instructions {
            let branch = &mut instruction.branch;
            for next in branch.cases.iter_mut().map(|(_, next)| next).chain([&mut branch.otherwise]) {
                if let Next::Call { to, .. } = *next {
                    *next = Next::Goto(to);
                }
            }
        }
    }
}

/// Adds what a program of threads has beside its threads.
fn around(program: &mut Program, choices: &mut Choices) {
    for number in 0..choices.below(3) {
        let unit = choices.pick(&[MeterUnit::Bytes, MeterUnit::Packets]);
        program.meters.push(Meter { name: title(choices, number), size: Some(choices.below(3) as u32 + 1), unit });
        let fields = (0..choices.below(3)).map(|number| (title(choices, number), choices.pick(&TYPES))).collect();
        program.digests.push(Digest { name: title(choices, number), fields });
        let count = choices.below(program.variables.len());
        let parameters: Vec<VariableId> = (0..count.min(6)).map(VariableId::from).collect();
        let data = parameters.iter().map(|id| Bits::from_u64(choices.bits(), program.variable(*id).ty.width()));
        let default = Target::Action { action: 0, data: data.collect() };
        let name = title(choices, number);
        program.functions.push(Function { name, kind: FunctionKind::Action, parameters, body: Vec::new() });
        let key = |choices: &mut Choices| {
            let value = Expression::Undefined(choices.pick(&[Type::Bits(8), Type::Bits(48), Type::Bits(64)]));
            Key { value, kind: choices.pick(&[MatchKind::Exact, MatchKind::Ternary]), name: "k".to_owned() }
        };
        program.tables.push(Table {
            name: title(choices, number),
            keys: (0..1 + choices.below(2)).map(|_| key(choices)).collect(),
            actions: vec![TableAction {
                function: ir::FunctionId::from(number),
                before: Vec::new(),
                after: Vec::new(),
                only_default: false,
                only_entries: false,
            }],
            default,
            is_default_constant: false,
            entries: Vec::new(),
            is_constant: false,
            size: None,
            profile: None,
            selector: Vec::new(),
            counter: None,
            meter: None,
            has_idle_timeout: false,
            has_slots: false,
            registers: Vec::new(),
            counts_when_called: false,
        });
    }
}

fn words(choices: &mut Choices, bytes: u64) -> Initial {
    match choices.below(3) {
        0 => Initial::Fill(0),
        1 => Initial::Fill(choices.bits()),
        _ => Initial::List((0..choices.below((bytes / 8).min(4) as usize + 1)).map(|_| choices.bits()).collect()),
    }
}

fn memories(program: &Program, threads: &mut Threads, choices: &mut Choices) {
    let bytes = choices.pick(&[0, 64, 256, 1280]);
    threads.local_memory = LocalMemory { bytes, initial: words(choices, bytes.into()) };
    let address = choices.below(bytes as usize / 2 + 1) as u32;
    threads.head = HeadPlace { address, bytes: choices.below((bytes - address) as usize + 1) as u32 };
    let mut address = 0;
    for number in 0..choices.below(5) {
        address += choices.pick(&[0, 64, 4096]);
        let kind = choices.pick(&[MemoryKind::OnChip, MemoryKind::OffChip]);
        let meter = program.meters.get(number).filter(|_| choices.chance(2));
        let (bytes, contents) = match meter.and_then(|meter| meter.size) {
            Some(size) => (64 * u64::from(size), Contents::Policers(MeterId::from(number))),
            None => {
                let bytes = choices.pick(&[64, 256, 8192]);
                (bytes, Contents::Words(words(choices, bytes)))
            }
        };
        if matches!(contents, Contents::Words(_)) && choices.chance(2) {
            let (key_bytes, segment) = (choices.pick(&[1, 4, 64]), SegmentId::from(number));
            let record_bytes = choices.pick(&[8, 24, 64]);
            let name = title(choices, threads.records.len());
            threads.records.push(RecordTable { name, key_bytes, record_bytes, segment });
        }
        threads.segments.push(Segment { name: title(choices, number), kind, address, bytes, contents });
        address += bytes;
    }
    for number in 0..choices.below(3) {
        let period = choices.pick(&[None, Some(1), Some(u64::MAX)]);
        threads.timers.push(Timer { name: title(choices, number), period });
        threads.events.push(Event { name: title(choices, number) });
        threads.reasons.push(title(choices, number));
    }
}

struct Maker<'p> {
    program: &'p Program,
    threads: &'p Threads,
}

impl Maker<'_> {
    /// Makes an expression that instructions can compute.
    fn value(&self, choices: &mut Choices, ty: Type, depth: u32) -> Expression {
        if depth == 0 {
            return generate::operand(self.program, choices, ty);
        }
        let own = |choices: &mut Choices, ty: Type| self.value(choices, ty, depth - 1);
        match (ty, choices.below(10)) {
            (Type::Bits(width), 0 | 1) => Expression::Memory(Box::new(self.field(choices, width, depth - 1))),
            (Type::Bits(width), 8) => {
                let low = choices.below(65 - usize::from(width)) as u16;
                let value = Box::new(own(choices, Type::Bits(64)));
                Expression::Slice { value, high: low + width - 1, low }
            }
            (Type::Bits(width), 9) if width > 1 => {
                let low = 1 + choices.below(usize::from(width) - 1) as u16;
                let parts = [Type::Bits(width - low), Type::Bits(low)].map(|ty| Box::new(own(choices, ty)));
                let [high, low] = parts;
                Expression::Concatenate(high, low)
            }
            // Hashes of registers' words are not among what instructions compute.
            (Type::Int(32), 6) => generate::operation(ty, 7, choices, &mut |choices, ty| own(choices, ty)),
            (_, kind) => generate::operation(ty, kind % 8, choices, &mut |choices, ty| own(choices, ty)),
        }
    }

    fn number(&self, choices: &mut Choices) -> Expression {
        let ty = choices.pick(&NUMBERS);
        if choices.chance(2) {
            Expression::number(ty, choices.below(40) as i64 * 8 % 128)
        } else {
            self.value(choices, ty, 2)
        }
    }

    /// Makes a field; one at a constant address lies in local memory.
    fn field(&self, choices: &mut Choices, width: u16, depth: u32) -> MemoryField {
        let bytes = u64::from(self.threads.local_memory.bytes);
        let room = bytes * 8;
        if choices.chance(2) && room >= u64::from(width) {
            let first = choices.below((room - u64::from(width)) as usize + 1) as u64;
            let address = Expression::number(Type::Bits(16), (first / 8) as i64);
            return MemoryField { address, offset: (first % 8) as u32, width };
        }
        let address = match self.value(choices, Type::Bits(8), depth) {
            // A constant may lie outside.
            Expression::Constant(_) => Expression::Variable(VariableId(2)),
            address => address,
        };
        MemoryField { address, offset: choices.below(100) as u32, width }
    }

    fn instruction(&self, choices: &mut Choices, number: usize, count: usize) -> Instruction {
        let mut moves = Vec::new();
        for (id, variable) in self.program.variables.iter().enumerate() {
            if !choices.chance(4) {
                continue;
            }
            let id = VariableId::from(id);
            let (place, ty) = match variable.ty {
                Type::Bits(width) | Type::Int(width) if width > 1 && choices.chance(2) => {
                    let high = choices.below(usize::from(width)) as u16;
                    let low = choices.below(usize::from(high) + 1) as u16;
                    (Place::Bits { variable: id, high, low }, Type::Bits(high - low + 1))
                }
                ty => (Place::Variable(id), ty),
            };
            moves.push(self.step(choices, place, ty));
        }
        if choices.chance(2) {
            let width = 1 + choices.below(64) as u16;
            let place = Place::Memory(self.field(choices, width, 2));
            moves.push(self.step(choices, place, Type::Bits(width)));
        }
        let transaction = if choices.chance(3) { None } else { self.transaction(choices) };
        let cases = (0..choices.below(4)).map(|_| {
            let condition = self.value(choices, Type::Bool, 2);
            (condition, self.next(choices, count))
        });
        let cases = cases.collect();
        let branch = Branch { cases, otherwise: self.next(choices, count) };
        Instruction { name: title(choices, number), waits: choices.chance(3), moves, transaction, branch }
    }

    fn step(&self, choices: &mut Choices, place: Place, ty: Type) -> Move {
        let condition = choices.chance(3).then(|| self.value(choices, Type::Bool, 2));
        Move { place, value: self.value(choices, ty, 3), condition }
    }

    fn next(&self, choices: &mut Choices, count: usize) -> Next {
        let mut some = || InstructionId::from(choices.below(count));
        let (to, then) = (some(), some());
        match choices.below(8) {
            0 => Next::Call { to, then },
            1 => Next::Return,
            2 => Next::End,
            3 => Next::Jump(self.number(choices)),
            _ => Next::Goto(to),
        }
    }

    /// Makes data of so many bytes.
    fn data(&self, choices: &mut Choices, bytes: u32) -> Data {
        if choices.chance(3) {
            return Data::Memory { address: self.number(choices), bytes };
        }
        let mut values = Vec::new();
        let mut bits = bytes * 8;
        while bits > 0 {
            let width = bits.min(choices.pick(&[64, 1, 8, 32])) as u16;
            bits -= u32::from(width);
            let ty = if width == 1 { Type::Bool } else { Type::Bits(width) };
            values.push(self.value(choices, ty, 1));
        }
        Data::Values(values)
    }

    /// Makes a transaction; `None` if the program has nothing that it could refer to.
    fn transaction(&self, choices: &mut Choices) -> Option<Transaction> {
        let operation = self.operation(choices)?;
        let bytes = operation.reply_bytes(self.program, |operand| self.program.type_of(operand).width());
        let reply = match choices.below(3) {
            0 if bytes > 0 => Destination::Memory(self.number(choices)),
            1 if bytes > 0 => {
                let words = (bytes.div_ceil(8) as usize).min(self.program.variables.len());
                let variables = (0..1 + choices.below(words)).map(|place| Some(VariableId::from(place)));
                Destination::Variables(variables.map(|id| id.filter(|_| !choices.chance(4))).collect())
            }
            _ => Destination::Nothing,
        };
        Some(Transaction { is_asynchronous: choices.chance(2), operation, reply })
    }

    fn operation(&self, choices: &mut Choices) -> Option<Operation> {
        let address = self.number(choices);
        let other = self.number(choices);
        let line = 8 * (1 + choices.below(8)) as u32;
        let some = |choices: &mut Choices, count: usize| (count > 0).then(|| choices.below(count));
        Some(match choices.below(24) {
            0 => Operation::Read { address, bytes: line },
            1 => Operation::Write { address, data: self.data(choices, line) },
            2 => Operation::Count { address, bytes: other },
            3 => Operation::Police { address, bytes: other, before: choices.chance(2).then(|| self.number(choices)) },
            4 => Operation::Fetch { operator: choices.pick(&FetchOperator::ALL), address, operand: other },
            5 => Operation::WriteMasked { address, value: other, mask: self.number(choices) },
            6 => Operation::Add { address, data: self.data(choices, line / 2) },
            7..=11 => {
                let number = some(choices, self.threads.records.len())?;
                let (records, table) = (RecordTableId::from(number), &self.threads.records[number]);
                let key = self.data(choices, table.key_bytes);
                match choices.below(5) {
                    0 => Operation::Find { records, key },
                    1 | 2 => {
                        let bytes = choices.below(table.record_bytes as usize + 1) as u32;
                        Operation::Insert { records, key, contents: self.data(choices, bytes) }
                    }
                    3 => Operation::Delete { records, key },
                    _ if choices.chance(2) => Operation::Remove { records, address },
                    _ => Operation::Scan { records, first: address, count: other },
                }
            }
            12 => {
                let number = some(choices, self.program.tables.len())?;
                let keys = self.program.tables[number].keys.iter();
                let keys = keys.map(|key| self.value(choices, self.program.type_of(&key.value), 1)).collect();
                Operation::Filter { table: TableId::from(number), keys }
            }
            13 => {
                let bytes = 1 + choices.below(64) as u32;
                Operation::Hash { data: self.data(choices, bytes), seed: other }
            }
            14 => Operation::ReadTail {
                packet: self.packet(choices),
                offset: other,
                bytes: line - choices.below(8) as u32,
            },
            15 => {
                let bytes = 1 + choices.below(64) as u32;
                Operation::WriteTail { packet: self.packet(choices), offset: other, data: self.data(choices, bytes) }
            }
            16 => Operation::CutTail { packet: self.packet(choices), bytes: other },
            17 => Operation::Make { tail_of: choices.chance(2).then(|| self.packet(choices)) },
            18 => {
                let packet = self.packet(choices);
                Operation::Send { packet, port: other, queue: self.number(choices), head: self.head(choices) }
            }
            19 => Operation::Multicast { packet: self.packet(choices), group: other, head: self.head(choices) },
            20 => {
                let reason = ReasonId::from(some(choices, self.threads.reasons.len())?);
                Operation::Drop { packet: self.packet(choices), reason }
            }
            21 => {
                let number = some(choices, self.program.digests.len())?;
                let fields = self.program.digests[number].fields.iter();
                let values = fields.map(|(_, ty)| self.value(choices, *ty, 1)).collect();
                Operation::Digest { digest: DigestId::from(number), values }
            }
            22 => {
                let timer = TimerId::from(some(choices, self.threads.timers.len())?);
                match choices.chance(2) {
                    true => Operation::StartTimer { timer, period: other },
                    false => Operation::StopTimer { timer },
                }
            }
            _ => Operation::Time,
        })
    }

    fn packet(&self, choices: &mut Choices) -> Expression {
        if choices.chance(4) {
            return self.number(choices);
        }
        Expression::number(Type::Bits(8), choices.below(2) as i64)
    }

    fn head(&self, choices: &mut Choices) -> HeadBytes {
        HeadBytes { address: self.number(choices), bytes: self.number(choices) }
    }
}
