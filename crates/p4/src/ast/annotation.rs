//! What an author notes beside a declaration (specification 1.2.5, section 20).

use diagnostics::Span;

use super::{Expression, ExpressionKind, Name, NamedExpression};
use crate::token::{Token, TokenKind};

/// `@name`, `@name(...)`, `@name[...]` or `@pragma name ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// What it is called; any keyword may be one.
    pub name: Name,
    /// What it says.
    pub body: AnnotationBody,
    /// Where it is written.
    pub span: Span,
}

impl Annotation {
    /// The one string that it says, as `@name("...")` does.
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

/// What an annotation says.
#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationBody {
    /// Nothing: `@name`.
    None,
    /// `@name(...)` or a `@pragma`: tokens that mean what whoever reads the annotation makes of them, parentheses in
    /// pairs.
    Unstructured(Vec<Token>),
    /// `@name[value, value]`.
    Expressions(Vec<Expression>),
    /// `@name[key = value, key = value]`.
    Pairs(Vec<NamedExpression>),
}
