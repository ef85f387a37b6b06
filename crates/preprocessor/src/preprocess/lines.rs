//! Line numbers, for `__LINE__`.

use std::collections::BTreeMap;

use diagnostics::{SourceId, Sources, Span};

/// The ends of the lines of each source. They are computed once per source because a program may use `__LINE__` often.
#[derive(Default)]
pub(super) struct Lines {
    ends: BTreeMap<SourceId, Vec<usize>>,
}

impl Lines {
    /// Returns the line number of a location, starting at 1.
    pub fn line(&mut self, sources: &Sources, span: Span) -> usize {
        let find = || sources.text(span.source).match_indices('\n').map(|(at, _)| at).collect();
        let ends = self.ends.entry(span.source).or_insert_with(find);
        ends.partition_point(|&end| end < span.start as usize) + 1
    }
}
