//! The parser of loops, calls and table applications.

use super::lexer::LexemeKind;
use super::scope::Named;
use super::{Parsed, Parser};
use crate::{Flow, FunctionId, ParserId, Statement, TableId, Type, VariableId, typing};

impl Parser<'_> {
    /// Reads a statement that begins with one of this file's keywords; returns `None` for any other word.
    pub(super) fn flow(&mut self, word: &str) -> Option<Parsed<Flow>> {
        let read: fn(&mut Self) -> Parsed<Flow> = match word {
            "while" => Self::repetition,
            "break" => |parser: &mut Self| parser.single(Flow::Break),
            "continue" => |parser: &mut Self| parser.single(Flow::Continue),
            "return" => |parser: &mut Self| parser.single(Flow::Return),
            "exit" => |parser: &mut Self| parser.single(Flow::Exit),
            "call" => Self::function_call,
            "parse" => Self::parser_call,
            "apply" => Self::apply,
            _ => return None,
        };
        Some(read(self))
    }

    fn single(&mut self, flow: Flow) -> Parsed<Flow> {
        self.cursor.advance();
        Ok(flow)
    }

    fn repetition(&mut self) -> Parsed<Flow> {
        self.cursor.advance();
        let condition = self.condition_of_block()?;
        let depth = self.depth;
        let body = self.block_in(self.context.in_loop())?;
        self.depth = depth;
        let step = self.optional_block("next", self.context.in_step())?;
        Ok(Flow::Loop { condition: condition?, body, step })
    }

    /// Reads a keyword and a block, if the keyword is present.
    pub(super) fn optional_block(&mut self, word: &str, context: crate::placement::Context) -> Parsed<Vec<Statement>> {
        if self.cursor.take_word(word).is_none() {
            return Ok(Vec::new());
        }
        self.block_in(context)
    }

    fn function_call(&mut self) -> Parsed<Flow> {
        self.cursor.advance();
        let (number, _) = self.named(Named::Function)?;
        let after = self.optional_block("then", self.context.after_call())?;
        Ok(Flow::Call { function: FunctionId::from(number), after })
    }

    fn parser_call(&mut self) -> Parsed<Flow> {
        self.cursor.advance();
        let (number, _) = self.named(Named::Parser)?;
        let after = self.optional_block("then", self.context.after_call())?;
        Ok(Flow::Parse { parser: ParserId::from(number), after })
    }

    fn apply(&mut self) -> Parsed<Flow> {
        self.cursor.advance();
        let (number, _) = self.named(Named::Table)?;
        let table = TableId::from(number);
        if self.cursor.take_sign("->").is_none() {
            return Ok(Flow::Apply { table, hit: None, action: None, entry: None });
        }
        let hit = self.result(typing::HIT, Type::Bool)?;
        let mut next = |what| match self.cursor.take_sign(",") {
            Some(_) => self.result(what, Type::Bits(32)),
            None => Ok(None),
        };
        Ok(Flow::Apply { table, hit, action: next(typing::ACTION)?, entry: next(typing::ENTRY)? })
    }

    /// Reads the variable for a result of a table, or `_` for none.
    fn result(&mut self, what: &str, expected: Type) -> Parsed<Option<VariableId>> {
        if matches!(self.cursor.peek(), LexemeKind::Word("_")) {
            self.cursor.advance();
            return Ok(None);
        }
        self.target(|ty| typing::takes(what, expected, ty)).map(Some)
    }
}
