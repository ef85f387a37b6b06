//! Replaces counters by registers: a counter is a stage's memory with an adder, like any other state.

use ir::{
    BinaryOperator, CounterId, CounterUnit, Expression, Initial, Register, RegisterId, Statement, Type, VariableId,
};

use super::CounterPart;
use super::outcome::Outcome;
use super::walk::Walk;
use super::words::number;

/// The type of counter values. BMv2 and the control plane use 64 bits, but atoms are proved for fewer than 64. A 63-bit
/// counter overflows after 292 years at one packet per nanosecond.
const COUNT: Type = Type::Bits(63);

impl Walk<'_> {
    /// Counts the packet in a counter; an index outside the array has no effect (v1model: "If index >= size, no counter
    /// state will be updated").
    pub(super) fn count(&mut self, counter: CounterId, index: &Expression) -> Outcome {
        let size = self.program.counters[counter.index()].size.unwrap_or(0);
        let mut code = Vec::new();
        let index = self.resolved(index, &mut code);
        let ty = Type::Bits(self.program.type_of(&index).width() as u16);
        let index = self.converted(ty, index);
        let is_inside = match self.knowledge.value(&self.program, &index) {
            Some(known) => Expression::bool(known.value < u64::from(size)),
            None if ty.width() < 32 && 1_u64 << ty.width() <= u64::from(size) => Expression::bool(true),
            None if size == 0 => Expression::bool(false),
            None => {
                Expression::Binary(BinaryOperator::Less, Box::new(index.clone()), Box::new(number(ty, size.into())))
            }
        };
        let part = match self.counters.iter().find(|part| part.counter == counter) {
            Some(part) => *part,
            None => self.make_counter(counter, size),
        };
        let index = match index {
            Expression::Variable(_) => index,
            other => self.held("$index", other, &mut code),
        };
        // An index inside the array has no higher bits.
        let index = if ty.width() > 64 { Expression::Cast(COUNT, Box::new(index)) } else { index };
        let mut all = Outcome::of(code);
        let counted = self.branch(
            is_inside,
            |walk| {
                let mut code = Vec::new();
                let packets = part.packets.map(|register| (register, number(COUNT, 1)));
                let bytes = part.bytes.map(|register| (register, Expression::Variable(walk.arrival_length())));
                for (register, more) in packets.into_iter().chain(bytes) {
                    let old = Expression::read(register, Some(index.clone()));
                    let value = Expression::binary(BinaryOperator::Add, old, more);
                    code.push(Statement::Write { register, index: Some(index.clone()), value, predicate: None });
                }
                Outcome::of(code)
            },
            |_| Outcome::default(),
        );
        self.append(&mut all, counted);
        all
    }

    /// Returns the variable that the machine sets to the length of the packet on arrival, in bytes, which counters
    /// count.
    pub(super) fn arrival_length(&mut self) -> VariableId {
        match self.length {
            Some(length) => length,
            None => {
                let length = self.local("$length", COUNT);
                self.length = Some(length);
                length
            }
        }
    }

    fn make_counter(&mut self, counter: CounterId, size: u32) -> CounterPart {
        let unit = self.program.counters[counter.index()].unit;
        let mut register = |what: &str| {
            let name = self.program.counters[counter.index()].name.clone();
            let mut name = format!("{name}.{what}");
            while self.program.register_named(&name).is_some() {
                name.push('$');
            }
            let length = Some(size.max(1));
            self.program.registers.push(Register { name, ty: COUNT, length, initial: Initial::Fill(0) });
            RegisterId::from(self.program.registers.len() - 1)
        };
        let packets = (unit != CounterUnit::Bytes).then(|| register("packets"));
        let bytes = (unit != CounterUnit::Packets).then(|| register("bytes"));
        let part = CounterPart { counter, packets, bytes };
        self.counters.push(part);
        part
    }
}
