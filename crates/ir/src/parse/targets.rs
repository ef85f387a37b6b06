//! The parser of table entries and their targets.

use diagnostics::{Diagnostic, Span};
use runtime::Bits;
use runtime::tables::{FieldMatch, TableEntry, Target};

use super::lexer::LexemeKind;
use super::tables::Reading;
use super::{Parsed, Parser, Reported};
use crate::{Table, typing};

impl Parser<'_> {
    /// Reads `field, ... => target` and the properties of an entry, whose keyword has been read. Also returns whether
    /// the widths of its action's parameters were known; only then is the entry verified further.
    pub(super) fn entry(&mut self, reading: &Reading) -> Parsed<(TableEntry, bool)> {
        let mut key = Vec::new();
        while !self.cursor.at_sign("=>") {
            let width = reading.types.get(key.len()).copied().flatten().map_or(Bits::MAXIMUM_WIDTH, |ty| ty.width());
            key.push(self.field_match(width)?);
            if self.cursor.take_sign(",").is_none() {
                break;
            }
        }
        let arrow = self.cursor.expect_sign("=>")?;
        if key.len() != reading.table.keys.len() {
            let message =
                format!("the entry has {} fields, but the table has {} keys", key.len(), reading.table.keys.len());
            self.cursor.report(Diagnostic::error(arrow, message));
        }
        let (target, is_known) = self.entry_target(&reading.table)?;
        let priority =
            if self.cursor.take_word("priority").is_some() { self.cursor.expect_count("a priority")?.0 } else { 0 };
        let is_constant = self.cursor.take_word("constant").is_some();
        Ok((TableEntry { key, priority, target, is_constant }, is_known))
    }

    /// Reads the match of an entry against a field of `width` bits.
    fn field_match(&mut self, width: u32) -> Parsed<FieldMatch> {
        if self.cursor.take_word("_").is_some() {
            return Ok(FieldMatch::Any);
        }
        let first = self.raw(width)?;
        if self.cursor.take_sign("/").is_some() {
            let (length, _) = self.cursor.expect_count("the length of a prefix")?;
            return Ok(FieldMatch::Prefix { value: first, length });
        }
        if self.cursor.take_sign("&&&").is_some() {
            return Ok(FieldMatch::Mask { value: first, mask: self.raw(width)? });
        }
        if self.cursor.take_word("..").is_some() {
            return Ok(FieldMatch::Range { low: first, high: self.raw(width)? });
        }
        Ok(FieldMatch::Exact(first))
    }

    /// Reads `action(data, ...)`, `member 5` or `group 5`. Also returns whether the widths of the action's parameters
    /// were known.
    pub(super) fn entry_target(&mut self, table: &Table) -> Parsed<(Target, bool)> {
        let is_number = matches!(self.cursor.peek_second(), LexemeKind::Number(_));
        if is_number && self.cursor.take_word("member").is_some() {
            return Ok((Target::Member(self.cursor.expect_count("the number of a member")?.0), true));
        }
        if is_number && self.cursor.take_word("group").is_some() {
            return Ok((Target::Group(self.cursor.expect_count("the number of a group")?.0), true));
        }
        let (name, span) = self.cursor.expect_title("an action, `member` or `group`")?;
        let functions = &self.scope.program.functions;
        let action = table.actions.iter().position(|action| functions[action.function.index()].name == name);
        let Some(action) = action else {
            let names: Vec<&str> =
                table.actions.iter().map(|action| functions[action.function.index()].name.as_str()).collect();
            let hint = format!("its actions are {}; an `action` line must come before its use", names.join(", "));
            let error = Diagnostic::error(span, format!("the table has no action `{name}`"));
            let error = if names.is_empty() { error } else { error.hint(hint) };
            return Err(self.cursor.report(error));
        };
        let function = table.actions[action].function.index();
        let (data, is_known) = self.data(function, &name, span)?;
        // More than 2^32 actions do not fit in a text.
        let action = u32::try_from(action).map_err(|_| Reported)?;
        Ok((Target::Action { action, data }, is_known))
    }

    /// Reads the values for the parameters of a function.
    fn data(&mut self, function: usize, name: &str, span: Span) -> Parsed<(Vec<Bits>, bool)> {
        let parameters = self.scope.parameters[function].clone();
        let widths: Option<Vec<u32>> = parameters.and_then(|parameters| {
            let variables = parameters.iter().map(|name| self.scope.variable(name));
            variables.map(|found| Some(self.scope.program.variable(found?.0).ty.width())).collect()
        });
        self.cursor.expect_sign("(")?;
        let mut data = Vec::new();
        while !self.cursor.at_sign(")") {
            let width = widths.as_ref().and_then(|widths| widths.get(data.len())).copied();
            data.push(self.raw(width.unwrap_or(Bits::MAXIMUM_WIDTH))?);
            if self.cursor.take_sign(",").is_none() {
                break;
            }
        }
        let end = self.cursor.expect_sign(")")?;
        if let Some(widths) = &widths {
            self.check(span.to(end), typing::data(name, widths.len(), data.len()));
        }
        Ok((data, widths.is_some()))
    }
}
