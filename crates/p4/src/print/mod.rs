//! The printer, which prints a syntax tree as canonical P4 that parses to the same tree. `--emit` shows it, and tests
//! compare it.

mod annotations;
mod declarations;
mod expressions;
mod objects;
mod statements;
mod tables;
mod typed;
mod types;

pub use typed::print_typed;

use crate::ast::{Declaration, DeclarationKind, Expression, Program};

/// Prints a program.
pub fn print(program: &Program) -> String {
    let mut printer = Printer::default();
    printer.program(program);
    printer.text
}

/// Prints an expression.
pub fn print_expression(expression: &Expression) -> String {
    let mut printer = Printer::default();
    printer.expression(expression);
    printer.text
}

fn has_body(declaration: &Declaration) -> bool {
    match &declaration.kind {
        DeclarationKind::Instantiation(instance) => instance.body.is_some(),
        DeclarationKind::Constant(_)
        | DeclarationKind::Variable(_)
        | DeclarationKind::ExternFunction(_)
        | DeclarationKind::ExternName(_)
        | DeclarationKind::Typedef(_)
        | DeclarationKind::NewType(_)
        | DeclarationKind::ParserType(_)
        | DeclarationKind::ControlType(_)
        | DeclarationKind::Package(_) => false,
        _ => true,
    }
}

#[derive(Default)]
struct Printer {
    text: String,
    depth: usize,
    /// The expressions in the text, by their positions.
    written: Vec<typed::PrintedExpression>,
}

impl Printer {
    fn program(&mut self, program: &Program) {
        let mut before: Option<&Declaration> = None;
        for declaration in &program.declarations {
            // One-line declarations of a kind stand together; declarations with bodies are separated by blank lines.
            if before.is_some_and(|before| has_body(before) || has_body(declaration)) {
                self.push("\n");
            }
            self.declaration(declaration);
            before = Some(declaration);
        }
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Begins a line.
    fn line(&mut self) {
        self.text.extend(std::iter::repeat_n("    ", self.depth));
    }

    /// Prints items with a separator.
    fn joined<T>(&mut self, items: &[T], between: &str, mut item: impl FnMut(&mut Self, &T)) {
        for (index, own) in items.iter().enumerate() {
            if index > 0 {
                self.push(between);
            }
            item(self, own);
        }
    }

    /// Prints `{`, items that each print whole lines, and `}`, without the end of the line.
    fn braces<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        if items.is_empty() {
            return self.push("{}");
        }
        self.open();
        items.iter().for_each(|own| item(self, own));
        self.close();
    }

    fn open(&mut self) {
        self.push("{\n");
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line();
        self.push("}");
    }
}
