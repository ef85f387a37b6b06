//! Registers, which become one array of the IR for each scalar of their values.

use control::DataType;
use diagnostics::Diagnostic;
use ir::{BinaryOperator as Operator, Expression, Initial, Register, RegisterId, Statement};
use num_bigint::BigInt;

use crate::ast;
use crate::lower::arguments::Constructed;
use crate::lower::constants::number;
use crate::lower::externs::no_implementation;
use crate::lower::frame::{Argument, Made};
use crate::lower::tree::{Tree, Value};
use crate::lower::{ExternCall, Objects, Output, Writer};

impl<'a> Objects<'_, 'a> {
    pub(super) fn make_registers(&mut self, constructed: &Constructed<'_, 'a>) -> Made {
        let mut size = self.constructed_size(constructed, 0, ir::verify::MAX_REGISTER_LENGTH);
        if size == 0 {
            let warning = Diagnostic::warning(constructed.span, "a register of no places");
            self.shapes.found.report(warning.hint("it is made with one"));
            size = 1;
        }
        self.make_arrays(constructed, size, 1).map_or(Made::Nothing, Made::Registers)
    }

    /// Makes registers of which each entry of a table has one. The table that names them gives them their size.
    pub(super) fn make_direct_registers(&mut self, constructed: &Constructed<'_, 'a>) -> Made {
        self.make_arrays(constructed, 1, 0).map_or(Made::Nothing, Made::DirectRegisters)
    }

    /// Gives the registers of a table's entries the size of the table, also for the control plane, which reads the value of
    /// an entry at the index of its slot.
    pub(in crate::lower) fn size_registers(&mut self, registers: &[RegisterId], size: u32) {
        for register in registers {
            self.output.program.registers[register.index()].length = Some(size);
            let number = register.index() as u32;
            if let Some(told) = self.info.registers.iter_mut().find(|told| told.arrays.contains(&number)) {
                told.size = size;
            }
        }
    }

    /// Makes a number that the control plane alone changes.
    pub(super) fn make_register_parameter(&mut self, constructed: &Constructed<'_, 'a>) -> Made {
        self.make_arrays(constructed, 1, 0).map_or(Made::Nothing, Made::RegisterParameter)
    }

    /// Makes the arrays of a register. `initial` is the parameter of the constructor for the value of every place, if it
    /// has one.
    fn make_arrays(
        &mut self,
        constructed: &Constructed<'_, 'a>,
        size: u32,
        initial: usize,
    ) -> Option<Tree<RegisterId>> {
        let name = constructed.name;
        let &of = constructed.types.first()?;
        if !self.shapes.is_small(of) {
            return None;
        }
        let shape = self.shapes.default_value(of);
        let data_type = self.control_plane().data_type(of);
        let paths: Vec<String> = leaf_paths(&shape, name);
        let mut paths = paths.into_iter();
        let initial: Vec<u64> = match constructed.given.get(initial) {
            Some(Some(Argument::Value(value))) => {
                let known = |leaf: &&Expression| self.output.known_bits(leaf).and_then(|bits| bits.to_u64());
                value.leaves().iter().map(|leaf| known(leaf).unwrap_or(0)).collect()
            }
            _ => vec![],
        };
        let mut initial = initial.into_iter();
        let registers = shape.map(&mut |leaf| {
            let name = self.switch.registers.variable(&paths.next().unwrap_or_else(|| name.to_owned()));
            let ty = self.output.program.type_of(leaf);
            let size =
                if self.shapes.limits.has_room_for_registers(self.shapes.found, size, ty.width()) { size } else { 1 };
            let initial = Initial::Fill(initial.next().unwrap_or(0));
            self.output.program.registers.push(Register { name, ty, length: Some(size), initial });
            RegisterId::from(self.output.program.registers.len() - 1)
        });
        self.describe_register(name, constructed.annotations, data_type, size, &registers);
        Some(registers)
    }

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
        let identity = self.control_plane().identity(name, annotations);
        self.info.registers.push(control::Register { identity, data_type, size, arrays });
    }
}

impl<'a> ExternCall<'_, 'a> {
    pub(in crate::lower) fn register_method(&mut self, registers: &Tree<RegisterId>) {
        let Some(&&first) = registers.leaves().first() else { return };
        let size = self.lowering.output.program.register(first).size() as u32;
        match &*self.arguments.callable.name {
            "read" => {
                let target = self.argument_target(0);
                let value = self.register_read(registers, 1);
                self.lowering.writer().give(target, value);
            }
            "write" => {
                let [index, value] = self.argument_values([0, 1]);
                let Some(index) = self.index_given(0, index) else { return };
                let index = self.lowering.writer().held(index);
                let inside = self.lowering.output.is_inside(&index, size);
                let then =
                    self.lowering.block_of(|lowering| lowering.writer().write_registers(registers, &index, &value));
                match inside {
                    None => self.lowering.writer().emit_all(then),
                    Some(Expression::Constant(_)) => {}
                    Some(condition) => {
                        self.lowering.writer().emit(Statement::If { condition, then, otherwise: vec![] })
                    }
                }
            }
            "clear" => self.clear_registers(registers),
            other => no_implementation(&mut self.lowering.found, self.arguments.span, &format!("register.{other}")),
        }
    }
}

