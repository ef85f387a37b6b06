//! The parser of tables.

use diagnostics::{Diagnostic, Span};
use runtime::tables::Target;

use super::lexer::LexemeKind;
use super::scope::Named;
use super::{Parsed, Parser};
use crate::placement::Context;
use crate::verify::Item;
use crate::{CounterId, FunctionId, Key, MeterId, ProfileId, Table, TableAction, TableId, Type, print, typing};

/// A table while it is being read.
pub(super) struct Reading {
    pub id: TableId,
    pub table: Table,
    /// The types of the keys, as far as they are known.
    pub types: Vec<Option<Type>>,
    default: Option<Span>,
}

/// The keywords that begin the lines of a table.
const LINES: [&str; 14] = [
    "key",
    "selector",
    "action",
    "default",
    "size",
    "profile",
    "counter",
    "meter",
    "idle_timeout",
    "slots",
    "register",
    "counts",
    "constant",
    "entry",
];

impl Parser<'_> {
    /// Reads a table, whose keyword has been read.
    pub(super) fn table(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (number, span) = self.scanned(Named::Table)?;
        let opening = self.cursor.span();
        if !self.cursor.at_sign("{") {
            return Err(self.cursor.unexpected("`{`"));
        }
        let id = TableId::from(number);
        let table = self.scope.program.tables[number].clone();
        let mut reading = Reading { id, table, types: Vec::new(), default: None };
        let read = self.braces(opening, "table", |parser| parser.table_line(&mut reading));
        if reading.default.is_none() && self.cursor.count_findings() == findings {
            let error = Diagnostic::error(span, format!("the table `{}` has no default", reading.table.name));
            self.cursor.report(error.hint("say what happens on a miss, such as `default some_action()`"));
        }
        self.scope.program.tables[number] = reading.table;
        read?;
        self.remember(Item::Table(id), span, findings);
        Ok(())
    }

    fn table_line(&mut self, reading: &mut Reading) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let LexemeKind::Word(word) = *self.cursor.peek() else { return Err(self.not_a_line()) };
        if !LINES.contains(&word) {
            return Err(self.not_a_line());
        }
        let start = self.cursor.advance();
        let table = &mut reading.table;
        match word {
            "key" => {
                let (key, ty) = self.key()?;
                table.keys.push(key);
                reading.types.push(ty);
                self.remember(Item::Key(reading.id, table.keys.len() - 1), start, findings);
            }
            "selector" => {
                let selector = self.expression()?;
                table.selector.push(selector.expression);
            }
            "action" => {
                let action = self.table_action()?;
                table.actions.push(action);
                self.remember(Item::TableAction(reading.id, table.actions.len() - 1), start, findings);
            }
            "default" => self.default(reading, start)?,
            "size" => table.size = Some(self.cursor.expect_count("a number of entries")?.0),
            "profile" => table.profile = Some(ProfileId::from(self.named(Named::Profile)?.0)),
            "counter" => table.counter = Some(CounterId::from(self.named(Named::Counter)?.0)),
            "meter" => {
                let (meter, _) = self.named(Named::Meter)?;
                self.cursor.expect_sign("->")?;
                let color = self.target(|ty| typing::number(typing::COLOR, ty))?;
                table.meter = Some((MeterId::from(meter), color));
            }
            "idle_timeout" => table.has_idle_timeout = true,
            "slots" => table.has_slots = true,
            "register" => table.registers.push(self.register()?.0),
            "counts" => {
                self.cursor.expect_word("when")?;
                self.cursor.expect_word("called")?;
                table.counts_when_called = true;
            }
            "constant" => {
                self.cursor.expect_word("entries")?;
                table.is_constant = true;
            }
            _ => {
                let (entry, is_known) = self.entry(reading)?;
                reading.table.entries.push(entry);
                if is_known {
                    self.remember(Item::Entry(reading.id, reading.table.entries.len() - 1), start, findings);
                }
            }
        }
        Ok(())
    }

    fn not_a_line(&mut self) -> super::Reported {
        let error = Diagnostic::error(self.cursor.span(), "this line does not belong in a table");
        self.cursor.report(error.hint(format!("a line begins with one of: {}", LINES.join(", "))))
    }

    /// Reads `value: kind`, followed by `named` and a text if the key's name is not its expression.
    fn key(&mut self) -> Parsed<(Key, Option<Type>)> {
        let value = self.expression()?;
        self.cursor.expect_sign(":")?;
        let kind = self.match_kind()?;
        if let Some(found) = value.ty {
            self.check(value.span, typing::key(kind, found));
        }
        let name = if self.cursor.take_word("named").is_some() {
            self.cursor.expect_text("a name in quotes")?
        } else {
            print::key_name(&self.scope.program, &value.expression)
        };
        Ok((Key { name, value: value.expression, kind }, value.ty))
    }

    /// Reads an action of a table: the function, its restrictions, and the blocks before and after it.
    fn table_action(&mut self) -> Parsed<TableAction> {
        let (number, _) = self.named(Named::Function)?;
        let only_default = self.cursor.take_word("only_default").is_some();
        let only_entries = self.cursor.take_word("only_entries").is_some();
        let depth = self.depth;
        let before = if self.cursor.at_sign("{") { self.block_in(Context::TABLE)? } else { Vec::new() };
        self.depth = depth;
        let after = self.optional_block("then", Context::TABLE)?;
        Ok(TableAction { function: FunctionId::from(number), before, after, only_default, only_entries })
    }

    fn default(&mut self, reading: &mut Reading, start: Span) -> Parsed<()> {
        if let Some(first) = reading.default.replace(start) {
            let error = Diagnostic::error(start, "a table can have only one default").related(first, "the first one");
            return Err(self.cursor.report(error));
        }
        let findings = self.cursor.count_findings();
        let (target, is_known) = self.entry_target(&reading.table)?;
        reading.table.is_default_constant = self.cursor.take_word("constant").is_some();
        if !matches!(target, Target::Action { .. }) {
            let error = Diagnostic::error(start, "the default of a table must be an action");
            self.cursor.report(error);
        }
        reading.table.default = target;
        if is_known {
            self.remember(Item::Default(reading.id), start, findings);
        }
        Ok(())
    }
}
