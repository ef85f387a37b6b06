//! Annotations (specification 1.2.5, section 20).

use diagnostics::{Diagnostic, Span};

use super::{Parsed, Reader};
use crate::ast::{Annotation, AnnotationBody, Name, NamedExpression};
use crate::token::{Keyword, Token, TokenKind};

impl Reader<'_> {
    /// Reads all annotations that stand here.
    pub(super) fn annotations(&mut self) -> Parsed<Vec<Annotation>> {
        let mut annotations = Vec::new();
        while let Some(start) = self.take("@") {
            let is_pragma = self.take_word(Keyword::Pragma).is_some();
            let name = self.annotation_name()?;
            let body = if is_pragma {
                AnnotationBody::Unstructured(self.rest_of_line(start)?)
            } else if self.is("(") {
                self.advance();
                AnnotationBody::Unstructured(self.balanced_tokens()?)
            } else if self.is("[") {
                self.advance();
                self.bracketed(Self::structured_body)?
            } else {
                AnnotationBody::None
            };
            annotations.push(Annotation { name, body, span: self.since(start) });
        }
        Ok(annotations)
    }

    /// Reads the name of an annotation, which may be any word.
    fn annotation_name(&mut self) -> Parsed<Name> {
        let token = self.current();
        let text = match &token.kind {
            TokenKind::Identifier(text) => text.clone(),
            TokenKind::Keyword(keyword) => keyword.text().into(),
            _ => return self.unexpected("the name of an annotation"),
        };
        self.advance();
        Ok(Name { text, span: token.span })
    }

    /// Reads the tokens up to the end of the line, with balanced parentheses.
    fn rest_of_line(&mut self, start: Span) -> Parsed<Vec<Token>> {
        let mut tokens = Vec::new();
        let mut open = 0i32;
        while !self.current().first_of_line && !self.at_end() {
            let token = self.advance();
            open += i32::from(token.is("(")) - i32::from(token.is(")"));
            if open < 0 {
                break;
            }
            tokens.push(token.clone());
        }
        if open != 0 {
            return self.fail(Diagnostic::error(start, "the parentheses of a `@pragma` have to come in pairs"));
        }
        Ok(apart(tokens))
    }

    /// Reads the tokens up to the `)` that closes the annotation, and that `)`.
    fn balanced_tokens(&mut self) -> Parsed<Vec<Token>> {
        let open = self.before().span;
        let mut tokens = Vec::new();
        let mut depth = 0u32;
        while !self.at_end() {
            let token = self.advance();
            if token.is("(") {
                depth += 1;
            } else if token.is(")") {
                if depth == 0 {
                    return Ok(apart(tokens));
                }
                depth -= 1;
            }
            tokens.push(token.clone());
        }
        self.fail(Diagnostic::error(open, "the annotation never ends: `)` is missing"))
    }

    /// Reads the body of a structured annotation and its `]`.
    fn structured_body(&mut self) -> Parsed<AnnotationBody> {
        let body = if self.is_name_at(0) && self.ahead(1).is("=") {
            AnnotationBody::Pairs(self.separated("]", true, Self::named_expression)?)
        } else {
            AnnotationBody::Expressions(self.separated("]", true, Self::expression)?)
        };
        self.expect("]", "what the annotation says")?;
        Ok(body)
    }

    /// `name = value`
    pub(super) fn named_expression(&mut self) -> Parsed<NamedExpression> {
        let name = self.name("a name")?;
        self.expect("=", "the name")?;
        let value = self.expression()?;
        Ok(NamedExpression { name, value })
    }
}

/// Clears the flags of tokens that depend on their line.
fn apart(mut tokens: Vec<Token>) -> Vec<Token> {
    for (index, token) in tokens.iter_mut().enumerate() {
        token.first_of_line = false;
        token.touches_previous &= index > 0;
    }
    tokens
}
