//! The parser of parsers, with their states and transitions.

use std::collections::HashMap;

use diagnostics::{Diagnostic, Span};

use super::lexer::LexemeKind;
use super::scope::{Named, similar};
use super::{Parsed, Parser, scan};
use crate::parser::{Case, Next, ParserState, Set, StateId, Transition};
use crate::placement::Context;
use crate::verify::Item;
use crate::{ParserId, Statement, Type, ValueSetId, typing};

/// The names of the states of a parser in order, and the index and location of each.
struct States {
    names: Vec<String>,
    numbers: HashMap<String, (usize, Span)>,
    id: ParserId,
}

impl Parser<'_> {
    /// Reads a parser, whose keyword has been read.
    pub(super) fn parser(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (number, span) = self.scanned(Named::Parser)?;
        let opening = self.cursor.span();
        if !self.cursor.at_sign("{") {
            return Err(self.cursor.unexpected("`{`"));
        }
        let mut states = States { names: Vec::new(), numbers: HashMap::new(), id: ParserId::from(number) };
        for (name, span) in scan::states(self.cursor.rest()) {
            if !states.numbers.contains_key(&name) {
                states.numbers.insert(name.clone(), (states.names.len(), span));
                states.names.push(name);
            }
        }
        let unread = |name: &String| ParserState {
            name: name.clone(),
            body: Vec::new(),
            transition: Transition::To(Next::Reject),
        };
        self.scope.program.parsers[number].states = states.names.iter().map(unread).collect();
        self.braces(opening, "parser", |parser| {
            let (id, state) = parser.state(&states)?;
            parser.scope.program.parsers[number].states[id.index()] = state;
            Ok(())
        })?;
        self.remember(Item::Parser(ParserId::from(number)), span, findings);
        Ok(())
    }

    fn state(&mut self, states: &States) -> Parsed<(StateId, ParserState)> {
        let findings = self.cursor.count_findings();
        self.cursor.expect_word("state")?;
        let (name, span) = self.cursor.expect_title("the name of a state")?;
        let number = match states.numbers.get(&*name) {
            Some(&(number, first)) if first == span => number,
            Some(&(_, first)) => {
                let error = Diagnostic::error(span, format!("the state `{name}` is declared twice"));
                return Err(self.cursor.report(error.related(first, "first here")));
            }
            None => return Err(self.cursor.unexpected("a state")),
        };
        let opening = self.cursor.span();
        if !self.cursor.at_sign("{") {
            return Err(self.cursor.unexpected("`{`"));
        }
        let mut body: Vec<Statement> = Vec::new();
        let mut transition = None;
        let around = std::mem::replace(&mut self.context, Context::PARSER);
        let number = StateId::from(number);
        let read = self.braces(opening, "state", |parser| {
            if transition.is_some() {
                return Err(parser.cursor.unexpected("`}`: a state ends with its transition"));
            }
            if parser.cursor.at_word("transition")
                && !matches!(parser.cursor.peek_second(), LexemeKind::Sign("=" | "["))
            {
                parser.cursor.advance();
                transition = Some(Transition::To(parser.next_state(states)?));
            } else if parser.cursor.at_word("select") && matches!(parser.cursor.peek_second(), LexemeKind::Sign("(")) {
                parser.cursor.advance();
                transition = Some(parser.selection(states, number)?);
            } else {
                body.push(parser.statement()?);
            }
            Ok(())
        });
        self.context = around;
        read?;
        let transition = transition.unwrap_or_else(|| {
            if self.cursor.count_findings() == findings {
                let error = Diagnostic::error(span, format!("the state `{name}` has no transition"));
                self.cursor.report(error.hint("its last line is `transition accept`, or `select (...) {` and cases"));
            }
            Transition::To(Next::Reject)
        });
        self.remember(Item::State(states.id, number), span, findings);
        Ok((number, ParserState { name: name.into_owned(), body, transition }))
    }

    /// Reads `accept`, `reject` or the name of a state. A state named `accept` or `reject` is written in quotes.
    fn next_state(&mut self, states: &States) -> Parsed<Next> {
        match *self.cursor.peek() {
            LexemeKind::Word("accept") => {
                self.cursor.advance();
                return Ok(Next::Accept);
            }
            LexemeKind::Word("reject") => {
                self.cursor.advance();
                return Ok(Next::Reject);
            }
            _ => (),
        }
        let (name, span) = self.cursor.expect_title("`accept`, `reject` or the name of a state")?;
        if let Some(&(number, _)) = states.numbers.get(&*name) {
            return Ok(Next::State(StateId::from(number)));
        }
        let mut error = Diagnostic::error(span, format!("there is no state `{name}`")).label("unknown name");
        if let Some(similar) = similar(&name, states.names.iter().map(String::as_str)) {
            error = error.hint(format!("did you mean `{similar}`?"));
        }
        Err(self.cursor.report(error))
    }

    fn selection(&mut self, states: &States, state: StateId) -> Parsed<Transition> {
        self.cursor.expect_sign("(")?;
        let (mut keys, mut types) = (Vec::new(), Vec::new());
        while !self.cursor.at_sign(")") {
            let key = self.expression()?;
            keys.push(key.expression);
            types.push(key.ty);
            if self.cursor.take_sign(",").is_none() {
                break;
            }
        }
        self.cursor.expect_sign(")")?;
        let opening = self.cursor.span();
        let mut cases = Vec::new();
        self.braces(opening, "selection", |parser| {
            let findings = parser.cursor.count_findings();
            let start = parser.cursor.span();
            let case = parser.case(&types, states)?;
            parser.remember(Item::Case(states.id, state, cases.len()), start, findings);
            cases.push(case);
            Ok(())
        })?;
        Ok(Transition::Select { keys, cases })
    }

    fn case(&mut self, types: &[Option<Type>], states: &States) -> Parsed<Case> {
        let mut sets = Vec::new();
        let mut types = types.iter().copied();
        while !self.cursor.at_sign("=>") {
            sets.push(self.set(&mut types)?);
            if self.cursor.take_sign(",").is_none() {
                break;
            }
        }
        self.cursor.expect_sign("=>")?;
        Ok(Case { sets, next: self.next_state(states)? })
    }

    fn set(&mut self, types: &mut impl Iterator<Item = Option<Type>>) -> Parsed<Set> {
        if self.cursor.at_word("_") {
            self.cursor.advance();
            types.next();
            return Ok(Set::Any);
        }
        if self.cursor.at_word("value_set") && matches!(self.cursor.peek_second(), LexemeKind::Sign("(")) {
            self.cursor.advance();
            self.cursor.advance();
            let (number, span) = self.named(Named::ValueSet)?;
            self.cursor.expect_sign(")")?;
            let set = &self.scope.program.value_sets[number];
            let keys = set.fields.iter().zip(types.by_ref());
            let outcomes: Vec<_> =
                keys.filter_map(|(field, key)| key.map(|key| typing::member(&set.name, *field, key))).collect();
            for outcome in outcomes {
                self.check(span, outcome);
            }
            return Ok(Set::ValueSet(ValueSetId::from(number)));
        }
        let first = self.expression()?;
        let key = types.next().flatten();
        let (masked, ranged) = (self.cursor.at_sign("&&&"), self.cursor.at_word(".."));
        if let Some((key, found)) = key.zip(first.ty) {
            self.check(first.span, typing::compared(key, found, masked || ranged));
        }
        if !(masked || ranged) {
            return Ok(Set::Value(first.expression));
        }
        self.cursor.advance();
        let second = self.expression()?;
        if let Some((key, found)) = key.zip(second.ty) {
            self.check(second.span, typing::compared(key, found, true));
        }
        let sets = if masked { Set::Mask } else { Set::Range };
        Ok(sets(first.expression, second.expression))
    }
}
