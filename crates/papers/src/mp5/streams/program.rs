//! The accesses of a stream as a program.

use atoms::Template;
use ir::pipeline::{Access, Atom, Division, Pipeline, Predicate, Stage};
use ir::{BinaryOperator, Export, Expression, Initial, Program, Register, RegisterId, Statement, Type};
use ir::{Variable, VariableId, VariableKind};
use runtime::binding::Binding;

use super::stream::Stream;

/// The type of indices and of register values.
const WORD: Type = Type::Bits(32);

/// The fields: the packet's value, then for each stateful stage an index and whether it is accessed.
pub(super) const VALUE: usize = 0;

/// The index field of a stateful stage; the field after it says whether the packet accesses it.
pub(super) const fn index_field(place: usize) -> usize {
    1 + 2 * place
}

/// The number of fields.
pub(super) const fn field_count(stages: usize) -> usize {
    index_field(stages)
}

/// A builder of the program.
struct Writer {
    program: Program,
    /// The packet's value after the stages so far.
    value: VariableId,
}

impl Writer {
    fn variable(&mut self, name: String, ty: Type, kind: VariableKind) -> VariableId {
        self.program.variables.push(Variable { name, ty, kind });
        VariableId::from(self.program.variables.len() - 1)
    }

    fn assign(&mut self, name: String, value: Expression) -> (VariableId, Statement) {
        let variable = self.variable(name, WORD, VariableKind::Local);
        (variable, Statement::Assign { variable, value })
    }

    /// Adds the statements of the stateful stage `stage`, the `place`th of them.
    fn access(&mut self, place: usize, stage: u32) -> (Access, Atom) {
        let register = RegisterId::from(place);
        let operand = |field| Expression::Variable(VariableId::from(field));
        let (index, accessed) = (operand(index_field(place)), operand(index_field(place) + 1));
        let read = Expression::Read {
            register,
            index: Some(Box::new(index.clone())),
            predicate: Some(Box::new(accessed.clone())),
        };
        let binary = |operator, left, right| Expression::binary(operator, Expression::Variable(left), right);
        let (old, read) = self.assign(format!("old_{stage}"), read);
        let tripled = binary(BinaryOperator::Multiply, old, Expression::number(WORD, 3));
        let (tripled, multiply) = self.assign(format!("tripled_{stage}"), tripled);
        let new = binary(BinaryOperator::Add, tripled, Expression::Variable(self.value));
        let (new, add) = self.assign(format!("new_{stage}"), new);
        let write = Statement::Write {
            register,
            index: Some(index.clone()),
            value: Expression::Variable(new),
            predicate: Some(accessed.clone()),
        };
        // A packet that does not access the register has read 0, and its value passes unchanged.
        let value = binary(BinaryOperator::Add, self.value, Expression::Variable(old));
        let (value, carry) = self.assign(format!("value_{stage}"), value);
        self.value = value;
        let atom = Atom {
            template: Some(Template::MultiplyAccumulate.name().to_owned()),
            body: vec![read, multiply, add, write, carry],
        };
        let access = Access {
            registers: vec![register],
            stage,
            index: Some(index),
            predicate: Predicate::Early(accessed),
            division: Division::ByIndex,
        };
        (access, atom)
    }
}

impl Stream {
    /// Returns the stream's accesses as a program, laid out in the stages of its shape.
    ///
    /// There is a register array for each stateful stage, spread over the pipelines by index. A packet with value v
    /// that accesses a register of value i changes the register to `3 i + v` and its own value to `v + i`, so the final
    /// state, and every packet, depend on the order of all accesses to an index and between stages. The indices that a
    /// packet accesses are in its fields and known when it arrives, so the program has no stages for address
    /// resolution: the paper's machine, which resolves in a stage of its own (section 3.3), puts one in front and is
    /// [`PublishedShape::depth`](traffic::PublishedShape::depth) + 1 stages deep, and one that resolves on entry, as
    /// the published simulator does, has the depth itself.
    pub fn pipeline(&self) -> Pipeline {
        let program = Program { name: "published_trace".to_owned(), ..Program::default() };
        let mut writer = Writer { program, value: VariableId::from(VALUE) };
        let field = VariableKind::Field;
        writer.variable("value".to_owned(), WORD, field);
        for stage in self.stateful_stages() {
            writer.variable(format!("index_{stage}"), WORD, field);
            writer.variable(format!("accesses_{stage}"), Type::Bool, field);
            writer.program.registers.push(Register {
                name: format!("state_{stage}"),
                ty: WORD,
                length: Some(self.shape().register_size.max(1)),
                initial: Initial::Fill(0),
            });
        }
        let mut stages = vec![Stage::default(); self.shape().depth() as usize];
        let mut accesses = Vec::new();
        for (place, &stage) in self.stateful_stages().iter().enumerate() {
            let (access, atom) = writer.access(place, stage);
            accesses.push(access);
            stages[stage as usize].atoms.push(atom);
        }
        let Writer { mut program, value } = writer;
        program.exports.push(Export { field: VariableId::from(VALUE), value: Expression::Variable(value) });
        Pipeline { program, stages, accesses, ..Pipeline::default() }
    }

    /// Returns the program without stages for [`ir::interpret::Interpreter`], which defines the meaning of the stream.
    pub fn program(&self) -> Program {
        let Pipeline { mut program, stages, .. } = self.pipeline();
        program.packet = stages.into_iter().flat_map(|stage| stage.atoms).flat_map(|atom| atom.body).collect();
        program
    }

    /// Returns the binding of the program's fields to [`Stream::packets`], which are records.
    pub fn binding(&self) -> Binding {
        Binding::record(self.pipeline().program.fields().map(|(_, field)| field.ty.width()).collect())
    }
}
