//! Joining of strings that were read line by line.

use std::rc::Rc;

use diagnostics::{Diagnostic, Diagnostics, Sources, Span};

use crate::piece::{Piece, PieceKind, StringPart};

/// Joins the parts of each string into one piece. A line with a directive, and a line that a condition excludes,
/// becomes an empty line of the string, as in the P4 compiler (p4c).
pub(super) fn joined(pieces: Vec<Piece>, sources: &Sources, diagnostics: &mut Diagnostics) -> Vec<Piece> {
    if pieces.iter().all(|piece| piece.part == StringPart::Whole) {
        return pieces;
    }
    let mut result = Vec::with_capacity(pieces.len());
    let mut open: Option<Open> = None;
    for piece in pieces {
        let PieceKind::Text(content) = &piece.kind else {
            close(open.take(), &mut result, diagnostics);
            result.push(piece);
            continue;
        };
        match (piece.part, &mut open) {
            (StringPart::Whole, _) => {
                close(open.take(), &mut result, diagnostics);
                result.push(piece);
            }
            (StringPart::First, _) => {
                close(open.take(), &mut result, diagnostics);
                open = Some(Open { content: content.to_string(), end: piece.span, first: piece });
            }
            (StringPart::Middle | StringPart::Last, None) => {
                let error = Diagnostic::error(piece.span, "this is the rest of a string whose beginning is left out");
                diagnostics.push(error.hint(HINT));
                result.push(Piece { part: StringPart::Whole, ..piece });
            }
            (StringPart::Middle, Some(string)) => string.add(content, piece.span, sources),
            (StringPart::Last, Some(string)) => {
                string.add(content, piece.span, sources);
                result.extend(open.take().map(Open::whole));
            }
        }
    }
    close(open, &mut result, diagnostics);
    result
}

const HINT: &str = "begin and end the string under the same conditions";

/// A string whose last part has not been read yet.
struct Open {
    first: Piece,
    content: String,
    /// The location of the last part so far.
    end: Span,
}

impl Open {
    fn add(&mut self, content: &str, span: Span, sources: &Sources) {
        let between = (span.source == self.end.source)
            .then(|| sources.text(span.source).get(self.end.end as usize..span.start as usize))
            .flatten();
        let lines = between.map_or(1, |text| text.matches('\n').count());
        self.content.extend(std::iter::repeat_n('\n', lines));
        self.content.push_str(content);
        self.end = span;
    }

    fn whole(self) -> Piece {
        let span =
            if self.end.source == self.first.span.source { self.first.span.to(self.end) } else { self.first.span };
        Piece { kind: PieceKind::Text(Rc::from(self.content)), span, part: StringPart::Whole, ..self.first }
    }
}

/// Reports a string whose end is missing, if one is open.
fn close(open: Option<Open>, result: &mut Vec<Piece>, diagnostics: &mut Diagnostics) {
    if let Some(open) = open {
        let error =
            Diagnostic::error(open.first.span, "the end of this string is left out by a directive among its lines");
        diagnostics.push(error.hint(HINT));
        result.push(open.whole());
    }
}
