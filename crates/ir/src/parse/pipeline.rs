//! The parser of stages, atoms and accesses.

use super::lexer::LexemeKind;
use super::{Parsed, Parser};
use crate::Expression;
use crate::pipeline::{Access, Atom, Division, Pipeline, Predicate, Stage, StageKind};
use crate::typing;

impl Parser<'_> {
    pub(super) fn pipeline(&mut self) -> Pipeline {
        self.scan();
        self.cursor.skip_line_ends();
        let start = self.cursor.span();
        self.heading("pipeline");
        let mut pipeline = Pipeline::default();
        self.lines(&["resolution", "stages", "stage", "access", "profile", "action", "table"], |parser, word, span| {
            match word {
                "profile" => parser.part(word, span)?,
                "action" => parser.function()?,
                "table" => parser.table()?,
                "resolution" => pipeline.early_stages = parser.cursor.expect_count("a number of stages")?.0,
                "stages" => pipeline.kind = parser.stage_kind()?,
                "stage" => pipeline.stages.push(parser.stage()?),
                _ => pipeline.accesses.push(parser.access()?),
            }
            Ok(())
        });
        self.structure(start);
        pipeline.program = std::mem::take(&mut self.scope.program);
        pipeline
    }

    fn stage_kind(&mut self) -> Parsed<StageKind> {
        let kind = match *self.cursor.peek() {
            LexemeKind::Word("banzai") => StageKind::Banzai,
            LexemeKind::Word("match_action") => StageKind::MatchAction,
            _ => return Err(self.cursor.unexpected("`banzai` or `match_action`")),
        };
        self.cursor.advance();
        Ok(kind)
    }

    fn stage(&mut self) -> Parsed<Stage> {
        let opening = self.cursor.expect_sign("{")?;
        let mut stage = Stage::default();
        loop {
            self.cursor.skip_line_ends();
            if self.cursor.take_sign("}").is_some() {
                return Ok(stage);
            }
            if self.cursor.at_end() {
                return Err(self.open_at_end(opening, "stage"));
            }
            let depth = self.depth;
            let ended = self.atom().and_then(|atom| {
                stage.atoms.push(atom);
                self.cursor.expect_line_end()
            });
            self.depth = depth;
            if ended.is_err() {
                self.cursor.skip_line();
            }
        }
    }

    fn atom(&mut self) -> Parsed<Atom> {
        self.cursor.expect_word("atom")?;
        let template = if self.cursor.at_sign("{") { None } else { Some(self.title("a template's name or `{`")?) };
        Ok(Atom { template, body: self.block()? })
    }

    fn access(&mut self) -> Parsed<Access> {
        let mut registers = vec![self.register()?.0];
        while self.cursor.at_sign("@") {
            registers.push(self.register()?.0);
        }
        self.cursor.expect_word("stage")?;
        let (stage, _) = self.cursor.expect_count("the number of a stage")?;
        let index = if self.cursor.take_word("index").is_some() { Some(self.access_index()?) } else { None };
        let predicate = self.access_predicate()?;
        let division = match *self.cursor.peek() {
            LexemeKind::Word("sharded") => Division::ByIndex,
            LexemeKind::Word("pinned") => Division::Whole,
            _ => return Err(self.cursor.unexpected("`sharded` or `pinned`")),
        };
        self.cursor.advance();
        Ok(Access { registers, stage, index, predicate, division })
    }

    fn access_index(&mut self) -> Parsed<Expression> {
        let index = self.operand()?;
        if let Some(found) = index.ty {
            self.check(index.span, typing::index(found));
        }
        Ok(index.expression)
    }

    fn access_predicate(&mut self) -> Parsed<Predicate> {
        if self.cursor.take_word("always").is_some() {
            return Ok(Predicate::Always);
        }
        if !self.cursor.at_word("if") {
            return Err(self.cursor.unexpected("`always`, `if` or `if-late`"));
        }
        // Words do not contain `-`, so `if-late` is three tokens.
        let late = matches!(self.cursor.peek_second(), LexemeKind::Sign("-"));
        if late {
            self.cursor.advance();
            self.cursor.advance();
            self.cursor.expect_word("late")?;
        } else {
            self.cursor.advance();
        }
        let predicate = self.operand()?;
        if let Some(found) = predicate.ty {
            self.check(predicate.span, typing::condition("a predicate", found));
        }
        Ok(if late { Predicate::Late(predicate.expression) } else { Predicate::Early(predicate.expression) })
    }
}
