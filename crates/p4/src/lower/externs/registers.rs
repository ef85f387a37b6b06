//! Registers: one array of the IR for each scalar of what they hold.

use control::DataType;
use diagnostics::Diagnostic;
use ir::{BinaryOperator as Operator, Expression, Initial, Register, RegisterId, Statement};
use num_bigint::BigInt;

use crate::ast;
use crate::lower::Lowering;
use crate::lower::arguments::{Arguments, Constructed};
use crate::lower::constants::number;
use crate::lower::frame::Made;
use crate::lower::tree::{Tree, Value};

impl<'a> Lowering<'a> {
    pub(super) fn make_registers(&mut self, constructed: &Constructed<'_, 'a>) -> Made {
        let name = constructed.name;
        let mut size = self.constructed_size(constructed, 0, ir::verify::MAX_REGISTER_LENGTH);
        if size == 0 {
            let warning = Diagnostic::warning(constructed.span, "a register of no places");
            self.found.push(warning.hint("it is made with one"));
            size = 1;
        }
        let Some(&of) = constructed.types.first() else { return Made::Nothing };
        if !self.is_small(of) {
            return Made::Nothing;
        }
        let shape = self.default_value(of);
        let data_type = self.data_type(of);
        let paths: Vec<String> = leaf_paths(&shape, name);
        let mut paths = paths.into_iter();
        let registers = shape.map(&mut |leaf| {
            let name = self.switch.registers.variable(&paths.next().unwrap_or_else(|| name.to_owned()));
            let ty = self.program.type_of(leaf);
            let size = if self.has_room_for_registers(size, ty.width()) { size } else { 1 };
            self.program.registers.push(Register { name, ty, length: Some(size), initial: Initial::Fill(0) });
            RegisterId::from(self.program.registers.len() - 1)
        });
        self.describe_register(name, constructed.annotations, data_type, size, &registers);
        Made::Registers(registers)
    }

    pub(in crate::lower) fn register_method(&mut self, registers: &Tree<RegisterId>, arguments: &Arguments<'a>) {
        let Some(&&first) = registers.leaves().first() else { return };
        let size = self.program.register(first).size() as u32;
        match &*arguments.callable.name {
            "read" => {
                let place = self.argument_place(arguments, 0);
                let index = self.argument_value(arguments, 1);
                let Some(index) = self.index_given(arguments, 1, index) else { return };
                let index = self.held(index);
                let inside = self.is_inside(&index, size);
                let read = |register: &RegisterId| Expression::Read {
                    register: *register,
                    index: Some(Box::new(index.clone())),
                    // Beyond the end, BMv2 leaves open what is read; here it is 0, which is what a predicate means.
                    predicate: inside.clone().map(Box::new),
                };
                let value = registers.map(&mut { read });
                self.give(place, value);
            }
            "write" => {
                let [index, value] = self.argument_values(arguments, [0, 1]);
                let Some(index) = self.index_given(arguments, 0, index) else { return };
                let index = self.held(index);
                let inside = self.is_inside(&index, size);
                let then = self.block_of(|lowering| lowering.write_registers(registers, &index, &value));
                match inside {
                    None => self.emit_all(then),
                    Some(Expression::Constant(_)) => {}
                    Some(condition) => self.emit(Statement::If { condition, then, otherwise: vec![] }),
                }
            }
            other => self.no_implementation(arguments.span, &format!("register.{other}")),
        }
    }

    fn write_registers(&mut self, registers: &Tree<RegisterId>, index: &Expression, value: &Value) {
        for (&register, value) in registers.leaves().into_iter().zip(value.leaves()) {
            let value = self.cast(value.clone(), self.program.register(register).ty);
            let index = Some(index.clone());
            self.emit(Statement::Write { register, index, value, predicate: None });
        }
    }

    /// A value that is used several times, in a variable if it is more than one.
    pub(in crate::lower) fn held(&mut self, value: Expression) -> Expression {
        if value.is_operand() {
            return value;
        }
        let variable = self.temporary("$index", self.program.type_of(&value));
        self.emit(Statement::Assign { variable, value });
        Expression::Variable(variable)
    }

    /// Whether an index is one of an array; `None` if it cannot be another.
    fn is_inside(&mut self, index: &Expression, size: u32) -> Option<Expression> {
        let ty = self.program.type_of(index);
        let width = ty.width();
        if let Expression::Constant(constant) = index {
            return if constant.value < u64::from(size) { None } else { Some(Expression::bool(false)) };
        }
        if width < 32 && (1_u64 << width) <= u64::from(size) {
            return None;
        }
        // A negative number is beyond the end, too.
        let ty = ir::Type::Bits(width as u16);
        let index = self.cast(index.clone(), ty);
        Some(Expression::binary(Operator::Less, index, number(ty, &BigInt::from(size))))
    }
}

/// The names of the scalars of a value, in the order of [`Tree::leaves`].
fn leaf_paths(value: &Value, name: &str) -> Vec<String> {
    match value {
        Tree::Scalar(_) => vec![name.to_owned()],
        Tree::Varbit { .. } => vec![name.to_owned(), format!("{name}.$length")],
        Tree::Struct(parts) | Tree::Union(parts) => {
            parts.iter().flat_map(|(part, value)| leaf_paths(value, &format!("{name}.{part}"))).collect()
        }
        Tree::Header(header) => {
            let fields = header.fields.iter();
            let fields = fields.flat_map(|(part, value)| leaf_paths(value, &format!("{name}.{part}")));
            std::iter::once(format!("{name}.$valid")).chain(fields).collect()
        }
        Tree::Stack(stack) => {
            let elements = stack.elements.iter().enumerate();
            let elements = elements.flat_map(|(place, value)| leaf_paths(value, &format!("{name}[{place}]")));
            std::iter::once(format!("{name}.$next")).chain(elements).collect()
        }
        Tree::Text(_) | Tree::Nothing => vec![],
    }
}

/// The arrays of the scalars that the control plane sees: those of the wire.
pub(super) fn seen(registers: &Tree<RegisterId>, all: &mut Vec<u32>) {
    match registers {
        Tree::Scalar(register) | Tree::Varbit { value: register, .. } => all.push(register.0),
        Tree::Struct(parts) | Tree::Union(parts) => parts.iter().for_each(|(_, part)| seen(part, all)),
        Tree::Header(header) => header.fields.iter().for_each(|(_, part)| seen(part, all)),
        Tree::Stack(stack) => stack.elements.iter().for_each(|element| seen(element, all)),
        Tree::Text(_) | Tree::Nothing => {}
    }
}

impl<'a> Lowering<'a> {
    fn describe_register(
        &mut self,
        name: &str,
        annotations: &'a [ast::Annotation],
        data_type: DataType,
        size: u32,
        registers: &Tree<RegisterId>,
    ) {
        let mut arrays = Vec::new();
        seen(registers, &mut arrays);
        let identity = self.identity(name, annotations);
        self.switch.info.registers.push(control::Register { identity, data_type, size, arrays });
    }
}
