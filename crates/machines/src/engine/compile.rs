//! Compilation of the bodies of a pipeline's stages to dense code.

use ir::pipeline::Pipeline;
use ir::{BinaryOperator, Expression, Program, Statement, Type, VariableId};
use runtime::arithmetic;

use super::asked::Asked;
use super::instruction::{Instruction, Operation};
use super::shorten::Stages;
use super::{Body, Code, Layout, Slot, Tables};
use crate::unsuitable::Unsuitable;

/// Compiles a pipeline. Also returns the slots of `operands`, which are constants or variables that the machine itself
/// reads.
pub(crate) fn compile(pipeline: &Pipeline, operands: &[&Expression]) -> Result<(Code, Vec<Slot>), Unsuitable> {
    let program = &pipeline.program;
    let mut unsuitable = Unsuitable::default();
    let layout = Layout::of(program);
    unsuitable.unless(layout.is_some(), || {
        "a register is empty, or all registers together have more than 2^32 values".into()
    });
    // Fields must be the first variables, because bindings (runtime::binding) put their values there.
    let fields = program.fields().count();
    let first = program.fields().zip(0..).all(|((id, _), place)| id.index() == place);
    unsuitable.unless(first, || "the fields are not the first variables of the program".into());
    unsuitable.unless(program.registers.len() <= usize::from(Slot::MAX), || {
        format!("the program has {} registers, but the machine holds at most {}", program.registers.len(), Slot::MAX)
    });

    let mut compiler = Compiler::new(program);
    let mut starts = vec![0];
    for (number, stage) in pipeline.stages.iter().enumerate() {
        compiler.asked.begin_stage();
        for statement in stage.atoms.iter().flat_map(|atom| &atom.body) {
            if !compiler.statement(statement) {
                unsuitable
                    .findings
                    .push(format!("stage {number} has a branch, but stages run straight-line code only"));
            }
        }
        starts.push(compiler.drafts.len());
    }
    let mut slots = Vec::with_capacity(operands.len());
    for operand in operands {
        unsuitable.unless(operand.is_operand(), || {
            "the index and the predicate of an access must be a constant or a variable".into()
        });
        slots.push(compiler.operand(operand));
    }
    let finals: Vec<Operand> =
        (0..fields).map(|field| compiler.operand(&program.export_of(VariableId::from(field)))).collect();
    let drafts: Vec<Vec<Draft>> = starts.windows(2).map(|ends| compiler.drafts[ends[0]..ends[1]].to_vec()).collect();
    let mut reads = vec![0; program.variables.len()];
    for operand in slots.iter().chain(&finals) {
        if let Operand::Variable(number) = *operand {
            reads[number] += 1;
        }
    }
    let mut stages =
        Stages { drafts: drafts.clone(), asked: &compiler.asked, constants: &mut compiler.constants, reads };
    let leaves = stages.shorten();
    let short = stages.drafts;

    let computed = program.variables.len() + compiler.constants.len() + compiler.most_temporaries;
    let longest_key = compiler.asked.longest_key();
    // After all others: the version of the tables and room for a key, and the values that fields arrived with and others leave with.
    let before = computed + longest_key.map_or(0, |words| 1 + words);
    let moved: Vec<(usize, Operand)> =
        finals.into_iter().enumerate().filter(|&(field, last)| last != Operand::Variable(field)).collect();
    let is_moved = |operand| moved.iter().any(|&(field, _)| operand == Operand::Variable(field));
    let mut kept: Vec<Operand> = moved.iter().map(|&(_, last)| last).filter(|&last| is_moved(last)).collect();
    // Several fields may leave with the value that one arrived with.
    kept.sort_unstable_by_key(|operand| if let Operand::Variable(field) = operand { *field } else { usize::MAX });
    kept.dedup();
    let needed = before + kept.len();
    unsuitable.unless(needed <= usize::from(Slot::MAX), || {
        format!("a packet needs {needed} values, but the machine holds at most {}", Slot::MAX)
    });
    unsuitable.unless(compiler.asked.count() <= usize::from(Slot::MAX), || {
        format!(
            "the stages make {} look-ups or checksums, but the machine holds at most {}",
            compiler.asked.count(),
            Slot::MAX
        )
    });
    unsuitable.or(())?;
    let place = |operand: Operand| compiler.place(operand);
    // They are kept before any field gets its final value.
    let kept_in = |operand| kept.iter().position(|&it| it == operand).map(|number| (before + number) as Slot);
    let keep = kept.iter().enumerate().map(|(number, &operand)| ((before + number) as Slot, place(operand)));
    let finish = moved.iter().map(|&(field, last)| (field as Slot, kept_in(last).unwrap_or_else(|| place(last))));
    let exports = keep.chain(finish).collect();
    let mut template = vec![0; needed];
    template[program.variables.len()..][..compiler.constants.len()].copy_from_slice(&compiler.constants);
    let code = Code {
        body: Body::of(&short, place),
        whole: Body::of(&drafts, place),
        execution: Default::default(),
        leaves: leaves.iter().map(|leave| leave.place(place)).collect(),
        template,
        variables: program.variables.len(),
        fields,
        exports,
        layout: layout.expect("checked above"),
        lookups: compiler.asked.lookups(place),
        checksums: compiler.asked.checksums(place),
        tables: longest_key.map(|_| Tables::new(program, computed as Slot, computed as Slot + 1)),
    };
    Ok((code, slots.into_iter().map(place).collect()))
}

