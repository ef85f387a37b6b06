//! The parser of statements that operate on the packet and its headers.

use diagnostics::Span;

use super::lexer::LexemeKind;
use super::scope::Named;
use super::{Parsed, Parser};
use crate::{HeaderId, HeaderReference, PacketStatement, StackId, typing};

impl Parser<'_> {
    /// Reads a statement that begins with one of this file's keywords; returns `None` for any other word.
    pub(super) fn packet_statement(&mut self, word: &str) -> Option<Parsed<PacketStatement>> {
        let read: fn(&mut Self) -> Parsed<PacketStatement> = match word {
            "extract" => Self::extract,
            "lookahead" => Self::lookahead,
            "advance" => |parser: &mut Self| {
                parser.cursor.advance();
                Ok(PacketStatement::Advance { bits: parser.number_value("the number of bits to skip")? })
            },
            "verify" => Self::verify,
            "set_valid" => {
                |parser: &mut Self| Ok(PacketStatement::SetValid { header: parser.header_behind_word()?, valid: true })
            }
            "set_invalid" => {
                |parser: &mut Self| Ok(PacketStatement::SetValid { header: parser.header_behind_word()?, valid: false })
            }
            "emit" => |parser: &mut Self| Ok(PacketStatement::Emit { header: parser.header_behind_word()? }),
            _ => return None,
        };
        Some(read(self))
    }

    fn header_behind_word(&mut self) -> Parsed<HeaderReference> {
        self.cursor.advance();
        Ok(self.header_place()?.0)
    }

    /// Reads a header, or a stack and an index.
    fn header_place(&mut self) -> Parsed<(HeaderReference, Span)> {
        if self.at_index(1) {
            let (number, start) = self.named(Named::Stack)?;
            let (index, end) = self.index()?;
            return Ok((HeaderReference::Element(StackId::from(number), index), start.to(end)));
        }
        let (number, span) = self.named(Named::Header)?;
        Ok((HeaderReference::Fixed(HeaderId::from(number)), span))
    }

    fn extract(&mut self) -> Parsed<PacketStatement> {
        self.cursor.advance();
        let (header, span) = self.header_place()?;
        let length = if self.cursor.take_sign(",").is_some() { Some(self.number_value("a length")?) } else { None };
        let program = &self.scope.program;
        let like = match header {
            HeaderReference::Fixed(id) => Some(id),
            HeaderReference::Element(stack, _) => program.stacks[stack.index()].elements.first().copied(),
        };
        if let Some(like) = like {
            let outcome = typing::extraction(program, like, length.is_some());
            self.check(span, outcome);
        }
        Ok(PacketStatement::Extract { header, length })
    }

    fn lookahead(&mut self) -> Parsed<PacketStatement> {
        self.cursor.advance();
        let mut variables = Vec::new();
        if matches!(self.cursor.peek(), LexemeKind::Word(_) | LexemeKind::Quoted(_)) {
            variables = self.variables()?;
        }
        Ok(PacketStatement::Lookahead { variables })
    }

    fn verify(&mut self) -> Parsed<PacketStatement> {
        self.cursor.advance();
        let condition = self.condition("the condition of `verify`")?;
        self.cursor.expect_sign(",")?;
        let error = self.expression()?;
        if let Some(found) = error.ty {
            self.check(error.span, typing::error(found));
        }
        Ok(PacketStatement::Verify { condition, error: error.expression })
    }
}
