//! The conditions of `#if` (C11 6.10.1): expressions of 64-bit integers with C's operators.

use diagnostics::{Diagnostic, Span};

use super::Preprocessor;
use crate::limits::MOST_CONDITION_DEPTH;
use crate::piece::{Piece, PieceKind};

/// C's binary operators with their precedence; a higher number binds more tightly.
const OPERATORS: [(&str, u8); 18] = [
    ("||", 1),
    ("&&", 2),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("==", 6),
    ("!=", 6),
    ("<", 7),
    (">", 7),
    ("<=", 7),
    (">=", 7),
    ("<<", SHIFT),
    (">>", SHIFT),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];
const SHIFT: u8 = 8;

impl Preprocessor<'_> {
    /// Evaluates the condition of an `#if`. A malformed condition is reported and counts as false.
    pub(super) fn condition(&mut self, span: Span, line: &[Piece]) -> bool {
        let mut pieces = line.to_vec();
        // The name after `defined` is not expanded.
        for at in 1..pieces.len() {
            let is_defined = |at: usize| pieces[at].word().is_some_and(|name| &**name == "defined");
            let after_bracket = at > 1 && pieces[at - 1].is("(") && is_defined(at - 2);
            if is_defined(at - 1) || after_bracket {
                pieces[at].painted = true;
            }
        }
        let pieces = self.expand_list(pieces);
        if !self.complete {
            return false;
        }
        let end = line.last().map_or(span, |last| Span { start: last.span.end, ..last.span });
        let mut reader = Reader { preprocessor: self, pieces: &pieces, at: 0, end, depth: 0 };
        let value = reader.expression(0, true).and_then(|value| {
            let left = reader.pieces.get(reader.at);
            left.map_or(Ok(value), |piece| Err(Diagnostic::error(piece.span, "the condition should end here")))
        });
        value.map_err(|error| self.report(error)).is_ok_and(|value| value != 0)
    }
}

struct Reader<'r, 'a> {
    preprocessor: &'r Preprocessor<'a>,
    pieces: &'r [Piece],
    at: usize,
    /// The location of the end of the line.
    end: Span,
    depth: usize,
}

type Value = Result<i64, Diagnostic>;

impl Reader<'_, '_> {
    fn take(&mut self, sign: &str) -> bool {
        let found = self.pieces.get(self.at).is_some_and(|piece| piece.is(sign));
        self.at += usize::from(found);
        found
    }

    fn place(&self) -> Span {
        self.pieces.get(self.at).map_or(self.end, |piece| piece.span)
    }

    fn expect(&mut self, sign: &str) -> Result<(), Diagnostic> {
        if self.take(sign) {
            return Ok(());
        }
        Err(Diagnostic::error(self.place(), format!("expected `{sign}` in this condition")))
    }

    /// Returns the next binary operator, its precedence and the number of pieces it consists of.
    fn operator(&self) -> Option<(&'static str, u8, usize)> {
        let piece = self.pieces.get(self.at)?;
        let after = self.pieces.get(self.at + 1);
        // In a language in which two `>` may close the arguments of two types, they are separate pieces.
        if piece.is(">") && after.is_some_and(|after| after.is(">") && after.touches_previous) {
            return Some((">>", SHIFT, 2));
        }
        OPERATORS.iter().find(|(sign, _)| piece.is(sign)).map(|&(sign, binds)| (sign, binds, 1))
    }

