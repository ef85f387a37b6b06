//! The texts that diagnostics point into.

/// The index of a text in [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

/// A range of bytes in one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The source that the range lies in.
    pub source: SourceId,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset just past the last byte.
    pub end: u32,
}

impl Span {
    /// Creates a span of the bytes `start..end` of `source`.
    ///
    /// # Panics
    ///
    /// Panics if an offset is 4 GiB or more; [`Sources::add`] accepts no text that long.
    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).expect("a source is at most 4 GiB");
        Self { source, start: narrow(start), end: narrow(end) }
    }

    /// Returns the span widened to whole characters of `text` and cut off at its end.
    pub(crate) fn at_characters(self, text: &str) -> Self {
        let end = text.ceil_char_boundary((self.end as usize).min(text.len()));
        let start = text.floor_char_boundary(self.start as usize).min(end);
        Self::new(self.source, start, end)
    }

    /// Returns a span from the start of this one to the end of `last`, or this span unchanged if the two lie in
    /// different sources.
    pub fn to(self, last: Self) -> Self {
        if self.source == last.source { Self { end: self.end.max(last.end), ..self } } else { self }
    }
}

/// All texts read in one run, each with its name.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    texts: Vec<(String, String)>,
}

impl Sources {
    /// Creates an empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text under the name that diagnostics show for it.
    ///
    /// # Panics
    ///
    /// Panics if the text is 4 GiB long or longer.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let text = text.into();
        assert!(u32::try_from(text.len()).is_ok(), "a source is at most 4 GiB");
        self.texts.push((name.into(), text));
        SourceId(self.texts.len() as u32 - 1)
    }

    /// Iterates over the names and texts in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Returns the name of a source.
    ///
    /// # Panics
    ///
    /// Panics if the id comes from another collection and is out of range here.
    pub fn name(&self, id: SourceId) -> &str {
        &self.texts[id.0 as usize].0
    }

    /// Returns the text of a source.
    ///
    /// # Panics
    ///
    /// Panics if the id comes from another collection and is out of range here.
    pub fn text(&self, id: SourceId) -> &str {
        &self.texts[id.0 as usize].1
    }

    /// Returns the line and column at which a span starts. Both count from 1, and the column counts characters.
    ///
    /// # Panics
    ///
    /// Panics if the span refers to a source that is not in this collection.
    pub fn place(&self, span: Span) -> (usize, usize) {
        let text = self.text(span.source);
        let before = &text[..text.floor_char_boundary(span.start as usize)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}
