//! Builds the syntax tree of a constraint.
//!
//! From the loosest to the strongest: `;`, `->`, `||`, `&&`, comparisons, `!` and `-`, `::` (language specification,
//! "Precedence and Associativity"). `->` and comparisons do not associate: `a == b == c` is refused.

use std::ops::Range;

use crate::address::AddressKind;
use crate::expression::{Expression, Form, Relation};
use crate::finding::Problems;
use crate::token::{Token, TokenKind};

/// The most levels of parentheses and signs before an operand, so that no text overflows the stack.
const MOST_NESTING: usize = 100;

/// Builds the trees of the constraints between the semicolons of a text, or reports for each the first place that is
/// wrong.
pub(crate) fn parse<'t>(tokens: &[Token<'t>], problems: &mut Problems) -> Vec<Expression<'t>> {
    let mut parser = Parser { tokens, at: 0, nesting: 0, open: 0, problems };
    let mut all = Vec::new();
    loop {
        match parser.whole() {
            Some(expression) => all.push(expression),
            None => parser.skip(),
        }
        // A semicolon may also stand behind the last one.
        if !parser.takes(&TokenKind::Semicolon) || *parser.peek() == TokenKind::End {
            return all;
        }
    }
}

struct Parser<'t, 'p> {
    /// The tokens; the last one is the end.
    tokens: &'p [Token<'t>],
    at: usize,
    nesting: usize,
    /// The number of parentheses that are open.
    open: usize,
    problems: &'p mut Problems,
}