    /// Evaluates an expression of operators with at least the precedence `least`; `?:` is included if `least` is 0. An
    /// operand whose value is not `wanted`, because another operand already decides the result, cannot cause arithmetic
    /// errors.
    fn expression(&mut self, least: u8, wanted: bool) -> Value {
        self.depth += 1;
        if self.depth > MOST_CONDITION_DEPTH {
            let message = format!("this condition is more than {MOST_CONDITION_DEPTH} levels deep");
            return Err(Diagnostic::error(self.place(), message));
        }
        let mut value = self.operand(wanted)?;
        while let Some((sign, binds, length)) = self.operator().filter(|&(_, binds, _)| binds >= least) {
            let span = self.place();
            self.at += length;
            let decided = (sign == "&&" && value == 0) || (sign == "||" && value != 0);
            let right = self.expression(binds + 1, wanted && !decided)?;
            value = match apply(sign, value, right) {
                Some(value) => value,
                None if !wanted => 0,
                None => return Err(Diagnostic::error(span, "this condition divides by zero")),
            };
        }
        if least == 0 && self.take("?") {
            let if_true = self.expression(0, wanted && value != 0)?;
            self.expect(":")?;
            let if_false = self.expression(0, wanted && value == 0)?;
            value = if value != 0 { if_true } else { if_false };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn operand(&mut self, wanted: bool) -> Value {
        let span = self.place();
        let Some(piece) = self.pieces.get(self.at) else {
            let error = Diagnostic::error(span, "expected a value in this condition");
            return Err(error.hint("write a number, a macro or `defined(NAME)`"));
        };
        self.at += 1;
        match &piece.kind {
            PieceKind::Number(number) => c_integer(number).ok_or_else(|| {
                let error =
                    Diagnostic::error(span, format!("{} is not an integer that a condition can use", piece.describe()));
                error.hint("write a plain 64-bit integer")
            }),
            PieceKind::Character(content) => {
                let value = self.preprocessor.language.characters.and_then(|value_of| value_of(content));
                let message = || format!("{} is not a valid character", piece.describe());
                value.ok_or_else(|| Diagnostic::error(span, message()).hint("write the character's number"))
            }
            PieceKind::Invalid(invalid) => Err(invalid.complaint.at(span)),
            PieceKind::Word(name) if &**name == "defined" => self.defined(span),
            // A name that is not a macro is 0 (C11 6.10.1, paragraph 4).
            PieceKind::Word(_) => Ok(0),
            PieceKind::Punctuator("(") => {
                let value = self.expression(0, wanted)?;
                self.expect(")")?;
                Ok(value)
            }
            PieceKind::Punctuator(sign @ ("!" | "~" | "-" | "+")) => {
                // Unary operators bind more tightly than any binary operator.
                let value = self.expression(u8::MAX, wanted)?;
                Ok(match *sign {
                    "!" => i64::from(value == 0),
                    "~" => !value,
                    "-" => value.wrapping_neg(),
                    _ => value,
                })
            }
            _ => {
                let message = format!("expected a value in this condition, not {}", piece.describe());
                Err(Diagnostic::error(span, message).hint("write a number, a macro or `defined(NAME)`"))
            }
        }
    }

    fn defined(&mut self, span: Span) -> Value {
        let bracket = self.take("(");
        let Some(name) = self.pieces.get(self.at).and_then(Piece::word) else {
            return Err(Diagnostic::error(span, "`defined` without the name of a macro").hint("write `defined(NAME)`"));
        };
        self.at += 1;
        let value = i64::from(self.preprocessor.is_defined(name));
        if bracket {
            self.expect(")")?;
        }
        Ok(value)
    }
}

/// Reads an integer as C does, where a leading 0 means octal. The prefixes `0o` and `0d`, and `_` between digits, are
/// those of other C-like languages.
fn c_integer(text: &str) -> Option<i64> {
    let lower = text.to_ascii_lowercase().replace('_', "");
    let stem = lower.trim_end_matches(['u', 'l']);
    let (digits, radix) = match stem.get(..2) {
        Some("0x") => (&stem[2..], 16),
        Some("0b") => (&stem[2..], 2),
        Some("0o") => (&stem[2..], 8),
        Some("0d") => (&stem[2..], 10),
        _ if stem.len() > 1 && stem.starts_with('0') => (&stem[1..], 8),
        _ => (stem, 10),
    };
    u64::from_str_radix(digits, radix).ok().map(|bits| bits as i64)
}

/// Applies a binary operator. Arithmetic wraps. Returns `None` for a division by zero.
fn apply(sign: &str, left: i64, right: i64) -> Option<i64> {
    let shift = u32::try_from(right).ok().filter(|&by| by < 64);
    Some(match sign {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<<" => shift.map_or(0, |by| left << by),
        ">>" => shift.map_or(if left < 0 { -1 } else { 0 }, |by| left >> by),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" if right != 0 => left.wrapping_div(right),
        "%" if right != 0 => left.wrapping_rem(right),
        _ => return None,
    })
}
