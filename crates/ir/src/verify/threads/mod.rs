//! Verification of programs of threads: memories, entrances, and what a program has beside its threads.

mod calls;
mod conflicts;
mod instructions;
mod operations;

use std::collections::HashSet;

use super::item::{Findings, Item};
use super::{expression, ids};
use crate::threads::{
    Cause, Contents, InstructionId, MAX_LOCAL_MEMORY, MAX_RECORD, MAX_RECORDS, MAX_SHARED_MEMORY, MemoryField,
    POLICER_BYTES, RecordTableId, Segment, SegmentId, TimerId, intrinsics,
};
use crate::{Expression, Initial, Program, Threads, Type, VariableId, VariableKind, form, typing};

pub(super) fn threads(program: &Program, findings: &mut Findings) {
    let Some(threads) = &program.threads else { return };
    alone(program, findings);
    local_memory(threads, findings);
    segments(program, threads, findings);
    records(threads, findings);
    for (number, _) in threads.timers.iter().enumerate().filter(|(_, timer)| timer.period == Some(0)) {
        findings.push(Item::Timer(TimerId::from(number)), "the period of a timer cannot be 0");
    }
    let mut operands = Operands { program, threads, findings };
    for value in &threads.flow {
        operands.value(Item::PacketFlow, value);
    }
    for (number, instruction) in threads.instructions.iter().enumerate() {
        instructions::instruction(&mut operands, InstructionId::from(number), instruction);
    }
    calls::calls(threads, findings);
    entrances(threads, findings);
}

/// Checks what a program has beside its threads.
fn alone(program: &Program, findings: &mut Findings) {
    let others = [
        ("a `packet` block", !program.packet.is_empty()),
        ("exports", !program.exports.is_empty()),
        ("registers", !program.registers.is_empty()),
        ("arrays", !program.arrays.is_empty()),
        ("headers", !program.headers.is_empty()),
        ("stacks", !program.stacks.is_empty()),
        ("errors", !program.errors.is_empty()),
        ("parsers", !program.parsers.is_empty()),
        ("value sets", !program.value_sets.is_empty()),
        ("counters", !program.counters.is_empty()),
        ("low-pass filters", !program.filters.is_empty()),
        ("random early detectors", !program.wreds.is_empty()),
        ("profiles", !program.profiles.is_empty()),
        ("field lists", !program.field_lists.is_empty()),
        ("entrances of other code", !program.entrances.is_empty()),
    ];
    let found: Vec<&str> = others.iter().filter(|(_, found)| *found).map(|(what, _)| *what).collect();
    if !found.is_empty() {
        findings.push(Item::Threads, format!("a program of threads cannot also have {}", found.join(", ")));
    }
    form::only_looked_up(program).into_iter().for_each(|(item, message)| findings.push(item, message));
    for (number, variable) in program.variables.iter().enumerate() {
        let item = Item::Variable(VariableId::from(number));
        if variable.kind == VariableKind::Field {
            findings.push(item, "the variables of threads are locals, not fields");
        }
        findings.check(item, narrow(variable.ty));
    }
    for (place, (name, variable)) in program.intrinsics.iter().enumerate() {
        if !intrinsics::ALL.contains(&name.as_str()) {
            let message = format!("threads have no intrinsic `{name}`, only {}", intrinsics::ALL.join(", "));
            findings.push(Item::Intrinsic(place), message);
        }
        let found = ids::variable(program, *variable);
        if let Ok(ty) = found {
            findings.check(Item::Intrinsic(place), typing::number("an intrinsic of threads", ty));
        }
    }
}

fn local_memory(threads: &Threads, findings: &mut Findings) {
    let (memory, head) = (&threads.local_memory, threads.head);
    if !memory.bytes.is_multiple_of(8) || memory.bytes > MAX_LOCAL_MEMORY {
        let message = format!("the size of local memory is a multiple of 8 up to {MAX_LOCAL_MEMORY} bytes");
        findings.push(Item::LocalMemory, message);
    }
    findings.check(Item::LocalMemory, words(&memory.initial, memory.bytes.into()));
    let end = u64::from(head.address) + u64::from(head.bytes);
    if end > memory.bytes.into() {
        let message = format!("the head ends at byte {end}, behind the local memory of {} bytes", memory.bytes);
        findings.push(Item::Head, message);
    }
}

