//! The parser of instructions.

use diagnostics::{Diagnostic, Span};

use super::super::lexer::LexemeKind;
use super::super::scope::Named;
use super::super::{Parsed, Parser, Reported};
use crate::Expression;
use crate::threads::{Branch, Destination, Instruction, InstructionId, MemoryField, Move, Next, Place, Transaction};
use crate::typing;
use crate::verify::Item;

/// The parts of an instruction that have been read.
struct Reading {
    id: InstructionId,
    moves: Vec<Move>,
    transaction: Option<(Transaction, Span)>,
    cases: Vec<(Expression, Next)>,
    otherwise: Option<(Next, Span)>,
}

impl Parser<'_> {
    /// Reads an instruction, whose keyword has been read.
    pub(in super::super) fn instruction(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (number, span) = self.scanned(Named::Instruction)?;
        let waits = self.cursor.take_word("waits").is_some();
        let opening = self.cursor.span();
        if self.cursor.at_sign("{") {
            self.deeper(opening)?;
        }
        self.cursor.expect_sign("{")?;
        let id = InstructionId::from(number);
        let mut reading = Reading { id, moves: Vec::new(), transaction: None, cases: Vec::new(), otherwise: None };
        loop {
            self.cursor.skip_line_ends();
            if self.cursor.at_sign("}") {
                break;
            }
            if self.cursor.at_end() {
                return Err(self.open_at_end(opening, "instruction"));
            }
            self.line(|parser| parser.instruction_line(&mut reading));
        }
        let end = self.cursor.advance();
        self.depth -= 1;
        if reading.otherwise.is_none() && self.cursor.count_findings() == findings {
            let name = &self.threads().instructions[number].name;
            let message = format!("the instruction `{name}` does not say where the thread goes on");
            let hint = "its last line is `goto`, `jump`, `call`, `return` or `end` without a condition";
            self.cursor.report(Diagnostic::error(end, message).hint(hint));
        }
        let otherwise = reading.otherwise.map_or(Next::End, |(next, _)| next);
        let read = Instruction {
            name: std::mem::take(&mut self.threads().instructions[number].name),
            waits,
            moves: reading.moves,
            transaction: reading.transaction.map(|(transaction, _)| transaction),
            branch: Branch { cases: reading.cases, otherwise },
        };
        self.threads().instructions[number] = read;
        self.remember(Item::Instruction(id), span, findings);
        Ok(())
    }

    fn instruction_line(&mut self, reading: &mut Reading) -> Parsed<()> {
        let (findings, span) = (self.cursor.count_findings(), self.cursor.span());
        if let Some((_, first)) = &reading.otherwise {
            let error = Diagnostic::error(span, "nothing follows a way without a condition");
            return Err(self.cursor.report(error.related(*first, "the thread always goes this way")));
        }
        let is_name = matches!(self.cursor.peek_second(), LexemeKind::Sign("=" | "["));
        if let LexemeKind::Word(word) = *self.cursor.peek()
            && !is_name
        {
            if let Some(next) = self.way(word) {
                let next = next?;
                return self.way_taken(next, span, findings, reading);
            }
            if let Some(transaction) = self.transaction(word) {
                let transaction = transaction?;
                if let Some((_, first)) = &reading.transaction {
                    let error = Diagnostic::error(span, "an instruction has at most one transaction");
                    return Err(self.cursor.report(error.related(*first, "the first one")));
                }
                reading.transaction = Some((transaction, span));
                self.remember(Item::Transaction(reading.id), span, findings);
                return Ok(());
            }
        }
        let step = self.step()?;
        reading.moves.push(step);
        self.remember(Item::Move(reading.id, reading.moves.len() - 1), span, findings);
        Ok(())
    }

    /// Reads the condition of a way, if it has one.
    fn way_taken(&mut self, next: Next, span: Span, findings: usize, reading: &mut Reading) -> Parsed<()> {
        let item = if self.cursor.take_word("if").is_some() {
            let condition = self.condition("a condition")?;
            reading.cases.push((condition, next));
            Item::Way(reading.id, reading.cases.len() - 1)
        } else {
            reading.otherwise = Some((next, span));
            Item::Way(reading.id, reading.cases.len())
        };
        self.remember(item, span, findings);
        Ok(())
    }

    /// Reads where a branch leads, if the next word, `word`, says so.
    fn way(&mut self, word: &str) -> Option<Parsed<Next>> {
        let read: fn(&mut Self) -> Parsed<Next> = match word {
            "goto" => |parser: &mut Self| Ok(Next::Goto(parser.instruction_name()?)),
            "jump" => |parser: &mut Self| Ok(Next::Jump(parser.number_value("the target of a jump")?)),
            "call" => |parser: &mut Self| {
                let to = parser.instruction_name()?;
                parser.cursor.expect_word("then")?;
                Ok(Next::Call { to, then: parser.instruction_name()? })
            },
            "return" => |_: &mut Self| Ok(Next::Return),
            "end" => |_: &mut Self| Ok(Next::End),
            _ => return None,
        };
        self.cursor.advance();
        Some(read(self))
    }

    fn instruction_name(&mut self) -> Parsed<InstructionId> {
        Ok(InstructionId::from(self.named(Named::Instruction)?.0))
    }

    fn step(&mut self) -> Parsed<Move> {
        let place = self.place();
        if place.is_err() {
            // What is right of the sign can be wrong too.
            self.skip_to_assignment()?;
        }
        self.cursor.expect_sign("=")?;
        let value = self.expression()?.expression;
        let condition = self.predicate()?;
        Ok(Move { place: place?, value, condition })
    }

    fn place(&mut self) -> Parsed<Place> {
        if self.cursor.at_word("memory") && matches!(self.cursor.peek_second(), LexemeKind::Sign("(")) {
            self.cursor.advance();
            return Ok(Place::Memory(self.field()?.0));
        }
        let (name, span) = self.cursor.expect_name("a variable, `memory(…)`, a transaction or a way")?;
        let variable = self.variable(name, span)?;
        if self.cursor.take_sign("[").is_none() {
            return Ok(Place::Variable(variable));
        }
        let high = self.bit()?;
        self.cursor.expect_sign(":")?;
        let low = self.bit()?;
        self.cursor.expect_sign("]")?;
        Ok(Place::Bits { variable, high, low })
    }

    /// Skips to the sign of an assignment on this line.
    fn skip_to_assignment(&mut self) -> Parsed<()> {
        while !self.cursor.at_sign("=") {
            if self.cursor.at_line_end() || self.cursor.at_sign("}") {
                return Err(Reported);
            }
            self.cursor.advance();
        }
        Ok(())
    }

    /// Reads `(address, offset, width)`, a bit field of local memory whose keyword has been read.
    pub(in super::super) fn field(&mut self) -> Parsed<(MemoryField, Span)> {
        let opening = self.cursor.expect_sign("(")?;
        self.deeper(opening)?;
        let address = self.number_value("an address")?;
        self.cursor.expect_sign(",")?;
        let (offset, _) = self.cursor.expect_count("the number of a bit")?;
        self.cursor.expect_sign(",")?;
        let (width, span) = self.cursor.expect_count("a number of bits")?;
        let end = self.cursor.expect_sign(")")?;
        self.depth -= 1;
        let width = u16::try_from(width).unwrap_or(u16::MAX);
        let outcome = typing::field(&self.scope.program, width);
        match self.check(span, outcome) {
            Some(_) => Ok((MemoryField { address, offset, width }, end)),
            None => Err(Reported),
        }
    }

    /// Reads a transaction, if the next word, `word`, begins one.
    fn transaction(&mut self, word: &str) -> Option<Parsed<Transaction>> {
        let is_asynchronous = word == "async";
        if is_asynchronous {
            self.cursor.advance();
        }
        let operation = match *self.cursor.peek() {
            LexemeKind::Word(word) => self.operation_of_word(word),
            _ => None,
        };
        let operation = match operation {
            Some(operation) => operation,
            None if is_asynchronous => Err(self.cursor.unexpected("an operation")),
            None => return None,
        };
        Some(operation.and_then(|operation| {
            let reply = self.destination()?;
            Ok(Transaction { is_asynchronous, operation, reply })
        }))
    }

    /// Reads `->` and where a reply goes, if they are present.
    fn destination(&mut self) -> Parsed<Destination> {
        if self.cursor.take_sign("->").is_none() {
            return Ok(Destination::Nothing);
        }
        let ends =
            matches!(self.cursor.peek_second(), LexemeKind::Sign("," | "}") | LexemeKind::LineEnd | LexemeKind::End);
        if self.cursor.at_word("memory") && !ends {
            self.cursor.advance();
            return Ok(Destination::Memory(self.number_value("an address")?));
        }
        let mut variables = Vec::new();
        loop {
            variables.push(match self.cursor.take_word("_") {
                Some(_) => None,
                None => Some(self.target(|_| Ok(()))?),
            });
            if self.cursor.take_sign(",").is_none() {
                return Ok(Destination::Variables(variables));
            }
        }
    }
}
