//! Annotations (section 20): values in structured annotations must be known, and annotations that the language or the
//! control plane defines must have the right form.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use diagnostics::Span;

use super::Expressions;
use crate::ast::{self, Annotation, AnnotationBody};
use crate::token::{Keyword, Token, TokenKind};
use crate::types::{Sort, Types, Value};

impl<'a> Expressions<'_, 'a> {
    /// Checks the annotations of one construct.
    pub(super) fn annotations(&mut self, all: &'a [Annotation]) {
        let mut seen: HashMap<&str, &Annotation> = HashMap::new();
        for own in all {
            self.nodes.note_annotation(own);
            let is_structured =
                |note: &Annotation| matches!(note.body, AnnotationBody::Expressions(_) | AnnotationBody::Pairs(_));
            let earlier = seen.insert(&own.name.text, own);
            // Structured annotations may not be repeated, others may (section 20).
            if let Some(earlier) = earlier.filter(|earlier| is_structured(own) || is_structured(earlier)) {
                let message = format!("`@{}` is given twice", own.name.text);
                let error = diagnostics::Diagnostic::error(own.span, message).related(earlier.span, "first here");
                self.found.report(error.hint("a structured annotation, `@name[...]`, may appear only once"));
            }
            match &own.body {
                AnnotationBody::None => self.require_body(own),
                AnnotationBody::Unstructured(tokens) => self.unstructured(own, tokens),
                AnnotationBody::Expressions(values) => {
                    values.iter().for_each(|value| self.structured_value(value));
                }
                AnnotationBody::Pairs(pairs) => {
                    let mut seen = HashSet::new();
                    for pair in pairs {
                        if !seen.insert(&pair.name.text) {
                            self.found.error(pair.name.span, format!("`{}` is given twice", pair.name.text));
                        }
                        self.structured_value(&pair.value);
                    }
                }
            }
        }
    }

    fn require_body(&mut self, own: &'a Annotation) {
        let form = match &*own.name.text {
            "name" | "deprecated" => "@name(\"text\")",
            "pkginfo" => "@pkginfo(key = value)",
            "match" => "@match(kind)",
            _ => return,
        };
        self.found.hinted(own.span, format!("`@{}` says nothing", own.name.text), format!("it is written `{form}`"));
    }

    /// Checks a value in a structured annotation: a known number, string or Boolean (section 20.2).
    fn structured_value(&mut self, value: &'a ast::Expression) {
        let typed = self.value(value);
        let of = self.types.underlying(typed.of);
        if !self.types.is_numeric(of) && of != Types::STRING && of != Types::BOOL {
            let message = format!("an annotation does not hold {}", self.types.describe(typed.of));
            self.found.hinted(value.span, message, "it holds numbers, strings and Booleans");
        } else if !typed.known {
            self.found.error(value.span, "this must be known when the program is compiled");
        }
    }

    fn unstructured(&mut self, own: &'a Annotation, tokens: &'a [Token]) {
        match &*own.name.text {
            "name" | "deprecated" => match self.joined_text(tokens) {
                Some(text) => self.nodes.note_text(own, text),
                None => {
                    let message = format!("`@{}` takes a string", own.name.text);
                    self.found.hinted(own.span, message, "strings are joined by `++`");
                }
            },
            "match" => self.match_annotation(own, tokens),
            "p4runtime_translation" => self.translation_annotation(own, tokens),
            _ => {}
        }
    }

    /// Concatenates strings and string constants; `None` if the tokens are anything else.
    fn joined_text(&mut self, tokens: &'a [Token]) -> Option<Rc<str>> {
        let mut text = String::new();
        let mut is_operand = false;
        for token in tokens {
            match &token.kind {
                TokenKind::Punctuator("(" | ")") => continue,
                TokenKind::Punctuator("++") if is_operand => {
                    is_operand = false;
                    continue;
                }
                TokenKind::Text(own) if !is_operand => text.push_str(own),
                TokenKind::Identifier(name) if !is_operand => {
                    let definition = self.names.named(name, token.span)?;
                    match self.types.sort(definition) {
                        Sort::Constant(_, Some(value)) => match &**value {
                            Value::String(own) => text.push_str(own),
                            _ => return None,
                        },
                        _ => return None,
                    }
                }
                _ => return None,
            }
            is_operand = true;
        }
        is_operand.then(|| text.into())
    }

    /// Checks `@match(kind)`, the match kind of a field of a value set (section 13.6).
    fn match_annotation(&mut self, own: &'a Annotation, tokens: &'a [Token]) {
        match tokens {
            [Token { kind: TokenKind::Identifier(kind), .. }] if self.names.match_kinds.contains_key(kind) => {}
            _ => self.found.hinted(own.span, "`@match` takes a match kind", "such as `exact`, `ternary` or `lpm`"),
        }
    }

    /// Checks `@p4runtime_translation("uri", type)`, which gives the type that a control plane sees instead (P4Runtime
    /// specification, section "Translation of user-defined types").
    fn translation_annotation(&mut self, own: &'a Annotation, tokens: &'a [Token]) {
        use TokenKind::{Integer, Keyword as Word, Punctuator, Text};
        let kinds: Vec<&TokenKind> = tokens.iter().map(|token| &token.kind).collect();
        let fits = match kinds.as_slice() {
            [Text(_), Punctuator(","), rest @ ..] => matches!(
                rest,
                [Integer(_)]
                    | [Word(Keyword::String)]
                    | [Word(Keyword::Bit), Punctuator("<"), Integer(_), Punctuator(">")]
            ),
            _ => false,
        };
        if !fits {
            let message = "`@p4runtime_translation` takes a URI and a type";
            self.found.hinted(
                own.span,
                message,
                "such as `(\"example.org/Port\", bit<32>)`; the type is `bit<N>` or `string`",
            );
        }
    }

    /// Checks `@length(value)` of a field of variable length, which may name only fields before it.
    pub(super) fn length_annotation(&mut self, notes: &'a [Annotation], before: &HashMap<Rc<str>, Span>) {
        for note in notes.iter().filter(|note| &*note.name.text == "length") {
            let AnnotationBody::Unstructured(tokens) = &note.body else { continue };
            let mut is_member = false;
            for token in tokens {
                if let TokenKind::Identifier(name) = &token.kind
                    && !is_member
                    && !before.contains_key(name)
                    && self.names.named(name, token.span).is_none()
                {
                    let message = format!("there is no field `{name}` before this one");
                    self.found.hinted(token.span, message, "a length is made of the fields that come before it");
                }
                is_member = token.kind == TokenKind::Punctuator(".");
            }
        }
    }
}
