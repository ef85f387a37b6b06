//! Splitting of texts into lines and words with locations.

use diagnostics::{SourceId, Sources, Span};

/// A word of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The text of the word.
    pub text: String,
    /// The location of the word.
    pub span: Span,
}

/// Returns the words of a text, line by line. Lines without words, and comments that begin with `#` or `//`, are
/// omitted.
///
/// `//` begins a comment only at the start of a word, whereas `#` does so anywhere, as existing files expect.
pub(crate) fn words(sources: &Sources, source: SourceId) -> Vec<Vec<Word>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in sources.text(source).split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or_default();
        let mut words = Vec::new();
        let mut at = 0;
        while let Some(first) = code[at..].find(|letter: char| !letter.is_whitespace()) {
            let from = at + first;
            let length = code[from..].find(char::is_whitespace).unwrap_or(code.len() - from);
            let text = &code[from..from + length];
            if text.starts_with("//") {
                break;
            }
            words.push(Word { text: text.to_owned(), span: Span::new(source, start + from, start + from + length) });
            at = from + length;
        }
        if !words.is_empty() {
            lines.push(words);
        }
        start += line.len();
    }
    lines
}
