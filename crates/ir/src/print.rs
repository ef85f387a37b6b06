//! The text of programs: what [`crate::parse`] reads back to an equal value.
//!
//! Every operator inside another one has parentheses, so that nobody needs to know a table of precedences. The
//! grammar is in `docs/ir.md`.

use std::fmt::{self, Display, Formatter};

use crate::typing::is_name;
use crate::{Constant, Expression, Initial, Program, Register, RegisterId, Statement, Type, VariableId, VariableKind};

/// Words that begin an expression or a statement, so that a variable of that name is written in backquotes.
pub(crate) const RESERVED: [&str; 7] = ["bit", "bool", "else", "false", "if", "int", "true"];

/// An expression with the names of its program.
pub fn expression<'p>(program: &'p Program, expression: &'p Expression) -> impl Display + 'p {
    fmt::from_fn(move |f| write_predicated(f, program, expression))
}

/// A statement with the names of its program; of several lines if it has blocks, without a final line end.
pub fn statement<'p>(program: &'p Program, statement: &'p Statement) -> impl Display + 'p {
    fmt::from_fn(move |f| write_statement(f, program, statement, ""))
}

/// A register with its `@`.
pub fn register(program: &Program, id: RegisterId) -> impl Display + '_ {
    // Verification prints what is wrong, ids out of range among it.
    fmt::from_fn(move |f| match program.registers.get(id.index()) {
        Some(register) => write!(f, "@{}", name(&register.name)),
        None => write!(f, "@<register {}>", id.index()),
    })
}

/// A variable's name.
pub fn variable(program: &Program, id: VariableId) -> impl Display + '_ {
    fmt::from_fn(move |f| match program.variables.get(id.index()) {
        Some(variable) => name(&variable.name).fmt(f),
        None => write!(f, "<variable {}>", id.index()),
    })
}

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let number = self.ty.number(self.value);
        match self.ty {
            Type::Bool => write!(f, "{}", self.value != 0),
            Type::Bits(width) => write!(f, "{number}u{width}"),
            Type::Int(width) => write!(f, "{number}i{width}"),
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {}", title(&self.name))?;
        write_declarations(f, self)?;
        writeln!(f, "\npacket {{")?;
        write_block(f, self, &self.packet, "  ")?;
        writeln!(f, "}}")?;
        write_exports(f, self)
    }
}

pub(crate) fn write_declarations(f: &mut Formatter<'_>, program: &Program) -> fmt::Result {
    if !(program.variables.is_empty() && program.registers.is_empty()) {
        writeln!(f)?;
    }
    for declared in &program.variables {
        let kind = match declared.kind {
            VariableKind::Field => "field",
            VariableKind::Local => "local",
        };
        writeln!(f, "{kind} {}: {}", name(&declared.name), declared.ty)?;
    }
    program.registers.iter().try_for_each(|register| write_register(f, register))
}

fn write_register(f: &mut Formatter<'_>, register: &Register) -> fmt::Result {
    let number = |value: u64| -> Box<dyn Display> {
        if register.ty == Type::Bool { Box::new(value != 0) } else { Box::new(register.ty.number(value)) }
    };
    write!(f, "register {}: {}", name(&register.name), register.ty)?;
    if let Some(length) = register.length {
        write!(f, "[{length}]")?;
    }
    match &register.initial {
        Initial::Fill(value) if register.length.is_some() => writeln!(f, " = fill {}", number(*value)),
        Initial::Fill(value) => writeln!(f, " = {}", number(*value)),
        Initial::List(values) => {
            f.write_str(" = [")?;
            for (place, value) in values.iter().enumerate() {
                write!(f, "{}{}", if place == 0 { "" } else { ", " }, number(*value))?;
            }
            writeln!(f, "]")
        }
    }
}

pub(crate) fn write_exports(f: &mut Formatter<'_>, program: &Program) -> fmt::Result {
    for export in &program.exports {
        write!(f, "export {} = ", variable(program, export.field))?;
        write_operand(f, program, &export.value)?;
        writeln!(f)?;
    }
    Ok(())
}

pub(crate) fn write_block(f: &mut Formatter<'_>, program: &Program, block: &[Statement], indent: &str) -> fmt::Result {
    for statement in block {
        f.write_str(indent)?;
        write_statement(f, program, statement, indent)?;
        writeln!(f)?;
    }
    Ok(())
}

