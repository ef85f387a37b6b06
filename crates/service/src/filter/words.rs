//! The words of a filter with their places.

use diagnostics::{SourceId, Span};

/// A word of a filter: a name, a number, an address, or one of `(`, `)` and `!`.
#[derive(Clone, Copy, Debug)]
pub(super) struct FilterWord<'t> {
    pub(super) text: &'t str,
    pub(super) span: Span,
}

/// Splits a text into words. `&&` and `||` are words as `and` and `or` are.
pub(super) fn words(text: &str, source: SourceId) -> Vec<FilterWord<'_>> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut push = |from: usize, to: usize| {
        if from < to {
            words.push(FilterWord { text: &text[from..to], span: Span::new(source, from, to) });
        }
    };
    for (at, letter) in text.char_indices() {
        let is_alone = matches!(letter, '(' | ')' | '!');
        if letter.is_whitespace() || is_alone {
            push(start, at);
            start = at + letter.len_utf8();
        }
        if is_alone {
            push(at, start);
        }
    }
    push(start, text.len());
    words
}
