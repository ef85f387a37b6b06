//! Why an entry or an action's arguments violate a constraint.

use std::fmt;

use crate::finding::{Problems, Subject};
use crate::lexer::lex;
use crate::token::TokenKind;

/// A violation of a constraint: the smallest part of the constraint that fails, and the values that make it fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The table or action whose constraint is violated.
    pub subject: Subject,
    /// The full name of the table or action.
    pub name: String,
    /// The place of the part in the text of the constraint.
    pub place: Place,
    /// The part of the constraint, on one line and without comments.
    pub part: String,
    /// Whether the part must hold and does not; otherwise it holds and must not.
    pub must_hold: bool,
    /// The values that the part speaks of: keys or parameters in their order, then `::priority`.
    pub values: Vec<(String, String)>,
}

/// A place in the text of a constraint. Both numbers count from 1, and the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Place {
    /// Returns the place of a byte of a text.
    pub(crate) fn of(text: &str, at: usize) -> Self {
        let before = &text[..at];
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Self { line: before.matches('\n').count() + 1, column }
    }
}

/// Formats the violation as a sentence, for an answer to a controller.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.subject {
            Subject::Table(_) => write!(f, "table `{}` restricts its entries", self.name)?,
            Subject::Action(_) => write!(f, "action `{}` restricts its arguments", self.name)?,
        }
        let how = if self.must_hold { "does not hold" } else { "holds and must not" };
        write!(f, ": `{}` {how}", self.part)?;
        for (at, (name, value)) in self.values.iter().enumerate() {
            let before = match at {
                0 => ", where",
                _ if at + 1 == self.values.len() => " and",
                _ => ",",
            };
            write!(f, "{before} `{name}` is {value}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Violation {}

/// Returns a part of a constraint on one line, without comments.
pub(crate) fn quoted(part: &str) -> String {
    // The text has been read without an error, so that there is no problem.
    let mut problems = Problems::new(Subject::Table(control::TableNumber::from(0usize)));
    let tokens = lex(part, &mut problems);
    let mut line = String::with_capacity(part.len());
    let mut end = 0;
    for token in tokens.iter().filter(|token| token.kind != TokenKind::End) {
        if token.place.start > end && !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&part[token.place.clone()]);
        end = token.place.end;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_quoted_on_one_line_without_comments() {
        assert_eq!(
            quoted("(a::mask !=0 // no\n  &&\n /* b */ b == ipv4('1.2.3.4') )"),
            "(a::mask !=0 && b == ipv4('1.2.3.4') )"
        );
    }

    #[test]
    fn places_count_from_one() {
        assert_eq!(Place::of("é a\nb", 3), Place { line: 1, column: 3 });
        assert_eq!(Place::of("a\n b", 3), Place { line: 2, column: 2 });
    }
}