/// An operand, which becomes a slot once the number of constants is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Variable(usize),
    Constant(usize),
    Temporary(usize),
    /// An immediate number of the operation; not a slot.
    Immediate(Slot),
}

/// An instruction whose operands are not slots yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draft {
    pub(super) operation: Operation,
    pub(super) width: u8,
    pub(super) result: Operand,
    pub(super) inputs: [Operand; 3],
}

impl Draft {
    pub(super) fn place(&self, place: impl Fn(Operand) -> Slot) -> Instruction {
        let [a, b, c] = self.inputs.map(&place);
        let mask = arithmetic::mask(u32::from(self.width));
        Instruction { operation: self.operation, width: self.width, mask, result: place(self.result), a, b, c }
    }
}

struct Compiler<'p> {
    program: &'p Program,
    drafts: Vec<Draft>,
    constants: Vec<u64>,
    temporaries: usize,
    most_temporaries: usize,
    asked: Asked,
}

const NOTHING: Operand = Operand::Immediate(0);

impl<'p> Compiler<'p> {
    fn new(program: &'p Program) -> Self {
        Self {
            program,
            drafts: Vec::new(),
            constants: Vec::new(),
            temporaries: 0,
            most_temporaries: 0,
            asked: Asked::default(),
        }
    }

    fn place(&self, operand: Operand) -> Slot {
        let slot = match operand {
            Operand::Variable(number) => number,
            Operand::Constant(number) => self.program.variables.len() + number,
            Operand::Temporary(number) => self.program.variables.len() + self.constants.len() + number,
            Operand::Immediate(number) => return number,
        };
        Slot::try_from(slot).expect("the number of slots was checked")
    }

    /// Compiles a statement. Returns false if stages cannot run it.
    fn statement(&mut self, statement: &Statement) -> bool {
        self.temporaries = 0;
        match statement {
            Statement::Assign { variable, value } => self.value_into(value, Operand::Variable(variable.index())),
            Statement::Write { register, index, value, predicate } => {
                let place = self.place_in_register(index.as_ref(), predicate.as_ref());
                let value = self.operand(value);
                let inputs = [place[0], place[1], Operand::Immediate(register.0 as Slot)];
                self.emit(Operation::Write, Type::Bool, value, inputs);
            }
            Statement::If { .. }
            | Statement::AssignElement { .. }
            | Statement::Flow(_)
            | Statement::Packet(_)
            | Statement::Shared(_) => return false,
        }
        true
    }

    fn place_in_register(&mut self, index: Option<&Expression>, predicate: Option<&Expression>) -> [Operand; 2] {
        let (first, always) = (Expression::bool(false), Expression::bool(true));
        [self.operand(index.unwrap_or(&first)), self.operand(predicate.unwrap_or(&always))]
    }

    /// Returns the operand that holds the value of an expression. Expressions other than constants and variables are
    /// computed into a temporary.
    fn operand(&mut self, expression: &Expression) -> Operand {
        match expression {
            Expression::Constant(it) => constant(&mut self.constants, it.value),
            Expression::Variable(id) => Operand::Variable(id.index()),
            _ => {
                let result = Operand::Temporary(self.temporaries);
                self.temporaries += 1;
                self.most_temporaries = self.most_temporaries.max(self.temporaries);
                self.value_into(expression, result);
                result
            }
        }
    }