fn write_statement(f: &mut Formatter<'_>, program: &Program, statement: &Statement, indent: &str) -> fmt::Result {
    match statement {
        Statement::Assign { variable: target, value } => {
            write!(f, "{} = ", variable(program, *target))?;
            write_predicated(f, program, value)
        }
        Statement::Write { register: target, index, value, predicate } => {
            write_place(f, program, *target, index.as_ref())?;
            f.write_str(" = ")?;
            // A predicate behind the value is the write's: that of a read has parentheses here.
            write_plain(f, program, value)?;
            match predicate {
                Some(predicate) => {
                    f.write_str(" if ")?;
                    write_operand(f, program, predicate)
                }
                None => Ok(()),
            }
        }
        Statement::If { condition, then, otherwise } => {
            f.write_str("if ")?;
            write_plain(f, program, condition)?;
            let inner = format!("{indent}  ");
            writeln!(f, " {{")?;
            write_block(f, program, then, &inner)?;
            write!(f, "{indent}}}")?;
            match otherwise.as_slice() {
                [] => Ok(()),
                [chained @ Statement::If { .. }] => {
                    f.write_str(" else ")?;
                    write_statement(f, program, chained, indent)
                }
                _ => {
                    writeln!(f, " else {{")?;
                    write_block(f, program, otherwise, &inner)?;
                    write!(f, "{indent}}}")
                }
            }
        }
    }
}

fn write_place(f: &mut Formatter<'_>, program: &Program, id: RegisterId, index: Option<&Expression>) -> fmt::Result {
    register(program, id).fmt(f)?;
    match index {
        Some(index) => {
            f.write_str("[")?;
            write_plain(f, program, index)?;
            f.write_str("]")
        }
        None => Ok(()),
    }
}

/// Where a predicated read may stand without parentheses: alone on the right of a variable.
fn write_predicated(f: &mut Formatter<'_>, program: &Program, expression: &Expression) -> fmt::Result {
    if let Expression::Read { register, index, predicate: Some(predicate) } = expression {
        write_place(f, program, *register, index.as_deref())?;
        f.write_str(" if ")?;
        write_operand(f, program, predicate)
    } else {
        write_plain(f, program, expression)
    }
}

/// Where one operator may stand without parentheses: something of its own ends the expression.
fn write_plain(f: &mut Formatter<'_>, program: &Program, expression: &Expression) -> fmt::Result {
    match expression {
        Expression::Unary(operator, operand) => {
            f.write_str(operator.symbol())?;
            if matches!(**operand, Expression::Constant(_)) {
                // `-5i32` is a constant; the negation of a constant is `-(5i32)`.
                f.write_str("(")?;
                write_operand(f, program, operand)?;
                f.write_str(")")
            } else {
                write_operand(f, program, operand)
            }
        }
        Expression::Binary(operator, left, right) => {
            write_operand(f, program, left)?;
            write!(f, " {} ", operator.symbol())?;
            write_operand(f, program, right)
        }
        Expression::Select(condition, if_true, if_false) => {
            write_operand(f, program, condition)?;
            f.write_str(" ? ")?;
            write_operand(f, program, if_true)?;
            f.write_str(" : ")?;
            write_operand(f, program, if_false)
        }
        _ => write_operand(f, program, expression),
    }
}

/// Inside an operator: whatever is not one word has parentheses.
pub(crate) fn write_operand(f: &mut Formatter<'_>, program: &Program, expression: &Expression) -> fmt::Result {
    match expression {
        Expression::Constant(constant) => constant.fmt(f),
        Expression::Variable(id) => variable(program, *id).fmt(f),
        Expression::Read { register, index, predicate: None } => write_place(f, program, *register, index.as_deref()),
        Expression::Hash(function, arguments) => {
            write!(f, "{}(", function.name())?;
            for (place, argument) in arguments.iter().enumerate() {
                f.write_str(if place == 0 { "" } else { ", " })?;
                write_plain(f, program, argument)?;
            }
            f.write_str(")")
        }
        Expression::Cast(ty, operand) => {
            write!(f, "{ty}(")?;
            write_plain(f, program, operand)?;
            f.write_str(")")
        }
        Expression::Read { predicate: Some(_), .. }
        | Expression::Unary(..)
        | Expression::Binary(..)
        | Expression::Select(..) => {
            f.write_str("(")?;
            write_predicated(f, program, expression)?;
            f.write_str(")")
        }
    }
}

/// A variable's or register's name, in backquotes if it would be read as something else.
fn name(name: &str) -> impl Display + '_ {
    let quote = if RESERVED.contains(&name) { "`" } else { "" };
    fmt::from_fn(move |f| write!(f, "{quote}{name}{quote}"))
}

/// A program's or template's name, in quotes if it is no name: programs are named after files.
pub(crate) fn title(title: &str) -> impl Display + '_ {
    fmt::from_fn(move |f| {
        if is_name(title) {
            return f.write_str(title);
        }
        f.write_str("\"")?;
        for character in title.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                '\n' => f.write_str("\\n")?,
                _ => write!(f, "{character}")?,
            }
        }
        f.write_str("\"")
    })
}
