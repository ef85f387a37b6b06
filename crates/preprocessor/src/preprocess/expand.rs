//! Macro expansion (C11 6.10.3).

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::macros::{ReplacementPart, What};
use super::{Frame, FrameKind, Preprocessor};
use crate::limits::MOST_MACRO_DEPTH;
use crate::piece::{Piece, PieceKind};

impl Preprocessor<'_> {
    /// Pushes the expansion of a macro as the next frame to read, or outputs a name that is not a macro.
    pub(super) fn word(&mut self, mut piece: Piece) {
        let Some(name) = piece.word().cloned() else { return };
        if piece.painted {
            return self.emit(piece);
        }
        let Some(definition) = self.macros.get(&name) else {
            let kind = self.brought_along(&name, piece.span);
            return self.emit(Piece { kind: kind.unwrap_or(piece.kind), ..piece });
        };
        if definition.active {
            piece.painted = true;
            return self.emit(piece);
        }
        let (body, definition_span) = (definition.body.clone(), definition.span);
        let variadic = definition.variadic;
        let Some(parameters) = definition.parameters.clone() else {
            self.macro_uses.record(piece.span, definition_span, &name);
            let expansion = self.substituted(&body, &[], piece.span);
            return self.push_expansion(&name, expansion, piece.first_of_line);
        };
        if !self.peek().is_some_and(|next| next.is("(")) {
            return self.emit(piece);
        }
        let most = if variadic { parameters.len() } else { usize::MAX };
        let Some((arguments, end)) = self.arguments(&piece, most) else { return };
        // `F()` has no argument if the macro has no parameters, and one empty argument otherwise.
        let given = if parameters.is_empty() && arguments[0].is_empty() { 0 } else { arguments.len() };
        let span = piece.span.to(end.span);
        // The arguments for `...` may be omitted together with the comma before them.
        let fits = given == parameters.len() || (variadic && given + 1 == parameters.len());
        if !fits {
            let plural = if parameters.len() == 1 { "" } else { "s" };
            let message = format!("the macro `{name}` takes {} argument{plural}, not {given}", parameters.len());
            self.diagnostics.push(Diagnostic::error(span, message).related(definition_span, "defined here"));
            return;
        }
        self.macro_uses.record(span, definition_span, &name);
        let expansion = self.substituted(&body, &arguments, span);
        self.push_expansion(&name, expansion, piece.first_of_line);
    }

    /// Returns what `__LINE__` or `__FILE__` stands for at a location.
    fn brought_along(&mut self, name: &str, span: Span) -> Option<PieceKind> {
        match name {
            "__LINE__" => Some(PieceKind::Number(Rc::from(self.lines.line(self.sources, span).to_string()))),
            "__FILE__" => Some(PieceKind::Text(Rc::from(self.sources.name(span.source)))),
            _ => None,
        }
    }

    /// Substitutes the arguments in a replacement text. Each argument is expanded first, except where it is an operand
    /// of `#` or `##`.
    fn substituted(&mut self, body: &[ReplacementPart], arguments: &[Vec<Piece>], span: Span) -> Vec<Piece> {
        let mut expanded: Vec<Option<Rc<[Piece]>>> = vec![None; arguments.len()];
        let mut result: Vec<Piece> = Vec::new();
        // Whether the left operand of a `##` is not empty; an empty argument is joined to nothing.
        let mut left_is_there = false;
        for part in body {
            let argument = |number: usize| arguments.get(number).map_or(&[][..], Vec::as_slice);
            let operand: Rc<[Piece]> = match &part.what {
                What::Piece(piece) => Rc::new([Piece { span, ..piece.clone() }]),
                What::Quoted(number) => self.quoted(argument(*number), span).into_iter().collect(),
                What::Argument(number) if part.pasted || part.pastes => apart(argument(*number).to_vec()),
                What::Argument(number) => match expanded.get(*number).cloned().flatten() {
                    Some(done) => done,
                    None => {
                        let done = apart(self.expand_list(argument(*number).to_vec()));
                        if let Some(slot) = expanded.get_mut(*number) {
                            *slot = Some(done.clone());
                        }
                        done
                    }
                },
            };
            if !self.spend(operand.len()) {
                return Vec::new();
            }
            let mut rest = &operand[..];
            if part.pasted
                && left_is_there
                && let Some((first, after)) = rest.split_first()
                && let Some(left) = result.pop()
            {
                rest = after;
                result.extend(self.pasted(left, first, span));
            }
            left_is_there = !operand.is_empty() || (part.pasted && left_is_there);
            result.extend_from_slice(rest);
        }
        result
    }

    fn push_expansion(&mut self, name: &Rc<str>, expansion: Vec<Piece>, first_of_line: bool) {
        if !self.spend(1) {
            return;
        }
        self.separate = true;
        self.starts_line |= first_of_line;
        if let Some(definition) = self.macros.get_mut(name) {
            definition.active = true;
        }
        self.frames.push(Frame { pieces: expansion.into(), at: 0, kind: FrameKind::Macro(name.clone()) });
    }

    /// Reads the arguments of a macro call, as written and at most `most`, and the closing parenthesis.
    fn arguments(&mut self, name: &Piece, most: usize) -> Option<(Vec<Vec<Piece>>, Piece)> {
        self.next()?; // the opening parenthesis
        let mut arguments = vec![Vec::new()];
        let mut open = 0;
        while self.peek().is_some() {
            let mut piece = self.next()?;
            // No argument piece begins a line: to the program, a macro call is a single line.
            piece.first_of_line = false;
            if open == 0 && piece.is(")") {
                return Some((arguments, piece));
            }
            if open == 0 && piece.is(",") && arguments.len() < most {
                arguments.push(Vec::new());
                continue;
            }
            if piece.is("(") {
                open += 1;
            } else if piece.is(")") {
                open -= 1;
            }
            arguments.last_mut()?.push(piece);
        }
        if self.complete {
            let message = format!("the arguments of the macro {} never end", name.describe());
            self.report(Diagnostic::error(name.span, message).hint("end them with `)`, before any directive"));
        }
        None
    }

    /// Expands all macros in a list, independently of the surrounding text.
    pub(super) fn expand_list(&mut self, pieces: Vec<Piece>) -> Vec<Piece> {
        self.depth += 1;
        let mut result = Vec::new();
        if self.depth > MOST_MACRO_DEPTH {
            if let Some(span) = self.place() {
                let message = format!("macro calls are nested more than {MOST_MACRO_DEPTH} deep");
                self.diagnostics.push(Diagnostic::error(span, message));
            }
            self.stop();
        } else {
            let outer = std::mem::take(&mut self.output);
            let flags = (std::mem::take(&mut self.separate), std::mem::take(&mut self.starts_line));
            self.frames.push(Frame { pieces: pieces.into(), at: 0, kind: FrameKind::List });
            self.run();
            self.frames.pop();
            (self.separate, self.starts_line) = flags;
            result = std::mem::replace(&mut self.output, outer);
        }
        self.depth -= 1;
        result
    }
}

/// Prepares an argument for insertion into an expansion, where it does not touch the previous piece.
fn apart(mut argument: Vec<Piece>) -> Rc<[Piece]> {
    if let Some(first) = argument.first_mut() {
        first.touches_previous = false;
    }
    argument.into()
}
