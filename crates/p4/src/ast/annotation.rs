//! Annotations (specification 1.2.5, section 20).

use diagnostics::Span;

use super::{Expression, ExpressionKind, Name, NamedExpression};
use crate::token::{Token, TokenKind};

/// `@name`, `@name(...)`, `@name[...]` or `@pragma name ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// Its name, which may be any keyword.
    pub name: Name,
    /// The body behind the name.
    pub body: AnnotationBody,
    /// The place in the source text.
    pub span: Span,
}

impl Annotation {
    /// The strings, if it consists of strings, as in `@symmetric("a", "b")`; none otherwise.
    pub fn texts(&self) -> Vec<&str> {
        let AnnotationBody::Unstructured(tokens) = &self.body else { return self.text().into_iter().collect() };
        let texts = tokens.iter().step_by(2).map(|token| match &token.kind {
            TokenKind::Text(text) => Some(&**text),
            _ => None,
        });
        texts.collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// The string, if it consists of one string, as in `@name("...")`.
    pub fn text(&self) -> Option<&str> {
        match &self.body {
            AnnotationBody::Unstructured(tokens) => match tokens.as_slice() {
                [Token { kind: TokenKind::Text(text), .. }] => Some(text),
                _ => None,
            },
            AnnotationBody::Expressions(values) => match values.as_slice() {
                [Expression { kind: ExpressionKind::String(text), .. }] => Some(text),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The body of an annotation.
#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationBody {
    /// Nothing: `@name`.
    None,
    /// `@name(...)` or a `@pragma`: tokens whose meaning depends on the annotation. Parentheses are balanced.
    Unstructured(Vec<Token>),
    /// `@name[value, value]`.
    Expressions(Vec<Expression>),
    /// `@name[key = value, key = value]`.
    Pairs(Vec<NamedExpression>),
}
