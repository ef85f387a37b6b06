//! Shorter code with the same effects: what nobody reads is not computed, operations that belong together are one
//! instruction, and a stage whose access does not happen is left after its first instruction.
//!
//! A pipeline is in single assignment form, so a variable has the same value wherever it is read.

use runtime::arithmetic;

use super::Slot;
use super::asked::Asked;
use super::compile::{Draft, Operand};
use super::instruction::{Leave, Operation};

/// The instructions of a pipeline by stage, and what shortening them has to know.
pub(super) struct Stages<'a> {
    pub(super) drafts: Vec<Vec<Draft>>,
    pub(super) asked: &'a Asked,
    /// The constants, to which those are added that only the shorter code needs.
    pub(super) constants: &'a mut Vec<u64>,
    /// How often each variable is read, at first only by the machine itself.
    pub(super) reads: Vec<u32>,
}

/// A stage that is left after its first instruction if its access does not happen.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeaveDraft {
    register: Slot,
    to: Operand,
    from: Operand,
    rest: usize,
}

impl LeaveDraft {
    pub(super) fn place(&self, place: impl Fn(Operand) -> Slot) -> Leave {
        Leave { register: self.register, to: place(self.to), from: place(self.from), rest: self.rest }
    }
}

impl Stages<'_> {
    /// Shortens all stages. Returns which of them can be left early, by the numbers in their first instructions.
    pub(super) fn shorten(&mut self) -> Vec<LeaveDraft> {
        for draft in self.drafts.iter().flatten() {
            count(&mut self.reads, self.asked, draft, 1);
        }
        self.remove_unread();
        let mut leaves = Vec::new();
        for number in 0..self.drafts.len() {
            let unchanged = self.without_access(&self.drafts[number].clone());
            let stage = &mut self.drafts[number];
            add_products(stage, &self.reads);
            write_where_read(stage);
            // A stage that is a single instruction would not become shorter.
            if let (Some((to, from)), [first, _, ..]) = (unchanged, &mut stage[..]) {
                let [index, predicate, Operand::Immediate(register)] = first.inputs else { continue };
                let draft = Operand::Immediate(leaves.len() as Slot);
                (first.operation, first.inputs) = (Operation::ReadOrLeave, [index, predicate, draft]);
                leaves.push(LeaveDraft { register, to, from, rest: stage.len() - 1 });
            }
        }
        leaves
    }

    /// Removes instructions whose results nobody reads.
    fn remove_unread(&mut self) {
        // The temporaries that the instructions behind read.
        let mut awaited: Vec<Operand> = Vec::new();
        for stage in self.drafts.iter_mut().rev() {
            let mut kept = Vec::with_capacity(stage.len());
            for draft in stage.drain(..).rev() {
                let is_read = match (draft.operation, draft.result) {
                    (Operation::Write | Operation::LookUp, _) => true,
                    (_, Operand::Variable(number)) => self.reads[number] > 0,
                    (_, result) => awaited.contains(&result),
                };
                if !is_read {
                    count(&mut self.reads, self.asked, &draft, -1);
                    continue;
                }
                awaited.retain(|&temporary| temporary != draft.result || draft.operation == Operation::Write);
                awaited.extend(operands(self.asked, &draft).filter(|it| matches!(it, Operand::Temporary(_))));
                kept.push(draft);
            }
            kept.reverse();
            *stage = kept;
        }
    }

    /// Returns the one variable that a stage leaves behind for others, and the operand that has its value, if the stage
    /// begins with an access that does not happen and whose value is 0 then. A stage that leaves nothing behind sets
    /// the predicate to itself. `None` if there is no such variable, or its value is not simply an operand's.
    fn without_access(&mut self, stage: &[Draft]) -> Option<(Operand, Operand)> {
        let [Draft { operation: Operation::Read, inputs: [_, predicate @ Operand::Variable(_), _], .. }, ..] = stage
        else {
            return None;
        };
        let mut known: Vec<(Operand, Value)> = Vec::new();
        for draft in stage {
            match draft.operation {
                Operation::Write if draft.inputs[1] == *predicate => {}
                Operation::Write => return None,
                _ => {
                    let value = self.value(draft, predicate, &known)?;
                    known.retain(|&(operand, _)| operand != draft.result);
                    known.push((draft.result, value));
                }
            }
        }
        let mut within = vec![0; self.reads.len()];
        stage.iter().for_each(|draft| count(&mut within, self.asked, draft, 1));
        let mut outside = known.into_iter().filter(|&(operand, _)| match operand {
            Operand::Variable(number) => self.reads[number] > within[number],
            _ => false,
        });
        let left = outside.next();
        if outside.next().is_some() {
            return None;
        }
        let Some((variable, value)) = left else { return Some((*predicate, *predicate)) };
        Some((variable, self.operand(value)))
    }

    /// Returns the value of an instruction's result if the accesses with this predicate do not happen. `None` if it is
    /// neither a constant nor the value of an operand.
    fn value(&self, draft: &Draft, predicate: &Operand, known: &[(Operand, Value)]) -> Option<Value> {
        use Value::{Constant, Of};
        let mask = arithmetic::mask(u32::from(draft.width));
        let of = |operand: Operand| match operand {
            Operand::Constant(number) => Constant(self.constants[number]),
            _ => known.iter().find(|&&(it, _)| it == operand).map_or(Of(operand), |&(_, value)| value),
        };
        let [a, b, c] = draft.inputs;
        Some(match (draft.operation, of(a), of(b)) {
            (Operation::Read, ..) if b == *predicate => Constant(0),
            (Operation::Copy, value, _) => value,
            (Operation::Add, Constant(a), Constant(b)) => Constant(a.wrapping_add(b) & mask),
            (Operation::Add, Constant(0), value) | (Operation::Add | Operation::Subtract, value, Constant(0)) => value,
            (Operation::Multiply, Constant(a), Constant(b)) => Constant(a.wrapping_mul(b) & mask),
            (Operation::Multiply | Operation::And, Constant(0), _) => Constant(0),
            (Operation::Multiply | Operation::And, _, Constant(0)) => Constant(0),
            (Operation::Select, Constant(condition), _) => of(if condition != 0 { b } else { c }),
            _ => return None,
        })
    }

    fn operand(&mut self, value: Value) -> Operand {
        match value {
            Value::Of(operand) => operand,
            Value::Constant(value) => super::compile::constant(self.constants, value),
        }
    }
}