    fn value_into(&mut self, expression: &Expression, result: Operand) {
        let ty = self.program.type_of(expression);
        match expression {
            Expression::Constant(_) | Expression::Variable(_) => {
                let value = self.operand(expression);
                self.emit(Operation::Copy, ty, result, [value, NOTHING, NOTHING]);
            }
            Expression::Read { register, index, predicate } => {
                let place = self.place_in_register(index.as_deref(), predicate.as_deref());
                let inputs = [place[0], place[1], Operand::Immediate(register.0 as Slot)];
                self.emit(Operation::Read, ty, result, inputs);
            }
            Expression::Unary(operator, operand) => {
                let operand = self.operand(operand);
                self.emit(Operation::Unary(*operator), ty, result, [operand, NOTHING, NOTHING]);
            }
            Expression::Binary(operator, left, right) => {
                let ty = self.program.type_of(left);
                let inputs = [self.operand(left), self.operand(right), NOTHING];
                self.emit(binary(*operator, ty), ty, result, inputs);
            }
            Expression::Select(condition, if_true, if_false) => {
                // Both sides are computed, since every operation is total and reads have no side effects.
                let inputs = [self.operand(condition), self.operand(if_true), self.operand(if_false)];
                self.emit(Operation::Select, ty, result, inputs);
            }
            Expression::Hash(function, arguments) => {
                let zero = constant(&mut self.constants, 0);
                let mut inputs = [zero; 3];
                for (input, argument) in inputs.iter_mut().zip(arguments) {
                    *input = self.operand(argument);
                }
                self.emit(Operation::Hash(*function), ty, result, inputs);
            }
            Expression::Cast(to, value) => {
                let from = self.program.type_of(value);
                let value = self.operand(value);
                let operation = match (from, to) {
                    (_, Type::Bool) => Operation::ToBool,
                    (Type::Int(_), _) => Operation::CutSigned,
                    _ => Operation::Cut,
                };
                let width = Operand::Immediate(to.width() as Slot);
                self.emit(operation, from, result, [value, width, NOTHING]);
            }
            Expression::Checksum(checksum) => {
                let part =
                    |part: &ir::ChecksumPart| (self.operand(&part.value), self.program.type_of(&part.value).width());
                let parts = checksum.data.iter().map(part).collect();
                let number = self.asked.checksum(checksum.algorithm.clone(), parts, checksum.result.width());
                self.emit(Operation::Checksum, ty, result, [Operand::Immediate(number), NOTHING, NOTHING]);
            }
            Expression::Lookup(lookup) => {
                let keys = lookup.keys.iter().map(|key| self.operand(key)).collect();
                if let Some(number) = self.asked.look_up(lookup.table, keys, lookup.result, result) {
                    self.emit(Operation::LookUp, ty, result, [Operand::Immediate(number), NOTHING, NOTHING]);
                }
            }
            Expression::Wide(..)
            | Expression::Slice { .. }
            | Expression::Concatenate(..)
            | Expression::Element { .. }
            | Expression::Undefined(_)
            | Expression::Memory(_) => unreachable!("a pipeline is flat, as `Pipeline::verify` says"),
        }
    }

    fn emit(&mut self, operation: Operation, ty: Type, result: Operand, inputs: [Operand; 3]) {
        self.drafts.push(Draft { operation, width: ty.width() as u8, result, inputs });
    }
}

/// Returns the operand of a constant, which is added to `constants` unless it is among them.
pub(super) fn constant(constants: &mut Vec<u64>, value: u64) -> Operand {
    let known = constants.iter().position(|&constant| constant == value);
    Operand::Constant(known.unwrap_or_else(|| {
        constants.push(value);
        constants.len() - 1
    }))
}

fn binary(operator: BinaryOperator, ty: Type) -> Operation {
    match operator {
        BinaryOperator::Add => Operation::Add,
        BinaryOperator::Subtract => Operation::Subtract,
        BinaryOperator::Multiply => Operation::Multiply,
        BinaryOperator::And => Operation::And,
        BinaryOperator::Equal => Operation::Equal,
        _ if ty.is_signed() => Operation::Signed(operator),
        _ => Operation::Unsigned(operator),
    }
}