impl<'t> Parser<'t, '_> {
    fn peek(&self) -> &TokenKind<'t> {
        &self.tokens[self.at].kind
    }

    fn place(&self) -> Range<usize> {
        self.tokens[self.at].place.clone()
    }

    /// Takes the next token; the end is never passed.
    fn take(&mut self) -> Token<'t> {
        let token = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Takes the next token if it is this one.
    fn takes(&mut self, kind: &TokenKind) -> bool {
        let is_here = self.peek() == kind;
        if is_here {
            self.take();
        }
        is_here
    }

    fn unexpected<T>(&mut self, expected: &str) -> Option<T> {
        let message = format!("{expected} is expected here, not {}", self.peek());
        self.problems.error(&self.place(), message, None);
        None
    }

    /// Parses what stands between two semicolons outside of parentheses.
    fn whole(&mut self) -> Option<Expression<'t>> {
        let expression = self.implication()?;
        match self.peek() {
            TokenKind::End | TokenKind::Semicolon => Some(expression),
            _ => self.unexpected("an operator or the end of the constraint"),
        }
    }

    /// Goes on after an error to the next semicolon outside of parentheses, or to the end.
    fn skip(&mut self) {
        loop {
            match self.peek() {
                TokenKind::Semicolon if self.open == 0 => break,
                TokenKind::End => break,
                TokenKind::Open => self.open += 1,
                TokenKind::Close => self.open = self.open.saturating_sub(1),
                _ => {}
            }
            self.take();
        }
        (self.nesting, self.open) = (0, 0);
    }

    /// Parses constraints with `;` between them and perhaps behind them.
    fn sequence(&mut self) -> Option<Expression<'t>> {
        let mut all = vec![self.implication()?];
        while self.takes(&TokenKind::Semicolon) && !matches!(self.peek(), TokenKind::End | TokenKind::Close) {
            all.push(self.implication()?);
        }
        Some(joined(all, Form::And))
    }

    fn implication(&mut self) -> Option<Expression<'t>> {
        let left = self.disjunction()?;
        if !self.takes(&TokenKind::Implies) {
            return Some(left);
        }
        let right = self.disjunction()?;
        if *self.peek() == TokenKind::Implies {
            return self.not_associative();
        }
        let place = left.place.start..right.place.end;
        Some(Expression { form: Form::Implies(Box::new([left, right])), place })
    }

    fn disjunction(&mut self) -> Option<Expression<'t>> {
        let mut all = vec![self.conjunction()?];
        while self.takes(&TokenKind::Or) {
            all.push(self.conjunction()?);
        }
        Some(joined(all, Form::Or))
    }

    fn conjunction(&mut self) -> Option<Expression<'t>> {
        let mut all = vec![self.comparison()?];
        while self.takes(&TokenKind::And) {
            all.push(self.comparison()?);
        }
        Some(joined(all, Form::And))
    }

    fn comparison(&mut self) -> Option<Expression<'t>> {
        let left = self.operand()?;
        let Some(relation) = relation(self.peek()) else { return Some(left) };
        self.take();
        let right = self.operand()?;
        if relation_follows(self.peek()) {
            return self.not_associative();
        }
        let place = left.place.start..right.place.end;
        Some(Expression { form: Form::Comparison(relation, Box::new([left, right])), place })
    }

    fn not_associative<T>(&mut self) -> Option<T> {
        let message = format!("it is not clear what {} belongs to", self.peek());
        let hint = "put parentheses around the operation that is to be done first";
        self.problems.error(&self.place(), message, Some(hint.to_owned()));
        None
    }

    /// Parses an operand with the signs before it and the fields behind it.
    fn operand(&mut self) -> Option<Expression<'t>> {
        if self.nesting >= MOST_NESTING {
            let message = format!("a constraint has at most {MOST_NESTING} levels of parentheses and signs");
            self.problems.error(&self.place(), message, None);
            return None;
        }
        self.nesting += 1;
        let operand = self.nested_operand();
        self.nesting -= 1;
        operand
    }

    fn nested_operand(&mut self) -> Option<Expression<'t>> {
        let Token { kind, place } = self.tokens[self.at].clone();
        let form = match kind {
            TokenKind::Not | TokenKind::Minus => {
                self.take();
                let operand = Box::new(self.operand()?);
                let place = place.start..operand.place.end;
                let form = if kind == TokenKind::Not { Form::Not(operand) } else { Form::Negative(operand) };
                return Some(Expression { form, place });
            }
            TokenKind::Open => {
                self.take();
                self.open += 1;
                let inside = self.sequence()?;
                let place = place.start..self.place().end;
                if !self.takes(&TokenKind::Close) {
                    return self.unexpected("an operator or `)`");
                }
                self.open -= 1;
                return self.fields(Expression { place, ..inside });
            }
            TokenKind::DoubleColon => {
                self.take();
                let (name, end) = self.identifier("the name of an attribute")?;
                return self.fields(Expression { form: Form::Attribute(name), place: place.start..end });
            }
            TokenKind::Identifier(name) => {
                self.take();
                let operand = match self.peek() {
                    TokenKind::Open => self.address(name, place)?,
                    _ => self.name(name, place)?,
                };
                return self.fields(operand);
            }
            TokenKind::True => Form::Boolean(true),
            TokenKind::False => Form::Boolean(false),
            TokenKind::Number(value) => Form::Number(value),
            _ => return self.unexpected("a key, a number, `true`, `false`, `::`, `!`, `-` or `(`"),
        };
        self.take();
        self.fields(Expression { form, place })
    }

    /// Parses the rest of a name: parts with dots between them.
    fn name(&mut self, first: &str, place: Range<usize>) -> Option<Expression<'t>> {
        let (mut name, mut end) = (first.to_owned(), place.end);
        while self.takes(&TokenKind::Dot) {
            let (part, part_end) = self.identifier("the next part of the name")?;
            name.push('.');
            name.push_str(part);
            end = part_end;
        }
        Some(Expression { form: Form::Name(name), place: place.start..end })
    }

    /// Parses an address behind the name of its kind: `('10.0.0.1')`.
    fn address(&mut self, name: &str, place: Range<usize>) -> Option<Expression<'t>> {
        let Some(kind) = AddressKind::ALL.into_iter().find(|kind| kind.name() == name) else {
            let hint = "kinds of addresses are `ipv4`, `ipv6` and `mac`";
            self.problems.error(&place, format!("there is no kind of address `{name}`"), Some(hint.to_owned()));
            return None;
        };
        self.take();
        let text = match *self.peek() {
            TokenKind::Text(text) => text,
            _ => return self.unexpected("an address in single quotes"),
        };
        let inside = self.take().place;
        let Some(value) = kind.read(text) else {
            let hint = format!("such as `{}('{}')`", kind.name(), kind.example());
            self.problems.error(&inside, format!("`{text}` is no {name} address"), Some(hint));
            return None;
        };
        let end = self.place().end;
        if !self.takes(&TokenKind::Close) {
            return self.unexpected("`)`");
        }
        Some(Expression { form: Form::Number(value), place: place.start..end })
    }

    /// Parses the fields behind an operand: `::mask`.
    fn fields(&mut self, mut operand: Expression<'t>) -> Option<Expression<'t>> {
        let mut depth = 0;
        while *self.peek() == TokenKind::DoubleColon {
            let sign = self.take().place;
            let (name, end) = self.identifier("the name of a field")?;
            depth += 1;
            if depth > 1 {
                // No field has fields, which the check of types would say too, but of any number of them.
                let message = "a field of a key has no fields";
                self.problems.error(&(sign.start..end), message, None);
                return None;
            }
            let place = operand.place.start..end;
            operand = Expression { form: Form::Field(Box::new(operand), name), place };
        }
        Some(operand)
    }

    fn identifier(&mut self, expected: &str) -> Option<(&'t str, usize)> {
        match *self.peek() {
            TokenKind::Identifier(name) => Some((name, self.take().place.end)),
            _ => self.unexpected(expected),
        }
    }
}

/// Joins operands, unless there is only one.
fn joined<'t>(mut all: Vec<Expression<'t>>, form: impl FnOnce(Vec<Expression<'t>>) -> Form<'t>) -> Expression<'t> {
    if all.len() == 1 {
        return all.remove(0);
    }
    let place = all[0].place.start..all[all.len() - 1].place.end;
    Expression { form: form(all), place }
}

fn relation(kind: &TokenKind) -> Option<Relation> {
    Some(match kind {
        TokenKind::Equal => Relation::Equal,
        TokenKind::NotEqual => Relation::NotEqual,
        TokenKind::Less => Relation::Less,
        TokenKind::LessOrEqual => Relation::LessOrEqual,
        TokenKind::Greater => Relation::Greater,
        TokenKind::GreaterOrEqual => Relation::GreaterOrEqual,
        _ => return None,
    })
}

fn relation_follows(kind: &TokenKind) -> bool {
    relation(kind).is_some()
}