/// Checks that first contents fit in so many bytes.
fn words(initial: &Initial, bytes: u64) -> Result<(), String> {
    match initial {
        Initial::List(values) if values.len() as u64 > bytes / 8 => {
            Err(format!("{} first words of 8 bytes do not fit in {bytes} bytes", values.len()))
        }
        _ => Ok(()),
    }
}

fn segments(program: &Program, threads: &Threads, findings: &mut Findings) {
    let mut placed = HashSet::new();
    for (number, segment) in threads.segments.iter().enumerate() {
        let item = Item::Segment(SegmentId::from(number));
        if !segment.address.is_multiple_of(8) || !segment.bytes.is_multiple_of(8) || segment.bytes == 0 {
            findings.push(item, "the address and the size of a segment are multiples of 8, and the size is not 0");
        }
        if segment.address.checked_add(segment.bytes).is_none_or(|end| end > MAX_SHARED_MEMORY) {
            findings.push(item, format!("the segment ends behind byte {MAX_SHARED_MEMORY}, the end of shared memory"));
        }
        match &segment.contents {
            Contents::Words(initial) => findings.check(item, words(initial, segment.bytes)),
            Contents::Policers(id) => match ids::meter(program, *id) {
                Ok(meter) => {
                    findings.check(item, policers(segment, &meter.name, meter.size));
                    if !placed.insert(*id) {
                        findings.push(item, format!("the policers `{}` are in another segment too", meter.name));
                    }
                }
                Err(error) => findings.push(item, error),
            },
        }
    }
    let mut sorted: Vec<usize> = (0..threads.segments.len()).collect();
    sorted.sort_by_key(|&place| threads.segments[place].address);
    // The segment that reaches farthest of those that begin earlier.
    let mut farthest: Option<usize> = None;
    let end = |place: usize| threads.segments[place].address.saturating_add(threads.segments[place].bytes);
    for place in sorted {
        if let Some(other) = farthest.filter(|&other| end(other) > threads.segments[place].address) {
            let message = format!("the segment overlaps the segment `{}`", threads.segments[other].name);
            findings.push(Item::Segment(SegmentId::from(place)), message);
        }
        farthest = farthest.filter(|&other| end(other) >= end(place)).or(Some(place));
    }
}

fn policers(segment: &Segment, name: &str, size: Option<u32>) -> Result<(), String> {
    let Some(size) = size else { return Err(format!("the meter `{name}` is direct, so it cannot be in a segment")) };
    let bytes = u64::from(size) * POLICER_BYTES;
    if segment.bytes != bytes {
        return Err(format!("{size} policers take {bytes} bytes, not {}", segment.bytes));
    }
    if segment.address.is_multiple_of(POLICER_BYTES) {
        Ok(())
    } else {
        Err(format!("the address of policers is a multiple of {POLICER_BYTES}"))
    }
}

fn records(threads: &Threads, findings: &mut Findings) {
    let mut taken = HashSet::new();
    for (number, table) in threads.records.iter().enumerate() {
        let item = Item::Records(RecordTableId::from(number));
        if !(1..=64).contains(&table.key_bytes) {
            findings.push(item, format!("a key has 1 to 64 bytes, not {}", table.key_bytes));
        }
        if !table.record_bytes.is_multiple_of(8) || !(8..=MAX_RECORD).contains(&table.record_bytes) {
            let message =
                format!("the size of a record is a multiple of 8 up to {MAX_RECORD}, not {}", table.record_bytes);
            findings.push(item, message);
        }
        match threads.segments.get(table.segment.index()) {
            None => findings.push(item, format!("segment {} does not exist", table.segment.index())),
            Some(Segment { contents: Contents::Policers(_), .. }) => {
                findings.push(item, "records cannot be in a segment of policers");
            }
            Some(segment) => {
                let capacity = threads.capacity(table);
                if !(1..=MAX_RECORDS).contains(&capacity) {
                    let message = format!("the segment `{}` holds {capacity} records", segment.name);
                    findings.push(item, format!("{message}; a table has 1 to {MAX_RECORDS}"));
                }
            }
        }
        if !taken.insert(table.segment) {
            findings.push(item, "another table of records is in the same segment");
        }
    }
}