#[derive(Clone, Copy)]
enum Value {
    Constant(u64),
    /// The value that the operand has in front of the stage.
    Of(Operand),
}

/// Returns the operands that an instruction reads.
fn operands<'d>(asked: &'d Asked, draft: &'d Draft) -> impl Iterator<Item = Operand> {
    let written = (draft.operation == Operation::Write).then_some(draft.result);
    let of_number = match (draft.operation, draft.inputs[0]) {
        (Operation::LookUp, Operand::Immediate(number)) => asked.keys_of(number),
        (Operation::Checksum, Operand::Immediate(number)) => asked.parts_of(number),
        _ => Vec::new(),
    };
    draft.inputs.into_iter().chain(written).chain(of_number)
}

/// Adds `change` to the number of times that each variable which the instruction reads is read.
fn count(reads: &mut [u32], asked: &Asked, draft: &Draft, change: i32) {
    for operand in operands(asked, draft) {
        if let Operand::Variable(number) = operand {
            reads[number] = reads[number].wrapping_add_signed(change);
        }
    }
}

/// Joins a product with the addition that follows it and alone reads it.
fn add_products(stage: &mut Vec<Draft>, reads: &[u32]) {
    let mut at = 1;
    while at < stage.len() {
        let (product, sum) = (stage[at - 1], stage[at]);
        let alone = match product.result {
            Operand::Variable(number) => reads[number] == 1,
            // It is a part of the expression that the next instruction continues.
            Operand::Temporary(_) => true,
            _ => false,
        };
        let other = match sum.inputs {
            [a, b, _] if a == product.result && b != a => Some(b),
            [a, b, _] if b == product.result && a != b => Some(a),
            _ => None,
        };
        match other {
            Some(other)
                if alone
                    && (product.operation, sum.operation) == (Operation::Multiply, Operation::Add)
                    && product.width == sum.width =>
            {
                let [a, b, _] = product.inputs;
                let both = Draft { operation: Operation::MultiplyAdd, inputs: [a, b, other], ..sum };
                stage.splice(at - 1..=at, [both]);
            }
            _ => at += 1,
        }
    }
}

/// Lets a write to the place that was read last use that place again.
fn write_where_read(stage: &mut [Draft]) {
    let mut last = None;
    for draft in stage {
        // Temporaries can have changed since.
        let lasts = draft.inputs.iter().all(|operand| !matches!(operand, Operand::Temporary(_)));
        match draft.operation {
            Operation::Read => last = lasts.then_some(draft.inputs),
            Operation::Write if last == Some(draft.inputs) => draft.operation = Operation::WriteWhereRead,
            _ => {}
        }
    }
}
