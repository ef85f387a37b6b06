//! The parser of declarations of state other than registers and tables, and of the names that architectures define.

use diagnostics::Span;
use runtime::meter::MeterUnit;
use runtime::profile::SelectionMode;
use runtime::tables::{KeyField, MatchKind};

use super::lexer::LexemeKind;
use super::scope::Named;
use super::{Parsed, Parser};
use crate::threads::Cause;
use crate::verify::Item;
use crate::{
    Block, Counter, CounterId, CounterUnit, Digest, DigestId, Entrance, FieldList, Filter, FunctionId, Meter, MeterId,
    ParserId, Profile, ProfileId, Selection, SelectionBits, ValueSet, ValueSetId, Wred,
};

impl Parser<'_> {
    /// Reads the rest of a declaration whose keyword, `word`, has been read.
    pub(super) fn part(&mut self, word: &str, span: Span) -> Parsed<()> {
        match word {
            "header" => self.header(),
            "array" => self.array_declaration(),
            "stack" => self.stack(),
            "errors" => self.errors(span),
            "value_set" => self.value_set(),
            "counter" => self.counter(),
            "meter" => self.meter(),
            "filter" => self.filter(),
            "wred" => self.wred(),
            "profile" => self.profile(),
            "digest" => self.digest(),
            "field_list" => self.field_list(span),
            "entrance" => self.entrance(),
            _ => self.intrinsic(),
        }
    }

    fn errors(&mut self, span: Span) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        loop {
            let (name, span) = self.cursor.expect_title("the name of an error")?;
            self.declare(Named::Error, &name, span)?;
            self.scope.program.errors.push(name.into_owned());
            if self.cursor.take_sign(",").is_none() {
                break;
            }
        }
        self.remember(Item::Errors, span, findings);
        Ok(())
    }

    fn value_set(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (name, span) = self.cursor.expect_title("the name of a value set")?;
        self.cursor.expect_sign(":")?;
        let mut fields = Vec::new();
        loop {
            let kind = self.match_kind()?;
            fields.push(KeyField { kind, width: self.ty()?.width() });
            if self.cursor.take_sign(",").is_none() {
                break;
            }
        }
        self.cursor.expect_word("size")?;
        let (size, _) = self.cursor.expect_count("a number of members")?;
        let number = self.declare(Named::ValueSet, &name, span)?;
        self.scope.program.value_sets.push(ValueSet { name: name.into_owned(), fields, size });
        self.remember(Item::ValueSet(ValueSetId::from(number)), span, findings);
        Ok(())
    }

    /// Reads `exact`, `lpm`, `ternary`, `range` or `optional`.
    pub(super) fn match_kind(&mut self) -> Parsed<MatchKind> {
        let kinds = [MatchKind::Exact, MatchKind::Lpm, MatchKind::Ternary, MatchKind::Range, MatchKind::Optional];
        let Some(kind) = kinds.into_iter().find(|kind| self.cursor.at_word(kind.name())) else {
            return Err(self.cursor.unexpected("`exact`, `lpm`, `ternary`, `range` or `optional`"));
        };
        self.cursor.advance();
        Ok(kind)
    }

    fn counter(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (name, span) = self.cursor.expect_title("the name of a counter")?;
        self.cursor.expect_sign(":")?;
        let unit = match *self.cursor.peek() {
            LexemeKind::Word("packets") => CounterUnit::Packets,
            LexemeKind::Word("bytes") => CounterUnit::Bytes,
            LexemeKind::Word("packets_and_bytes") => CounterUnit::PacketsAndBytes,
            _ => return Err(self.cursor.unexpected("`packets`, `bytes` or `packets_and_bytes`")),
        };
        self.cursor.advance();
        let size = self.size()?;
        let width = match self.cursor.take_word("width") {
            Some(_) => self.cursor.expect_count("a number of bits")?.0,
            None => Counter::WIDTH,
        };
        let number = self.declare(Named::Counter, &name, span)?;
        self.scope.program.counters.push(Counter { name: name.into_owned(), size, unit, width });
        self.remember(Item::Counter(CounterId::from(number)), span, findings);
        Ok(())
    }

    fn meter(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (name, span) = self.cursor.expect_title("the name of a meter")?;
        self.cursor.expect_sign(":")?;
        let unit = match *self.cursor.peek() {
            LexemeKind::Word("packets") => MeterUnit::Packets,
            LexemeKind::Word("bytes") => MeterUnit::Bytes,
            _ => return Err(self.cursor.unexpected("`packets` or `bytes`")),
        };
        self.cursor.advance();
        let size = self.size()?;
        let number = self.declare(Named::Meter, &name, span)?;
        self.scope.program.meters.push(Meter { name: name.into_owned(), size, unit });
        self.remember(Item::Meter(MeterId::from(number)), span, findings);
        Ok(())
    }

    fn filter(&mut self) -> Parsed<()> {
        let (name, size) = self.array_of(Named::Filter, "the name of a filter")?;
        self.scope.program.filters.push(Filter { name, size });
        Ok(())
    }

    fn wred(&mut self) -> Parsed<()> {
        let (name, size) = self.array_of(Named::Wred, "the name of a detector")?;
        self.scope.program.wreds.push(Wred { name, size });
        Ok(())
    }

    /// Reads the name and the size of an array of a kind, and declares it.
    fn array_of(&mut self, kind: Named, what: &str) -> Parsed<(String, u32)> {
        let (name, span) = self.cursor.expect_title(what)?;
        self.cursor.expect_sign(":")?;
        self.cursor.expect_word("size")?;
        let (size, _) = self.cursor.expect_count("the size of an array")?;
        self.declare(kind, &name, span)?;
        Ok((name.into_owned(), size))
    }

    /// Reads `size` and a number, or `direct`.
    fn size(&mut self) -> Parsed<Option<u32>> {
        if self.cursor.take_word("direct").is_some() {
            return Ok(None);
        }
        if self.cursor.take_word("size").is_none() {
            return Err(self.cursor.unexpected("`size` and a number, or `direct`"));
        }
        Ok(Some(self.cursor.expect_count("the size of an array")?.0))
    }

    fn profile(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (name, span) = self.cursor.expect_title("the name of a profile")?;
        self.cursor.expect_sign(":")?;
        self.cursor.expect_word("size")?;
        let (size, _) = self.cursor.expect_count("a number of members")?;
        let selection =
            if self.cursor.take_word("selection").is_some() { Some(self.selection_of_members()?) } else { None };
        let number = self.declare(Named::Profile, &name, span)?;
        self.scope.program.profiles.push(Profile { name: name.into_owned(), size, selection });
        self.remember(Item::Profile(ProfileId::from(number)), span, findings);
        Ok(())
    }

    fn selection_of_members(&mut self) -> Parsed<Selection> {
        let mut selection = Selection::from(self.algorithm()?);
        if self.cursor.take_word("resilient").is_some() {
            selection.mode = SelectionMode::Resilient;
        }
        if self.cursor.take_word("bits").is_some() {
            let register = self.register()?.0;
            self.cursor.expect_word("places")?;
            let (places, _) = self.cursor.expect_count("a number of places")?;
            selection.bits = Some(SelectionBits { register, places });
        }
        Ok(selection)
    }

    fn digest(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (name, span) = self.cursor.expect_title("the name of a digest")?;
        self.cursor.expect_sign("(")?;
        let mut fields = Vec::new();
        while !self.cursor.at_sign(")") {
            let (field, _) = self.cursor.expect_title("the name of a field")?;
            self.cursor.expect_sign(":")?;
            fields.push((field.into_owned(), self.ty()?));
            if self.cursor.take_sign(",").is_none() {
                break;
            }
        }
        self.cursor.expect_sign(")")?;
        let number = self.declare(Named::Digest, &name, span)?;
        self.scope.program.digests.push(Digest { name: name.into_owned(), fields });
        self.remember(Item::Digest(DigestId::from(number)), span, findings);
        Ok(())
    }

    fn field_list(&mut self, span: Span) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (number, _) = self.cursor.expect_count("the number of a field list")?;
        self.cursor.expect_sign(":")?;
        let variables = if self.at_end_of_line() { Vec::new() } else { self.variables()? };
        self.scope.program.field_lists.push(FieldList { number, variables });
        self.remember(Item::FieldList(self.scope.program.field_lists.len() - 1), span, findings);
        Ok(())
    }

    /// Reads `name = parser name`, `name = function name` or `cause = instruction name`.
    fn entrance(&mut self) -> Parsed<()> {
        if matches!(self.cursor.peek(), LexemeKind::Word("timer" | "event"))
            && !matches!(self.cursor.peek_second(), LexemeKind::Sign("="))
        {
            return self.entrance_of_cause();
        }
        let findings = self.cursor.count_findings();
        let (name, span) = self.cursor.expect_title("the name of an entrance")?;
        self.cursor.expect_sign("=")?;
        if self.cursor.take_word("instruction").is_some() {
            if name != "packet" {
                return Err(self.no_cause(&name, span));
            }
            return self.thread_entrance(Cause::Packet, span, findings);
        }
        let block = if self.cursor.take_word("parser").is_some() {
            Block::Parser(ParserId::from(self.named(Named::Parser)?.0))
        } else if self.cursor.take_word("function").is_some() {
            Block::Function(FunctionId::from(self.named(Named::Function)?.0))
        } else {
            return Err(self.cursor.unexpected("`parser`, `function` or `instruction`"));
        };
        let number = self.declare(Named::Entrance, &name, span)?;
        self.scope.program.entrances.push(Entrance { name: name.into_owned(), block });
        self.remember(Item::Entrance(number), span, findings);
        Ok(())
    }

    fn intrinsic(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (name, span) = self.cursor.expect_title("the name of an intrinsic variable")?;
        self.cursor.expect_sign("=")?;
        let variable = self.target(|_| Ok(()))?;
        let number = self.declare(Named::Intrinsic, &name, span)?;
        self.scope.program.intrinsics.push((name.into_owned(), variable));
        self.remember(Item::Intrinsic(number), span, findings);
        Ok(())
    }
}
