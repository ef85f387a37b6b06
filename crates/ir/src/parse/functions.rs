//! The parser of functions.

use super::scope::Named;
use super::{Parsed, Parser};
use crate::FunctionId;
use crate::placement::Context;
use crate::verify::Item;

impl Parser<'_> {
    /// Reads a control, an action or a function, whose keyword has been read.
    pub(super) fn function(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (number, span) = self.scanned(Named::Function)?;
        let mut parameters = Vec::new();
        if self.cursor.take_sign("(").is_some() && self.cursor.take_sign(")").is_none() {
            parameters = self.variables()?;
            self.cursor.expect_sign(")")?;
        }
        self.scope.program.functions[number].parameters = parameters;
        let body = self.block_in(Context::FUNCTION)?;
        self.scope.program.functions[number].body = body;
        self.remember(Item::Function(FunctionId::from(number)), span, findings);
        Ok(())
    }
}