fn entrances(threads: &Threads, findings: &mut Findings) {
    let mut seen = HashSet::new();
    for (place, entrance) in threads.entrances.iter().enumerate() {
        let item = Item::ThreadEntrance(place);
        let (what, exists) = match entrance.cause {
            Cause::Packet => ("packet", true),
            Cause::Timer(id) => ("timer", id.index() < threads.timers.len()),
            Cause::Event(id) => ("event", id.index() < threads.events.len()),
        };
        if !exists {
            findings.push(item, format!("the {what} does not exist"));
        }
        if !seen.insert(entrance.cause) {
            findings.push(item, "threads of one cause have one entrance only");
        }
        findings.check(item, instruction(threads, entrance.start));
    }
}

/// Checks that an instruction exists.
fn instruction(threads: &Threads, id: InstructionId) -> Result<(), String> {
    if id.index() < threads.instructions.len() {
        Ok(())
    } else {
        Err(format!("instruction {} does not exist", id.index()))
    }
}

/// Requires a type to have at most 64 bits.
fn narrow(ty: Type) -> Result<(), String> {
    if ty.width() <= 64 { Ok(()) } else { Err(format!("values of threads have at most 64 bits, but {ty} is wider")) }
}

/// Checks operands. What is wrong with the types inside an expression is reported elsewhere.
struct Operands<'a> {
    program: &'a Program,
    threads: &'a Threads,
    findings: &'a mut Findings,
}

impl Operands<'_> {
    fn check<T>(&mut self, item: Item, outcome: Result<T, String>) -> Option<T> {
        outcome.map_err(|message| self.findings.push(item, message)).ok()
    }

    /// Returns the type of an operand, if all is well with it.
    fn value(&mut self, item: Item, value: &Expression) -> Option<Type> {
        let ty = expression(self.program, value).ok()?;
        let mut found = Ok(());
        value.walk(&mut |inner| {
            if found.is_ok() {
                found = self.part(inner);
            }
        });
        self.check(item, found).map(|()| ty)
    }

    /// Checks one part of an operand, whose types are right.
    fn part(&self, part: &Expression) -> Result<(), String> {
        match part {
            Expression::Constant(_)
            | Expression::Variable(_)
            | Expression::Unary(..)
            | Expression::Binary(..)
            | Expression::Select(..)
            | Expression::Cast(..)
            | Expression::Slice { .. }
            | Expression::Concatenate(..) => narrow(self.program.type_of(part)),
            Expression::Memory(field) => self.inside(field),
            _ => Err("instructions compute with constants, variables and local memory only".to_owned()),
        }
    }

    /// Refuses a field at a constant address that lies outside of local memory.
    fn inside(&self, field: &MemoryField) -> Result<(), String> {
        let Expression::Constant(address) = &field.address else { return Ok(()) };
        let bytes = self.threads.local_memory.bytes;
        let end = u128::from(address.value) * 8 + u128::from(field.offset) + u128::from(field.width);
        if end <= u128::from(bytes) * 8 {
            return Ok(());
        }
        let name = format!("byte {}", address.value);
        Err(format!("the field {} bits behind {name} lies outside of the local memory of {bytes} bytes", field.offset))
    }

    fn number(&mut self, item: Item, what: &str, value: &Expression) {
        if let Some(found) = self.value(item, value) {
            self.check(item, typing::number(what, found));
        }
    }

    fn condition(&mut self, item: Item, what: &str, value: &Expression) {
        if let Some(found) = self.value(item, value) {
            self.check(item, typing::condition(what, found));
        }
    }
}
