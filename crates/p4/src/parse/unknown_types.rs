//! Unknown names in places of types.

use diagnostics::{Diagnostic, Span, did_you_mean};

use super::Reader;
use crate::ast::Name;
use crate::lexer::libraries::include_of;
use crate::token::{Keyword, Token, TokenKind};

const BEFORE: &str = "a type is declared before it is used";

impl Reader<'_> {
    pub(super) fn refuse_type(&mut self, name: &Name, absolute: bool) {
        let text = &name.text;
        let error = match self.scopes.find(text, absolute) {
            Some(_) => Diagnostic::error(name.span, format!("`{text}` is not a type")),
            None => {
                let error = Diagnostic::error(name.span, format!("the type `{text}` is not declared"));
                match self.declared_later(name) {
                    Some(place) => error.related(place, "declared here, later").hint(BEFORE),
                    None => error.hint(self.type_hint(text)),
                }
            }
        };
        self.report(error);
        self.scopes.declare_at_top(text); // so that it is reported once
    }

    fn type_hint(&self, text: &str) -> String {
        let known = include_of(text).or_else(|| type_of_c(text).map(|own| format!("here it is `{own}`")));
        known.or_else(|| width_without_brackets(text)).unwrap_or_else(|| {
            let names = self.scopes.types();
            let names = names.iter().map(|name| &**name).chain(["bit", "int", "bool", "varbit"]);
            did_you_mean(text, names).unwrap_or_else(|| BEFORE.to_owned())
        })
    }

    /// Returns where a type with this name is declared after its use.
    fn declared_later(&self, name: &Name) -> Option<Span> {
        let rest = &self.tokens[self.at..];
        let is_name = |token: &Token| matches!(&token.kind, TokenKind::Identifier(text) if *text == name.text);
        let declares = |pair: &&[Token]| {
            let TokenKind::Keyword(keyword) = pair[0].kind else { return false };
            let begins_type = matches!(
                keyword,
                Keyword::Header | Keyword::HeaderUnion | Keyword::Struct | Keyword::Enum | Keyword::Extern
            );
            begins_type && is_name(&pair[1])
        };
        if let Some(pair) = rest.windows(2).find(declares) {
            return Some(pair[1].span);
        }
        // `typedef type name;`
        let mut statements = rest.split(|token| token.is(";"));
        let own = statements.find(|own| {
            own.last().is_some_and(is_name) && own.iter().any(|token| token.is_keyword(Keyword::Typedef))
        })?;
        own.last().map(|token| token.span)
    }
}

/// Returns a hint for `bit9`, which was meant as `bit<9>`.
fn width_without_brackets(name: &str) -> Option<String> {
    let digits = name.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let width: u32 = digits.parse().ok()?;
    let word = &name[..name.len() - digits.len()];
    matches!(word, "bit" | "int").then(|| format!("a width stands between `<` and `>`: `{word}<{width}>`"))
}

/// Returns the type of P4 that corresponds to one of C.
fn type_of_c(name: &str) -> Option<&'static str> {
    Some(match name {
        "uint8_t" | "u8" | "uint8" | "char" | "byte" => "bit<8>",
        "uint16_t" | "u16" | "uint16" | "short" => "bit<16>",
        "uint32_t" | "u32" | "uint32" | "unsigned" | "uint" => "bit<32>",
        "uint64_t" | "u64" | "uint64" | "long" => "bit<64>",
        "int8_t" => "int<8>",
        "int16_t" => "int<16>",
        "int32_t" => "int<32>",
        "int64_t" => "int<64>",
        "boolean" | "Bool" => "bool",
        _ => return None,
    })
}
