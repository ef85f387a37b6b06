//! Free-form text, which need not consist of tokens of the language: unstructured annotations (P4_16 1.2.5, section
//! 20.1), such as `@note(that's it)`, and the rest of an `@pragma` line.

use preprocessor::Piece;

/// Follows the pieces of a program to find free-form text.
#[derive(Default)]
pub(super) enum FreeForm {
    /// Outside annotations.
    #[default]
    Outside,
    /// Behind an `@`.
    At,
    /// Behind the name of an annotation.
    Named,
    /// Between the parentheses of an annotation, at this depth of inner parentheses.
    Body(u32),
    /// Behind `@pragma`, up to the end of the line.
    Line,
}

impl FreeForm {
    /// Advances to the next piece, and returns whether it is free-form text.
    pub fn anything_goes(&mut self, piece: &Piece) -> bool {
        let outside = if piece.is("@") { Self::At } else { Self::Outside };
        *self = match self {
            Self::Line if !piece.first_of_line => Self::Line,
            Self::Outside | Self::Line => outside,
            Self::At => match piece.word() {
                Some(name) if &**name == "pragma" => Self::Line,
                Some(_) => Self::Named,
                None => outside,
            },
            Self::Named if piece.is("(") => Self::Body(0),
            Self::Named => outside,
            Self::Body(0) if piece.is(")") => Self::Outside,
            Self::Body(depth) if piece.is(")") => Self::Body(*depth - 1),
            Self::Body(depth) if piece.is("(") => Self::Body(*depth + 1),
            Self::Body(depth) => Self::Body(*depth),
        };
        matches!(self, Self::Body(_) | Self::Line)
    }
}
