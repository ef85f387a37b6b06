//! `#define`.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::Preprocessor;
use super::macros::{Macro, ReplacementPart, What};
use crate::limits::MOST_MACRO_PARAMETERS;
use crate::piece::Piece;

/// The name of the parameter that stands for `...` (C11 6.10.3.1).
const REST: &str = "__VA_ARGS__";

impl Preprocessor<'_> {
    pub(super) fn define(&mut self, directive: Span, line: &[Piece]) {
        let Some(name) = self.macro_name(directive, line) else { return };
        let mut rest = &line[1..];
        let mut parameters = None;
        if rest.first().is_some_and(|piece| piece.is("(") && piece.touches_previous) {
            match parameters_of(rest, !self.language.plain_macros) {
                Ok((names, used)) => {
                    parameters = Some(names);
                    rest = &rest[used..];
                }
                Err(error) => return self.diagnostics.push(*error),
            }
        }
        if let Some(sign) = rest.iter().find(|piece| self.language.plain_macros && (piece.is("##") || piece.is("#"))) {
            let error = Diagnostic::error(sign.span, format!("{} in a macro is not supported", sign.describe()));
            self.diagnostics.push(error.hint("macros can only substitute whole tokens; write the name out"));
            return;
        }
        let body = match parts(rest, parameters.as_deref()) {
            Ok(body) => body.into(),
            Err(error) => return self.diagnostics.push(*error),
        };
        let span = line.last().map_or(line[0].span, |last| line[0].span.to(last.span));
        let variadic = parameters.as_ref().is_some_and(|names| names.last().is_some_and(|name| &**name == REST));
        let parameters = parameters.map(Rc::from);
        let definition = Macro { span, parameters, variadic, body, active: false };
        if let Some(old) = self.macros.get(&name).filter(|old| !old.same_as(&definition)) {
            let warning = Diagnostic::warning(line[0].span, format!("the macro `{name}` is redefined"));
            self.diagnostics.push(warning.related(old.span, "previously defined here").hint("`#undef` it first"));
        }
        self.macros.insert(name, definition);
    }
}

/// Reads the parameters of a macro, the last of which may be `...`. Returns their names and the number of pieces they
/// take, including the parentheses.
fn parameters_of(line: &[Piece], may_be_variadic: bool) -> Result<(Vec<Rc<str>>, usize), Box<Diagnostic>> {
    let mut names: Vec<Rc<str>> = Vec::new();
    if line.get(1).is_some_and(|piece| piece.is(")")) {
        return Ok((names, 2));
    }
    for (number, pair) in line[1..].chunks(2).enumerate() {
        let [name_piece, after] = pair else { break };
        let name = match name_piece.word() {
            None if may_be_variadic && name_piece.is("...") && after.is(")") => Some(Rc::from(REST)),
            name => name.filter(|name| !names.contains(name) && &***name != REST).cloned(),
        };
        let Some(name) = name.filter(|_| after.is(",") || after.is(")")) else {
            let error = Diagnostic::error(name_piece.span, "the parameters of this macro cannot be read");
            let hint = "write distinct names separated by commas, as in `#define MAX(a, b) ...`";
            return Err(Box::new(error.hint(hint)));
        };
        names.push(name);
        if names.len() > MOST_MACRO_PARAMETERS {
            let message = format!("this macro has more than {MOST_MACRO_PARAMETERS} parameters");
            return Err(Box::new(Diagnostic::error(name_piece.span, message)));
        }
        if after.is(")") {
            return Ok((names, 2 * number + 3));
        }
    }
    Err(Box::new(Diagnostic::error(line[0].span, "the parameters of this macro never end").hint("add `)`")))
}

/// Splits a replacement text into its parts and finds the parameters and operators in it (C11 6.10.3.2 and 6.10.3.3).
fn parts(pieces: &[Piece], parameters: Option<&[Rc<str>]>) -> Result<Vec<ReplacementPart>, Box<Diagnostic>> {
    let number_of = |piece: &Piece| {
        let name = piece.word()?;
        parameters?.iter().position(|parameter| parameter == name)
    };
    let mut parts: Vec<ReplacementPart> = Vec::new();
    let mut pasted = false;
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        at += 1;
        if piece.is("##") {
            let Some(before) = parts.last_mut().filter(|_| !pasted && at < pieces.len()) else {
                let error = Diagnostic::error(piece.span, "`##` joins nothing here");
                return Err(Box::new(error.hint("write it between two tokens that form one token together")));
            };
            before.pastes = true;
            pasted = true;
            continue;
        }
        let what = if let Some(number) = number_of(piece) {
            What::Argument(number)
        } else if piece.is("#") && parameters.is_some() {
            let Some(number) = pieces.get(at).and_then(number_of) else {
                let error = Diagnostic::error(piece.span, "`#` in a macro must be followed by a parameter");
                return Err(Box::new(error.hint("it turns the argument into a string")));
            };
            at += 1;
            What::Quoted(number)
        } else {
            // Inside an expansion, no piece is the first on a line.
            What::Piece(Piece { first_of_line: false, ..piece.clone() })
        };
        parts.push(ReplacementPart { what, pasted, pastes: false });
        pasted = false;
    }
    Ok(parts)
}
