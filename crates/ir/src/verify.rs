//! Whether a program keeps the invariants that everybody relies on.
//!
//! A program that is accepted here can be printed, read back and interpreted without a panic. The parser and the
//! front ends report errors of people with places; this is for those who make programs by code: each message
//! quotes the statement that is wrong.

use std::collections::{BTreeMap, BTreeSet};

use crate::typing::{self, is_name};
use crate::{
    Constant, Expression, Initial, Program, Register, RegisterId, Statement, Type, VariableId, VariableKind, print,
};

/// The longest array that a register may be: 2^26 values, which take half a gigabyte in the interpreter.
pub const MAX_REGISTER_LENGTH: u32 = 1 << 26;

/// Everything that is wrong with a program: ids, names, types, first values, exports. Which restricted form it has
/// is for [`crate::form`].
pub fn program(program: &Program) -> Result<(), Vec<String>> {
    let mut errors = Vec::new();
    declarations(program, &mut errors);
    statements(program, &program.packet, &mut errors);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// What is wrong with variables, registers and exports.
pub(crate) fn declarations(program: &Program, errors: &mut Vec<String>) {
    names("variable", program.variables.iter().map(|variable| variable.name.as_str()), errors);
    names("register", program.registers.iter().map(|register| register.name.as_str()), errors);
    for variable in &program.variables {
        errors.extend(typing::width(variable.ty).err().map(|error| format!("variable `{}`: {error}", variable.name)));
    }
    let kinds = program.variables.windows(2).filter(|pair| pair[0].kind == VariableKind::Local);
    for pair in kinds.filter(|pair| pair[1].kind == VariableKind::Field) {
        errors.push(format!("the field `{}` comes after the local `{}`", pair[1].name, pair[0].name));
    }
    for register in &program.registers {
        errors.extend(initial(register).into_iter().map(|error| format!("register `@{}`: {error}", register.name)));
    }
    exports(program, errors);
}

/// What is wrong with the types and ids of statements.
pub(crate) fn statements(program: &Program, block: &[Statement], errors: &mut Vec<String>) {
    block.iter().for_each(|statement| Checker { program, statement, errors }.statement());
}

fn names<'p>(kind: &str, names: impl Iterator<Item = &'p str>, errors: &mut Vec<String>) {
    let mut counts = BTreeMap::new();
    for name in names {
        if !is_name(name) {
            errors.push(format!("{kind} {name:?}: a name is letters, digits, `_`, `.` and `$`, no digit first"));
        }
        *counts.entry(name).or_insert(0u32) += 1;
    }
    let repeated = counts.into_iter().filter(|(_, count)| *count > 1);
    errors.extend(repeated.map(|(name, count)| format!("{count} {kind}s are called `{name}`")));
}

fn initial(register: &Register) -> Vec<String> {
    let mut errors: Vec<String> = typing::width(register.ty).err().into_iter().collect();
    match register.length {
        Some(0) => errors.push("an array has at least one value".to_owned()),
        Some(length) if length > MAX_REGISTER_LENGTH => {
            errors.push(format!("{length} values, and the most is {MAX_REGISTER_LENGTH}"))
        }
        _ => (),
    }
    let values = match &register.initial {
        Initial::Fill(value) => std::slice::from_ref(value),
        Initial::List(values) => values,
    };
    if matches!(register.initial, Initial::List(_)) && values.len() > register.size() {
        errors.push(format!("{} first values for {} places", values.len(), register.size()));
    }
    if values.iter().any(|&value| !typing::fits(register.ty, value)) {
        errors.push(format!("a first value has bits above the width of {}", register.ty));
    }
    errors
}

fn exports(program: &Program, errors: &mut Vec<String>) {
    let mut exported = BTreeSet::new();
    for (place, export) in program.exports.iter().enumerate() {
        let Some(field) = program.variables.get(export.field.index()) else {
            errors.push(format!("export {place} names variable {}, which does not exist", export.field.index()));
            continue;
        };
        let mut wrong = |what: String| errors.push(format!("export `{}`: {what}", field.name));
        if field.kind == VariableKind::Local {
            wrong("a local does not leave with the packet".to_owned());
        }
        if !exported.insert(export.field) {
            wrong("the field is exported twice".to_owned());
        }
        let found = match &export.value {
            Expression::Constant(constant) => typing::constant(*constant),
            Expression::Variable(id) => variable(program, *id),
            _ => Err("a value that is neither constant nor variable".to_owned()),
        };
        if let Err(error) = found.and_then(|found| typing::assigned("the field", field.ty, found)) {
            wrong(error);
        }
    }
}

