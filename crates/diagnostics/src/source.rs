//! The texts that diagnostics point into.

/// Numbers a text in [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

/// A byte range of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Which text.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of `source`. Panics beyond 4 GiB, which [`Sources::add`] never accepts.
    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).expect("a source is at most 4 GiB");
        Self { source, start: narrow(start), end: narrow(end) }
    }

    /// The same bytes of `text`, widened to whole characters and cut at its end.
    pub(crate) fn at_characters(self, text: &str) -> Self {
        let end = text.ceil_char_boundary((self.end as usize).min(text.len()));
        let start = text.floor_char_boundary(self.start as usize).min(end);
        Self::new(self.source, start, end)
    }

    /// From the start of this span to the end of `last`, if both lie in one source; else this span.
    pub fn to(self, last: Self) -> Self {
        if self.source == last.source { Self { end: self.end.max(last.end), ..self } } else { self }
    }
}

/// Every text read in one run, with its name.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    texts: Vec<(String, String)>,
}

impl Sources {
    /// No texts yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps a text under the name that diagnostics show. Panics beyond 4 GiB of text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let text = text.into();
        assert!(u32::try_from(text.len()).is_ok(), "a source is at most 4 GiB");
        self.texts.push((name.into(), text));
        SourceId(self.texts.len() as u32 - 1)
    }

    /// Every text with its name, in the order in which they were read.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The name of a source.
    pub fn name(&self, id: SourceId) -> &str {
        &self.texts[id.0 as usize].0
    }

    /// The text of a source.
    pub fn text(&self, id: SourceId) -> &str {
        &self.texts[id.0 as usize].1
    }

    /// Line and column, both from 1, the column in characters.
    pub fn place(&self, span: Span) -> (usize, usize) {
        let text = self.text(span.source);
        let before = &text[..text.floor_char_boundary(span.start as usize)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}