impl<'a> ExternCall<'_, 'a> {
    /// Returns what is at the place of a register that an argument names; 0 beyond the end, where BMv2 leaves reads
    /// undefined.
    fn register_read(&mut self, registers: &Tree<RegisterId>, parameter: usize) -> Value {
        let Some((index, inside)) = self.place_of_register(registers, parameter) else { return Tree::Nothing };
        registers.map(&mut |&register| read_at(register, &index, inside.as_ref()))
    }

    /// Returns the index that an argument names, and the condition under which it is a place of the register.
    fn place_of_register(
        &mut self,
        registers: &Tree<RegisterId>,
        parameter: usize,
    ) -> Option<(Expression, Option<Expression>)> {
        let &&first = registers.leaves().first()?;
        let size = self.lowering.output.program.register(first).size() as u32;
        let index = self.argument_value(parameter);
        let index = self.index_given(parameter, index)?;
        let index = self.lowering.writer().held(index);
        let inside = self.lowering.output.is_inside(&index, size);
        Some((index, inside))
    }

    /// Writes `read(index)` or `write(index, value)` of a register whose methods return what was there before.
    pub(super) fn returning_register_method(&mut self, registers: &Tree<RegisterId>) -> Value {
        if &*self.arguments.callable.name == "read" {
            return self.register_read(registers, 0);
        }
        let [value] = self.argument_values([1]);
        let Some((index, inside)) = self.place_of_register(registers, 0) else { return Tree::Nothing };
        self.exchange(registers, &index, inside, &value)
    }

    /// Writes `read()` or `write(value)` of the register of the entry that matched.
    pub(super) fn direct_register_method(&mut self, registers: &Tree<RegisterId>) -> Value {
        if &*self.arguments.callable.name == "clear" {
            // The table that names the register says how many places it has, perhaps further down in the program.
            no_implementation(&mut self.lowering.found, self.arguments.span, "DirectRegister.clear");
            return Tree::Nothing;
        }
        let (slot, inside) = self.slot_with_register();
        if &*self.arguments.callable.name == "read" {
            return registers.map(&mut |&register| read_at(register, &slot, Some(&inside)));
        }
        let [value] = self.argument_values([0]);
        self.exchange(registers, &slot, Some(inside), &value)
    }

    /// Returns the slot of the entry that matched, and the condition under which there is one.
    pub(super) fn slot_with_register(&mut self) -> (Expression, Expression) {
        let slot = Expression::Variable(self.lowering.slot());
        let none = number(ir::Type::Bits(32), &BigInt::from(u32::MAX));
        (slot.clone(), Expression::binary(Operator::NotEqual, slot, none))
    }

    /// Writes a value to a place of a register, and returns what was there.
    pub(super) fn exchange(
        &mut self,
        registers: &Tree<RegisterId>,
        index: &Expression,
        inside: Option<Expression>,
        value: &Value,
    ) -> Value {
        let old = registers.map(&mut |&register| {
            let read = read_at(register, index, inside.as_ref());
            self.lowering.writer().kept(read)
        });
        let then = self.lowering.block_of(|lowering| lowering.writer().write_registers(registers, index, value));
        match inside {
            None => self.lowering.writer().emit_all(then),
            Some(condition) => self.lowering.writer().emit(Statement::If { condition, then, otherwise: vec![] }),
        }
        old
    }
}

/// Returns what is at a place of a register, or 0 where the place is not inside.
pub(super) fn read_at(register: RegisterId, index: &Expression, inside: Option<&Expression>) -> Expression {
    let predicate = inside.cloned().map(Box::new);
    Expression::Read { register, index: Some(Box::new(index.clone())), predicate }
}

impl Writer<'_> {
    /// Keeps a value in a variable.
    fn kept(&mut self, value: Expression) -> Expression {
        let variable = self.temporary("$kept", self.output.program.type_of(&value));
        self.emit(Statement::Assign { variable, value });
        Expression::Variable(variable)
    }

    fn write_registers(&mut self, registers: &Tree<RegisterId>, index: &Expression, value: &Value) {
        for (&register, value) in registers.leaves().into_iter().zip(value.leaves()) {
            let value = self.output.cast(value.clone(), self.output.program.register(register).ty);
            let index = Some(index.clone());
            self.emit(Statement::Write { register, index, value, predicate: None });
        }
    }
}

impl Output {
    /// Returns whether an index is within an array; `None` if it always is.
    pub(super) fn is_inside(&mut self, index: &Expression, size: u32) -> Option<Expression> {
        let ty = self.program.type_of(index);
        let width = ty.width();
        if let Expression::Constant(constant) = index {
            return if constant.value < u64::from(size) { None } else { Some(Expression::bool(false)) };
        }
        if width < 32 && (1_u64 << width) <= u64::from(size) {
            return None;
        }
        // A negative index is beyond the end, too.
        let ty = ir::Type::Bits(width as u16);
        let index = self.cast(index.clone(), ty);
        Some(Expression::binary(Operator::Less, index, number(ty, &BigInt::from(size))))
    }
}

/// Returns the names of the scalars of a value, in the order of [`Tree::leaves`].
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

/// Collects the arrays that the control plane sees: those of scalars on the wire.
pub(super) fn seen(registers: &Tree<RegisterId>, all: &mut Vec<u32>) {
    match registers {
        Tree::Scalar(register) | Tree::Varbit { value: register, .. } => all.push(register.0),
        Tree::Struct(parts) | Tree::Union(parts) => parts.iter().for_each(|(_, part)| seen(part, all)),
        Tree::Header(header) => header.fields.iter().for_each(|(_, part)| seen(part, all)),
        Tree::Stack(stack) => stack.elements.iter().for_each(|element| seen(element, all)),
        Tree::Text(_) | Tree::Nothing => {}
    }
}