fn variable(program: &Program, id: VariableId) -> Result<Type, String> {
    let found = program.variables.get(id.index());
    found.map(|variable| variable.ty).ok_or_else(|| format!("variable {} does not exist", id.index()))
}

fn register(program: &Program, id: RegisterId) -> Result<&Register, String> {
    program.registers.get(id.index()).ok_or_else(|| format!("register {} does not exist", id.index()))
}

/// The type of an expression, or everything that is wrong in it.
pub fn expression(program: &Program, expression: &Expression) -> Result<Type, Vec<String>> {
    let mut errors = Vec::new();
    let nothing = Statement::Assign { variable: VariableId(0), value: Expression::bool(false) };
    let ty = Checker { program, statement: &nothing, errors: &mut errors }.expression(expression);
    ty.ok_or(errors)
}

/// Looks at one statement.
struct Checker<'a> {
    program: &'a Program,
    statement: &'a Statement,
    errors: &'a mut Vec<String>,
}

impl Checker<'_> {
    fn wrong(&mut self, error: String) {
        let text = print::statement(self.program, self.statement).to_string();
        let first = text.lines().next().unwrap_or_default();
        self.errors.push(format!("`{first}`: {error}"));
    }

    fn check<T>(&mut self, outcome: Result<T, String>) -> Option<T> {
        outcome.map_err(|error| self.wrong(error)).ok()
    }

    fn statement(&mut self) {
        match self.statement {
            Statement::Assign { variable: target, value } => {
                let expected = self.check(variable(self.program, *target));
                let found = self.expression(value);
                if let Some((expected, found)) = expected.zip(found) {
                    self.check(typing::assigned("the variable", expected, found));
                }
            }
            Statement::Write { register, index, value, predicate } => {
                let expected = self.access(*register, index.as_ref(), predicate.as_ref());
                let found = self.expression(value);
                if let Some((expected, found)) = expected.zip(found) {
                    self.check(typing::assigned("the register", expected, found));
                }
            }
            Statement::If { condition, then, otherwise } => {
                if let Some(found) = self.expression(condition) {
                    self.check(typing::condition("a condition", found));
                }
                statements(self.program, then, self.errors);
                statements(self.program, otherwise, self.errors);
            }
        }
    }

    /// The type of a register that is accessed.
    fn access(&mut self, id: RegisterId, index: Option<&Expression>, predicate: Option<&Expression>) -> Option<Type> {
        let accessed = self.check(register(self.program, id));
        if let Some(accessed) = accessed {
            self.check(typing::indexing(accessed, index.is_some()));
        }
        if let Some(found) = index.and_then(|index| self.expression(index)) {
            self.check(typing::index(found));
        }
        if let Some(found) = predicate.and_then(|predicate| self.expression(predicate)) {
            self.check(typing::condition("a predicate", found));
        }
        accessed.map(|register| register.ty)
    }

    /// The type, if nothing below is wrong.
    fn expression(&mut self, expression: &Expression) -> Option<Type> {
        match expression {
            Expression::Constant(constant) => self.check(typing::constant(*constant)),
            Expression::Variable(id) => self.check(variable(self.program, *id)),
            Expression::Read { register, index, predicate } => {
                self.access(*register, index.as_deref(), predicate.as_deref())
            }
            Expression::Unary(operator, operand) => {
                let operand = self.expression(operand)?;
                self.check(typing::unary(*operator, operand))
            }
            Expression::Binary(operator, left, right) => {
                let (left, right) = (self.expression(left), self.expression(right));
                self.check(typing::binary(*operator, left?, right?))
            }
            Expression::Select(condition, if_true, if_false) => {
                if let Some(found) = self.expression(condition) {
                    self.check(typing::condition("the condition of a choice", found));
                }
                let (if_true, if_false) = (self.expression(if_true), self.expression(if_false));
                self.check(typing::sides(if_true?, if_false?))
            }
            Expression::Hash(function, arguments) => {
                self.check(typing::arity(*function, arguments.len()));
                arguments.iter().for_each(|argument| {
                    self.expression(argument);
                });
                Some(Type::INT32)
            }
            Expression::Cast(ty, operand) => {
                let operand = self.expression(operand);
                self.check(typing::width(*ty))?;
                operand.map(|_| *ty)
            }
        }
    }
}

impl Constant {
    /// True if no bit is set above the type's width.
    pub fn is_valid(self) -> bool {
        typing::constant(self).is_ok()
    }
}
