//! Arguments of calls, instances and actions.

use super::{Parsed, Reader};
use crate::ast::{Argument, ArgumentValue};
use crate::token::Keyword;

impl Reader<'_> {
    /// `(argument, argument)`
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.expect("(", "the name")?;
        let arguments = self.bracketed(|reader| reader.separated(")", false, Self::argument))?;
        self.expect(")", "the arguments")?;
        Ok(arguments)
    }

    fn argument(&mut self) -> Parsed<Argument> {
        let start = self.current().span;
        let name = if self.ahead(1).is("=") { self.name_at(0) } else { None };
        if name.is_some() {
            self.advance();
            self.advance();
        }
        let value = match self.take_word(Keyword::Underscore) {
            Some(_) => ArgumentValue::Ignored,
            None => ArgumentValue::Given(self.nested(Self::expression)?),
        };
        Ok(Argument { name, value, span: self.since(start) })
    }
}
