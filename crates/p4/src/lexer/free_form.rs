//! Where a program may hold what is no token of the language: in annotations of free form (P4_16 1.2.5, section
//! 20.1), such as `@note(that's it)`, and in the rest of an `@pragma` line.

use preprocessor::Piece;

/// Follows the pieces of a program, one after the other.
#[derive(Default)]
pub(super) enum FreeForm {
    /// In the program.
    #[default]
    Outside,
    /// Behind an `@`.
    At,
    /// Behind the name of an annotation.
    Named,
    /// Inside its brackets, with so many open ones inside them.
    Body(u32),
    /// Behind `@pragma`, up to the end of the line.
    Line,
}

impl FreeForm {
    /// Whether this piece, which comes next, may be anything.
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
