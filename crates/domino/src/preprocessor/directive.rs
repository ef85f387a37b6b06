//! Lines that begin with `#`.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::{Conditional, Macro, Preprocessor};
use crate::constant;
use crate::parser;
use crate::suggest::did_you_mean;
use crate::token::{Integer, Token, TokenKind};

const DIRECTIVES: [&str; 11] =
    ["define", "undef", "include", "ifdef", "ifndef", "if", "elif", "else", "endif", "error", "pragma"];

impl Preprocessor<'_> {
    /// Carries out the directive that begins with this `#`.
    pub(super) fn directive(&mut self, hash: &Token) {
        let line = self.rest_of_line();
        let Some((first, rest)) = line.split_first() else { return }; // a lone `#` is allowed (C11 6.10.7)
        let span = hash.span.to(first.span);
        let name = first.identifier().map_or("", |name| name);
        match name {
            "if" | "ifdef" | "ifndef" => self.open_condition(name, span, rest),
            "elif" | "else" | "endif" => self.change_condition(name, span, rest),
            _ if self.skipping() => {}
            "define" => self.define(span, rest),
            "undef" => {
                if let Some(name) = self.macro_name(span, rest) {
                    self.macros.remove(&name);
                }
            }
            "include" => self.include(span, rest),
            "pragma" if rest.first().and_then(Token::identifier).is_some_and(|word| &**word == "once") => {
                let path = self.file().map(|file| file.path.to_string()).unwrap_or_default();
                if let Some(included) = self.files.get_mut(&path) {
                    included.once = true;
                }
            }
            "pragma" => self.report.push(Diagnostic::warning(span, "this pragma is ignored")),
            "error" => self.report.push(Diagnostic::error(span, "the program says that it cannot be compiled so")),
            _ => {
                let error = Diagnostic::error(span, format!("{} is not a directive", first.describe()));
                let hint = did_you_mean(name, DIRECTIVES);
                self.report.push(error.hint(hint.unwrap_or_else(|| "there is `#define` and `#include`".to_owned())));
            }
        }
    }

    fn rest_of_line(&mut self) -> Vec<Token> {
        let mut line = Vec::new();
        if let Some(frame) = self.frames.last_mut() {
            while let Some(token) = frame.tokens.get(frame.at).filter(|token| !token.first_of_line) {
                line.push(token.clone());
                frame.at += 1;
            }
        }
        if self.spend(line.len()) { line } else { Vec::new() }
    }

    fn macro_name(&mut self, directive: Span, rest: &[Token]) -> Option<Rc<str>> {
        let name = rest.first().and_then(Token::identifier).filter(|name| &***name != "defined");
        if name.is_none() {
            let span = rest.first().map_or(directive, |token| token.span);
            self.report.push(Diagnostic::error(span, "here the name of a macro is missing"));
        }
        name.cloned()
    }

    fn define(&mut self, directive: Span, line: &[Token]) {
        let Some(name) = self.macro_name(directive, line) else { return };
        let mut rest = &line[1..];
        let mut parameters = None;
        if rest.first().is_some_and(|token| token.is("(") && token.touches_previous) {
            let Some((names, used)) = self.parameters(rest) else { return };
            parameters = Some(names);
            rest = &rest[used..];
        }
        if let Some(sign) = rest.iter().find(|token| token.is("##") || token.is("#")) {
            let error = Diagnostic::error(sign.span, format!("{} in a macro is not supported", sign.describe()));
            self.report.push(error.hint("macros put together whole tokens only; write the name out"));
            return;
        }
        let span = line.last().map_or(line[0].span, |last| line[0].span.to(last.span));
        // Inside the expansion nothing is the first of a line.
        let body: Rc<[Token]> = rest.iter().map(|token| Token { first_of_line: false, ..token.clone() }).collect();
        if let Some(old) = self.macros.get(&name) {
            let same =
                old.parameters == parameters && old.body.iter().map(|t| &t.kind).eq(body.iter().map(|t| &t.kind));
            if !same {
                let warning = Diagnostic::warning(line[0].span, format!("the macro `{name}` is defined anew"));
                self.report.push(warning.related(old.span, "defined before").hint("say `#undef` first"));
            }
        }
        // A macro that is redefined while its call's arguments are read is as good as not in use any more.
        self.macros.insert(name, Macro { span, parameters, body, active: false });
    }

    /// The parameters of a macro, and how many tokens they take with their brackets.
    fn parameters(&mut self, line: &[Token]) -> Option<(Vec<Rc<str>>, usize)> {
        let mut names: Vec<Rc<str>> = Vec::new();
        if line.get(1).is_some_and(|token| token.is(")")) {
            return Some((names, 2));
        }
        for (number, pair) in line[1..].chunks(2).enumerate() {
            if pair.len() < 2 {
                break;
            }
            let name = pair[0].identifier().filter(|name| !names.contains(name));
            let more = pair.get(1).filter(|token| token.is(",") || token.is(")"));
            let (Some(name), Some(more)) = (name, more) else {
                let error = Diagnostic::error(pair[0].span, "the parameters of this macro cannot be read");
                self.report.push(error.hint("write different names between commas, as in `#define MAX(a, b) ...`"));
                return None;
            };
            names.push(name.clone());
            if more.is(")") {
                return Some((names, 2 * number + 3));
            }
        }
        self.report.push(Diagnostic::error(line[0].span, "the parameters of this macro never end").hint("add `)`"));
        None
    }

    fn open_condition(&mut self, name: &str, span: Span, rest: &[Token]) {
        let skipping = self.skipping();
        let active = !skipping
            && match name {
                "if" => self.condition(span, rest),
                _ => {
                    let known = self.macro_name(span, rest).is_some_and(|name| self.macros.contains_key(&name));
                    known == (name == "ifdef")
                }
            };
        if let Some(file) = self.file() {
            file.conditionals.push(Conditional { span, active, taken: active || skipping, seen_else: false });
        }
    }

    fn change_condition(&mut self, name: &str, span: Span, rest: &[Token]) {
        let Some(Conditional { taken, seen_else, .. }) = self.file().and_then(|file| file.conditionals.pop()) else {
            self.report.push(Diagnostic::error(span, format!("`#{name}` without an `#if` before it")));
            return;
        };
        if name == "endif" {
            return;
        }
        if seen_else {
            self.report.push(Diagnostic::error(span, format!("`#{name}` after the `#else` of the same `#if`")));
        }
        let active = !taken && (name == "else" || self.condition(span, rest));
        let condition = Conditional { span, active, taken: taken || active, seen_else: seen_else || name == "else" };
        if let Some(file) = self.file() {
            file.conditionals.push(condition);
        }
    }

    /// Whether the condition of an `#if` holds (C11 6.10.1).
    fn condition(&mut self, span: Span, line: &[Token]) -> bool {
        let number = |bits: bool, token: &Token| Token {
            kind: TokenKind::Integer(Integer { bits: u32::from(bits), decimal: true }),
            ..token.clone()
        };
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < line.len() {
            let is_defined = line[at].identifier().is_some_and(|name| &**name == "defined");
            let bracket = line.get(at + 1).is_some_and(|token| token.is("("));
            let name = line.get(at + 1 + usize::from(bracket)).and_then(Token::identifier);
            let (true, Some(name)) = (is_defined, name) else {
                tokens.push(line[at].clone());
                at += 1;
                continue;
            };
            tokens.push(number(self.macros.contains_key(name), &line[at]));
            at += if bracket { 4 } else { 2 };
        }
        let mut expanded = self.expand_list(tokens);
        for token in &mut expanded {
            if token.identifier().is_some() {
                *token = number(false, token); // C11 6.10.1: a name that is no macro is 0
            }
        }
        expanded.push(Token::made(TokenKind::End, line.last().map_or(span, |last| last.span)));
        let parsed = parser::expression_alone(&expanded, self.report);
        parsed.and_then(|expression| constant::evaluate(&expression, self.report)).is_some_and(|value| value != 0)
    }
}
