//! Macro expansion (C11 6.10.3, without `#` and `##`).

use std::rc::Rc;

use diagnostics::Diagnostic;

use super::{Frame, FrameKind, Preprocessor};
use crate::limits::MOST_MACRO_DEPTH;
use crate::token::Token;

impl Preprocessor<'_> {
    /// Puts a macro's expansion in front of what is read next, or hands on a name that is no macro.
    pub(super) fn identifier(&mut self, mut token: Token) {
        let Some(name) = token.identifier().cloned() else { return };
        let Some(definition) = self.macros.get(&name).filter(|_| !token.painted) else { return self.emit(token) };
        if definition.active {
            token.painted = true;
            return self.emit(token);
        }
        let (body, definition_span) = (definition.body.clone(), definition.span);
        let Some(parameters) = definition.parameters.clone() else {
            let used = self.report.macro_uses.entry(token.span);
            used.or_insert_with(|| (definition_span, name.to_string()));
            let expansion = body.iter().map(|piece| Token { span: token.span, ..piece.clone() }).collect();
            return self.push_expansion(&name, expansion);
        };
        if !self.peek().is_some_and(|next| next.is("(")) {
            return self.emit(token);
        }
        let Some((arguments, end)) = self.arguments(&token) else { return };
        // `F()` is no argument to a macro that takes none, and an empty one to a macro that takes one.
        let given = if parameters.is_empty() && arguments[0].is_empty() { 0 } else { arguments.len() };
        let span = token.span.to(end.span);
        if given != parameters.len() {
            let plural = if parameters.len() == 1 { "" } else { "s" };
            let message = format!("the macro `{name}` takes {} argument{plural}, not {given}", parameters.len());
            self.report.push(Diagnostic::error(span, message).related(definition_span, "defined here"));
            return;
        }
        self.report.macro_uses.entry(span).or_insert_with(|| (definition_span, name.to_string()));
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; parameters.len()];
        let mut expansion: Vec<Token> = Vec::new();
        for piece in body.iter() {
            let parameter = piece.identifier().and_then(|own| parameters.iter().position(|name| name == own));
            let Some(parameter) = parameter else {
                expansion.push(Token { span, ..piece.clone() });
                continue;
            };
            let argument = match expanded[parameter].take() {
                Some(argument) => argument,
                None => self.expand_list(arguments[parameter].clone()),
            };
            if !self.spend(argument.len()) {
                return;
            }
            expansion.extend(argument.iter().cloned());
            expanded[parameter] = Some(argument);
        }
        self.push_expansion(&name, expansion);
    }

    fn push_expansion(&mut self, name: &Rc<str>, expansion: Vec<Token>) {
        if !self.spend(1) {
            return;
        }
        if let Some(definition) = self.macros.get_mut(name) {
            definition.active = true;
        }
        self.frames.push(Frame { tokens: expansion.into(), at: 0, kind: FrameKind::Macro(name.clone()) });
    }

    /// The arguments of a macro call, as written, and the bracket that ends them.
    fn arguments(&mut self, name: &Token) -> Option<(Vec<Vec<Token>>, Token)> {
        self.next()?; // the opening bracket
        let mut arguments = vec![Vec::new()];
        let mut open = 0;
        while self.peek().is_some() {
            let mut token = self.next()?;
            // What was the first of a line no longer is, or a `#` in it would be a directive.
            token.first_of_line = false;
            if open == 0 && token.is(")") {
                return Some((arguments, token));
            }
            if open == 0 && token.is(",") {
                arguments.push(Vec::new());
                continue;
            }
            if token.is("(") {
                open += 1;
            } else if token.is(")") {
                open -= 1;
            }
            arguments.last_mut()?.push(token);
        }
        let message = format!("the arguments of the macro {} never end", name.describe());
        self.report.push(Diagnostic::error(name.span, message).hint("end them with `)`, before any directive"));
        None
    }

    /// A list with every macro in it expanded, on its own.
    pub(super) fn expand_list(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        self.depth += 1;
        let mut result = Vec::new();
        if self.depth > MOST_MACRO_DEPTH {
            if let Some(span) = self.place() {
                let message = format!("macro calls lie inside one another more than {MOST_MACRO_DEPTH} deep");
                self.report.push(Diagnostic::error(span, message));
            }
            self.stop();
        } else if self.spend(tokens.len()) {
            let outer = std::mem::take(&mut self.output);
            self.frames.push(Frame { tokens: tokens.into(), at: 0, kind: FrameKind::List });
            self.run();
            self.frames.pop();
            result = std::mem::replace(&mut self.output, outer);
        }
        self.depth -= 1;
        result
    }
}
