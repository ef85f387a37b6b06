//! Random pipelines that keep every invariant.

use ir::pipeline::{Access, Atom, Division, Pipeline, Predicate, Stage};
use ir::{Constant, Export, Expression, Program, RegisterId, Statement, Type, Variable, VariableId, VariableKind};

use crate::generate::{Choices, TYPES, name, operation, register, value};

/// A pipeline while it is being made.
struct Maker<'c> {
    choices: &'c mut Choices,
    program: Program,
    /// The variables that have a value before this stage.
    known: Vec<VariableId>,
    /// Those of them that are assigned by the resolution stages.
    early: usize,
}

pub fn pipeline(choices: &mut Choices) -> Pipeline {
    let mut program = Program { name: "p".to_owned(), ..Program::default() };
    for number in 0..2 + choices.below(3) {
        let name = name(choices, number);
        program.variables.push(Variable { name, ty: choices.pick(&TYPES), kind: VariableKind::Field });
    }
    let known: Vec<VariableId> = (0..program.variables.len()).map(VariableId::from).collect();
    let mut maker = Maker { choices, program, early: known.len(), known };
    let resolution = maker.choices.below(2);
    let mut pipeline = Pipeline { early_stages: resolution as u32, ..Pipeline::default() };
    for number in 0..resolution + 1 + maker.choices.below(3) {
        let mut made = Vec::new();
        let mut stage = Stage::default();
        for _ in 0..maker.choices.below(3) {
            stage.atoms.push(Atom { template: None, body: vec![maker.stateless(&mut made)] });
        }
        if number >= resolution && maker.choices.chance(2) {
            let (atom, access) = maker.stateful(number, &mut made);
            stage.atoms.push(atom);
            pipeline.accesses.push(access);
        }
        maker.known.extend(made);
        if number < resolution {
            maker.early = maker.known.len();
        }
        pipeline.stages.push(stage);
    }
    maker.exports();
    pipeline.program = maker.program;
    pipeline
}

/// Returns the same statements as a program.
pub fn flattened(pipeline: &Pipeline) -> Program {
    let atoms = pipeline.stages.iter().flat_map(|stage| &stage.atoms);
    Program { packet: atoms.flat_map(|atom| atom.body.clone()).collect(), ..pipeline.program.clone() }
}

impl Maker<'_> {
    fn local(&mut self, ty: Type, made: &mut Vec<VariableId>) -> VariableId {
        let id = self.program.add_local("t", ty);
        made.push(id);
        id
    }

    /// A constant, or one of the given variables.
    fn operand(program: &Program, known: &[VariableId], choices: &mut Choices, ty: Type) -> Expression {
        let fitting: Vec<VariableId> = known.iter().copied().filter(|&id| program.variable(id).ty == ty).collect();
        if fitting.is_empty() || choices.chance(4) {
            Expression::Constant(Constant { ty, value: value(choices, ty) })
        } else {
            Expression::Variable(choices.pick(&fitting))
        }
    }

    fn operation(&mut self, ty: Type, known: &[VariableId]) -> Expression {
        let kind = self.choices.below(8);
        let program = &self.program;
        operation(ty, kind, self.choices, &mut |choices, ty| Self::operand(program, known, choices, ty))
    }

    fn stateless(&mut self, made: &mut Vec<VariableId>) -> Statement {
        let ty = self.choices.pick(&TYPES);
        let value = self.operation(ty, &self.known.clone());
        Statement::Assign { variable: self.local(ty, made), value }
    }

    /// Makes an atom that reads one or two registers, computes, and writes them back, all under the access's predicate.
    fn stateful(&mut self, stage: usize, made: &mut Vec<VariableId>) -> (Atom, Access) {
        let mut registers = Vec::new();
        let first = register(self.choices, self.program.registers.len());
        for _ in 0..1 + self.choices.below(2) {
            let number = self.program.registers.len();
            let other = register(self.choices, number);
            let length = first.length;
            let initial = ir::Initial::Fill(value(self.choices, other.ty));
            self.program.registers.push(ir::Register { length, initial, ..other });
            registers.push(RegisterId::from(number));
        }
        let sharded = first.length.is_some() && self.choices.chance(2);
        let early = self.known[..self.early].to_vec();
        let late = self.known.clone();
        let index = first.length.map(|_| {
            let known = if sharded { &early } else { &late };
            Self::operand(&self.program, known, self.choices, Type::INT32)
        });
        let predicate = match self.choices.below(3) {
            1 => Predicate::Early(Self::operand(&self.program, &early, self.choices, Type::Bool)),
            2 => Predicate::Late(Self::operand(&self.program, &late, self.choices, Type::Bool)),
            _ => Predicate::Always,
        };
        let body = self.body(&registers, index.as_ref(), predicate.expression(), made);
        let division = if sharded { Division::ByIndex } else { Division::Whole };
        let access = Access { registers, stage: stage as u32, index, predicate, division };
        (Atom { template: Some(self.choices.pick(&["raw", "pair", "if", "a b"]).to_owned()), body }, access)
    }

    fn body(
        &mut self,
        registers: &[RegisterId],
        index: Option<&Expression>,
        predicate: Option<&Expression>,
        made: &mut Vec<VariableId>,
    ) -> Vec<Statement> {
        let mut inside = self.known.clone();
        let mut body = Vec::new();
        for &register in registers {
            let index = index.cloned().map(Box::new);
            let value = Expression::Read { register, index, predicate: predicate.cloned().map(Box::new) };
            let variable = self.local(self.program.register(register).ty, made);
            body.push(Statement::Assign { variable, value });
            inside.push(variable);
        }
        for &register in registers {
            let ty = self.program.register(register).ty;
            let value = self.operation(ty, &inside);
            let variable = self.local(ty, made);
            body.push(Statement::Assign { variable, value });
            let value = Expression::Variable(variable);
            body.push(Statement::Write { register, index: index.cloned(), value, predicate: predicate.cloned() });
        }
        body
    }

    fn exports(&mut self) {
        for field in (0..self.program.fields().count()).map(VariableId::from) {
            if self.choices.chance(2) {
                let ty = self.program.variable(field).ty;
                let value = Self::operand(&self.program, &self.known, self.choices, ty);
                self.program.exports.push(Export { field, value });
            }
        }
    }
}
